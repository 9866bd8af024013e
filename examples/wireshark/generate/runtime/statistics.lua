-- Statistics: the messages by type and player, in a window of Wireshark. TShark prints them with
-- the option -X lua_script1:statistics.
local statistics = {on = false}
do
  local MAX_PLAYERS, UNKNOWN, OTHERS = 40, "-", "(others)"

  -- heard has the names and players of the messages of one frame.
  local heard, frame = {}, nil
  function statistics.begin(number)
    if number ~= frame then heard, frame = {}, number end
  end
  function statistics.hear(name, player) heard[#heard + 1], heard[#heard + 2] = name, player or UNKNOWN end

  -- short cuts a long name, but no character of it.
  local function short(name)
    if #name <= 16 then return name end
    return (name:sub(1, 14):gsub("[\192-\255]?[\128-\191]*$", "")) .. ".."
  end

  local function textOf(counts, players)
    local columns, types, total, lines = {}, {}, {}, {}
    for name in pairs(players) do columns[#columns + 1] = name end
    table.sort(columns)
    for name, row in pairs(counts) do
      local all = 0
      for player, n in pairs(row) do
        all, total[player] = all + n, (total[player] or 0) + n
      end
      total.all, types[#types + 1] = (total.all or 0) + all, {name = name, row = row, all = all}
    end
    table.sort(types, function(a, b) return a.all > b.all or a.all == b.all and a.name < b.name end)
    -- A window of Wireshark breaks lines at 80 columns: players without room have a table of their own below.
    local function block(players)
      local function add(name, all, cell)
        local out = {format("%-22s %9s", name, all)}
        for i, player in ipairs(players) do
          local text = tostring(cell(player) or "")
          out[i + 1] = string.rep(" ", math.max(9, #short(player)) - #text) .. text
        end
        lines[#lines + 1] = concat(out, " ")
      end
      add("Message", "all", short)
      for _, t in ipairs(types) do add(t.name, t.all, function(player) return t.row[player] end) end
      add("all", total.all or 0, function(player) return total[player] end)
    end
    local some, width = {}, 32
    for _, player in ipairs(columns) do
      local more = 1 + math.max(9, #short(player))
      if width + more > 80 then
        block(some)
        lines[#lines + 1], some, width = "", {}, 32
      end
      some[#some + 1], width = player, width + more
    end
    block(some)
    return concat(lines, "\n") .. "\n"
  end

  -- new counts the messages of all frames that pass a filter, and shows the table.
  function statistics.new(filter, show)
    local counts, players, known
    local tap = Listener.new("frame", filter ~= "" and "bcwire && (" .. filter .. ")" or "bcwire")
    local function reset() counts, players, known, heard, frame = {}, {}, 0, {}, nil end
    reset()
    tap.reset = reset
    function tap.packet(pinfo)
      if frame ~= pinfo.number then return end
      for i = 1, #heard, 2 do
        local name, player = heard[i], printable(heard[i + 1])
        if not players[player] and known >= MAX_PLAYERS then player = OTHERS end
        if not players[player] then players[player], known = true, known + 1 end
        local row = counts[name] or {}
        counts[name], row[player] = row, (row[player] or 0) + 1
      end
      heard, frame = {}, nil
    end
    function tap.draw() show(textOf(counts, players)) end
    statistics.on = true
    return tap
  end
end

if gui_enabled() then
  register_menu("Bridge Commander/Messages by type and player", function()
    local window = TextWindow.new("Messages by type and player")
    local tap = statistics.new(get_filter and get_filter() or "", function(text) window:set(text) end)
    window:set_atclose(function() tap:remove() end)
    retap_packets()
  end, MENU_STAT_UNSORTED)
elseif (...) == "statistics" then
  statistics.new("", function(text) io.write(text) end)
end
