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
