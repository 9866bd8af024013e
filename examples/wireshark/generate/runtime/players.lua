-- Players and ships of messages, for filters. The first dissection notes names and owners with the
-- orders of their messages, so that another one finds the same.
local players = {}
do
  local MAX_NAME = 64

  -- noteName notes the name of a peer.
  function players.noteName(ctx, peer, order, name)
    if #name > MAX_NAME then name = sub(name, 1, MAX_NAME) end
    ctx.people[peer] = history.since(ctx.people[peer] or {}, order, name)
    kept.people[ctx.session.number] = ctx.people
  end

  -- noteOwner notes the peer whose ship is created, and the name of the peer if it is unknown.
  function players.noteOwner(ctx, id, order, peer, name)
    ctx.ships.owners[id] = history.since(ctx.ships.owners[id] or {}, order, peer)
    if not history.at(ctx.people[peer], order) then players.noteName(ctx, peer, order, name) end
  end

  local function nameOf(ctx, peer, order) return peer and history.at(ctx.people[peer], order) or nil end

  -- playerOf returns the player who sends a datagram.
  function players.playerOf(ctx)
    if ctx.up and ctx.peer ~= 255 then return nameOf(ctx, signed(ctx.peer, 256), ctx.order) end
  end

  local peers = {SenderID = true, PlayerID = true, PeerID = true, NetPlayerID = true}

  -- subject returns the player and the ship of the message whose leaves are there. The ship is that of
  -- the first object ID, and of Dest in an event. The player is the sender of the datagram; in a
  -- datagram of the host the owner of the ship, or the first player in the message.
  function players.subject(ctx, order)
    local ships, ship, peer = ctx.ships, nil, nil
    for i = 1, leaves do
      if leafKind[i] == "objectid" and leafName[i] ~= "Source" then
        ship = shipOf(ships, leafValue[i], order)
        break
      end
    end
    if ctx.up then return players.playerOf(ctx), ship end
    local owner = ship and history.at(ships.owners[ship], order)
    if owner then return nameOf(ctx, owner, order), ship end
    for i = 1, leaves do
      if peers[leafName[i]] and not leafGroup[i] then
        peer = leafValue[i]
        break
      end
    end
    return nameOf(ctx, peer, order), ship
  end
end
