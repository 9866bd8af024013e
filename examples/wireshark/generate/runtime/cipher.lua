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

  -- stepOf returns the function of X that makes the mask and the next u of u. The factors are the
  -- powers of M.
  local function stepOf(n, t0, t1, t2, t3, t4, n5)
    local bxor6 = bxor6
    return function(u)
      return bxor6(n, u + t0, u * 0x4E35 + t1, u * 0x56F9 + t2, u * 0xDF8D + t3, u * 0x3E31 + t4) % 65536, (u * 0xCE25 + n5) % 65536
    end
  end

  local steps = {}
  local key = {byte("AlbyRules!", 1, 10)}
  for x = 0, 255 do
    local sum, carry, before, n, t = 0, 0, 0, 0, {}
    for r = 0, 4 do
      local w = bxor(bxor(key[2 * r + 1], x) * 256 + bxor(key[2 * r + 2], x), before)
      local c = w * 0x015A % 65536
      if r > 0 then sum = (sum + r) * M % 65536 end
      sum = (sum + carry + c) % 65536
      t[r], carry = sum, c
      before = (w * M + 1) % 65536
      n = bxor(n, before)
    end
    steps[x] = stepOf(n, t[0], t[1], t[2], t[3], t[4], (sum * M + carry) % 65536)
  end

  -- folds is the exclusive or of the two bytes of a number. A look-up takes less time than a call.
  local folds = {}
  for high = 0, 255 do
    for low = 0, 255 do folds[256 * high + low] = bxor(high, low) end
  end

  -- decipher deciphers the first bytes of a datagram, in place.
  function decipher(b, n)
    local u, x, mask, steps, folds = 0, 0, 0, steps, folds
    for i = 2, n do
      mask, u = steps[x](u)
      local plain = folds[256 * folds[mask] + b[i]]
      b[i] = plain
      x = folds[256 * x + plain]
    end
  end
end
