-- Senders of a session, and its connection, as the Observer of package transport follows them.
local observe, numberOf
do
  local MAX_SENDERS, SILENCE = 20, 2

  -- begins reports whether a Connect begins a new connection, and records it.
  local function begins(session, ctx, m)
    local c, request = session.connection, bodyOf(m) == B.ConnectRequest
    local id = request and little(ctx.b, m.body + 4, 4) or 0
    if not m.short and (not request or m.seq ~= 0) then return false end
    if c.known and c.short == (m.short or false) then
      if m.short and not c.ended and (not c.heard or ctx.now - c.heard < SILENCE) then return false end
      if not m.short and (id == c.id or c.second and id == c.earlier) then return false end
    end
    session.connection = {known = true, short = m.short or false, id = id, second = c.known and not c.short, earlier = c.id}
    return true
  end

  local function senderOf(session, ctx)
    local silent
    for i, s in ipairs(session.senders) do
      if s.up == ctx.up and s.peer == ctx.peer then
        s.used = session.datagrams
        return s
      end
      if not silent or s.used < session.senders[silent].used then silent = i end
    end
    local s = {up = ctx.up, peer = ctx.peer, used = session.datagrams,
      seen = {}, system = {}, partial = {}, list = {}, bytes = 0, sent = {}, times = {}, sentCount = 0}
    if #session.senders == MAX_SENDERS then
      session.senders[silent] = s
    else
      session.senders[#session.senders + 1] = s
    end
    return s
  end

  local function isOpenBC(ctx, m)
    if m.type == ACK then return ctx.b[m.body + 1] >= 128 end
    if m.type == DATA or m.type == DONOTHING then return false end
    return m.short or m.reliable and not m.high
  end

  -- observe sets the sender of a message.
  function observe(ctx, m)
    local session = ctx.session
    if ctx.up and m.type == CONNECT and ctx.peer == 255 and begins(session, ctx, m) then
      session.senders, session.openBC = {}, false
      forgetAll(session.ships, ctx.order)
      for _, names in pairs(session.people) do history.since(names, ctx.order, false) end
    end
    local c = session.connection
    if not ctx.up then
      c.ended = c.ended or m.type == 4
    elseif ctx.peer ~= 255 then
      c.heard, c.ended = ctx.now, c.ended or m.type == 5 or m.short and m.type == 6
    end
    ctx.sender = senderOf(session, ctx)
    if isOpenBC(ctx, m) then ctx.sender.openBC, session.openBC = true, true end
  end

  -- numberOf returns the sequence number of a reliable message. OpenBC sends the low byte.
  function numberOf(ctx, m, set)
    local s, newest = ctx.sender, set.newest
    s.wide = s.wide or m.seq > 255
    if not ctx.session.openBC or s.wide or not newest then return m.seq end
    local expected = (newest + 1) % 65536
    local seq = (expected + signed(m.seq - expected, 256)) % 65536
    if s.openBC or newest > 255 or not m.fragment and seq > 255 and newest >= 192 then return seq end
    return m.seq
  end
end
