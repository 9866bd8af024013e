-- Datagrams that are read with the wrong preference.
local framed = {}
do
  -- strict reports whether deciphered bytes are framed as those of the stock game.
  function framed.strict(b)
    local at = 2
    for _ = 1, b[2] do
      local m = parse(b, at, #b)
      if m.reason or m.short or not types[m.type] then return false end
      if m.type == DATA then
        if m.body == m.stop or not m.fragment and not O[b[m.body + 1]] then return false end
      elseif m.type == ACK then
        if b[m.body + 1] > 3 then return false end
      elseif m.type ~= DONOTHING and not (m.high and bodyOf(m)) then
        return false
      end
      at = at + m.length
    end
    return at == #b
  end

  -- misread returns what to do if a datagram is framed as in the stock game, but not as the
  -- preference says.
  function framed.misread(s)
    local b = {}
    fill(b, s)
    if proto.prefs.plain then decipher(b, #b) end
    if #b < 3 or not framed.strict(b) then return nil end
    if proto.prefs.plain then return "The datagram is enciphered: clear the preference bcwire.plain (Datagrams are not enciphered)" end
    return "The datagram is not enciphered: select the preference bcwire.plain (Datagrams are not enciphered)"
  end
end
