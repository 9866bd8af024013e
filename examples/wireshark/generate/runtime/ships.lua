-- Classes of ships. A class of a mod precedes that of the game.
local modClasses, modProblem = {}, nil

local function newClass(name, subsystems)
  local class = {name = name, subsystems = subsystems, parts = {}, objects = 1}
  for _, s in ipairs(subsystems) do
    class.objects = class.objects + 1 + #s.Children
    class.cloak = class.cloak or K[s.Kind] == "cloak"
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
local function walkBlocks(class, start)
  local n = #class.subsystems
  if start < 0 or start >= n then fail("start index beyond the list") end
  element("Subsystems")
  for _ = 1, n do
    if remaining() == 0 then break end
    local s = Z.stateupdate_Status()
    s.Subsystem = class.subsystems[start + 1]
    W.stateupdate_Status_walkBlock(s)
    start = (start + 1) % n
  end
  leave()
end

-- walkBlob walks the subsystems of a ship that is created. It returns how many are valid.
local function walkBlob(class, cloak, counter)
  for _, subsystem in ipairs(class.subsystems) do
    local s = Z.stateupdate_Status()
    s.Subsystem, s.HasCloak = subsystem, cloak and K[subsystem.Kind] == "cloak"
    W.stateupdate_Status_walkCreate(s, cloak)
    if counter then counter.n = counter.n + 1 end
  end
end

-- fits returns the number of valid subsystems of a blob, and one more if the whole blob is valid.
local function fits(b, s, at, stop, class, cloak)
  local counter = {n = 0}
  local err = trial(b, s, at, stop, walkBlob, class, cloak, counter)
  return counter.n + (err and 0 or 1), err
end

-- cloakBools reports whether a blob has bools of cloaking devices.
local function cloakBools(b, s, at, stop, class)
  return class.cloak and fits(b, s, at, stop, class, true) >= fits(b, s, at, stop, class, false) or false
end
