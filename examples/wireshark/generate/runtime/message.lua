-- Messages of a datagram.
local message
do
  -- located returns the error of a message with its place. Most types and counts are impossible in
  -- a datagram that is still enciphered.
  local function located(ctx, m, i, framing)
    local hint = ""
    if framing and ctx.stop > 1 and (i == 0 or ctx.count > ctx.stop - 2) then hint = "; is the datagram deciphered?" end
    if m.missing then return format("transport: message %d at offset %d: %s%s", i, m.at, m.reason, hint) end
    return format("transport: message %d (%s) at offset %d: %s%s", i, typeName(m.type), m.at, m.reason, hint)
  end

  local typeLabels = {}
  for t = 0, 255 do typeLabels[t] = "Type: " .. typeName(t) end

  -- header adds the header of a message, and returns where it ends.
  local function header(ctx, item, m, limit)
    local tvb, at = ctx.tvb, m.at
    if m.missing then return at end
    add(item, pf.type, range(tvb, at, 1), m.type, typeLabels[m.type])
    at = at + 1
    if m.type == ACK then
      if m.seq and at + 2 <= limit then
        add(item, pf.seq, range(tvb, at, 2), m.seq)
        at = at + 2
      end
    elseif m.short then
      add(item, pf.length, range(tvb, at, 1), m.length)
      at = at + 1
    elseif m.known and at + 2 <= limit then
      add(item, pf.flags, range(tvb, at, 2), m.word, framing(m))
      at = at + 2
      if m.wire < 3 then return at end
      if m.reliable then
        if at + 2 > limit then return at end
        add(item, pf.seq, range(tvb, at, 2), m.seq)
        at = at + 2
      end
      if m.fragment and at < limit then
        add(item, pf.index, range(tvb, at, 1), m.index)
        at = at + 1
        if m.index == 0 and at < limit then
          add(item, pf.total, range(tvb, at, 1), m.total)
          at = at + 1
        end
      end
    end
    return at
  end

  local function addError(ctx, item, at, limit, problem)
    add(item, pf.err, ctx.tvb(at, limit - at), problem, label(problem, "")):add_proto_expert_info(ef.malformed, problem)
  end

  -- remember notes a message for the Acks to come, as one number: the number of its name, and of its
  -- frame. It forgets all but the newest messages.
  local MAX_SENT, FRAMES = 128, 4294967296
  local function remember(ctx, m, name, info)
    if not ctx.first or not m.reliable or not m.high and m.type ~= DATA or info and (info.repeated or info.reason) then return end
    local sender = ctx.sender
    if sender.sentCount == MAX_SENT then
      sender.sent, sender.sentBefore, sender.sentCount = {}, sender.sent, 0
      sender.times, sender.timesBefore = {}, sender.times
    end
    local key = sentKey(ctx.session.openBC and m.seq % 256 or m.seq, m.type ~= DATA, m.fragment and m.index)
    sender.sent[key], sender.times[key], sender.sentCount = nameNumber(name) * FRAMES + ctx.frame, ctx.now, sender.sentCount + 1
  end

  -- acknowledged returns the frame of the newest message that an Ack may be about, the number of its
  -- name, and its time.
  local function acknowledged(ctx, m)
    local flags = ctx.b[m.body + 1]
    local key = sentKey(ctx.session.openBC and m.seq % 256 or m.seq, flags % 4 >= 2, flags % 2 == 1 and ctx.b[m.body + 2])
    local frame, name, time
    for _, s in ipairs(ctx.session.senders) do
      local sent = s.up ~= ctx.up and (s.sent[key] or s.sentBefore and s.sentBefore[key])
      if sent and (not frame or sent % FRAMES > frame) then
        frame = sent % FRAMES
        name = (sent - frame) / FRAMES
        time = s.sent[key] and s.times[key] or s.timesBefore[key]
      end
    end
    return frame, name, time
  end

  local function fragmentText(m, info)
    local total = info and info.total or 0
    return format("fragment %d", m.index + 1) .. (total > 0 and format(" of %d", total) or "") .. (info and info.last and ", the last to come" or "")
  end

  -- mark adds the player and the ship of the message whose leaves are there.
  local function mark(ctx, item, order)
    local player, ship = players.subject(ctx, order)
    if player and not ctx.up then set_generated(add(item, pf.player, player)) end
    if ship then set_generated(add(item, pf.ship, ship)) end
    ctx.player = player
  end

  -- isProbe reports whether a Data message validates the address of a client.
  local function isProbe(m)
    return m.reliable and not m.fragment and m.body == m.stop and m.seq >= 0xC200
  end

  -- data dissects a Data message. It returns its name and text.
  local function data(ctx, item, m, i, at, limit, order)
    if isProbe(m) then
      if ctx.first then
        observe(ctx, m)
        remember(ctx, m, "Probe")
      end
      return "Probe", "Probe"
    end
    local info
    if ctx.first then
      observe(ctx, m)
      info = deliver(ctx.sender, ctx.now, m, ctx.s, ctx.frame, m.reliable and numberOf(ctx, m, ctx.sender.seen))
      kept.infos[order] = info
    else
      info = kept.infos[order]
    end
    if info and info.repeated then item:add_proto_expert_info(ef.repeated, "repeated") end
    if info and info.dropped then item:add_proto_expert_info(ef.reassembly, "not reassembled: transport: limit of reassembly reached") end
    if not m.fragment then
      payload(ctx, ctx.b, ctx.s, m.body, m.stop, true, order)
      remember(ctx, m, found.name or "Data", info)
      if not found.name then
        addError(ctx, item, m.body, limit, found.problem)
        return "Data", "Data [malformed]"
      end
      addPayload(ctx, item, ctx.tvb, ctx.s, m.body, m.stop)
      if ctx.marks then mark(ctx, item, order) end
      if found.modded then addError(ctx, item, limit, limit, found.problem) end
      return found.title, found.text or ctx.info and found.name .. " [malformed]"
    end
    info = info or {total = m.total}
    if m.body < limit then
      local it = add(item, pf.fragment, ctx.tvb(m.body, limit - m.body))
      it:set_text(format("Fragment: %d bytes", limit - m.body))
    end
    local part = fragmentText(m, info)
    remember(ctx, m, part, info)
    if info.reason then
      m.reason = info.reason
      addError(ctx, item, limit, limit, located(ctx, m, i))
      return "Data", "Data [" .. info.reason .. "]"
    end
    if info.group and info.group.done and not info.last then
      add(item, pf.reassembled, info.group.done):set_generated()
    end
    if not info.payload then return "Data", "Data, " .. part end
    local s = info.payload
    local b, tvb = {}, range(ctx.tvb, limit, 0)
    fill(b, s)
    if #s > 0 then tvb = ByteArray.new(s, true):tvb("Reassembled payload") end
    payload(ctx, b, s, 0, #s, true, order)
    if found.problem then addError(ctx, item, limit, limit, found.problem) end
    for k = 0, info.group.count - 1 do
      add(item, pf.fragments, info.group[k]):set_generated()
    end
    if found.name then addPayload(ctx, item, tvb, s, 0, #s) end
    if found.name and ctx.marks then mark(ctx, item, order) end
    return found.title or "Data", (found.text or (found.name or "Data") .. " [malformed]") .. " (" .. part .. ")"
  end

  -- system dissects a message of the system channel.
  local function system(ctx, item, m, i, at, limit, order)
    local body, reason = bodyOf(m)
    local name = typeName(m.type)
    local dialect = dialectOf(m, ctx.b)
    if dialect then item:add_proto_expert_info(ef.dialect, "dialect: " .. dialect) end
    if body == B.ConnectReply then name = "ConnectReply" end
    if ctx.first then
      observe(ctx, m)
      local info, sender = nil, ctx.sender
      if m.reliable and m.high then
        local seq = numberOf(ctx, m, sender.system)
        if has(sender.system, seq) and (sender.left or m.type ~= 5) then info = {repeated = true} end
        addTo(sender.system, seq)
      end
      sender.left = sender.left or m.type == 5
      local frame, of, time
      if body == B.Ack then frame, of, time = acknowledged(ctx, m) end
      if frame then
        record(kept.ack, order, frame)
        record(kept.ackName, order, of)
        local after = floor((ctx.now - time) * 1000000 + 0.5)
        if after >= 0 and after < 4294967295 then record(kept.ackAfter, order, after) end
      end
      kept.infos[order] = info
    end
    local info = kept.infos[order]
    remember(ctx, m, name, info)
    if info and info.repeated then item:add_proto_expert_info(ef.repeated, "repeated") end
    if reason == "bad length" then
      m.reason = reason
      addError(ctx, item, at, limit, located(ctx, m, i))
      return name, name .. " [malformed]"
    elseif not body then
      if at < limit then
        add(item, pf.body, ctx.tvb(at, limit - at)):set_text("Body")
      end
      return name, name
    end
    local made = body.make()
    begin(ctx.b, ctx.s, m.body, m.stop, body.fields)
    walk(body.walk, made)
    local text = name
    if m.type == ACK then
      text = format("Ack of %s #%d", made.Flags % 4 >= 2 and "system" or "game", m.seq)
      if made.Flags % 2 == 1 then text = text .. format(", fragment %d", ctx.b[m.body + 2] + 1) end
    elseif ctx.info then
      local out = {name}
      for k = 1, leaves do
        local value = frameText(k, ctx.s)
        if value ~= "" then out[#out + 1] = leafName[k] .. "=" .. value end
      end
      text = concat(out, " ")
    end
    local typed1 = add(item, body.item, range(ctx.tvb, m.body, m.stop - m.body))
    if ctx.visible then set_text(typed1, m.type == ACK and text or name) end
    emit(typed1, ctx.tvb, ctx.s, ctx.visible)
    local acked = m.type == ACK and recorded(kept.ack, order)
    if acked then
      set_generated(add(item, pf.acked, acked))
      set_generated(add(item, pf.ackedName, kept.names[recorded(kept.ackName, order)]))
      local after = recorded(kept.ackAfter, order)
      if after then set_generated(add(item, pf.rtt, NSTime.new(floor(after / 1000000), after % 1000000 * 1000))) end
    end
    if ctx.first and body == B.NameChange then
      local peer = ctx.up and ctx.peer ~= 255 and signed(ctx.peer, 256) or nil
      local name = ""
      for k = 1, leaves do
        if leafName[k] == "PeerID" then peer = peer or leafValue[k] end
        if leafName[k] == "Name" then name = fromUTF16(beforeNUL(sub(ctx.s, leafAt[k] + 1, leafAt[k] + leafSize[k]))) end
      end
      if peer then players.noteName(ctx, peer, order, name) end
    end
    if ctx.marks then mark(ctx, item, order) end
    return name, text
  end

  -- Numbers are texts once, at most 65,536 of them.
  local titles, seqTexts = {}, {}
  for i = 0, 255 do titles[i] = format("Message %d: ", i) end
  local function seqText(seq)
    local text = seqTexts[seq]
    if not text then
      text = format(" #%d", seq)
      seqTexts[seq] = text
    end
    return text
  end

  -- message dissects a message of a datagram.
  function message(ctx, i, m, order)
    local limit = m.length > 0 and m.at + m.length or ctx.stop
    local item = add(ctx.tree, pf.message, range(ctx.tvb, m.at, limit - m.at))
    local at = header(ctx, item, m, limit)
    local name, text
    ctx.player = nil
    if m.reason then
      name = m.missing and "-" or typeName(m.type)
      local problem, left = located(ctx, m, i, true), at
      if m.reason == "unexpected EOF" and m.type == DATA and not m.fragment and m.whole and m.body < m.stop then
        payload(ctx, ctx.b, ctx.s, m.body, m.stop, false, order)
        local kind = leafKind[leaves]
        addPayload(ctx, item, ctx.tvb, ctx.s, m.body, m.stop)
        name, left = found.title, limit
        if found.problem or kind == "trailing" then problem = nil end
      end
      if problem then addError(ctx, item, left, limit, problem) end
      text = name .. " [malformed]"
    elseif m.type == DATA then
      name, text = data(ctx, item, m, i, at, limit, order)
    else
      name, text = system(ctx, item, m, i, at, limit, order)
    end
    if ctx.visible then
      set_text(item, m.reliable and m.seq and titles[i] .. name .. seqText(m.seq) or titles[i] .. name)
    end
    if ctx.info then ctx.info[#ctx.info + 1] = text end
    if statistics.on then statistics.hear(name, ctx.player or players.playerOf(ctx)) end
  end
end
