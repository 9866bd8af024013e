-- Datagrams, and texts of GameSpy.
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
  if statistics.on then statistics.hear("GameSpy") end
  if ctx.info then ctx.info[1] = "GameSpy " .. printable(fromBytes(s)) end
end

local peerLabels, context = {}, {}
for i = -128, 127 do peerLabels[i % 256] = format("PeerID: %d", i) end

local datagram = {} -- the bytes of the last one

local function dissect(tvb, pinfo, root)
  local s, ctx = raw(tvb), context
  ctx.visible, ctx.stop, ctx.frame, ctx.now, ctx.info = root.visible, #s, pinfo.number, pinfo.abs_ts, nil
  if tostring(pinfo.cols.info) ~= "(info)" then
    ctx.info = {}
    pinfo.cols.protocol = "BC"
  end
  if statistics.on then statistics.begin(ctx.frame) end
  local peer = byte(s, 1)
  local item
  if peer == 0x5C then
    item = add(root, proto, tvb())
    ctx.tvb, ctx.tree = tvb, item
    gamespy(ctx, s)
  else
    local b, size = datagram, #s
    fill(b, s)
    if proto.prefs.plain then
      ctx.tvb = tvb
    else
      decipher(b, size)
      s = join(b, size)
      ctx.tvb = ByteArray.new(s, true):tvb("Deciphered")
    end
    item = add(root, proto, range(ctx.tvb))
    ctx.tree, ctx.b, ctx.s, ctx.up, ctx.peer = item, b, s, peer ~= 1, peer
    local quoted, place = pinfo.in_error_pkt, placeOf(ctx.frame, offset(tvb))
    local order, session = recorded(kept.order, place), nil
    ctx.first = not order and not quoted
    if ctx.first then
      local from, to = tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
      session = sessionOf(ctx.up and from .. " " .. to or to .. " " .. from)
      session.datagrams = session.datagrams + 1
      record(kept.order, place, orders)
    end
    order = order or orders
    local number = session and session.number or recorded(kept.session, place)
    ctx.order, ctx.session, ctx.ships = order, session, session and session.ships or kept.ships[number] or noShips
    ctx.people = session and session.people or kept.people[number] or nobody
    add(item, pf.peer, range(ctx.tvb, 0, 1), signed(peer, 256), peerLabels[peer])
    ctx.marks = statistics.on or referenced(item, pf.player) or referenced(item, pf.ship)
    local player = ctx.marks and players.playerOf(ctx)
    if player then set_generated(add(item, pf.player, player)) end
    local n, at = 1, 1
    if size > 1 then
      n, at = b[2], 2
      add(item, pf.count, range(ctx.tvb, 1, 1), n)
    end
    ctx.count = n
    if ctx.first then orders = orders + n end
    local odd = n == 0
    for i = 0, n - 1 do
      local m = parse(b, at, size)
      local length = m.length
      odd = odd or m.reason ~= nil
      message(ctx, i, m, order + i)
      at = at + length
      if length == 0 then
        at = size
        break
      end
    end
    if odd then
      local problem = framed.misread(raw(tvb))
      if problem then item:add_proto_expert_info(ef.cipher, problem) end
    end
    if session and (session.ships.any or kept.people[number]) then
      kept.ships[number] = session.ships.any and session.ships or nil
      record(kept.session, place, number)
    end
    if at < size then
      local it = add(item, pf.trailing, ctx.tvb(at, size - at))
      it:set_text("trailing")
      it:add_proto_expert_info(ef.trailing, format("%d bytes after the last message", size - at))
    end
    if ctx.visible then append_text(item, format(", peer %d, %d message%s", signed(peer, 256), n, n == 1 and "" or "s")) end
  end
  if modProblem then item:add_proto_expert_info(ef.classes, modProblem) end
  local missing = reported_len(tvb) - #s
  if missing > 0 then
    item:add_proto_expert_info(ef.cut, format("the capture lacks %d bytes of the datagram", missing))
  end
  if ctx.info then pinfo.cols.info = concat(ctx.info, "; ") end
  return #s
end

function proto.dissector(tvb, pinfo, root)
  return dissect(tvb, pinfo, root)
end
