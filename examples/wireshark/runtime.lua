local W, Z, T, M, B = {}, {}, {bool = {}, ip = {}}, {}, {} -- walks, constructors, types, messages, system bodies
local O, K, S, U = {}, {}, {}, {}                       -- names of opcodes, kinds of subsystems, ships, characters

local floor, format, char, sub, byte = math.floor, string.format, string.char, string.sub, string.byte
local concat, pack = table.concat, table.unpack or unpack

-- Most garbage is the items of the tree, whose finalizers Wireshark runs. Whole collections of a
-- small heap take less time than steps between the datagrams.
collectgarbage("setstepmul", 10000)
collectgarbage("setpause", 150)

-- Numbers. Lua 5.2 has no operators for bits, and later versions have no bit32.
local function operator(name, text)
  if bit32 and not math.type then return bit32[name] end
  return load("return function(a, b) return a " .. text .. " b end")()
end
local band, bor, bxor = operator("band", "&"), operator("bor", "|"), operator("bxor", "~")
local lshift, rshift = operator("lshift", "<<"), operator("rshift", ">>")
local bxor3, bxor6 = bxor, bxor
if math.type then
  bxor3 = load("return function(a, b, c) return a ~ b ~ c end")()
  bxor6 = load("return function(a, b, c, d, e, f) return a ~ b ~ c ~ d ~ e ~ f end")()
end
local function bclear(a, b) return a - band(a, b) end
local function quotient(a, b)
  if a < 0 then return -floor(-a / b) end
  return floor(a / b)
end
local function remainder(a, b) return a - b * quotient(a, b) end
local function signed(v, size)
  v = v % size
  if v >= size / 2 then return v - size end
  return v
end

local read32, round32, read64
if string.unpack then
  read32 = function(s, at) return (string.unpack("<f", s, at)) end
  read64 = function(s, at) return (string.unpack("<d", s, at)) end
  round32 = function(v) return (string.unpack("<f", string.pack("<f", v))) end
else
  read32 = function(s, at) return (Struct.unpack("<f", s, at)) end
  read64 = function(s, at) return (Struct.unpack("<d", s, at)) end
  round32 = function(v) return (Struct.unpack("<f", Struct.pack("<f", v))) end
end

local special, digits, lineDigits, hundredths, shortest
do
  -- special returns the text of what is no finite number.
  function special(v, infinity)
    if v ~= v then return "NaN" end
    if v == math.huge then return infinity end
    if v == -math.huge then return "-" .. "Inf" .. (infinity == "Infinity" and "inity" or "") end
  end
  function digits(v) return special(v, "Infinity") or format("%.5g", v) end
  function lineDigits(v) return special(v, "+Inf") or format("%.5g", v) end
  function hundredths(v) return special(v, "+Inf") or format("%.2f", v) end

  local precisions = {"%.6g", "%.7g", "%.8g", "%.9g"}
  -- shortest returns the shortest text that stands for a number, as strconv.FormatFloat does.
  function shortest(v, single)
    local text = special(v, "+Inf")
    if text then return text end
    if v == 0 then return 1 / v < 0 and "-0" or "0" end
    if single and v < 999999 and v > -999999 and (v > 0.0001 or v < -0.0001) then
      for n = 1, 4 do
        text = format(precisions[n], v)
        local back = tonumber(text)
        local product = back * 536870913
        if product - (product - back) == v then return text end -- rounded to 24 bits
      end
    end
    local first, last = single and 6 or 15, single and 9 or 17
    if v < 1e-37 and v > -1e-37 then first = 1 end -- fewer digits in numbers that are not normal
    for n = first, last do
      text = format("%." .. (n - 1) .. "e", v)
      local back = tonumber(text)
      if (single and round32(back) or back) == v then break end
    end
    local sign, whole, part, exponent = text:match("^(%-?)(%d)%.?(%d*)e([+-]%d+)$")
    local all = (whole .. part):gsub("0+$", "")
    exponent = tonumber(exponent)
    if exponent < -4 or exponent >= 6 then
      local mantissa = sub(all, 1, 1) .. (#all > 1 and "." .. sub(all, 2) or "")
      return sign .. mantissa .. format("e%s%02d", exponent < 0 and "-" or "+", math.abs(exponent))
    end
    if exponent < 0 then return sign .. "0." .. string.rep("0", -exponent - 1) .. all end
    if #all <= exponent + 1 then return sign .. all .. string.rep("0", exponent + 1 - #all) end
    return sign .. sub(all, 1, exponent + 1) .. "." .. sub(all, exponent + 2)
  end
end

-- Texts. Single bytes are Windows-1252.
local utf8, fromBytes, fromUTF16, beforeNUL, quote, printable
do
  function utf8(r)
    if r < 0x80 then return char(r) end
    if r < 0x800 then return char(0xC0 + floor(r / 64), 0x80 + r % 64) end
    if r < 0x10000 then return char(0xE0 + floor(r / 4096), 0x80 + floor(r / 64) % 64, 0x80 + r % 64) end
    return char(0xF0 + floor(r / 262144), 0x80 + floor(r / 4096) % 64, 0x80 + floor(r / 64) % 64, 0x80 + r % 64)
  end

  local windows1252 = {}
  for r = 0x80, 0xFF do windows1252[char(r)] = utf8(r) end
  for i, r in ipairs {0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178} do
    windows1252[char(0x7F + i)] = utf8(r)
  end
  function fromBytes(s) return (s:gsub("[\128-\255]", windows1252)) end

  function fromUTF16(s)
    local out, i = {}, 1
    while i + 1 <= #s do
      local low, high = byte(s, i, i + 1)
      local r = low + 256 * high
      i = i + 2
      if r >= 0xD800 and r < 0xE000 then
        local second = -1
        if r < 0xDC00 and i + 1 <= #s then
          low, high = byte(s, i, i + 1)
          second = low + 256 * high
        end
        if second >= 0xDC00 and second < 0xE000 then
          r, i = 0x10000 + (r - 0xD800) * 1024 + second - 0xDC00, i + 2
        else
          r = 0xFFFD
        end
      end
      out[#out + 1] = utf8(r)
    end
    return concat(out)
  end

  -- beforeNUL returns UTF-16 up to its NUL.
  function beforeNUL(s)
    for i = 1, #s - 1, 2 do
      if byte(s, i) == 0 and byte(s, i + 1) == 0 then return sub(s, 1, i - 1) end
    end
    return s
  end

  local starts -- of the runs of characters that print, and of those that do not
  local function isPrint(r)
    if not starts then
      starts = {}
      local at = 0
      for i, n in ipairs(U.runs) do
        starts[i] = at
        at = at + n
      end
    end
    local low, high = 1, #starts
    while low < high do
      local mid = floor((low + high + 1) / 2)
      if starts[mid] <= r then low = mid else high = mid - 1 end
    end
    return low % 2 == 0
  end

  local escapes = {[7] = "\\a", [8] = "\\b", [9] = "\\t", [10] = "\\n", [11] = "\\v", [12] = "\\f", [13] = "\\r", [34] = '\\"', [92] = "\\\\"}
  local function quoteRune(text)
    local r = byte(text)
    if r >= 0xF0 then
      local a, b, c, d = byte(text, 1, 4)
      r = (a - 0xF0) * 262144 + (b - 0x80) * 4096 + (c - 0x80) * 64 + d - 0x80
    elseif r >= 0xE0 then
      local a, b, c = byte(text, 1, 3)
      r = (a - 0xE0) * 4096 + (b - 0x80) * 64 + c - 0x80
    elseif r >= 0xC0 then
      local a, b = byte(text, 1, 2)
      r = (a - 0xC0) * 64 + b - 0x80
    end
    if escapes[r] then return escapes[r] end
    if isPrint(r) then return text end
    if r < 0x80 then return format("\\x%02x", r) end
    if r < 0x10000 then return format("\\u%04x", r) end
    return format("\\U%08x", r)
  end

  -- quote quotes UTF-8 as strconv.Quote does.
  function quote(s)
    if not s:find('[^ !#-%[%]-~]') then return '"' .. s .. '"' end
    return '"' .. s:gsub("[\0-\127\194-\244][\128-\191]*", quoteRune) .. '"'
  end

  -- printable quotes a text with characters that do not print.
  function printable(s)
    if not s:find("[^ -~]") then return s end
    for rune in s:gmatch("[\0-\127\194-\244][\128-\191]*") do
      if rune ~= '"' and rune ~= "\\" and quoteRune(rune) ~= rune then return quote(s) end
    end
    return s
  end
end

local function hex(s) return (s:gsub(".", function(c) return format("%02x", byte(c)) end)) end

-- Names of flags and of small numbers.
local function flagnames(v, names)
  local set = {}
  for i, name in ipairs(names) do
    local bit = 2 ^ (i - 1)
    if name ~= "" and v % (2 * bit) >= bit then
      set[#set + 1], v = name, v - bit
    end
  end
  if v ~= 0 or #set == 0 then set[#set + 1] = format("%d", v) end
  return concat(set, "|")
end
local function word(v, names) return names[v + 1] or "?" end
local function numbered(v, names) return names[v + 1] or format("%d", v) end

-- The codec of one payload. Leaves are what a walk makes of the bytes, in the order of the walk.
-- Leaves and groups are reused: a payload makes no garbage.
local leaves, groups = 0, 0
local leafs, groupList = {}, {}
local FAIL = {}

local function reset(c, b, s, base, stop, fields)
  c.b, c.s, c.base, c.off, c.stop = b, s, base, base, stop
  c.name, c.start, c.covered, c.mark = "", base, base, base
  c.scope, c.group, c.err, c.tail = fields and fields.members, nil, nil, nil
  c.used, c.left, c.bits = 0, 0, 0
  return c
end

-- begin returns the codec of a payload, without leaves.
local theCodec, trialCodec = {}, {}
local function begin(b, s, at, stop, fields)
  leaves, groups = 0, 0
  if #leafs > 8192 then leafs, groupList = {}, {} end
  return reset(theCodec, b, s, at, stop, fields)
end

local function pathOf(g)
  if g.parent then return pathOf(g.parent) .. "." .. g.label end
  return g.label
end
local function path(c)
  if not c.group then return c.name end
  if c.name == "" then return pathOf(c.group) end
  return pathOf(c.group) .. "." .. c.name
end

local function failAt(c, at, reason)
  c.err = {path = path(c), offset = at - c.base, reason = reason}
  error(FAIL, 0)
end
local function fail(c, reason) failAt(c, c.start, reason) end
local function eof(c) failAt(c, c.start, "unexpected EOF") end

local function field(c, name)
  c.name, c.start = name, c.off
  return c
end

local function leaf(c, at, size, kind, value)
  local n, name, scope = leaves + 1, c.name, c.scope
  local l = leafs[n]
  if not l then
    l = {}
    leafs[n] = l
  end
  leaves = n
  c.covered = c.off
  l.name = name
  l.at = at
  l.size = size
  l.kind = kind
  l.value = value
  l.typ = nil
  l.group = c.group
  l.node = scope and scope[name]
  return l
end

local function show(_, typ, value)
  local l = leafs[leaves]
  l.typ = typ
  if value ~= nil then l.value = value end
end

local listLabel
do
  local labels = {}
  function listLabel(name, i)
    local list = labels[name]
    if not list then
      list = {}
      labels[name] = list
    end
    local text = list[i]
    if not text then
      text = format("%s[%d]", name, i)
      if i < 256 then list[i] = text end
    end
    return text
  end
end

local function element(c, name, i)
  local n, scope, at = groups + 1, c.scope, c.off
  local g = groupList[n]
  if not g then
    g = {}
    groupList[n] = g
  end
  groups = n
  g.name = name
  g.label = i and listLabel(name, i) or name
  g.parent = c.group
  g.scope = scope
  g.first = at
  g.last = at
  g.item = nil
  local node = scope and (scope[name] or scope["*"])
  c.scope = node and node.members
  c.group = g
  c.name = ""
  c.start = at
end

local function leave(c)
  local g, at = c.group, c.off
  g.last = at
  c.scope = g.scope
  c.group = g.parent
  c.name = g.name
  c.start = at
end

local function remaining(c) return c.stop - c.off end
local function elements(c, size) return floor((c.stop - c.off) / size) end

local function little(b, at, size)
  if size == 1 then return b[at + 1] end
  if size == 2 then return b[at + 1] + 256 * b[at + 2] end
  return b[at + 1] + 256 * b[at + 2] + 65536 * b[at + 3] + 16777216 * b[at + 4]
end

local function peek(c, ahead, size)
  if ahead < 0 or ahead > c.stop - c.off - size then return 0 end
  return little(c.b, c.off + ahead, size)
end

local function resize(n, maker)
  local list = {}
  for i = 1, n do list[i] = maker and maker() or 0 end
  return list
end

-- Primitives. The name is nil if the field was named before.
local function take(c, name, size)
  local at = c.off
  if name then
    c.name = name
    c.start = at
  end
  local stop = at + size
  if stop > c.stop then eof(c) end
  c.off = stop
  return at
end

local function u8(c, name)
  local at = c.off
  if name then
    c.name = name
    c.start = at
  end
  if at >= c.stop then eof(c) end
  c.off = at + 1
  local v = c.b[at + 1]
  leaf(c, at, 1, "number", v)
  return v
end
local function number(size, wrap)
  return function(c, name)
    local at = take(c, name, size)
    local v = little(c.b, at, size)
    if wrap and v >= wrap / 2 then v = v - wrap end
    leaf(c, at, size, "number", v)
    return v
  end
end
local i8, u16, i16, u32, i32 = number(1, 256), number(2), number(2, 65536), number(4), number(4, 4294967296)

local function f32(c, name)
  local at = take(c, name, 4)
  local v = read32(c.s, at + 1)
  leaf(c, at, 4, "f32", v)
  return v
end
local function f64(c, name)
  local at = take(c, name, 8)
  local v = read64(c.s, at + 1)
  leaf(c, at, 8, "f64", v)
  return v
end
local function f32s(c, name, n) leaf(c, take(c, name, 4 * n), 4 * n, "f32s") end
local function objectid(c, name)
  local at = take(c, name, 4)
  local v = little(c.b, at, 4)
  leaf(c, at, 4, "objectid", v)
  return signed(v, 4294967296)
end
local function f16(c, name)
  local at = take(c, name, 2)
  leaf(c, at, 2, "f16", little(c.b, at, 2))
end
local function vector3(c, name) leaf(c, take(c, name, 3), 3, "vector3") end
local function vector4(c, name) leaf(c, take(c, name, 5), 5, "vector4") end
local function vector4f(c, name) leaf(c, take(c, name, 7), 7, "vector4f") end
local function contact(c, name) leaf(c, take(c, name, 4), 4, "contact") end

local function text(width, unit, kind)
  return function(c, name)
    local at = take(c, name, width)
    local n = unit * little(c.b, at, width)
    if n > c.stop - c.off then eof(c) end
    c.off = c.off + n
    local v = sub(c.s, at + width + 1, c.off)
    leaf(c, at, width + n, kind, v)
    return v
  end
end
local string8, string16, string32, wstring32 = text(1, 1, "text"), text(2, 1, "text"), text(4, 1, "text"), text(4, 2, "utf16")

local function bytes(c, name, n)
  local at = take(c, name, n)
  leaf(c, at, n, "bytes")
  return sub(c.s, at + 1, c.off)
end

-- rest takes the opaque tail. An open bit group may go on in it. Who knows more about the tail can
-- walk it instead, from resume on.
local function rest(c, name, open)
  c.tail, c.tailOff, c.tailUsed, c.tailLeft, c.tailBits = leaves, c.off, c.used, c.left, c.bits
  if open then c.left = 0 end
  return bytes(c, name, c.stop - c.off)
end

local function resume(c)
  leaves, c.off, c.covered, c.used, c.left, c.bits, c.err = c.tail, c.tailOff, c.tailOff, c.tailUsed, c.tailLeft, c.tailBits, nil
end

local function count(c, name, width, least)
  local at = take(c, name, width)
  local n = little(c.b, at, width)
  if n > floor((c.stop - c.off) / least) then eof(c) end
  leaf(c, at, width, "count", n)
  return n
end

-- boolean takes a packed bool. Up to five share a byte, wherever they are in the payload.
local function boolean(c, name)
  if name then c.name, c.start = name, c.off end
  local used, size = c.used, 0
  if used == 0 then
    c.mark, size = c.off, 1
    c.off = c.off + 1
  end
  if c.left == 0 then
    if used > 0 then failAt(c, c.mark, "bad bit group") end
    if c.mark >= c.stop then eof(c) end
    local bits = c.b[c.mark + 1]
    local n = floor(bits / 32)
    if n < 1 or n > 5 or bits % 32 >= 2 ^ n then failAt(c, c.mark, "bad bit group") end
    c.bits, c.left = bits, n
  end
  c.left = c.left - 1
  local v = floor(c.bits / 2 ^ used) % 2 == 1
  c.top = c.group or c.name
  leaf(c, c.mark, size, "bool", v).bit = used
  c.used = (used + 1) % 5
  return v
end

-- walk runs a walk and returns its error, nil if there is none.
local function walk(c, f, ...)
  local ok, problem = pcall(f, ...)
  if not ok and problem ~= FAIL then error(problem, 0) end
  if ok and c.left ~= 0 then
    local top = c.top -- the field, or the outermost group around
    while type(top) == "table" do top = top.parent or top.name end
    c.err = {path = top, offset = c.mark - c.base, reason = "bad bit group"}
  elseif ok and c.off < c.stop then
    c.err = {path = "", offset = c.off - c.base, reason = "bytes after the last field", trailing = true}
  end
  return c.err
end

-- failed adds a leaf for the bytes that a walk has left.
local function failed(c, message)
  local e = c.err
  local where = e.path ~= "" and "." .. e.path or ""
  e.text = message:gsub("^(%w+)%.", "%1: decode ") .. where .. format(" at offset %d: %s", e.offset, e.reason)
  if e.trailing and message == "opcode.GameInit" then e.text = e.text .. U.datagramHint end
  c.name, c.scope, c.group = e.path, nil, nil
  leaf(c, c.covered, c.stop - c.covered, e.trailing and "trailing" or "error", e.text)
end

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

-- @generated

local valueText, frameText, line, float16
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

  local function levels(s)
    local out = {}
    for i = 1, #s do out[i] = format("%d", W.stateupdate_Level_percentage(byte(s, i))) end
    return #out > 0 and concat(out, "/") .. "%" or ""
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
    local function triple(s, at, scale)
      local x, y, z = byte(s, at + 1, at + 3)
      x, y, z = axes[x], axes[y], axes[z]
      if scale then x, y, z = round32(x * scale), round32(y * scale), round32(z * scale) end
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
      elseif kind == "vector4f" then
        scale = read32(s, at + 4)
        more = special(scale, "Infinity") or shortest(scale)
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
    local kind, v, typ = leafs[i].kind, leafs[i].value, leafs[i].typ
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
      return special(v, "+Inf") or shortest(v, true)
    elseif kind == "f64" then
      return special(v, "Infinity") or shortest(v)
    elseif kind == "bool" then
      return tostring(v)
    elseif kind == "f16" then
      return format("%s  raw %d", lineDigits(float16(v)), v)
    elseif kind == "vector3" then
      return axesText(s, leafs[i].at)
    elseif kind == "vector4" or kind == "vector4f" or kind == "contact" then
      local x, y, z, raw = vectorOf(kind, s, leafs[i].at)
      return format("(%s %s %s)%s  raw %s", lineDigits(x), lineDigits(y), lineDigits(z), kind == "contact" and " radii" or "", raw)
    elseif kind == "f32s" then
      return floatsOf(s, leafs[i].at, leafs[i].size, digits, " ")
    elseif kind == "count" then
      return format("%d", v)
    elseif kind == "text" then
      return quote((fromBytes(v):gsub("%z+$", "")))
    elseif kind == "utf16" then
      return quote(fromUTF16(v))
    elseif kind == "bytes" and typ == T.stateupdate_Levels then
      return levels(sub(s, leafs[i].at + 1, leafs[i].at + leafs[i].size))
    elseif kind == "bytes" then
      return shortBytes(s, leafs[i].at, leafs[i].size)
    end
    return tostring(v)
  end

  -- frameText returns the value of a leaf of a system message as dump prints it.
  function frameText(i, s)
    local kind, v, typ = leafs[i].kind, leafs[i].value, leafs[i].typ
    local raw = sub(s, leafs[i].at + 1, leafs[i].at + leafs[i].size)
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
  local function lineText(i, s)
    local kind, v, typ = leafs[i].kind, leafs[i].value, leafs[i].typ
    if kind == "number" then
      if not typ then return format("%d", v) end
      return typ == T.bool and tostring(v) or typed(typ, v)
    elseif kind == "objectid" then
      return format("0x%08x", v)
    elseif kind == "f32" then
      return lineDigits(v)
    elseif kind == "f64" then
      return special(v, "+Inf") or shortest(v)
    elseif kind == "f16" then
      return lineDigits(float16(v))
    elseif kind == "vector3" or kind == "vector4" or kind == "contact" then
      local x, y, z = vectorOf(kind, s, leafs[i].at)
      return format("(%s,%s,%s)", hundredths(x), hundredths(y), hundredths(z))
    elseif kind == "f32s" then
      return floatsOf(s, leafs[i].at, leafs[i].size, lineDigits, ",")
    elseif kind == "text" or kind == "utf16" then
      local n = #v
      if kind == "utf16" then
        v = fromUTF16(v)
        n = #v
      end
      if n > 256 then return quote(fromBytes(sub(v, 1, 256))) .. format("…(%d bytes)", n) end
      return quote(fromBytes(v))
    elseif kind == "bytes" then
      local at, size = leafs[i].at, leafs[i].size
      if size > 24 then return hex(sub(s, at + 1, at + 24)) .. format("…(%d bytes)", size) end
      return hex(sub(s, at + 1, at + size))
    end
    return tostring(v)
  end

  -- line returns a message in one line, as opcode.Line does.
  function line(name, s, first, last)
    local out, n = {name}, 0
    for i = first, last do
      local kind = leafs[i].kind
      if kind ~= "trailing" and not (kind == "count" and leafs[i].value > 0) then
        n = n + 1
        if n > 24 then
          out[#out + 1] = "…"
          break
        end
        local own, group = leafs[i].name, leafs[i].group
        if group then own = own ~= "" and pathOf(group) .. "." .. own or pathOf(group) end
        out[#out + 1] = own .. "=" .. lineText(i, s)
      end
    end
    return concat(out, " ")
  end
end

-- split returns the bytes of a string as a list.
local function split(s)
  if #s <= 4000 then return {byte(s, 1, -1)} end
  local b = {}
  for i = 1, #s do b[i] = byte(s, i) end
  return b
end

local function join(b)
  local out = {}
  for i = 1, #b, 4000 do out[#out + 1] = char(pack(b, i, math.min(i + 3999, #b))) end
  return concat(out)
end

-- The cipher AlbyRules. With X the exclusive or of all plaintext so far, and u of the sum and the
-- carry, R[k] = u*M^k + t[k][X], the mask folds n[X] and all R[k], and u' = u*M^5 + n5[X].
local decipher
do
  local M = 0x4E35
  local t0, t1, t2, t3, t4, schedules, nexts = {}, {}, {}, {}, {}, {}, {}
  do
    local key = {byte("AlbyRules!", 1, 10)}
    for x = 0, 255 do
      local sum, carry, before, schedule, adds = 0, 0, 0, 0, {}
      for r = 0, 4 do
        local w = bxor(bxor(key[2 * r + 1], x) * 256 + bxor(key[2 * r + 2], x), before)
        local c = w * 0x015A % 65536
        if r > 0 then sum = (sum + r) * M % 65536 end
        sum = (sum + carry + c) % 65536
        adds[r], carry = sum, c
        before = (w * M + 1) % 65536
        schedule = bxor(schedule, before)
      end
      t0[x], t1[x], t2[x], t3[x], t4[x] = adds[0], adds[1], adds[2], adds[3], adds[4]
      schedules[x], nexts[x] = schedule, (sum * M + carry) % 65536
    end
  end

  local rows = {}
  for x = 0, 255 do rows[x] = {schedules[x], t0[x], t1[x], t2[x], t3[x], t4[x], nexts[x]} end

  -- decipher deciphers the first bytes of a datagram, in place.
  function decipher(b, n)
    local u, x, bxor, bxor3, bxor6, rows = 0, 0, bxor, bxor3, bxor6, rows
    for i = 2, n do -- the factors are the powers of M
      local r = rows[x]
      local mask = bxor6(r[1], u + r[2], u * 0x4E35 + r[3], u * 0x56F9 + r[4], u * 0xDF8D + r[5], u * 0x3E31 + r[6]) % 65536
      local low = mask % 256
      local plain = bxor3(low, (mask - low) / 256, b[i])
      b[i] = plain
      u = (u * 0xCE25 + r[7]) % 65536
      x = bxor(x, plain)
    end
  end
end

-- Framing.
local types = {[0] = "NameChange", "Ack", "DoNothing", "Connect", "Boot", "Disconnect", [0x32] = "Data"}
local DATA, ACK, DONOTHING, CONNECT = 0x32, 1, 2, 3
local function typeName(t) return types[t] or format("0x%02x", t) end

-- parse reads the message at an offset, into a table that the next call uses again. The length is 0
-- if it is unknown.
local parsed = {}
local function parse(b, at, stop)
  local left, t, m = stop - at, b[at + 1], parsed
  m.at, m.type, m.length, m.body, m.stop, m.reason, m.missing, m.short, m.known = at, t, 0, at, stop, nil, nil, nil, nil
  m.seq, m.word, m.wire, m.index, m.total, m.whole = nil, nil, nil, 0, 0, nil
  m.reliable, m.high, m.fragment = nil, nil, nil
  if left == 0 then
    m.reason, m.missing = "unexpected EOF", true
    return m
  end
  if t == ACK then
    m.body, m.stop = math.min(at + 3, stop), stop
    local n = left >= 4 and (b[at + 4] % 2 == 1 and 5 or 4)
    if left >= 3 then m.seq = b[at + 2] + 256 * b[at + 3] end
    if not n or left < n then
      m.reason = "unexpected EOF"
      return m
    end
    m.length, m.stop = n, at + n
    return m
  elseif t == DONOTHING then
    m.length = left >= 3 and b[at + 2] == 3 and b[at + 3] == 0 and 3 or 1
    m.body, m.stop = at + 1, at + m.length
    return m
  end
  if t < DATA and left >= 2 and b[at + 2] >= 2 and b[at + 2] <= left and not (left > 2 and b[at + 3] >= 64) then
    m.short, m.length = true, b[at + 2]
    m.body, m.stop = at + 2, at + m.length
    return m
  end
  m.body, m.stop = stop, stop
  if not types[t] then
    m.reason = "unknown message type"
    return m
  elseif left < 3 then
    m.reason = "unexpected EOF"
    return m
  end
  m.known = true
  local low, high = b[at + 2], b[at + 3]
  m.word = low + 256 * high
  m.reliable, m.high = high >= 128, high % 128 >= 64
  m.fragment = t == DATA and high % 64 >= 32
  local n = m.word % (t == DATA and 8192 or 16384)
  m.wire = n
  if n < 3 then
    m.reason = "bad length"
    return m
  end
  local whole, header, needed = math.min(at + n, stop), 3, 3
  if m.reliable then
    needed = 5
    if whole - at >= 5 then
      m.seq, header = b[at + 4] + 256 * b[at + 5], 5
    end
  end
  if m.fragment and at + header < whole and (header == 5 or not m.reliable) then
    m.index = b[at + header + 1]
    header = header + 1
    if m.index == 0 and at + header < whole then
      m.total = b[at + header + 1]
      header = header + 1
    end
  end
  if m.fragment then needed = needed + (m.index == 0 and 2 or 1) end
  m.body, m.stop, m.whole = at + header, whole, header == needed
  if n > left then
    m.reason = "unexpected EOF"
    return m
  end
  m.length = n
  if header < needed then
    m.reason = "bad length"
  elseif m.fragment and not m.reliable then
    m.reason = "bad fragment"
  end
  return m
end

-- bodyOf returns the body of a system message, or a reason why it has none.
local function bodyOf(m)
  local n = m.stop - m.body
  if m.type == ACK then return B.Ack end
  if m.type == DONOTHING then return B.DoNothing end
  if m.short or not m.reliable then return nil, "dialect" end
  if m.type == CONNECT and n == 1 then return B.ConnectReply end
  if m.type == CONNECT and n >= 8 then return B.ConnectRequest end
  if m.type == 0 and n >= 5 then return B.NameChange end
  if m.type == 4 and n == 2 then return B.Boot end
  if m.type == 5 and n == 5 then return B.Disconnect end
  return nil, "bad length"
end

-- dialectOf returns how a system message differs from the stock form.
local function dialectOf(m, b)
  if m.type == ACK then
    local odd = b[m.body + 1] - b[m.body + 1] % 4
    return odd ~= 0 and format("flags 0x%02x", odd) or nil
  elseif m.type == DONOTHING then
    return nil
  elseif m.short then
    local meaning = m.type == 6 and ", a Disconnect" or m.type == 0 and m.stop == m.body and ", a keepalive" or ""
    return "length of one byte" .. meaning
  elseif not m.reliable then
    return "not reliable"
  elseif not m.high then
    return "not high priority"
  end
end

-- framing returns the label of flags and length.
local framing
do
  local labels = {[true] = {n = 0}, [false] = {n = 0}} -- of Data messages, and of those of the system channel
  function framing(m)
    local isData, word = m.type == DATA, m.word
    local memory = labels[isData]
    local text = memory[word]
    if not text then
      if memory.n == 4096 then
        memory = {n = 0}
        labels[isData] = memory
      end
      text = format("Flags+Length: length %d", m.wire) .. (m.reliable and ", reliable" or "") .. (m.high and ", high priority" or "")
        .. (m.fragment and ", fragment" or "")
      memory[word], memory.n = text, memory.n + 1
    end
    return text
  end
end

-- Classes of ships. A class of a mod precedes that of the game.
local modClasses, modProblem = {}, nil

local function newClass(name, subsystems)
  local class = {name = name, subsystems = subsystems, parts = {}, objects = 1}
  for _, s in ipairs(subsystems) do
    class.objects = class.objects + 1 + #s.Children
    class.cloak = class.cloak or K[s.Kind][1] == "cloak"
    if not class.parts[s.IDOffset] then class.parts[s.IDOffset] = s.Name end
    for _, child in ipairs(s.Children) do
      if not class.parts[child.IDOffset] then class.parts[child.IDOffset] = s.Name .. " / " .. child.Name end
    end
  end
  class.parts[0] = nil
  return class
end

local stock = {}
local function classOf(species)
  if modClasses[species] then return modClasses[species] end
  local rows = S[species]
  if rows and not stock[species] then
    local subsystems = {}
    for i, row in ipairs(rows) do
      local children = {}
      for k = 4, #row, 2 do children[#children + 1] = {IDOffset = row[k], Name = row[k + 1]} end
      subsystems[i] = {Kind = row[1], IDOffset = row[2], Name = row[3], Children = children}
    end
    stock[species] = newClass(rows.name, subsystems)
  end
  return stock[species]
end

-- walkBlocks walks the subsystems of a StateUpdate, from StartIndex on.
local function walkBlocks(c, class, start)
  local n = #class.subsystems
  if start < 0 or start >= n then fail(c, "start index beyond the list") end
  element(c, "Subsystems")
  for _ = 1, n do
    if c.off == c.stop then break end
    local s = Z.stateupdate_Status()
    s.Subsystem = class.subsystems[start + 1]
    W.stateupdate_Status_walkBlock(s, c)
    start = (start + 1) % n
  end
  leave(c)
end

-- walkBlob walks the subsystems of a ship that is created. It returns how many are valid.
local function walkBlob(c, class, cloak, counter)
  for _, subsystem in ipairs(class.subsystems) do
    local s = Z.stateupdate_Status()
    s.Subsystem, s.HasCloak = subsystem, cloak and K[subsystem.Kind][1] == "cloak"
    W.stateupdate_Status_walkCreate(s, c, cloak)
    if counter then counter.n = counter.n + 1 end
  end
end

-- fits returns the number of valid subsystems of a blob, and one more if the whole blob is valid.
local function fits(b, s, at, stop, class, cloak)
  local before, around, counter = leaves, groups, {n = 0}
  local c = reset(trialCodec, b, s, at, stop)
  local err = walk(c, walkBlob, c, class, cloak, counter)
  leaves, groups = before, around
  return counter.n + (err and 0 or 1), err
end

-- cloakBools reports whether a blob has bools of cloaking devices.
local function cloakBools(b, s, at, stop, class)
  return class.cloak and fits(b, s, at, stop, class, true) >= fits(b, s, at, stop, class, false) or false
end

-- State of a capture. The dissection of a datagram that was dissected before uses what the first
-- one has recorded.
local MAX_SESSIONS, MAX_SHIPS, MAX_PAYLOADS, MAX_BYTES, MAX_AGE = 256, 1024, 16, 131072, 360
local sessions, sessionCount, uses, orders = {}, 0, 0, 0
local recordOffsets, recordOrders, recordShips = {}, {}, {} -- by the place of a datagram
local infos, acks, ackNames = {}, {}, {}                   -- by the order of a message
local candidates, candidateCount = {}, 0

local function clear()
  sessions, sessionCount, uses, orders = {}, 0, 0, 0
  recordOffsets, recordOrders, recordShips, infos, acks, ackNames = {}, {}, {}, {}, {}, {}
  candidates, candidateCount = {}, 0
end

local newShips, forget, forgetAll, explode, createShip, ship, partOf
do
  local GONE = 0
  function newShips() return {ids = {}, live = {}, dying = {}, slots = {}, slotOf = {}, count = 0, objects = 0} end

  local function recordShip(ships, id, order, class)
    local history = ships.ids[id]
    if not history then
      history = {}
      ships.ids[id] = history
    end
    history[#history + 1], history[#history + 2] = order, class
  end

  function forget(ships, id, order)
    if ships.live[id] then
      ships.live[id], ships.dying[id], ships.slotOf[id], ships.count = nil, nil, nil, ships.count - 1
      recordShip(ships, id, order, GONE)
    end
  end

  function forgetAll(ships, order)
    for id in pairs(ships.live) do recordShip(ships, id, order, GONE) end
    ships.live, ships.dying, ships.slots, ships.slotOf, ships.count = {}, {}, {}, {}, 0
  end

  -- explode notes that a ship dies. Its ID is free for another ship.
  function explode(ships, id, order)
    if ships.live[id] then ships.live[id], ships.dying[id] = order, true end
  end

  -- createShip creates a ship, as the Tracker of package stateupdate does. The new ship of a
  -- player, who has a slot, takes the place of the old one.
  function createShip(ships, id, order, class, slot)
    if ships.live[id] and not ships.dying[id] then return end
    forget(ships, id, order)
    if slot then
      local before = ships.slots[slot]
      if before and ships.slotOf[before] == slot then forget(ships, before, order) end
      ships.slots[slot] = id
    end
    if ships.count >= MAX_SHIPS then
      local oldest
      for other, at in pairs(ships.live) do
        if not oldest or at < ships.live[oldest] then oldest = other end
      end
      forget(ships, oldest, order)
    end
    ships.live[id], ships.slotOf[id], ships.count, ships.any = order, slot, ships.count + 1, true
    recordShip(ships, id, order, class or false)
  end

  -- ship returns the class of a ship at a message: false if it has none, nil if there is no ship.
  function ship(ships, id, order)
    local history = ships.ids[id]
    if not history then return nil end
    for i = #history - 1, 1, -2 do
      if history[i] <= order then
        if history[i + 1] == GONE then return nil end
        return history[i + 1]
      end
    end
  end

  -- partOf returns the part of a ship that an object ID names.
  function partOf(ships, id, order)
    if id <= 0 or id >= 2147483648 then return nil end
    local ids = ships.ids
    for distance = 0, math.min(ships.objects, id) - 1 do
      local class = ids[id - distance] and ship(ships, id - distance, order)
      if class ~= nil and distance == 0 and ids[id] then return nil end
      local name = class and class.parts[distance]
      if name then return class.name .. " " .. name end
    end
  end
end

local noShips = newShips()

-- placeOf returns the key of a datagram: the number of its frame, and a fraction for another datagram
-- in the same frame. Whole numbers make arrays, which are small.
local function placeOf(frame, offset)
  local first = recordOffsets[frame]
  if not first then
    recordOffsets[frame] = offset
  elseif first ~= offset then
    return frame + offset / 65536
  end
  return frame
end

local function newSession() return {ships = newShips(), senders = {}, connection = {}, datagrams = 0} end

local function sessionOf(key)
  local session = sessions[key]
  if not session then
    if sessionCount >= MAX_SESSIONS then
      local oldest
      for k, other in pairs(sessions) do
        if not oldest or other.used < sessions[oldest].used then oldest = k end
      end
      sessions[oldest], sessionCount = nil, sessionCount - 1
    end
    session = newSession()
    sessions[key], sessionCount = session, sessionCount + 1
  end
  uses = uses + 1
  session.used = uses
  return session
end

-- Sets of sequence numbers: the numbers among the newest and the 32,768 before it. A number of a set
-- holds 32 of them.
local has, addTo, deliver
do
  local function extended(set, seq) return set.at + signed(seq - set.newest, 65536) end
  function has(set, seq)
    if not set.newest then return false end
    local at = extended(set, seq)
    local bits = at <= set.at and set[floor(at / 32)]
    return bits and floor(bits / 2 ^ (at % 32)) % 2 == 1 or false
  end
  function addTo(set, seq)
    if not set.newest then set.newest, set.at = seq, 65536 end
    local at = extended(set, seq)
    if at > set.at then
      for old = floor((set.at - 32768) / 32), floor((at - 32768) / 32) - 1 do set[old] = nil end
      set.newest, set.at = seq, at
    end
    local word, bit = floor(at / 32), 2 ^ (at % 32)
    local bits = set[word] or 0
    if floor(bits / bit) % 2 == 0 then set[word] = bits + bit end
  end

  -- Fragments.
  local function discard(channel, p)
    channel.bytes = channel.bytes - p.bytes
    channel.partial[p.seq] = nil
    for i, other in ipairs(channel.list) do
      if other == p then table.remove(channel.list, i) end
    end
  end

  local function expire(channel, now)
    for i = #channel.list, 1, -1 do
      if now - channel.list[i].since > MAX_AGE then discard(channel, channel.list[i]) end
    end
  end

  -- admits returns nil if a fragment may be stored, else what becomes of it.
  local function admits(channel, p, m, body)
    local index, total = m.index, m.total
    local present = p.bodies[index]
    if index > 0 then
      if index >= 255 or p.total > 0 and index >= p.total then return "refused" end
    else
      if total <= p.highest or p.total > 0 and p.total ~= total then return "refused" end
      if present and present ~= body then return "refused" end
    end
    if present then return "duplicate" end
    if #body > MAX_BYTES - channel.bytes then return "dropped" end
  end

  -- addFragment stores a fragment. Its result is for the record of the message.
  local function addFragment(channel, now, m, body, frame, seq)
    local p = channel.partial[seq]
    local known = p ~= nil
    local new = p or {seq = seq, since = now, total = 0, bytes = 0, n = 0, highest = 0, bodies = {}, group = {}}
    local verdict = admits(channel, new, m, body)
    local total = m.index == 0 and m.total or new.total
    if verdict == "refused" and known then
      discard(channel, p)
      return {total = total, reason = "bad fragment"}
    elseif verdict == "refused" then
      return {total = total, reason = "bad fragment"}
    elseif verdict then
      return {total = total, repeated = verdict == "duplicate", dropped = verdict == "dropped"}
    end
    p = new
    if not known then
      channel.partial[seq] = p
      channel.list[#channel.list + 1] = p
    end
    if m.index == 0 then p.total = m.total end
    p.bodies[m.index] = body
    p.bytes, p.n, p.highest = p.bytes + #body, p.n + 1, math.max(p.highest, m.index)
    channel.bytes = channel.bytes + #body
    p.group[m.index] = frame
    if p.n ~= p.total then return {total = total, group = p.group} end
    discard(channel, p)
    addTo(channel.seen, seq)
    local all = {}
    for i = 0, p.total - 1 do all[i + 1] = p.bodies[i] end
    p.group.count, p.group.done = p.total, frame
    return {total = total, group = p.group, payload = concat(all), last = true}
  end

  -- deliver adds a Data message to the channel of its sender. It returns nil for a payload of one
  -- message that is new.
  function deliver(channel, now, m, s, frame, seq)
    if #channel.list > 0 then expire(channel, now) end
    if not m.reliable then return nil end
    local partial = channel.partial[seq]
    if has(channel.seen, seq) then return {repeated = true, total = m.total} end
    if not m.fragment then
      if partial then return {repeated = true} end
      addTo(channel.seen, seq)
      return nil
    end
    if not partial and #channel.list >= MAX_PAYLOADS then return {dropped = true, total = m.total} end
    return addFragment(channel, now, m, sub(s, m.body + 1, m.stop), frame, seq)
  end
end

-- sentKey is the key of a message that an Ack may be about.
local function sentKey(seq, system, index)
  return seq + (system and 65536 or 0) + (index and (index + 1) * 131072 or 0)
end

-- Senders of a session, and its connection, as the Observer of package transport follows them.
local observe, numberOf
do
  local MAX_SENDERS, SILENCE = 20, 2

  -- begins reports whether a Connect begins a new connection, and records it.
  local function begins(session, ctx, m)
    local c, request = session.connection, bodyOf(m) == B.ConnectRequest
    local id = request and little(ctx.b, m.body + 4, 4) or 0
    if not m.short and (not request or m.seq ~= 0) then return false end
    if c.known and c.short == (m.short or false) then
      if m.short and not c.ended and (not c.heard or ctx.now - c.heard < SILENCE) then return false end
      if not m.short and (id == c.id or c.second and id == c.earlier) then return false end
    end
    session.connection = {known = true, short = m.short or false, id = id, second = c.known and not c.short, earlier = c.id}
    return true
  end

  local function senderOf(session, ctx)
    local silent
    for i, s in ipairs(session.senders) do
      if s.up == ctx.up and s.peer == ctx.peer then
        s.used = session.datagrams
        return s
      end
      if not silent or s.used < session.senders[silent].used then silent = i end
    end
    local s = {up = ctx.up, peer = ctx.peer, used = session.datagrams,
      seen = {}, system = {}, partial = {}, list = {}, bytes = 0, sent = {n = 0, frames = {}, names = {}}}
    if #session.senders == MAX_SENDERS then
      session.senders[silent] = s
    else
      session.senders[#session.senders + 1] = s
    end
    return s
  end

  local function isOpenBC(ctx, m)
    if m.type == ACK then return ctx.b[m.body + 1] >= 128 end
    if m.type == DATA or m.type == DONOTHING then return false end
    return m.short or m.reliable and not m.high
  end

  -- observe sets the sender of a message.
  function observe(ctx, m)
    local session = ctx.session
    if ctx.up and m.type == CONNECT and ctx.peer == 255 and begins(session, ctx, m) then
      session.senders, session.openBC = {}, false
      forgetAll(session.ships, ctx.order)
    end
    local c = session.connection
    if not ctx.up then
      c.ended = c.ended or m.type == 4
    elseif ctx.peer ~= 255 then
      c.heard, c.ended = ctx.now, c.ended or m.type == 5 or m.short and m.type == 6
    end
    ctx.sender = senderOf(session, ctx)
    if isOpenBC(ctx, m) then ctx.sender.openBC, session.openBC = true, true end
  end

  -- numberOf returns the sequence number of a reliable message. OpenBC sends the low byte.
  function numberOf(ctx, m, set)
    local s, newest = ctx.sender, set.newest
    s.wide = s.wide or m.seq > 255
    if not ctx.session.openBC or s.wide or not newest then return m.seq end
    local expected = (newest + 1) % 65536
    local seq = (expected + signed(m.seq - expected, 256)) % 65536
    if s.openBC or newest > 255 or not m.fragment and seq > 255 and newest >= 192 then return seq end
    return m.seq
  end
end

-- The protocol in Wireshark.
local proto = Proto("bcwire", "Star Trek: Bridge Commander")
local pf = {
  peer = register(ProtoField.int8("bcwire.peer", "PeerID", base.DEC)),
  count = register(ProtoField.uint8("bcwire.count", "Count", base.DEC)),
  message = register(ProtoField.none("bcwire.message", "Message")),
  type = register(ProtoField.uint8("bcwire.type", "Type", base.HEX, types)),
  flags = register(ProtoField.uint16("bcwire.flags", "Flags+Length", base.HEX)),
  length = register(ProtoField.uint8("bcwire.length", "Length", base.DEC)),
  seq = register(ProtoField.uint16("bcwire.seq", "Seq", base.DEC)),
  index = register(ProtoField.uint8("bcwire.fragindex", "FragIndex", base.DEC)),
  total = register(ProtoField.uint8("bcwire.fragtotal", "FragTotal", base.DEC)),
  fragment = register(ProtoField.bytes("bcwire.fragment", "Fragment")),
  body = register(ProtoField.bytes("bcwire.body", "Body")),
  trailing = register(ProtoField.bytes("bcwire.trailing", "Trailing")),
  err = register(ProtoField.string("bcwire.error", "Error")),
  opcode = register(ProtoField.uint8("bcwire.opcode", "Opcode", base.HEX, O)),
  partial = register(ProtoField.uint8("bcwire.partialopcode", "Opcode of a payload that is cut short", base.HEX, O)),
  text = register(ProtoField.string("bcwire.gamespy", "Text")),
  key = register(ProtoField.string("bcwire.gamespy.key", "Key")),
  value = register(ProtoField.string("bcwire.gamespy.value", "Value")),
  acked = register(ProtoField.framenum("bcwire.ack.frame", "Acknowledges the message in frame", base.NONE, frametype.ACK)),
  ackedName = register(ProtoField.string("bcwire.ack.message", "Acknowledged message")),
  fragments = register(ProtoField.framenum("bcwire.reassembled.frame", "Fragment in frame", base.NONE)),
  reassembled = register(ProtoField.framenum("bcwire.reassembled.in", "Reassembled in frame", base.NONE)),
}
local function expertField(name, label, group, severity)
  return ProtoExpert.new("bcwire.expert." .. name, label, expert.group[group], expert.severity[severity])
end
local ef = {
  malformed = expertField("malformed", "Malformed", "MALFORMED", "ERROR"),
  trailing = expertField("trailing", "Trailing bytes", "PROTOCOL", "NOTE"),
  unknown = expertField("unknown", "Payload without a layout", "UNDECODED", "NOTE"),
  dialect = expertField("dialect", "Not a form of the stock game", "PROTOCOL", "NOTE"),
  repeated = expertField("repeated", "Repeated message", "SEQUENCE", "NOTE"),
  misfit = expertField("misfit", "Does not fit", "UNDECODED", "NOTE"),
  reassembly = expertField("reassembly", "Not reassembled", "REASSEMBLE", "WARN"),
  classes = expertField("classes", "Classes of a mod cannot be read", "UNDECODED", "WARN"),
  cut = expertField("cut", "Cut by the capture", "MALFORMED", "WARN"),
}
for _, list in ipairs {M, B} do
  for _, m in pairs(list) do
    m.make = Z[m.zero]
    m.item = register(ProtoField.none(m.filter, m.name))
  end
end
proto.fields = registered
do
  local list = {}
  for _, e in pairs(ef) do list[#list + 1] = e end
  proto.experts = list
end

local add = TreeItem.add
local label, emit
do
  local MAX_LABEL = 200
  -- label returns the label of a leaf. Wireshark marks a label of more than 240 bytes.
  function label(name, value)
    local all = name
    if value ~= "" then all = name .. ": " .. value end
    if #all <= MAX_LABEL then return all end
    local n = MAX_LABEL
    while n > 0 and byte(all, n + 1) >= 0x80 and byte(all, n + 1) < 0xC0 do n = n - 1 end
    return sub(all, 1, n) .. "…"
  end

  -- bitLabel shows the bit of a packed bool.
  local ones = {[0] = ".... ...1 = ", ".... ..1. = ", ".... .1.. = ", ".... 1... = ", "...1 .... = "}
  local zeros = {[0] = ".... ...0 = ", ".... ..0. = ", ".... .0.. = ", ".... 0... = ", "...0 .... = "}
  local function bitLabel(bit, name, v) return v and ones[bit] .. name .. ": true" or zeros[bit] .. name .. ": false" end

  local function groupItem(g, parent, tvb)
    local item = g.item
    if not item then
      local above = g.parent
      item = add(above and groupItem(above, parent, tvb) or parent, tvb(g.first, g.last - g.first), g.label)
      g.item = item
    end
    return item
  end

  -- captions remembers the labels of values that do not depend on anything else, for each field.
  local captions, captionCount = {}, 0
  local remembered = {number = true, f32 = true, f16 = true, text = true, objectid = true}

  local function remember(f, l, i, caption)
    local v = l.value
    if v ~= v or v == 0 and l.kind == "f32" then return end -- NaN is no key, and the two zeros are one
    if captionCount == 8192 then captions, captionCount = {}, 0 end
    local memory = captions[f]
    if not memory then
      memory = {}
      captions[f] = memory
    end
    memory[v], captionCount = caption, captionCount + 1
  end

  -- captionOf returns the label of a leaf.
  local function captionOf(i, l, f, s, name, frame, ships, order)
    local kind, v = l.kind, l.value
    if kind == "bool" then return bitLabel(l.bit, name, v) end
    if frame then return label(name, frameText(i, s)) end
    if kind == "objectid" and ships then
      local part = partOf(ships, v, order)
      if part then return label(name, valueText(i, s, part)) end
    end
    local typ = l.typ -- values of no type and of one may share a field
    if not remembered[kind] or typ == T.bool or kind == "number" and not typ then return label(name, valueText(i, s)) end
    local memory = captions[f]
    local caption = memory and memory[v]
    if not caption then
      caption = label(name, valueText(i, s))
      remember(f, l, i, caption)
    end
    return caption
  end

  -- values are the values of fields in Wireshark.
  local values = {f16 = float16, text = fromBytes, utf16 = fromUTF16}
  local boolean, UTF16Z = T.bool, T.transport_UTF16Z

  -- emit adds the leaves of a payload to the tree, or those of a system message if there is no
  -- payload. The names of the parts of ships are given if the ships are.
  function emit(parent, tvb, s, visible, payload, ships)
    local frame, order, alike, leafs = not payload, payload and payload.order, alike, leafs
    for i = 1, leaves do
      local l = leafs[i]
      local kind, node, size, group, name, item = l.kind, l.node, l.size, l.group, l.name, parent
      if group then
        if name == "" then
          name = group.label
          group = group.parent
        end
        if group then item = group.item or groupItem(group, parent, tvb) end
      end
      if node then
        if not frame or size > 0 or kind == "bool" then
          local typ, v = l.typ, l.value
          local f = typ and node[typ] or node.field
          local caption
          if visible and (typ or not alike[f]) then caption = captionOf(i, l, f, s, name, frame, ships, order) end
          if values[kind] then
            v = values[kind](v)
          elseif typ == boolean and typ then
            v = 1
          elseif typ == UTF16Z and typ then
            v = fromUTF16(beforeNUL(sub(s, l.at + 1, l.at + size)))
          end
          if v == nil then
            item = add(item, f, tvb(l.at, size))
            if caption then item:set_text(caption) end
          elseif caption then
            add(item, f, tvb(l.at, size), v, caption)
          else
            add(item, f, tvb(l.at, size), v)
          end
        end
      elseif kind == "opcode" then
        add(item, payload.complete and pf.opcode or pf.partial, tvb(l.at, size), l.value, "Opcode: " .. payload.title)
      else
        local e = kind == "error" and ef.malformed or ef.trailing
        add(item, pf.err, tvb(l.at, size), l.value, label(l.value, "")):add_proto_expert_info(e, l.value)
      end
    end
  end
end

-- found is what payload makes of a payload, until the next one: its name, its title in the tree, its
-- text in the Info column, its error, and notes for expert infos.
local found = {}
local payload, addPayload
do
  -- forms are how messages differ from the form of the stock game, or do not fit.
  local forms = {
    TorpedoFire = function(m)
      if m.Form == 1 then return ef.dialect, "dialect: offset of five bytes" end
      if m.Form == 2 then return ef.dialect, "dialect: no target" end
    end,
    DeletePlayerAnim = function(m)
      if m.Form == 1 then return ef.dialect, "dialect: length of two bytes" end
      if m.Form == 2 then return ef.misfit, "payload does not fit" end
    end,
    Settings = function(m)
      if m.Opaque then return ef.misfit, "the rest is not a new name" end
    end,
    ObjectCreate = function(m)
      if m.Object.Opaque then return ef.misfit, "the rest is not a torpedo" end
    end,
    NewPlayerInGame = function(m)
      if m.Bare then return ef.dialect, "dialect: opcode alone" end
    end,
    BootPlayer = function() return ef.dialect, "dialect: the stock game does not send it" end,
  }

  -- follow applies a message to the ships of a session, the first time that the message is
  -- dissected. It returns the class of the ship whose subsystems are in the message.
  local function follow(ctx, op, m, c, order)
    local ships = ctx.ships
    if op == U.OpStateUpdate then
      if band(m.Flags, U.StateSubsystems) == 0 then return nil end
      return ship(ships, m.ObjectID, order)
    elseif op == U.OpObjectCreate or op == U.OpObjectCreateTeam then
      local object = m.Object
      if object.ClassID ~= U.ObjectShip then return nil end
      local class = classOf(object.Species)
      if ctx.first then
        local b, s, at, fitting = c.b, c.s, c.tailOff, class
        if class then
          local _, problem = fits(b, s, at, c.stop, class, cloakBools(b, s, at, c.stop, class))
          if problem then fitting = nil end
        end
        local played = op == U.OpObjectCreateTeam and m.NetPlayerID > 0 and m.OwnerSlot >= 0 and m.OwnerSlot < 16
        createShip(ships, object.ObjectID, order, fitting, played and m.OwnerSlot or nil)
        if fitting and fitting.objects > ships.objects then ships.objects = fitting.objects end
      end
      return class
    elseif ctx.first and op == U.OpDestroyObject then
      forget(ships, m.ObjectID, order)
    elseif ctx.first and op == U.OpRestartGame then
      for id in pairs(ships.live) do forget(ships, id, order) end
    elseif ctx.first and op == U.OpPythonEvent and m.Code == U.ETObjectExploding and m.Class == U.ClassObjectExplodingEvent then
      explode(ships, m.Dest, order)
    end
  end

  -- walkClass walks the subsystems of a ship, which the walk of the message has taken as a tail.
  local function walkClass(m, c, op, class)
    if op == U.OpStateUpdate then
      walkBlocks(c, class, m.StartIndex)
    else
      local cloak = cloakBools(c.b, c.s, c.off, c.stop, class)
      element(c, "Subsystems")
      walkBlob(c, class, cloak)
      leave(c)
    end
  end

  local function note(e, text)
    found.notes = found.notes or {}
    found.notes[#found.notes + 1] = {e, text}
  end

  -- splitTail walks the subsystems in the tail of a message, if the class of the ship is known.
  local function splitTail(c, m, message, op, class)
    resume(c)
    local misfit = walk(c, walkClass, m, c, op, class)
    if misfit then failed(c, "stateupdate." .. message.name) end
    if misfit and not misfit.trailing then
      note(ef.misfit, "subsystems do not fit the " .. class.name .. ": " .. misfit.text)
      return false
    end
    return true
  end

  local function walkMessage(b, s, at, stop, message)
    local c, m = begin(b, s, at, stop), message.make()
    c.name, c.off = "Opcode", at + 1
    leaf(c, at, 1, "opcode", b[at + 1])
    c.scope = message.fields.members
    if walk(c, message.walk, m, c) then failed(c, "opcode." .. message.name) end
    return c, m
  end

  -- payload dissects a payload.
  function payload(ctx, b, s, at, stop, complete, order)
    found.name, found.title, found.text, found.notes, found.order = nil, nil, nil, nil, order
    if at == stop then
      found.problem = "opcode: decode Message at offset 0: unexpected EOF"
      return
    end
    local op = b[at + 1]
    local message = M[op]
    if not message or op == U.OpBootPlayer and stop - at ~= 2 then message = M.unknown end
    local c, m = walkMessage(b, s, at, stop, message)
    local err = c.err
    local problem = err and not err.trailing and err.text
    found.message, found.problem, found.complete = message, problem, complete
    found.name, found.title = O[op] or format("0x%02X", op), O[op] or format("Unknown 0x%02X", op)
    if not complete or problem then return end
    if ctx.info then found.text = line(found.name, s, 2, leaves) end
    if message == M.unknown then note(ef.unknown, O[op] and "payload without a layout" or "unknown opcode") end
    local form = forms[message.name]
    if form then
      local e, text = form(m)
      if e then note(e, text) end
    end
    local class = follow(ctx, op, m, c, order)
    if class and not splitTail(c, m, message, op, class) then walkMessage(b, s, at, stop, message) end
  end

  -- addPayload adds the payload that was found to the tree.
  function addPayload(ctx, parent, tvb, s, at, stop)
    local message, notes, ships = found.message, found.notes, ctx.ships
    local item = add(parent, message.item, tvb(at, stop - at))
    if ctx.visible then item:set_text(found.name) end
    if notes then
      for _, n in ipairs(notes) do item:add_proto_expert_info(n[1], n[2]) end
    end
    emit(item, tvb, s, ctx.visible, found, found.complete and not found.problem and ships.any and ships)
  end
end

local message
do
  -- located returns the error of a message with its place. Most types and counts are impossible in
  -- a datagram that is still enciphered.
  local function located(ctx, m, i, framing)
    local hint = ""
    if framing and ctx.stop > 1 and (i == 0 or ctx.count > ctx.stop - 2) then hint = "; is the datagram deciphered?" end
    if m.missing then return format("transport: message %d at offset %d: %s%s", i, m.at, m.reason, hint) end
    return format("transport: message %d (%s) at offset %d: %s%s", i, typeName(m.type), m.at, m.reason, hint)
  end

  local typeLabels = {}
  for t = 0, 255 do typeLabels[t] = "Type: " .. typeName(t) end

  -- header adds the header of a message, and returns where it ends.
  local function header(ctx, item, m, limit)
    local tvb, at = ctx.tvb, m.at
    if m.missing then return at end
    add(item, pf.type, tvb(at, 1), m.type, typeLabels[m.type])
    at = at + 1
    if m.type == ACK then
      if m.seq and at + 2 <= limit then
        add(item, pf.seq, tvb(at, 2), m.seq)
        at = at + 2
      end
    elseif m.short then
      add(item, pf.length, tvb(at, 1), m.length)
      at = at + 1
    elseif m.known and at + 2 <= limit then
      add(item, pf.flags, tvb(at, 2), m.word, framing(m))
      at = at + 2
      if m.wire < 3 then return at end
      if m.reliable then
        if at + 2 > limit then return at end
        add(item, pf.seq, tvb(at, 2), m.seq)
        at = at + 2
      end
      if m.fragment and at < limit then
        add(item, pf.index, tvb(at, 1), m.index)
        at = at + 1
        if m.index == 0 and at < limit then
          add(item, pf.total, tvb(at, 1), m.total)
          at = at + 1
        end
      end
    end
    return at
  end

  local function addError(ctx, item, at, limit, problem)
    add(item, pf.err, ctx.tvb(at, limit - at), problem, label(problem, "")):add_proto_expert_info(ef.malformed, problem)
  end

  -- remember notes a message for the Acks to come. It forgets all but the newest messages.
  local MAX_SENT = 512
  local function remember(ctx, m, name, info)
    if not ctx.first or not m.reliable or not m.high and m.type ~= DATA or info and (info.repeated or info.reason) then return end
    local sent = ctx.sender.sent
    if sent.n == MAX_SENT then
      sent = {n = 0, frames = {}, names = {}, before = {frames = sent.frames, names = sent.names}}
      ctx.sender.sent = sent
    end
    local key = sentKey(ctx.session.openBC and m.seq % 256 or m.seq, m.type ~= DATA, m.fragment and m.index)
    sent.n, sent.frames[key], sent.names[key] = sent.n + 1, ctx.frame, name
  end

  -- acknowledged returns the newest message that an Ack may be about.
  local function acknowledged(ctx, m)
    local flags = ctx.b[m.body + 1]
    local key = sentKey(ctx.session.openBC and m.seq % 256 or m.seq, flags % 4 >= 2, flags % 2 == 1 and ctx.b[m.body + 2])
    local frame, name
    for _, s in ipairs(ctx.session.senders) do
      local sent = s.sent
      if sent.before and not sent.frames[key] then sent = sent.before end
      local at = s.up ~= ctx.up and sent.frames[key]
      if at and (not frame or at > frame) then frame, name = at, sent.names[key] end
    end
    return frame, name
  end

  local function fragmentText(m, info)
    local total = info and info.total or 0
    return format("fragment %d", m.index + 1) .. (total > 0 and format(" of %d", total) or "") .. (info and info.last and ", the last to come" or "")
  end

  -- data dissects a Data message. It returns its name and text.
  local function data(ctx, item, m, i, at, limit, order)
    local info
    if ctx.first then
      observe(ctx, m)
      info = deliver(ctx.sender, ctx.now, m, ctx.s, ctx.frame, m.reliable and numberOf(ctx, m, ctx.sender.seen))
      infos[order] = info
    else
      info = infos[order]
    end
    if info and info.repeated then item:add_proto_expert_info(ef.repeated, "repeated") end
    if info and info.dropped then item:add_proto_expert_info(ef.reassembly, "not reassembled: transport: limit of reassembly reached") end
    if not m.fragment then
      payload(ctx, ctx.b, ctx.s, m.body, m.stop, true, order)
      remember(ctx, m, found.name or "Data", info)
      if not found.name then
        addError(ctx, item, m.body, limit, found.problem)
        return "Data", "Data [malformed]"
      end
      addPayload(ctx, item, ctx.tvb, ctx.s, m.body, m.stop)
      return found.title, found.text or ctx.info and found.name .. " [malformed]"
    end
    info = info or {total = m.total}
    if m.body < limit then
      local it = add(item, pf.fragment, ctx.tvb(m.body, limit - m.body))
      it:set_text(format("Fragment: %d bytes", limit - m.body))
    end
    local part = fragmentText(m, info)
    remember(ctx, m, part, info)
    if info.reason then
      m.reason = info.reason
      addError(ctx, item, limit, limit, located(ctx, m, i))
      return "Data", "Data [" .. info.reason .. "]"
    end
    if info.group and info.group.done and not info.last then
      add(item, pf.reassembled, info.group.done):set_generated()
    end
    if not info.payload then return "Data", "Data, " .. part end
    local s = info.payload
    local b, tvb = split(s), ctx.tvb(limit, 0)
    if #s > 0 then tvb = ByteArray.new(s, true):tvb("Reassembled payload") end
    payload(ctx, b, s, 0, #s, true, order)
    if found.problem then addError(ctx, item, limit, limit, found.problem) end
    for k = 0, info.group.count - 1 do
      add(item, pf.fragments, info.group[k]):set_generated()
    end
    if found.name then addPayload(ctx, item, tvb, s, 0, #s) end
    return found.title or "Data", (found.text or (found.name or "Data") .. " [malformed]") .. " (" .. part .. ")"
  end

  -- system dissects a message of the system channel.
  local function system(ctx, item, m, i, at, limit, order)
    local body, reason = bodyOf(m)
    local name = typeName(m.type)
    local dialect = dialectOf(m, ctx.b)
    if dialect then item:add_proto_expert_info(ef.dialect, "dialect: " .. dialect) end
    if body == B.ConnectReply then name = "ConnectReply" end
    if ctx.first then
      observe(ctx, m)
      local info, sender = nil, ctx.sender
      if m.reliable and m.high then
        local seq = numberOf(ctx, m, sender.system)
        if has(sender.system, seq) and (sender.left or m.type ~= 5) then info = {repeated = true} end
        addTo(sender.system, seq)
      end
      sender.left = sender.left or m.type == 5
      if body == B.Ack then acks[order], ackNames[order] = acknowledged(ctx, m) end
      infos[order] = info
    end
    local info = infos[order]
    remember(ctx, m, name, info)
    if info and info.repeated then item:add_proto_expert_info(ef.repeated, "repeated") end
    if reason == "bad length" then
      m.reason = reason
      addError(ctx, item, at, limit, located(ctx, m, i))
      return name, name .. " [malformed]"
    elseif not body then
      if at < limit then
        add(item, pf.body, ctx.tvb(at, limit - at)):set_text("Body")
      end
      return name, name
    end
    local c, made = begin(ctx.b, ctx.s, m.body, m.stop, body.fields), body.make()
    walk(c, body.walk, made, c)
    local text = name
    if m.type == ACK then
      text = format("Ack of %s #%d", made.Flags % 4 >= 2 and "system" or "game", m.seq)
      if made.Flags % 2 == 1 then text = text .. format(", fragment %d", ctx.b[m.body + 2] + 1) end
    elseif ctx.info then
      local out = {name}
      for k = 1, leaves do
        local value = frameText(k, ctx.s)
        if value ~= "" then out[#out + 1] = leafs[k].name .. "=" .. value end
      end
      text = concat(out, " ")
    end
    local typed1 = add(item, body.item, ctx.tvb(m.body, m.stop - m.body))
    if ctx.visible then typed1:set_text(m.type == ACK and text or name) end
    emit(typed1, ctx.tvb, ctx.s, ctx.visible)
    if acks[order] then
      add(item, pf.acked, acks[order]):set_generated()
      add(item, pf.ackedName, ackNames[order]):set_generated()
    end
    return name, text
  end

  -- message dissects a message of a datagram.
  function message(ctx, i, m, order)
    local limit = m.length > 0 and m.at + m.length or ctx.stop
    local item = add(ctx.tree, pf.message, ctx.tvb(m.at, limit - m.at))
    local at = header(ctx, item, m, limit)
    local name, text
    if m.reason then
      name = m.missing and "-" or typeName(m.type)
      local problem, left = located(ctx, m, i, true), at
      if m.reason == "unexpected EOF" and m.type == DATA and not m.fragment and m.whole and m.body < m.stop then
        payload(ctx, ctx.b, ctx.s, m.body, m.stop, false, order)
        local kind = leafs[leaves].kind
        addPayload(ctx, item, ctx.tvb, ctx.s, m.body, m.stop)
        name, left = found.title, limit
        if found.problem or kind == "trailing" then problem = nil end
      end
      if problem then addError(ctx, item, left, limit, problem) end
      text = name .. " [malformed]"
    elseif m.type == DATA then
      name, text = data(ctx, item, m, i, at, limit, order)
    else
      name, text = system(ctx, item, m, i, at, limit, order)
    end
    if ctx.visible then
      item:set_text(m.reliable and m.seq and format("Message %d: %s #%d", i, name, m.seq) or format("Message %d: %s", i, name))
    end
    if ctx.info then ctx.info[#ctx.info + 1] = text end
  end
end

local function gamespy(ctx, s)
  local item = add(ctx.tree, pf.text, ctx.tvb(0, #s), fromBytes(s))
  item:set_text(label("Text", printable(fromBytes(s))))
  local at = 2
  for _ = 1, 512 do
    if at > #s then break end
    local stop = s:find("\\", at, true) or #s + 1
    local key, from = sub(s, at, stop - 1), at
    local last = s:find("\\", stop + 1, true) or #s + 1
    local value = sub(s, stop + 1, last - 1)
    local pair = add(item, pf.key, ctx.tvb(from - 1, math.min(last - 1, #s) - from + 1), fromBytes(key))
    pair:set_text(label(printable(fromBytes(key)), printable(fromBytes(value)))):set_generated()
    add(pair, pf.value, ctx.tvb(math.min(stop, #s), math.max(last - stop - 1, 0)), fromBytes(value)):set_generated()
    at = last + 1
  end
  if ctx.info then ctx.info[1] = "GameSpy " .. printable(fromBytes(s)) end
end

local peerLabels, context = {}, {}
for i = -128, 127 do peerLabels[i % 256] = format("PeerID: %d", i) end

local function dissect(tvb, pinfo, root)
  local s, ctx = tvb:raw(), context
  ctx.visible, ctx.stop, ctx.frame, ctx.now, ctx.info = root.visible, #s, pinfo.number, pinfo.abs_ts, nil
  if tostring(pinfo.cols.info) ~= "(info)" then
    ctx.info = {}
    pinfo.cols.protocol = "BC"
  end
  local peer = byte(s, 1)
  local item
  if peer == 0x5C then
    item = add(root, proto, tvb())
    ctx.tvb, ctx.tree = tvb, item
    gamespy(ctx, s)
  else
    local b = split(s)
    if proto.prefs.plain then
      ctx.tvb = tvb
    else
      decipher(b, #b)
      s = join(b)
      ctx.tvb = ByteArray.new(s, true):tvb("Deciphered")
    end
    item = add(root, proto, ctx.tvb())
    ctx.tree, ctx.b, ctx.s, ctx.up, ctx.peer = item, b, s, peer ~= 1, peer
    local quoted, place = pinfo.in_error_pkt, placeOf(ctx.frame, tvb:offset())
    local order, session = recordOrders[place], nil
    ctx.first = not order and not quoted
    if ctx.first then
      local from, to = tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
      session = sessionOf(ctx.up and from .. " " .. to or to .. " " .. from)
      session.datagrams = session.datagrams + 1
      recordOrders[place] = orders
    end
    order = order or orders
    ctx.order, ctx.session, ctx.ships = order, session, session and session.ships or recordShips[place] or noShips
    add(item, pf.peer, ctx.tvb(0, 1), signed(peer, 256), peerLabels[peer])
    local n, at = 1, 1
    if #b > 1 then
      n, at = b[2], 2
      add(item, pf.count, ctx.tvb(1, 1), n)
    end
    ctx.count = n
    if ctx.first then orders = orders + n end
    for i = 0, n - 1 do
      local m = parse(b, at, #b)
      local length = m.length
      message(ctx, i, m, order + i)
      at = at + length
      if length == 0 then
        at = #b
        break
      end
    end
    if session and session.ships.any then recordShips[place] = session.ships end
    if at < #b then
      local it = add(item, pf.trailing, ctx.tvb(at, #b - at))
      it:set_text("trailing")
      it:add_proto_expert_info(ef.trailing, format("%d bytes after the last message", #b - at))
    end
    if ctx.visible then item:append_text(format(", peer %d, %d message%s", signed(peer, 256), n, n == 1 and "" or "s")) end
  end
  if modProblem then item:add_proto_expert_info(ef.classes, modProblem) end
  local missing = tvb:reported_len() - tvb:len()
  if missing > 0 then
    item:add_proto_expert_info(ef.cut, format("the capture lacks %d bytes of the datagram", missing))
  end
  if ctx.info then pinfo.cols.info = concat(ctx.info, "; ") end
  return tvb:len()
end

function proto.dissector(tvb, pinfo, root)
  return dissect(tvb, pinfo, root)
end

-- Recognition on any port.

local recognise
do
  -- strict reports whether deciphered bytes are framed as those of the stock game.
  local function strict(b)
    local at = 2
    for _ = 1, b[2] do
      local m = parse(b, at, #b)
      if m.reason or m.short or not types[m.type] then return false end
      if m.type == DATA then
        if m.body == m.stop or not m.fragment and not O[b[m.body + 1]] then return false end
      elseif m.type == ACK then
        if b[m.body + 1] > 3 then return false end
      elseif m.type ~= DONOTHING and not (m.high and bodyOf(m)) then
        return false
      end
      at = at + m.length
    end
    return at == #b
  end

  function recognise(s)
    local peer, second = byte(s, 1, 2)
    if not second or peer == 0 or peer == 0x5C or peer > 126 and peer ~= 255 then return false end
    local n = bxor(second, 0xD6)
    if n == 0 or #s < 2 + n then return false end
    local b = split(s)
    local head = {b[1], b[2], b[3]}
    decipher(head, 3)
    if not types[head[3]] then return false end
    decipher(b, #b)
    return strict(b)
  end
end

proto:register_heuristic("udp", function(tvb, pinfo, root)
  if pinfo.visited then return false end
  local from, to = tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local key = from < to and from .. " " .. to or to .. " " .. from
  if pinfo.in_error_pkt or not recognise(tvb:raw()) then
    if candidates[key] then candidates[key], candidateCount = nil, candidateCount - 1 end
    return false
  end
  if not candidates[key] then
    if candidateCount >= 4096 then candidates, candidateCount = {}, 0 end
    candidates[key], candidateCount = true, candidateCount + 1
    return false
  end
  pinfo.conversation = proto
  dissect(tvb, pinfo, root)
  return true
end)

-- Classes of a mod, in the schema of stateupdate/ships.json.
local readClasses
do
  -- parseJSON returns the value of a text. Objects remember their keys.
  local function parseJSON(text)
    local at, depth = 1, 0
    local function bad(what) error({json = format("%s at byte %d", what, at)}, 0) end
    local function space() at = text:find("[^ \t\r\n]", at) or #text + 1 end
    local value
    local simple = {['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}
    local function str()
      local out = {}
      at = at + 1
      while true do
        local from = at
        at = text:find('["\\%c]', at)
        if not at then
          at = #text + 1
          bad("a text without an end")
        end
        out[#out + 1] = sub(text, from, at - 1)
        local c = sub(text, at, at)
        if c == '"' then
          at = at + 1
          return concat(out)
        elseif c ~= "\\" then
          bad("a control character in a text")
        end
        local e = sub(text, at + 1, at + 1)
        local code = e == "u" and tonumber(sub(text, at + 2, at + 5):match("^%x%x%x%x$") or "", 16)
        if simple[e] then
          out[#out + 1], at = simple[e], at + 2
        elseif code then
          out[#out + 1], at = utf8(code), at + 6
        else
          bad("an unknown escape")
        end
      end
    end
    local function list(close, item)
      at, depth = at + 1, depth + 1
      if depth > 20 then bad("nested too deep") end
      space()
      if sub(text, at, at) ~= close then
        while true do
          item()
          space()
          local c = sub(text, at, at)
          at = at + 1
          if c == close then break end
          if c ~= "," then
            at = at - 1
            bad("a missing comma")
          end
        end
      else
        at = at + 1
      end
      depth = depth - 1
    end
    function value()
      space()
      local c = sub(text, at, at)
      if c == "{" then
        local object = {}
        list("}", function()
          space()
          if sub(text, at, at) ~= '"' then bad("a missing key") end
          local key = str():lower()
          space()
          if sub(text, at, at) ~= ":" then bad("a missing colon") end
          at = at + 1
          object[key] = value()
        end)
        return object
      elseif c == "[" then
        local array = {array = true}
        list("]", function() array[#array + 1] = value() end)
        return array
      elseif c == '"' then
        return str()
      end
      local word = text:match("^[%w+.-]+", at) or ""
      local constants = {["true"] = true, ["false"] = false, null = U}
      local v = constants[word]
      if v == nil then v = word:match("^-?%d+%.?%d*[eE]?[+-]?%d*$") and tonumber(word) end
      if v == nil then bad("no value") end
      at = at + #word
      return v
    end
    local v = value()
    space()
    if at <= #text then bad("something after the end") end
    return v
  end

  local function keys(names)
    local set = {}
    for name in names:gmatch("%S+") do set[name:lower()] = true end
    return set
  end
  local fileKeys = keys("schema ships")
  local classKeys = keys("species key name script faction evidence inherits subsystems canCloak captures hardpoint layoutOf note totals")
  local subsystemKeys = keys("index name kind format creationIndex maxCondition normalPower powerMode facings mainBatteryLimit "
    .. "backupBatteryLimit children powered bools bytesOwn bytesRemote bytesCreate createBools maxConditionAlt maxConditionSource "
    .. "maxConditionUnknown childOrderAlt")
  local childKeys = keys("name kind format creationIndex maxCondition")

  local function wrong(...) error({json = format(...)}, 0) end
  local function check(object, known, what)
    if type(object) ~= "table" or object.array or object == U then wrong("%s is no object", what) end
    for key in pairs(object) do
      if not known[key] then wrong("%s has the unknown key %q", what, key) end
    end
  end
  local function listOf(v, what)
    if v == nil or v == U then return {} end
    if type(v) ~= "table" or not v.array then wrong("%s is no list", what) end
    return v
  end
  local function integer(v, low, high, what)
    if type(v) ~= "number" or v % 1 ~= 0 or v < low or v > high then wrong("%s is no number from %d to %d", what, low, high) end
    return v
  end
  local function offset(v, what)
    if v == nil or v == U then return 0 end
    return integer(v, 0, 65534, what .. ": creationIndex") + 1
  end
  local function nameOf(v, what)
    if type(v) ~= "string" or v == "" then wrong("%s has no name", what) end
    return v
  end

  local function subsystemOf(j, i, what)
    check(j, subsystemKeys, what)
    local name = nameOf(j.name, what)
    what = what .. " " .. name
    local kind
    for k = 0, #K do
      if K[k][1] == j.kind then kind = k end
    end
    if not kind then wrong("%s has an unknown kind", what) end
    if j.format ~= nil and j.format ~= U and j.format ~= K[kind][3] then wrong("%s has another format than its kind", what) end
    if j.index ~= nil and j.index ~= U and j.index ~= i - 1 then wrong("%s has another index than its place", what) end
    local facings = #listOf(j.facings, what .. ": facings")
    if facings ~= 0 and facings ~= 6 then wrong("%s has %d facings", what, facings) end
    local s = {Name = name, Kind = kind, IDOffset = offset(j.creationindex, what), Children = {}}
    for k, child in ipairs(listOf(j.children, what .. ": children")) do
      check(child, childKeys, what .. ": a child")
      if child.kind ~= nil and child.kind ~= K[kind][2] or child.format ~= nil and child.format ~= K[0][3] then
        wrong("%s has a child of another kind", what)
      end
      s.Children[k] = {Name = type(child.name) == "string" and child.name or "", IDOffset = offset(child.creationindex, what)}
    end
    if #s.Children > 255 then wrong("%s has too many children", what) end
    if K[kind][1] == "shield" and #s.Children > 0 then wrong("%s has facings, not children", what) end
    return s
  end

  -- readClasses returns the classes of a file by species.
  local function classes(text)
    local file, all = parseJSON(text), {}
    check(file, fileKeys, "the file")
    integer(file.schema, 1, 2, "schema")
    for i, j in ipairs(listOf(file.ships, "ships")) do
      local what = format("ship %d", i - 1)
      check(j, classKeys, what)
      local species = integer(j.species, 0, 255, what .. ": species")
      if all[species] then wrong("%s has the species of another ship", what) end
      local subsystems, names = {}, {}
      for k, row in ipairs(listOf(j.subsystems, what .. ": subsystems")) do
        subsystems[k] = subsystemOf(row, k, format("%s, subsystem %d", what, k - 1))
        local lower = subsystems[k].Name:lower()
        if names[lower] then wrong("%s: the name %s stands twice", what, subsystems[k].Name) end
        names[lower] = true
      end
      if #subsystems == 0 or #subsystems > 128 then wrong("%s has %d subsystems", what, #subsystems) end
      all[species] = newClass(type(j.name) == "string" and j.name or "", subsystems)
    end
    return all
  end

  function readClasses(name)
    local f, problem = io.open(name, "rb")
    if not f then return {}, problem end
    local text = f:read(16777216) or ""
    f:close()
    local ok, result = pcall(classes, text)
    if ok then return result end
    if type(result) == "table" and result.json then return {}, name .. ": " .. result.json end
    return {}, name .. ": " .. tostring(result)
  end
end

-- Preferences.
local udp = DissectorTable.get("udp.port")
proto.prefs.ports = Pref.range("UDP ports", "22101", "Ports of servers. Other ports are recognised after two datagrams in a row, or set with Decode As.", 65535)
proto.prefs.plain = Pref.bool("Datagrams are not enciphered", false, "For captures that were deciphered before.")
proto.prefs.classes = Pref.string("Classes of a mod's ships", "", "A JSON file in the schema of stateupdate/ships.json.")

local ports, classesFile
local function configure()
  if ports ~= proto.prefs.ports then
    if ports then udp:remove(ports, proto) end
    ports = proto.prefs.ports
    udp:add(ports, proto)
  end
  if classesFile ~= proto.prefs.classes then
    classesFile, modClasses, modProblem = proto.prefs.classes, {}, nil
    if classesFile ~= "" then modClasses, modProblem = readClasses(classesFile) end
  end
end

function proto.prefs_changed() configure() end
function proto.init() clear() end
configure()
