-- A stub of the parts of Wireshark's API that the dissector uses. It reads datagrams as lines of
-- frame, source, source port, destination, destination port, time and hex digits, and prints the
-- tree of each in the form of TShark's -T pdml.
local function named(t) return setmetatable(t or {}, {__index = function(_, k) return k end}) end
base, frametype = named(), named()
expert = {group = named(), severity = named()}

local function escape(s)
  return (s:gsub("[&<>\"']", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;"}))
end
local function hex(s) return (s:gsub(".", function(c) return string.format("%02x", c:byte()) end)) end

ProtoField = setmetatable({}, {__index = function(_, kind)
  return function(filter, name) return {filter = filter, name = name, kind = kind} end
end})
ProtoExpert = {new = function(filter) return {filter = filter} end}
Pref = setmetatable({}, {__index = function() return function(_, default) return {default = default} end end})
DissectorTable = {get = function() return {add = function() end, remove = function() end} end}
Field = {new = function() return function() return nil end end}
NSTime = {new = function(seconds, nanoseconds)
  assert(math.type(nanoseconds) == "integer" or nanoseconds % 1 == 0)
  return string.format("%d.%09d", seconds, nanoseconds)
end}
function gui_enabled() return false end

local theProto
function Proto(name)
  theProto = {name = name, register_heuristic = function(self, _, f) self.heuristic = f end}
  theProto.prefs = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v.default) end})
  return theProto
end

local Range = {}
Range.__index = Range
Tvb = {}
Tvb.__index = Tvb
function Tvb:range(at, size)
  at = at or 0
  size = size or #self.s - at
  assert(at >= 0 and size >= 0 and at + size <= #self.s, "Range is out of bounds")
  return setmetatable({tvb = self, at = at, size = size}, Range)
end
Tvb.__call = Tvb.range
function Tvb:raw() return self.s end
function Tvb:len() return #self.s end
function Tvb:reported_len() return #self.s end
function Tvb:offset() return 0 end
local function newTvb(s) return setmetatable({s = s}, Tvb) end

ByteArray = {new = function(s, raw)
  assert(raw == true)
  return {tvb = function() return newTvb(s) end}
end}

local Item = {visible = true}
TreeItem = Item
Item.__index = Item
function Item:add(f, range, value, label)
  local item = setmetatable({children = {}}, Item)
  if getmetatable(f) == Range then -- a text
    item.name, item.label, item.range = "_ws.lua.text", range, f
  elseif f == theProto then
    item.name, item.label, item.range = f.name, "", range
  else
    assert(f.filter, "not a field")
    item.name = f.filter
    if getmetatable(range) == Range then
      item.range = range
      item.label = label or f.name .. ": " .. (math.type(value) and string.format("%d", value) or "")
    else
      item.label = f.name .. ": " .. tostring(range)
    end
  end
  self.children[#self.children + 1] = item
  return item
end
function Item:set_text(text) self.label = text return self end
function Item:append_text(text) self.label = self.label .. text return self end
function Item:set_generated() return self end
function Item:referenced() return true end
function Item:add_proto_expert_info(e, text)
  assert(e.filter and text)
  return self
end

local function write(item, around)
  local range = item.range
  local at, size, value = 0, 0, ""
  if range then
    at, size = range.at, range.size
    value = hex(range.tvb.s:sub(at + 1, at + size))
  end
  local pos = around and at < around and around + at or at
  local tag = around and "field" or "proto"
  io.write(string.format('<%s name="%s" showname="%s" size="%d" pos="%d" value="%s"', tag, item.name, escape(item.label), size, pos, value))
  if #item.children == 0 then
    io.write("/>\n")
    return
  end
  io.write(">\n")
  for _, child in ipairs(item.children) do write(child, at) end
  io.write(string.format("</%s>\n", tag))
end

dofile(arg[1])
local found = 0 -- datagrams that the heuristic takes for the game's
theProto.init()
for line in io.lines() do
  local frame, src, srcPort, dst, dstPort, time, digits = line:match("^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$")
  local data = digits:gsub("%x%x", function(d) return string.char(tonumber(d, 16)) end)
  local root = setmetatable({children = {}}, Item)
  local pinfo = {
    number = tonumber(frame), abs_ts = tonumber(time), src = src, dst = dst, src_port = tonumber(srcPort), dst_port = tonumber(dstPort),
    cols = {info = "(info)"}, visited = false,
  }
  if arg[2] == "heuristic" then
    if theProto.heuristic(newTvb(data), pinfo, root) then found = found + 1 end
  else
    theProto.dissector(newTvb(data), pinfo, root)
    io.write("<packet>\n")
    for _, item in ipairs(root.children) do write(item) end
    io.write("</packet>\n")
  end
end
if arg[2] == "heuristic" then print(found) end
