-- Sets of sequence numbers: the numbers among the newest and the 32,768 before it. A number of a set
-- holds 32 of them.
local has, addTo, deliver
do
  local MAX_PAYLOADS, MAX_BYTES, MAX_AGE = 16, 131072, 360
  local function extended(set, seq) return set.at + signed(seq - set.newest, 65536) end
  function has(set, seq)
    if not set.newest then return false end
    local at = extended(set, seq)
    local bits = at <= set.at and set[floor(at / 32)]
    return bits and floor(bits / 2 ^ (at % 32)) % 2 == 1 or false
  end
  function addTo(set, seq)
    if not set.newest then set.newest, set.at = seq, 65536 end
    local at = extended(set, seq)
    if at > set.at then
      for old = floor((set.at - 32768) / 32), floor((at - 32768) / 32) - 1 do set[old] = nil end
      set.newest, set.at = seq, at
    end
    local word, bit = floor(at / 32), 2 ^ (at % 32)
    local bits = set[word] or 0
    if floor(bits / bit) % 2 == 0 then set[word] = bits + bit end
  end

  -- Fragments.
  local function discard(channel, p)
    channel.bytes = channel.bytes - p.bytes
    channel.partial[p.seq] = nil
    for i, other in ipairs(channel.list) do
      if other == p then table.remove(channel.list, i) end
    end
  end

  local function expire(channel, now)
    for i = #channel.list, 1, -1 do
      if now - channel.list[i].since > MAX_AGE then discard(channel, channel.list[i]) end
    end
  end

  -- admits returns nil if a fragment may be stored, else what becomes of it.
  local function admits(channel, p, m, body)
    local index, total = m.index, m.total
    local present = p.bodies[index]
    if index > 0 then
      if index >= 255 or p.total > 0 and index >= p.total then return "refused" end
    else
      if total <= p.highest or p.total > 0 and p.total ~= total then return "refused" end
      if present and present ~= body then return "refused" end
    end
    if present then return "duplicate" end
    if #body > MAX_BYTES - channel.bytes then return "dropped" end
  end

  -- addFragment stores a fragment. Its result is for the record of the message.
  local function addFragment(channel, now, m, body, frame, seq)
    local p = channel.partial[seq]
    local known = p ~= nil
    local new = p or {seq = seq, since = now, total = 0, bytes = 0, n = 0, highest = 0, bodies = {}, group = {}}
    local verdict = admits(channel, new, m, body)
    local total = m.index == 0 and m.total or new.total
    if verdict == "refused" and known then
      discard(channel, p)
      return {total = total, reason = "bad fragment"}
    elseif verdict == "refused" then
      return {total = total, reason = "bad fragment"}
    elseif verdict then
      return {total = total, repeated = verdict == "duplicate", dropped = verdict == "dropped"}
    end
    p = new
    if not known then
      channel.partial[seq] = p
      channel.list[#channel.list + 1] = p
    end
    if m.index == 0 then p.total = m.total end
    p.bodies[m.index] = body
    p.bytes, p.n, p.highest = p.bytes + #body, p.n + 1, math.max(p.highest, m.index)
    channel.bytes = channel.bytes + #body
    p.group[m.index] = frame
    if p.n ~= p.total then return {total = total, group = p.group} end
    discard(channel, p)
    addTo(channel.seen, seq)
    local all = {}
    for i = 0, p.total - 1 do all[i + 1] = p.bodies[i] end
    p.group.count, p.group.done = p.total, frame
    return {total = total, group = p.group, payload = concat(all), last = true}
  end

  -- deliver adds a Data message to the channel of its sender. It returns nil for a payload of one
  -- message that is new.
  function deliver(channel, now, m, s, frame, seq)
    if #channel.list > 0 then expire(channel, now) end
    if not m.reliable then return nil end
    local partial = channel.partial[seq]
    if has(channel.seen, seq) then return {repeated = true, total = m.total} end
    if not m.fragment then
      if partial then return {repeated = true} end
      addTo(channel.seen, seq)
      return nil
    end
    if not partial and #channel.list >= MAX_PAYLOADS then return {dropped = true, total = m.total} end
    return addFragment(channel, now, m, sub(s, m.body + 1, m.stop), frame, seq)
  end
end

-- sentKey is the key of a message that an Ack may be about.
local function sentKey(seq, system, index)
  return seq + (system and 65536 or 0) + (index and (index + 1) * 131072 or 0)
end
