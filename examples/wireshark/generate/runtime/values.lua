-- Values as dump and opcode.Line print them.
local valueText, frameText, line, conditions, float16
do
  -- Values as dump prints them, for the tree.
  local function typed(typ, v)
    if typ.names then return typ.names[v] or typ.other(v) end
    return typ.text(v)
  end

  -- captionOf returns the name of a value and its number, from a memory of bounded size.
  local captionOf
  do
    local detail
    function captionOf(typ, v)
      local memory = typ.memory
      if not memory or typ.remembered > 1024 then
        memory, typ.remembered = {}, 0
        typ.memory = memory
      end
      local text = memory[v]
      if not text then
        local name = typed(typ, v)
        text = name .. detail(typ, v, name)
        memory[v], typ.remembered = text, typ.remembered + 1
      end
      return text
    end

    -- detail returns the number of an enumeration, "" if its name is the number.
    function detail(typ, v, name)
      if typ == T.stateupdate_Power then v = quotient(v, 51) end
      if sub(name, 1, 2) == "0x" or name == format("%d", v) then return "" end
      if v > 255 then return format("  0x%08x", v) end
      if v < 0 then return format("  %d, 0x-%x", v, -v) end
      return format("  %d, 0x%02x", v, v)
    end
  end

  -- levels remembers its results. Most systems are whole.
  local levels
  do
    local memory, remembered = {}, 0
    function levels(s)
      local text = memory[s]
      if text then return text end
      local out = {}
      for i = 1, #s do out[i] = format("%d", W.stateupdate_Level_percentage(byte(s, i))) end
      text = #out > 0 and concat(out, "/") .. "%" or ""
      if remembered == 1024 then memory, remembered = {}, 0 end
      memory[s], remembered = text, remembered + 1
      return text
    end
  end


  local vectorOf, axesText
  do
    local edges = {[0] = 0, "0x1.0624dep-10", "0x1.47ae16p-07", "0x1.99999cp-04", "0x1.000002p+00", "0x1.400002p+03", "0x1.900002p+06",
      "0x1.f40002p+09", "0x1.388002p+13"}
    for i = 1, 8 do edges[i] = tonumber(edges[i]) end
    local decodeStep = tonumber("0x1.001002p-12")
    local floats16 = {}
    function float16(code)
      local v = floats16[code]
      if not v then
        local scale = floor(code / 4096) % 8
        local low, high = edges[scale], edges[scale + 1]
        v = round32(round32(round32(high - low) * (code % 4096)) * decodeStep)
        v = round32(v + low)
        if code >= 32768 then v = -v end
        floats16[code] = v
      end
      return v
    end

    local axes = {}
    for i = -128, 127 do axes[i % 256] = round32(i / 127) end
    -- triple returns the axes, or their product with a scale.
    local function triple(s, at, scale)
      local x, y, z = byte(s, at + 1, at + 3)
      x, y, z = axes[x], axes[y], axes[z]
      if scale then x, y, z = single24(x * scale), single24(y * scale), single24(z * scale) end
      return x, y, z
    end
    local rawTexts = {}
    for i = -128, 127 do rawTexts[i % 256] = format("%d", i) end
    local function rawAxes(s, at)
      local x, y, z = byte(s, at + 1, at + 3)
      return rawTexts[x] .. " " .. rawTexts[y] .. " " .. rawTexts[z]
    end
    local axisTexts = {}
    for i = 0, 255 do axisTexts[i] = digits(axes[i]) end
    function axesText(s, at)
      local x, y, z = byte(s, at + 1, at + 3)
      return "(" .. axisTexts[x] .. " " .. axisTexts[y] .. " " .. axisTexts[z] .. ")  raw " .. rawAxes(s, at)
    end
    -- vectorOf returns the components of a compressed vector and the text of its codes.
    function vectorOf(kind, s, at)
      local raw = rawAxes(s, at)
      if kind == "vector3" then
        local x, y, z = triple(s, at)
        return x, y, z, raw
      end
      local scale, more
      if kind == "vector4" then
        local low, high = byte(s, at + 4, at + 5)
        scale, more = float16(low + 256 * high), format("%d", low + 256 * high)
      else
        local mag = byte(s, at + 4)
        scale, more = round32(mag / 255), format("%d", mag)
      end
      local x, y, z = triple(s, at, scale)
      return x, y, z, raw .. " " .. more
    end
  end

  local function floatsOf(s, at, size, print, separator)
    local out = {}
    for i = 0, size - 4, 4 do out[#out + 1] = print(read32(s, at + i + 1)) end
    return "(" .. concat(out, separator) .. ")"
  end

  local function shortBytes(s, at, size)
    if size <= 12 then return hex(sub(s, at + 1, at + size)) end
    return hex(sub(s, at + 1, at + 12)) .. format("...(%d bytes)", size)
  end

  -- valueText returns the value of a leaf as dump prints it. Part names the part of a ship that an
  -- object ID names.
  function valueText(i, s, part)
    local kind, v, typ = leafKind[i], leafValue[i], leafType[i]
    if kind == "number" then
      if not typ then return format("%d", v) end
      if typ == T.bool then return tostring(v) end
      return captionOf(typ, v)
    elseif kind == "objectid" then
      local name = format("0x%08x", v)
      if part then name = printable(name .. " (" .. part .. ")") end
      local slot = v < 2147483648 and floor((v - 0x3FFFFFFF) / 262144) or -1
      return slot >= 0 and slot < 16 and format("%s  slot %d", name, slot) or name
    elseif kind == "f32" then
      return special(v, "+Inf") or shortest(v)
    elseif kind == "bool" then
      return tostring(v)
    elseif kind == "f16" then
      return format("%s  raw %d", lineDigits(float16(v)), v)
    elseif kind == "vector3" then
      return axesText(s, leafAt[i])
    elseif kind == "vector4" or kind == "contact" then
      local x, y, z, raw = vectorOf(kind, s, leafAt[i])
      return format("(%.5g %.5g %.5g)", x, y, z) .. (kind == "contact" and " radii  raw " or "  raw ") .. raw
    elseif kind == "f32s" then
      return floatsOf(s, leafAt[i], leafSize[i], lineDigits, " ")
    elseif kind == "count" then
      return format("%d", v)
    elseif kind == "text" then
      return quote((fromBytes(v):gsub("%z+$", "")))
    elseif kind == "utf16" then
      return quote(fromUTF16(v))
    elseif kind == "bytes" and typ == T.stateupdate_Levels then
      return levels(sub(s, leafAt[i] + 1, leafAt[i] + leafSize[i]))
    elseif kind == "bytes" then
      return shortBytes(s, leafAt[i], leafSize[i])
    end
    return tostring(v)
  end

  -- frameText returns the value of a leaf of a system message as dump prints it.
  function frameText(i, s)
    local kind, v, typ = leafKind[i], leafValue[i], leafType[i]
    local raw = sub(s, leafAt[i] + 1, leafAt[i] + leafSize[i])
    if typ == T.ip then
      return format("%d.%d.%d.%d", byte(raw, 1, 4))
    elseif typ == T.transport_UTF16Z then
      return quote(fromUTF16(beforeNUL(raw)))
    elseif typ == T.transport_AckFlags then
      return (v % 4 >= 2 and "system" or "game") .. " channel" .. (v % 2 == 1 and ", fragment" or "")
    elseif typ and typ ~= T.objectid_PeerID then
      return typed(typ, v)
    elseif kind == "bytes" then
      return ""
    end
    return format("%d", v)
  end

  -- lineText returns the value of a leaf as opcode.Line prints it.
  local function lineText(i, s, ships, order)
    local kind, v, typ = leafKind[i], leafValue[i], leafType[i]
    if kind == "number" then
      if not typ then return format("%d", v) end
      return typ == T.bool and tostring(v) or typed(typ, v)
    elseif kind == "objectid" then
      local part = ships and partOf(ships, v, order)
      return part and printable(format("0x%08x (%s)", v, part)) or format("0x%08x", v)
    elseif kind == "f32" then
      return lineDigits(v)
    elseif kind == "f16" then
      return lineDigits(float16(v))
    elseif kind == "vector3" or kind == "vector4" or kind == "contact" then
      local x, y, z = vectorOf(kind, s, leafAt[i])
      return format("(%s,%s,%s)", hundredths(x), hundredths(y), hundredths(z))
    elseif kind == "f32s" then
      return floatsOf(s, leafAt[i], leafSize[i], lineDigits, ",")
    elseif kind == "text" or kind == "utf16" then
      local n = #v
      if kind == "utf16" then
        v = fromUTF16(v)
        n = #v
      end
      if n > 256 then return quote(fromBytes(sub(v, 1, 256))) .. format("…(%d bytes)", n) end
      return quote(fromBytes(v))
    elseif kind == "bytes" then
      local at, size = leafAt[i], leafSize[i]
      if size > 24 then return hex(sub(s, at + 1, at + 24)) .. format("…(%d bytes)", size) end
      return hex(sub(s, at + 1, at + size))
    end
    return tostring(v)
  end

  -- line returns a message in one line, as opcode.Line does, with the names of the parts of ships if
  -- the ships are given.
  function line(name, s, first, last, ships, order)
    local out, n = {name}, 0
    for i = first, last do
      local kind = leafKind[i]
      if kind ~= "trailing" and not (kind == "count" and leafValue[i] > 0) then
        n = n + 1
        if n > 24 then
          out[#out + 1] = "…"
          break
        end
        local own, group = leafName[i], leafGroup[i]
        if group then own = own ~= "" and pathOf(group) .. "." .. own or pathOf(group) end
        out[#out + 1] = own .. "=" .. lineText(i, s, ships, order)
      end
    end
    return concat(out, " ")
  end

  -- conditions returns the subsystems of a ship with their conditions in a line, as dump does.
  function conditions(s, first)
    local out, last = {}, nil
    for i = first, leaves do
      local own = leafGroup[i]
      if own then
        local g = own
        while g.parent and g.parent.parent do g = g.parent end
        if g ~= last and g.parent then
          last, out[#out + 1] = g, g == own and g.label .. " " .. lineText(i, s) or g.label
        end
      end
    end
    return (#out > 0 and " " or "") .. printable(concat(out, ", "))
  end
end
