-- Recognition on any port.

do
  local function recognise(s)
    local peer, second = byte(s, 1, 2)
    if not second or peer == 0 or peer == 0x5C or peer > 126 and peer ~= 255 then return false end
    local n = bxor(second, 0xD6)
    if n == 0 or #s < 2 + n then return false end
    local b = {}
    fill(b, s)
    local head = {b[1], b[2], b[3]}
    decipher(head, 3)
    if not types[head[3]] then return false end
    decipher(b, #b)
    return framed.strict(b)
  end

  proto:register_heuristic("udp", function(tvb, pinfo, root)
    if pinfo.visited then return false end
    local from, to = tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
    local key = from < to and from .. " " .. to or to .. " " .. from
    if pinfo.in_error_pkt or not recognise(tvb:raw()) then
      if candidates[key] then candidates[key], candidateCount = nil, candidateCount - 1 end
      return false
    end
    if not candidates[key] then
      if candidateCount >= 4096 then candidates, candidateCount = {}, 0 end
      candidates[key], candidateCount = true, candidateCount + 1
      return false
    end
    pinfo.conversation = proto
    dissect(tvb, pinfo, root)
    return true
  end)
end
