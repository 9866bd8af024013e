local W, Z, T, M, B = {}, {}, {bool = {}, ip = {}}, {}, {} -- walks, constructors, types, messages, system bodies
local O, K, S, U = {}, {}, {}, {}                       -- names of opcodes, kinds of subsystems, ships, characters

local floor, format, char, sub, byte = math.floor, string.format, string.char, string.sub, string.byte
local concat, pack = table.concat, table.unpack or unpack

-- Most garbage is the items of the tree, whose finalizers Wireshark runs. Whole collections of a
-- small heap take less time than steps between the datagrams.
collectgarbage("setstepmul", 10000)
collectgarbage("setpause", 120)

-- Numbers. Lua 5.2 has no operators for bits, and later versions have no bit32.
local function operator(name, text)
  if bit32 and not math.type then return bit32[name] end
  return load("return function(a, b) return a " .. text .. " b end")()
end
local band, bor, bxor = operator("band", "&"), operator("bor", "|"), operator("bxor", "~")
local lshift, rshift = operator("lshift", "<<"), operator("rshift", ">>")
local bxor7 = bxor
if math.type then
  bxor7 = load("return function(a, b, c, d, e, f, g) return a ~ b ~ c ~ d ~ e ~ f ~ g end")()
end
local function bclear(a, b) return a - band(a, b) end
local function quotient(a, b)
  if a < 0 then return -floor(-a / b) end
  return floor(a / b)
end
local function remainder(a, b) return a - b * quotient(a, b) end
local function signed(v, size)
  v = v % size
  if v >= size / 2 then return v - size end
  return v
end

local function little(b, at, size)
  if size == 1 then return b[at + 1] end
  if size == 2 then return b[at + 1] + 256 * b[at + 2] end
  return b[at + 1] + 256 * b[at + 2] + 65536 * b[at + 3] + 16777216 * b[at + 4]
end

local read32, round32
if string.unpack then
  read32 = function(s, at) return (string.unpack("<f", s, at)) end
  round32 = function(v) return (string.unpack("<f", string.pack("<f", v))) end
else
  read32 = function(s, at) return (Struct.unpack("<f", s, at)) end
  round32 = function(v) return (Struct.unpack("<f", Struct.pack("<f", v))) end
end

local special, digits, lineDigits, hundredths, single24, shortest
do
  -- special returns the text of what is no finite number.
  function special(v, infinity)
    if v ~= v then return "NaN" end
    if v == math.huge then return infinity end
    if v == -math.huge then return "-" .. "Inf" .. (infinity == "Infinity" and "inity" or "") end
  end
  function digits(v) return special(v, "Infinity") or format("%.5g", v) end
  function lineDigits(v) return special(v, "+Inf") or format("%.5g", v) end
  function hundredths(v) return special(v, "+Inf") or format("%.2f", v) end

  -- single24 rounds a number of a common size to the 24 bits of a float32.
  function single24(v)
    local product = v * 536870913
    return product - (product - v)
  end

  local powers, precisions = {}, {}
  for i = -5, 13 do powers[i] = tonumber("1e" .. i) end
  for n = 6, 9 do precisions[n] = format("%%.%dg", n) end
  -- common returns the shortest text of a float32 of a common size. It tries the digits as numbers,
  -- since a text takes longer.
  local function common(v)
    local size, exponent = v < 0 and -v or v, 5
    while size < powers[exponent] do exponent = exponent - 1 end
    for n = 6, 9 do
      local scale = powers[n - 1 - exponent]
      local scaled = size * scale + 0.5
      if single24((scaled - scaled % 1) / scale) == size then
        local text = format(precisions[n], v)
        if single24(tonumber(text)) == v then return text end
      end
    end
  end

  -- shortest returns the shortest text that stands for a float32, as strconv.FormatFloat does.
  function shortest(v)
    local text = special(v, "+Inf")
    if text then return text end
    if v == 0 then return 1 / v < 0 and "-0" or "0" end
    if v < 999999 and v > -999999 and (v > 0.0001 or v < -0.0001) then
      text = common(v)
      if text then return text end
    end
    local first = 6
    if v < 1e-37 and v > -1e-37 then first = 1 end -- fewer digits in numbers that are not normal
    for n = first, 9 do
      text = format("%." .. (n - 1) .. "e", v)
      local back = tonumber(text)
      if round32(back) == v then break end
    end
    local sign, whole, part, exponent = text:match("^(%-?)(%d)%.?(%d*)e([+-]%d+)$")
    local all = (whole .. part):gsub("0+$", "")
    exponent = tonumber(exponent)
    if exponent < -4 or exponent >= 6 then
      local mantissa = sub(all, 1, 1) .. (#all > 1 and "." .. sub(all, 2) or "")
      return sign .. mantissa .. format("e%s%02d", exponent < 0 and "-" or "+", math.abs(exponent))
    end
    if exponent < 0 then return sign .. "0." .. string.rep("0", -exponent - 1) .. all end
    if #all <= exponent + 1 then return sign .. all .. string.rep("0", exponent + 1 - #all) end
    return sign .. sub(all, 1, exponent + 1) .. "." .. sub(all, exponent + 2)
  end
end
