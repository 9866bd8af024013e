-- State of a capture. The dissection of a datagram that was dissected before uses what the first
-- one has recorded.
local MAX_SESSIONS, MAX_SHIPS = 256, 1024
local sessions, sessionCount, uses, orders = {}, 0, 0, 0
local candidates, candidateCount = {}, 0

-- kept is for datagrams that are dissected again: what became of messages by their order, records by
-- the place of a datagram and by the order of an Ack, and the names and ships whose numbers they have.
local kept
local function clear()
  sessions, sessionCount, uses, orders = {}, 0, 0, 0
  candidates, candidateCount = {}, 0
  kept = {
    infos = {}, offset = newRecord(), order = newRecord(), session = newRecord(), ack = newRecord(), ackName = newRecord(),
    ackAfter = newRecord(), people = {},
    names = {}, numbers = {}, sessions = 0, ships = {},
  }
end
clear()

-- nameNumber returns the number of a name for a record.
local function nameNumber(name)
  local n = kept.numbers[name]
  if not n then
    n = #kept.names + 1
    kept.names[n], kept.numbers[name] = name, n
  end
  return n
end

-- A history has the values of something with the orders of their messages. It keeps a limited number.
local history = {most = 64}
function history.since(list, order, value)
  local n = #list
  if n < 2 * history.most and list[n] ~= value then list[n + 1], list[n + 2] = order, value end
  return list
end
function history.at(list, order)
  for i = list and #list - 1 or 0, 1, -2 do
    if list[i] <= order then return list[i + 1] end
  end
end

local newShips, forget, forgetAll, explode, createShip, ship, partOf, shipOf
do
  local GONE = 0
  -- newShips returns the ships of a session, and the peer IDs of their owners.
  function newShips() return {ids = {}, live = {}, dying = {}, slots = {}, slotOf = {}, count = 0, objects = 0, owners = {}} end

  local function recordShip(ships, id, order, class)
    local list = ships.ids[id]
    if not list then
      list = {}
      ships.ids[id] = list
    end
    list[#list + 1], list[#list + 2] = order, class
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
    local class = history.at(ships.ids[id], order)
    if class ~= GONE then return class end
  end

  -- shipOf returns the ID of the ship that an object ID names, or of which it names a part, and the part.
  function shipOf(ships, id, order)
    if id <= 0 or id >= 2147483648 then return nil end
    local ids = ships.ids
    for distance = 0, math.min(ships.objects, id) - 1 do
      local class = ids[id - distance] and ship(ships, id - distance, order)
      if class ~= nil and distance == 0 then return id end
      local name = class and class.parts[distance]
      if name then return id - distance, class.name .. " " .. name end
    end
  end

  -- partOf returns the part of a ship that an object ID names.
  function partOf(ships, id, order)
    local _, part = shipOf(ships, id, order)
    return part
  end
end

local noShips, nobody = newShips(), {}

-- placeOf returns the key of a datagram: the number of its frame, and a fraction for another datagram
-- in the same frame.
local function placeOf(frame, offset)
  local first = recorded(kept.offset, frame)
  if not first then
    record(kept.offset, frame, offset)
  elseif first ~= offset then
    return frame + offset / 65536
  end
  return frame
end

local function newSession()
  kept.sessions = kept.sessions + 1
  return {number = kept.sessions, ships = newShips(), people = {}, senders = {}, connection = {}, datagrams = 0}
end

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
