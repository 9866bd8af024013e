-- Records: a number of 0 to 2^32 - 2 for each of many whole numbers, of which most come in order. A
-- full page becomes a string, since collections of garbage look into every table.
local newRecord, record, recorded
do
  local PAGE, DENSE = 1024, 64

  function newRecord() return {number = 0, page = {}, entries = 0, full = {}, late = {}} end

  local function packed(page)
    local out = {}
    for i = 0, PAGE - 1 do
      local v = page[i] or 0
      local low = v % 65536
      local high = (v - low) / 65536
      out[i + 1] = char(low % 256, floor(low / 256), high % 256, floor(high / 256))
    end
    return concat(out)
  end

  -- record records a number.
  function record(r, at, v)
    local i = at % PAGE
    local number = (at - i) / PAGE
    if number < r.number or at % 1 ~= 0 then
      r.late[at] = v + 1
      return
    elseif number > r.number then
      if r.entries > 0 then r.full[r.number] = r.entries >= DENSE and packed(r.page) or r.page end
      r.number, r.page, r.entries = number, {}, 0
    end
    if not r.page[i] then r.entries = r.entries + 1 end
    r.page[i] = v + 1
  end

  -- recorded returns the number that was recorded last, nil if there is none.
  function recorded(r, at)
    local i = at % PAGE
    local number = (at - i) / PAGE
    local page, v = number == r.number and r.page or r.full[number], r.late[at]
    if v then return v - 1 end
    if at % 1 ~= 0 then return nil end
    if type(page) == "string" then
      local a, b, c, d = byte(page, 4 * i + 1, 4 * i + 4)
      v = a + 256 * b + 65536 * c + 16777216 * d
    elseif page then
      v = page[i]
    end
    if v and v > 0 then return v - 1 end
  end
end
