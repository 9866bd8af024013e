-- Registration of fields.
local registered, alike = {}, {} -- alike: Wireshark prints the values as dump does
local function register(f)
  registered[#registered + 1] = f
  return f
end
local function protofield(filter, name, typ, descriptor, hexadecimal)
  if typ == "string" or typ == "bytes" or typ == "float" or typ == "double" then
    return register(ProtoField[typ](filter, name))
  elseif typ == "bool" then
    return register(ProtoField.bool(filter, name))
  end
  local f = register(ProtoField[typ](filter, name, hexadecimal and base.HEX or base.DEC, descriptor and descriptor.names))
  alike[f] = not hexadecimal and not descriptor
  return f
end
