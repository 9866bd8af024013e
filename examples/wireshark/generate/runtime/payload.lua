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
  local function follow(ctx, op, m, order)
    local ships = ctx.ships
    if op == U.OpStateUpdate then
      if band(m.Flags, U.StateSubsystems) == 0 then return nil end
      return ship(ships, m.ObjectID, order)
    elseif op == U.OpObjectCreate or op == U.OpObjectCreateTeam then
      local object = m.Object
      if object.ClassID ~= U.ObjectShip then return nil end
      local class = classOf(object.Species)
      if ctx.first then
        local b, s, at, stop = opaque()
          local fitting = class
        if class then
          local _, problem = fits(b, s, at, stop, class, cloakBools(b, s, at, stop, class))
          if problem then fitting = nil end
        end
        local played = op == U.OpObjectCreateTeam and m.NetPlayerID > 0 and m.OwnerSlot >= 0 and m.OwnerSlot < 16
        createShip(ships, object.ObjectID, order, fitting, played and m.OwnerSlot or nil)
        if played then players.noteOwner(ctx, object.ObjectID, order, m.NetPlayerID, fromBytes((object.PlayerName:gsub("%z.*", "")))) end
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
  local function walkClass(m, op, class)
    if op == U.OpStateUpdate then
      walkBlocks(class, m.StartIndex)
    else
      local b, s, at, stop = opaque()
      local cloak = cloakBools(b, s, at, stop, class)
      element("Subsystems")
      walkBlob(class, cloak)
      leave()
    end
  end

  local function note(e, text)
    found.notes = found.notes or {}
    found.notes[#found.notes + 1] = {e, text}
  end

  -- splitTail walks the subsystems in the tail of a message, if the class of the ship is known. It
  -- returns the number of leaves before them, nil if they do not fit.
  local function splitTail(m, message, op, class)
    resume()
    local before = leaves
    local misfit = walk(walkClass, m, op, class)
    if misfit then failed("stateupdate." .. message.name) end
    if misfit and not misfit.trailing then
      note(ef.misfit, "subsystems do not fit the " .. class.name .. ": " .. misfit.text)
      return nil
    end
    return before
  end

  local function walkMessage(b, s, at, stop, message)
    local m = message.make()
    begin(b, s, at, stop, message.fields)
    opcode()
    local err = walk(message.walk, m)
    if err then failed("opcode." .. message.name) end
    return m, err
  end

  -- payload dissects a payload.
  function payload(ctx, b, s, at, stop, complete, order)
    found.name, found.title, found.text, found.notes, found.order = nil, nil, nil, nil, order
    if at == stop then
      found.problem, found.modded = "opcode: decode Message at offset 0: unexpected EOF", false
      return
    end
    local op = b[at + 1]
    local message = M[op]
    if not message or op == U.OpBootPlayer and stop - at ~= 2 then message = M.unknown end
    local m, err = walkMessage(b, s, at, stop, message)
    local problem = err and not err.trailing and err.text
    local modded = err and err.trailing and op == U.OpMissionInit -- another layout, of a mod
    if modded then
      message, problem = M.unknown, complete and err.text
      walkMessage(b, s, at, stop, message)
    end
    found.message, found.problem, found.complete, found.modded = message, problem, complete, modded and complete
    found.name, found.title = O[op] or format("0x%02X", op), O[op] or format("Unknown 0x%02X", op)
    if not complete or problem then return end
    if message == M.unknown then note(ef.unknown, O[op] and "payload without a layout" or "unknown opcode") end
    local form = forms[message.name]
    if form then
      local e, text = form(m)
      if e then note(e, text) end
    end
    local before
    if not err then -- a message with trailing bytes changes nothing
      local class = follow(ctx, op, m, order)
      before = class and splitTail(m, message, op, class)
      if class and not before then walkMessage(b, s, at, stop, message) end
    end
    if ctx.info then
      found.text = line(found.name, s, 2, before or leaves, ctx.ships.any and ctx.ships, order)
      if before then found.text = found.text .. conditions(s, before + 1) end
    end
  end

  -- addPayload adds the payload that was found to the tree.
  function addPayload(ctx, parent, tvb, s, at, stop)
    local message, notes, ships = found.message, found.notes, ctx.ships
    local item = add(parent, message.item, range(tvb, at, stop - at))
    if ctx.visible then set_text(item, found.name) end
    if notes then
      for _, n in ipairs(notes) do item:add_proto_expert_info(n[1], n[2]) end
    end
    emit(item, tvb, s, ctx.visible, found, found.complete and not found.problem and ships.any and ships)
  end
end
