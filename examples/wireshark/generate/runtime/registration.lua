-- Registration of fields.
local registered = {}
local function register(f)
  registered[#registered + 1] = f
  return f
end

-- protofield returns a field and what is known of it. Wireshark prints the values of a field that is
-- alike as dump does. The captions are labels of values.
local function protofield(filter, name, typ, descriptor, hexadecimal)
  if typ == "string" or typ == "bytes" or typ == "float" then
    return {proto = register(ProtoField[typ](filter, name))}
  elseif typ == "bool" then
    return {proto = register(ProtoField.bool(filter, name))}
  end
  local f = register(ProtoField[typ](filter, name, hexadecimal and base.HEX or base.DEC, descriptor and descriptor.names))
  return {proto = f, alike = not hexadecimal and not descriptor}
end
