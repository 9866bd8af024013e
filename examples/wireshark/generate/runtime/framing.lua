-- Framing.
local types = {[0] = "NameChange", "Ack", "DoNothing", "Connect", "Boot", "Disconnect", [0x32] = "Data"}
local DATA, ACK, DONOTHING, CONNECT = 0x32, 1, 2, 3
local function typeName(t) return types[t] or format("0x%02x", t) end

-- parse reads the message at an offset, into a table that the next call uses again. The length is 0
-- if it is unknown.
local parsed = {}
local function parse(b, at, stop)
  local left, t, m = stop - at, b[at + 1], parsed
  m.at, m.type, m.length, m.body, m.stop, m.reason, m.missing, m.short, m.known = at, t, 0, at, stop, nil, nil, nil, nil
  m.seq, m.word, m.wire, m.index, m.total, m.whole = nil, nil, nil, 0, 0, nil
  m.reliable, m.high, m.fragment = nil, nil, nil
  if left == 0 then
    m.reason, m.missing = "unexpected EOF", true
    return m
  end
  if t == ACK then
    m.body, m.stop = math.min(at + 3, stop), stop
    local n = left >= 4 and (b[at + 4] % 2 == 1 and 5 or 4)
    if left >= 3 then m.seq = b[at + 2] + 256 * b[at + 3] end
    if not n or left < n then
      m.reason = "unexpected EOF"
      return m
    end
    m.length, m.stop = n, at + n
    return m
  elseif t == DONOTHING then
    m.length = left >= 3 and b[at + 2] == 3 and b[at + 3] == 0 and 3 or 1
    m.body, m.stop = at + 1, at + m.length
    return m
  end
  if t < DATA and left >= 2 and b[at + 2] >= 2 and b[at + 2] <= left and not (left > 2 and b[at + 3] >= 64) then
    m.short, m.length = true, b[at + 2]
    m.body, m.stop = at + 2, at + m.length
    return m
  end
  m.body, m.stop = stop, stop
  if not types[t] then
    m.reason = "unknown message type"
    return m
  elseif left < 3 then
    m.reason = "unexpected EOF"
    return m
  end
  m.known = true
  local low, high = b[at + 2], b[at + 3]
  m.word = low + 256 * high
  m.reliable, m.high = high >= 128, high % 128 >= 64
  m.fragment = t == DATA and high % 64 >= 32
  local n = m.word % (t == DATA and 8192 or 16384)
  m.wire = n
  if n < 3 then
    m.reason = "bad length"
    return m
  end
  local whole, header, needed = math.min(at + n, stop), 3, 3
  if m.reliable then
    needed = 5
    if whole - at >= 5 then
      m.seq, header = b[at + 4] + 256 * b[at + 5], 5
    end
  end
  if m.fragment and at + header < whole and (header == 5 or not m.reliable) then
    m.index = b[at + header + 1]
    header = header + 1
    if m.index == 0 and at + header < whole then
      m.total = b[at + header + 1]
      header = header + 1
    end
  end
  if m.fragment then needed = needed + (m.index == 0 and 2 or 1) end
  m.body, m.stop, m.whole = at + header, whole, header == needed
  if n > left then
    m.reason = "unexpected EOF"
    return m
  end
  m.length = n
  if header < needed then
    m.reason = "bad length"
  elseif m.fragment and not m.reliable then
    m.reason = "bad fragment"
  end
  return m
end

-- bodyOf returns the body of a system message, or a reason why it has none.
local function bodyOf(m)
  local n = m.stop - m.body
  if m.type == ACK then return B.Ack end
  if m.type == DONOTHING then return B.DoNothing end
  if m.short or not m.reliable then return nil, "dialect" end
  if m.type == CONNECT and n == 1 then return B.ConnectReply end
  if m.type == CONNECT and n >= 8 then return B.ConnectRequest end
  if m.type == 0 and n >= 5 then return B.NameChange end
  if m.type == 4 and n == 2 then return B.Boot end
  if m.type == 5 and n == 5 then return B.Disconnect end
  return nil, "bad length"
end

-- dialectOf returns how a system message differs from the stock form.
local function dialectOf(m, b)
  if m.type == ACK then
    local odd = b[m.body + 1] - b[m.body + 1] % 4
    return odd ~= 0 and format("flags 0x%02x", odd) or nil
  elseif m.type == DONOTHING then
    return nil
  elseif m.short then
    local meaning = m.type == 6 and ", a Disconnect" or m.type == 0 and m.stop == m.body and ", a keepalive" or ""
    return "length of one byte" .. meaning
  elseif not m.reliable then
    return "not reliable"
  elseif not m.high then
    return "not high priority"
  end
end

-- framing returns the label of flags and length.
local framing
do
  local labels = {[true] = {n = 0}, [false] = {n = 0}} -- of Data messages, and of those of the system channel
  function framing(m)
    local isData, word = m.type == DATA, m.word
    local memory = labels[isData]
    local text = memory[word]
    if not text then
      if memory.n == 4096 then
        memory = {n = 0}
        labels[isData] = memory
      end
      text = format("Flags+Length: length %d", m.wire) .. (m.reliable and ", reliable" or "") .. (m.high and ", high priority" or "")
        .. (m.fragment and ", fragment" or "")
      memory[word], memory.n = text, memory.n + 1
    end
    return text
  end
end
