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
  local fileKeys = keys("projectiles ships")
  local classKeys = keys("species key name script evidence subsystems physics")
  local subsystemKeys = keys("name idOffset maxCondition position radius disabled repairComplexity critical targetable kind children "
    .. "normalPower powerMode facings mainBattery backupBattery singleFire ammunition repairPoints repairTeams")
  local childKeys = keys("name idOffset maxCondition position radius disabled repairComplexity critical targetable weapon")

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
    return integer(v, 0, 65535, what .. ": idOffset")
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
      if K[k] == j.kind then kind = k end
    end
    if not kind then wrong("%s has an unknown kind", what) end
    for key, n in pairs({facings = 6, position = 3}) do
      if j[key] ~= nil and j[key] ~= U and #listOf(j[key], what .. ": " .. key) ~= n then wrong("%s: %s needs %d numbers", what, key, n) end
    end
    local s = {Name = name, Kind = kind, IDOffset = offset(j.idoffset, what), Children = {}}
    for k, child in ipairs(listOf(j.children, what .. ": children")) do
      check(child, childKeys, what .. ": a child")
      s.Children[k] = {Name = type(child.name) == "string" and child.name or "", IDOffset = offset(child.idoffset, what)}
    end
    if #s.Children > 255 then wrong("%s has too many children", what) end
    if K[kind] == "shield" and #s.Children > 0 then wrong("%s has facings, not children", what) end
    return s
  end

  -- readClasses returns the classes of a file by species.
  local function classes(text)
    local file, all = parseJSON(text), {}
    check(file, fileKeys, "the file")
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
