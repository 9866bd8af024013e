-- fill writes the bytes of a string into a list. A list that is used again takes less time than a new
-- one for each datagram.
local function fill(b, s)
  local n = #s
  for i = 1, n - 7, 8 do
    b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7] = byte(s, i, i + 7)
  end
  for i = n - n % 8 + 1, n do b[i] = byte(s, i) end
end

-- join returns the first bytes of a list as a string.
local function join(b, n)
  if n <= 4000 then return char(pack(b, 1, n)) end
  local out = {}
  for i = 1, n, 4000 do out[#out + 1] = char(pack(b, i, math.min(i + 3999, n))) end
  return concat(out)
end

-- The cipher AlbyRules. With X the exclusive or of all plaintext so far, and u of the sum and the
-- carry, R[k] = u*M^k + t[k][X], the mask folds n[X] and all R[k], and u' = u*M^5 + n5[X].
local decipher
do
  local M = 0x4E35

  -- folds has the exclusive or of the two bytes of each number. It is a string, since collections of
  -- garbage look into a table.
  local folds = {}
  for high = 0, 255 do
    for low = 0, 255 do folds[256 * high + low + 1] = char(bxor(high, low)) end
  end
  folds = concat(folds)

  -- stepOf returns the function of X that deciphers a byte. It returns the byte, the next X and the
  -- next u. The factors are the powers of M.
  local function stepOf(x, n, t0, t1, t2, t3, t4, n5)
    local bxor7, byte, folds, first = bxor7, byte, folds, 256 * x + 1
    return function(u, b)
      local plain = byte(folds, bxor7(n, b, u + t0, u * 0x4E35 + t1, u * 0x56F9 + t2, u * 0xDF8D + t3, u * 0x3E31 + t4) % 65536 + 1)
      return plain, byte(folds, first + plain), (u * 0xCE25 + n5) % 65536
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
    steps[x] = stepOf(x, n, t[0], t[1], t[2], t[3], t[4], (sum * M + carry) % 65536)
  end

  -- decipher deciphers the first bytes of a datagram, in place.
  function decipher(b, n)
    local u, x, steps = 0, 0, steps
    for i = 2, n do
      b[i], x, u = steps[x](u, b[i])
    end
  end
end
