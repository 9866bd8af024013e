-- Texts. Single bytes are Windows-1252.
local utf8, fromBytes, fromUTF16, beforeNUL, quote, printable
do
  function utf8(r)
    if r < 0x80 then return char(r) end
    if r < 0x800 then return char(0xC0 + floor(r / 64), 0x80 + r % 64) end
    if r < 0x10000 then return char(0xE0 + floor(r / 4096), 0x80 + floor(r / 64) % 64, 0x80 + r % 64) end
    return char(0xF0 + floor(r / 262144), 0x80 + floor(r / 4096) % 64, 0x80 + floor(r / 64) % 64, 0x80 + r % 64)
  end

  local windows1252 = {}
  for r = 0x80, 0xFF do windows1252[char(r)] = utf8(r) end
  for i, r in ipairs {0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178} do
    windows1252[char(0x7F + i)] = utf8(r)
  end
  function fromBytes(s) return (s:gsub("[\128-\255]", windows1252)) end

  function fromUTF16(s)
    local out, i = {}, 1
    while i + 1 <= #s do
      local low, high = byte(s, i, i + 1)
      local r = low + 256 * high
      i = i + 2
      if r >= 0xD800 and r < 0xE000 then
        local second = -1
        if r < 0xDC00 and i + 1 <= #s then
          low, high = byte(s, i, i + 1)
          second = low + 256 * high
        end
        if second >= 0xDC00 and second < 0xE000 then
          r, i = 0x10000 + (r - 0xD800) * 1024 + second - 0xDC00, i + 2
        else
          r = 0xFFFD
        end
      end
      out[#out + 1] = utf8(r)
    end
    return concat(out)
  end

  -- beforeNUL returns UTF-16 up to its NUL.
  function beforeNUL(s)
    for i = 1, #s - 1, 2 do
      if byte(s, i) == 0 and byte(s, i + 1) == 0 then return sub(s, 1, i - 1) end
    end
    return s
  end

  local starts -- of the runs of characters that print, and of those that do not
  local function isPrint(r)
    if not starts then
      starts = {}
      local at = 0
      for i, n in ipairs(U.runs) do
        starts[i] = at
        at = at + n
      end
    end
    local low, high = 1, #starts
    while low < high do
      local mid = floor((low + high + 1) / 2)
      if starts[mid] <= r then low = mid else high = mid - 1 end
    end
    return low % 2 == 0
  end

  local escapes = {[7] = "\\a", [8] = "\\b", [9] = "\\t", [10] = "\\n", [11] = "\\v", [12] = "\\f", [13] = "\\r", [34] = '\\"', [92] = "\\\\"}
  local function quoteRune(text)
    local r = byte(text)
    if r >= 0xF0 then
      local a, b, c, d = byte(text, 1, 4)
      r = (a - 0xF0) * 262144 + (b - 0x80) * 4096 + (c - 0x80) * 64 + d - 0x80
    elseif r >= 0xE0 then
      local a, b, c = byte(text, 1, 3)
      r = (a - 0xE0) * 4096 + (b - 0x80) * 64 + c - 0x80
    elseif r >= 0xC0 then
      local a, b = byte(text, 1, 2)
      r = (a - 0xC0) * 64 + b - 0x80
    end
    if escapes[r] then return escapes[r] end
    if isPrint(r) then return text end
    if r < 0x80 then return format("\\x%02x", r) end
    if r < 0x10000 then return format("\\u%04x", r) end
    return format("\\U%08x", r)
  end

  -- quote quotes UTF-8 as strconv.Quote does.
  function quote(s)
    if not s:find('[^ !#-%[%]-~]') then return '"' .. s .. '"' end
    return '"' .. s:gsub("[\0-\127\194-\244][\128-\191]*", quoteRune) .. '"'
  end

  -- printable quotes a text with characters that do not print.
  function printable(s)
    if not s:find("[^ -~]") then return s end
    for rune in s:gmatch("[\0-\127\194-\244][\128-\191]*") do
      if rune ~= '"' and rune ~= "\\" and quoteRune(rune) ~= rune then return quote(s) end
    end
    return s
  end
end

local function hex(s) return (s:gsub(".", function(c) return format("%02x", byte(c)) end)) end

-- Names of flags and of small numbers.
local function flagnames(v, names)
  local set = {}
  for i, name in ipairs(names) do
    local bit = 2 ^ (i - 1)
    if name ~= "" and v % (2 * bit) >= bit then
      set[#set + 1], v = name, v - bit
    end
  end
  if v ~= 0 or #set == 0 then set[#set + 1] = format("%d", v) end
  return concat(set, "|")
end
local function word(v, names) return names[v + 1] or "?" end
local function numbered(v, names) return names[v + 1] or format("%d", v) end
