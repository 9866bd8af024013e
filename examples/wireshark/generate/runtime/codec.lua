-- The codec of one payload. A walk makes leaves of the bytes, in its order. The state of the codec
-- is in locals, and the leaves in lists, since tables of leaves take longer. All are used again: a
-- payload makes no garbage.
local leaves = 0
local leafAt, leafSize, leafKind, leafValue, leafType = {}, {}, {}, {}, {}
local leafName, leafGroup, leafNode, leafBit = {}, {}, {}, {}

local begin, walk, trial, failed, show, opaque, resume, pathOf
local field, element, leave, fail, remaining, peek, count, opcode
local u8, i8, u16, i16, u32, i32, f32, f32s, objectid, f16, vector3, vector4, contact
local string8, string16, string32, wstring32, bytes, rest, boolean
do
  local data, text, first, offset, stop  -- the bytes as a list and as a string, and the payload in them
  local name, start, covered             -- the last field, where it begins, and where the last leaf ends
  local scope, group                     -- the fields of the list or struct around, and its group
  local mark, bits, used, left           -- the open bit group: where it is, its byte, its bools
  local top, problem                     -- what the last bool is in, and the error of the walk
  local groups, groupList = 0, {}
  local tailLeaves, tailAt, tailBits, tailUsed, tailLeft -- the state before the opaque tail
  local FAIL = {}

  local function reset(b, s, at, limit, fields)
    data, text, first, offset, stop = b, s, at, at, limit
    name, start, covered = "", at, at
    scope, group = fields and fields.members, false
    mark, bits, used, left = at, 0, 0, 0
    top, problem = nil, nil
  end

  -- begin begins a payload, without leaves.
  function begin(b, s, at, limit, fields)
    leaves, groups = 0, 0
    if #leafAt > 8192 then
      leafAt, leafSize, leafKind, leafValue, leafType = {}, {}, {}, {}, {}
      leafName, leafGroup, leafNode, leafBit, groupList = {}, {}, {}, {}, {}
    end
    reset(b, s, at, limit, fields)
  end

  -- pathOf returns the names of a group and those around, with dots.
  function pathOf(g)
    if g.parent then return pathOf(g.parent) .. "." .. g.label end
    return g.label
  end

  local function failAt(at, reason)
    local path = name
    if group then path = name == "" and pathOf(group) or pathOf(group) .. "." .. name end
    problem = {path = path, offset = at - first, reason = reason}
    error(FAIL, 0)
  end
  local function eof() failAt(start, "unexpected EOF") end
  function fail(reason) failAt(start, reason) end

  -- walk runs a walk and returns its error, nil if there is none.
  function walk(f, ...)
    local ok, other = pcall(f, ...)
    if not ok and other ~= FAIL then error(other, 0) end
    if ok and left ~= 0 then
      local around = top -- the field, or the outermost group around
      while type(around) == "table" do around = around.parent or around.name end
      problem = {path = around, offset = mark - first, reason = "bad bit group"}
    elseif ok and offset < stop then
      problem = {path = "", offset = offset - first, reason = "bytes after the last field", trailing = true}
    end
    return problem
  end

  -- trial runs a walk over other bytes, without leaves. It returns the error of that walk.
  function trial(b, s, at, limit, f, ...)
    local n, g = leaves, groups
    local saved = {data, text, first, offset, stop, name, start, covered, scope, group, mark, bits, used, left, top, problem}
    reset(b, s, at, limit)
    local err = walk(f, ...)
    data, text, first, offset, stop, name, start, covered, scope, group, mark, bits, used, left, top, problem = pack(saved, 1, 16)
    leaves, groups = n, g
    return err
  end

  -- leaf adds a leaf. A leaf without a value, a type or a group around has false.
  local function leaf(at, size, kind, value)
    local n = leaves + 1
    leaves = n
    covered = offset
    leafAt[n], leafSize[n], leafKind[n], leafValue[n] = at, size, kind, value
    leafName[n], leafGroup[n], leafNode[n], leafType[n] = name, group, scope and scope[name] or false, false
  end

  -- failed adds a leaf for the bytes that a walk has left.
  function failed(message)
    local e = problem
    local where = e.path ~= "" and "." .. e.path or ""
    e.text = message:gsub("^(%w+)%.", "%1: decode ") .. where .. format(" at offset %d: %s", e.offset, e.reason)
    if e.trailing and message == "opcode.GameInit" then e.text = e.text .. U.datagramHint end
    name, scope, group = e.path, nil, false
    leaf(covered, stop - covered, e.trailing and "trailing" or "error", e.text)
  end

  function show(typ, value)
    leafType[leaves] = typ
    if value ~= nil then leafValue[leaves] = value end
  end

  function field(named) name, start = named, offset end

  local labels = {}
  local function listLabel(named, i)
    local list = labels[named]
    if not list then
      list = {}
      labels[named] = list
    end
    local label = list[i]
    if not label then
      label = format("%s[%d]", named, i)
      if i < 256 then list[i] = label end
    end
    return label
  end

  function element(named, i)
    local n = groups + 1
    local g = groupList[n]
    if not g then
      g = {}
      groupList[n] = g
    end
    groups = n
    g.name, g.label = named, i and listLabel(named, i) or named
    g.parent, g.scope, g.first, g.last, g.item = group, scope, offset, offset, nil
    local node = scope and (scope[named] or scope["*"])
    scope, group, name, start = node and node.members, g, "", offset
  end

  function leave()
    local g = group
    g.last = offset
    scope, group, name, start = g.scope, g.parent, g.name, offset
  end

  function remaining() return stop - offset end
  function peek(ahead, size)
    if ahead < 0 or ahead > stop - offset - size then return 0 end
    return little(data, offset + ahead, size)
  end

  -- Primitives. The name is nil if the field was named before.
  local function take(named, size)
    local at = offset
    if named then name, start = named, at end
    local after = at + size
    if after > stop then eof() end
    offset = after
    return at
  end

  function opcode()
    local at = take("Opcode", 1)
    leaf(at, 1, "opcode", data[at + 1])
    leafNode[leaves] = false
  end

  function u8(named)
    local at = offset
    if named then name, start = named, at end
    if at >= stop then eof() end
    offset = at + 1
    local v = data[at + 1]
    leaf(at, 1, "number", v)
    return v
  end
  local function number(size, wrap)
    return function(named)
      local at = take(named, size)
      local v = little(data, at, size)
      if wrap and v >= wrap / 2 then v = v - wrap end
      leaf(at, size, "number", v)
      return v
    end
  end
  i8, u16, i16, u32, i32 = number(1, 256), number(2), number(2, 65536), number(4), number(4, 4294967296)

  function f32(named)
    local at = take(named, 4)
    local v = read32(text, at + 1)
    leaf(at, 4, "f32", v)
    return v
  end
  function objectid(named)
    local at = take(named, 4)
    local v = little(data, at, 4)
    leaf(at, 4, "objectid", v)
    return signed(v, 4294967296)
  end
  function f16(named)
    local at = take(named, 2)
    leaf(at, 2, "f16", data[at + 1] + 256 * data[at + 2])
  end
  function f32s(named, n) leaf(take(named, 4 * n), 4 * n, "f32s", false) end
  function vector3(named) leaf(take(named, 3), 3, "vector3", false) end
  function vector4(named) leaf(take(named, 5), 5, "vector4", false) end
  function contact(named) leaf(take(named, 4), 4, "contact", false) end

  local function prefixed(width, unit, kind)
    return function(named)
      local at = take(named, width)
      local n = unit * little(data, at, width)
      if n > stop - offset then eof() end
      offset = offset + n
      local v = sub(text, at + width + 1, offset)
      leaf(at, width + n, kind, v)
      return v
    end
  end
  string8, string16, string32, wstring32 = prefixed(1, 1, "text"), prefixed(2, 1, "text"), prefixed(4, 1, "text"), prefixed(4, 2, "utf16")

  function bytes(named, n)
    local at = take(named, n)
    leaf(at, n, "bytes", false)
    return sub(text, at + 1, offset)
  end

  function count(named, width, least)
    local at = take(named, width)
    local n = little(data, at, width)
    if n > floor((stop - offset) / least) then eof() end
    leaf(at, width, "count", n)
    return n
  end

  -- rest takes the opaque tail. An open bit group may go on in it. A walk that knows more about the
  -- tail can begin at resume.
  function rest(named, open)
    tailLeaves, tailAt, tailBits, tailUsed, tailLeft = leaves, offset, bits, used, left
    if open then left = 0 end
    return bytes(named, stop - offset)
  end

  function resume()
    leaves, offset, covered, bits, used, left, problem = tailLeaves, tailAt, tailAt, tailBits, tailUsed, tailLeft, nil
  end

  -- opaque returns the bytes of the payload, and where the opaque tail in them begins and ends.
  function opaque() return data, text, tailAt, stop end

  -- boolean takes a packed bool. Up to five share a byte, wherever they are in the payload.
  function boolean(named)
    if named then name, start = named, offset end
    local bit, size = used, 0
    if bit == 0 then
      mark, size = offset, 1
      offset = offset + 1
    end
    if left == 0 then
      if bit > 0 then failAt(mark, "bad bit group") end
      if mark >= stop then eof() end
      bits = data[mark + 1]
      left = floor(bits / 32)
      if left < 1 or left > 5 or bits % 32 >= 2 ^ left then failAt(mark, "bad bit group") end
    end
    left = left - 1
    top = group or name
    local v = floor(bits / 2 ^ bit) % 2 == 1
    leaf(mark, size, "bool", v)
    leafBit[leaves] = bit
    used = (bit + 1) % 5
    return v
  end
end

local function resize(n, maker)
  local list = {}
  for i = 1, n do list[i] = maker and maker() or 0 end
  return list
end
