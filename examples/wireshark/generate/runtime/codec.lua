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
