-- split returns the bytes of a string as a list.
local function split(s)
  if #s <= 4000 then return {byte(s, 1, -1)} end
  local b = {}
  for i = 1, #s do b[i] = byte(s, i) end
  return b
end

local function join(b)
  local out = {}
  for i = 1, #b, 4000 do out[#out + 1] = char(pack(b, i, math.min(i + 3999, #b))) end
  return concat(out)
end

-- The cipher AlbyRules. With X the exclusive or of all plaintext so far, and u of the sum and the
-- carry, R[k] = u*M^k + t[k][X], the mask folds n[X] and all R[k], and u' = u*M^5 + n5[X].
local decipher
do
  local M = 0x4E35
  local t0, t1, t2, t3, t4, schedules, nexts = {}, {}, {}, {}, {}, {}, {}
  do
    local key = {byte("AlbyRules!", 1, 10)}
    for x = 0, 255 do
      local sum, carry, before, schedule, adds = 0, 0, 0, 0, {}
      for r = 0, 4 do
        local w = bxor(bxor(key[2 * r + 1], x) * 256 + bxor(key[2 * r + 2], x), before)
        local c = w * 0x015A % 65536
        if r > 0 then sum = (sum + r) * M % 65536 end
        sum = (sum + carry + c) % 65536
        adds[r], carry = sum, c
        before = (w * M + 1) % 65536
        schedule = bxor(schedule, before)
      end
      t0[x], t1[x], t2[x], t3[x], t4[x] = adds[0], adds[1], adds[2], adds[3], adds[4]
      schedules[x], nexts[x] = schedule, (sum * M + carry) % 65536
    end
  end

  local rows = {}
  for x = 0, 255 do rows[x] = {schedules[x], t0[x], t1[x], t2[x], t3[x], t4[x], nexts[x]} end

  -- decipher deciphers the first bytes of a datagram, in place.
  function decipher(b, n)
    local u, x, bxor, bxor3, bxor6, rows = 0, 0, bxor, bxor3, bxor6, rows
    for i = 2, n do -- the factors are the powers of M
      local r = rows[x]
      local mask = bxor6(r[1], u + r[2], u * 0x4E35 + r[3], u * 0x56F9 + r[4], u * 0xDF8D + r[5], u * 0x3E31 + r[6]) % 65536
      local low = mask % 256
      local plain = bxor3(low, (mask - low) / 256, b[i])
      b[i] = plain
      u = (u * 0xCE25 + r[7]) % 65536
      x = bxor(x, plain)
    end
  end
end
