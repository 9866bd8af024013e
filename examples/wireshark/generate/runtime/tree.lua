-- The protocol in Wireshark.
local proto = Proto("bcwire", "Star Trek: Bridge Commander")
local pf = {
  peer = register(ProtoField.int8("bcwire.peer", "PeerID", base.DEC)),
  count = register(ProtoField.uint8("bcwire.count", "Count", base.DEC)),
  message = register(ProtoField.none("bcwire.message", "Message")),
  type = register(ProtoField.uint8("bcwire.type", "Type", base.HEX, types)),
  flags = register(ProtoField.uint16("bcwire.flags", "Flags+Length", base.HEX)),
  length = register(ProtoField.uint8("bcwire.length", "Length", base.DEC)),
  seq = register(ProtoField.uint16("bcwire.seq", "Seq", base.DEC)),
  index = register(ProtoField.uint8("bcwire.fragindex", "FragIndex", base.DEC)),
  total = register(ProtoField.uint8("bcwire.fragtotal", "FragTotal", base.DEC)),
  fragment = register(ProtoField.bytes("bcwire.fragment", "Fragment")),
  body = register(ProtoField.bytes("bcwire.body", "Body")),
  trailing = register(ProtoField.bytes("bcwire.trailing", "Trailing")),
  err = register(ProtoField.string("bcwire.error", "Error")),
  opcode = register(ProtoField.uint8("bcwire.opcode", "Opcode", base.HEX, O)),
  partial = register(ProtoField.uint8("bcwire.partialopcode", "Opcode of a payload that is cut short", base.HEX, O)),
  text = register(ProtoField.string("bcwire.gamespy", "Text")),
  key = register(ProtoField.string("bcwire.gamespy.key", "Key")),
  value = register(ProtoField.string("bcwire.gamespy.value", "Value")),
  acked = register(ProtoField.framenum("bcwire.ack.frame", "Acknowledges the message in frame", base.NONE, frametype.ACK)),
  ackedName = register(ProtoField.string("bcwire.ack.message", "Acknowledged message")),
  rtt = register(ProtoField.relative_time("bcwire.rtt", "Round trip")),
  player = register(ProtoField.string("bcwire.player", "Player")),
  ship = register(ProtoField.uint32("bcwire.ship", "Ship", base.HEX)),
  fragments = register(ProtoField.framenum("bcwire.reassembled.frame", "Fragment in frame", base.NONE)),
  reassembled = register(ProtoField.framenum("bcwire.reassembled.in", "Reassembled in frame", base.NONE)),
}
local function expertField(name, label, group, severity)
  return ProtoExpert.new("bcwire.expert." .. name, label, expert.group[group], expert.severity[severity])
end
local ef = {
  malformed = expertField("malformed", "Malformed", "MALFORMED", "ERROR"),
  trailing = expertField("trailing", "Trailing bytes", "PROTOCOL", "NOTE"),
  unknown = expertField("unknown", "Payload without a layout", "UNDECODED", "NOTE"),
  dialect = expertField("dialect", "Not a form of the stock game", "PROTOCOL", "NOTE"),
  repeated = expertField("repeated", "Repeated message", "SEQUENCE", "NOTE"),
  misfit = expertField("misfit", "Does not fit", "UNDECODED", "NOTE"),
  reassembly = expertField("reassembly", "Not reassembled", "REASSEMBLE", "WARN"),
  cipher = expertField("cipher", "Not read with the right preference", "UNDECODED", "WARN"),
  classes = expertField("classes", "Classes of a mod cannot be read", "UNDECODED", "WARN"),
  cut = expertField("cut", "Cut by the capture", "MALFORMED", "WARN"),
}
for _, list in ipairs {M, B} do
  for _, m in pairs(list) do
    m.make = Z[m.zero]
    m.item = register(ProtoField.none(m.filter, m.name))
  end
end
proto.fields = registered
do
  local list = {}
  for _, e in pairs(ef) do list[#list + 1] = e end
  proto.experts = list
end

-- Functions of Wireshark. To look up a method of an item takes longer.
local add, set_text, append_text, set_generated = TreeItem.add, TreeItem.set_text, TreeItem.append_text, TreeItem.set_generated
local referenced = TreeItem.referenced
local range, raw, reported_len, offset = Tvb.range, Tvb.raw, Tvb.reported_len, Tvb.offset
local label, emit
do
  local MAX_LABEL = 200
  -- label returns the label of a leaf. Wireshark marks a label of more than 240 bytes.
  function label(name, value)
    local all = name
    if value ~= "" then all = name .. ": " .. value end
    if #all <= MAX_LABEL then return all end
    local n = MAX_LABEL
    while n > 0 and byte(all, n + 1) >= 0x80 and byte(all, n + 1) < 0xC0 do n = n - 1 end
    return sub(all, 1, n) .. "…"
  end

  -- bitLabel shows the bit of a packed bool.
  local ones = {[0] = ".... ...1 = ", ".... ..1. = ", ".... .1.. = ", ".... 1... = ", "...1 .... = "}
  local zeros = {[0] = ".... ...0 = ", ".... ..0. = ", ".... .0.. = ", ".... 0... = ", "...0 .... = "}
  local function bitLabel(bit, name, v) return v and ones[bit] .. name .. ": true" or zeros[bit] .. name .. ": false" end

  local function groupItem(g, parent, tvb)
    local item = g.item
    if not item then
      local above = g.parent
      item = add(above and groupItem(above, parent, tvb) or parent, range(tvb, g.first, g.last - g.first), g.label)
      g.item = item
    end
    return item
  end

  -- The captions of a field are the labels that depend only on its name and the value. Floats have
  -- none, since most are new. All captions are forgotten together.
  local MAX_CAPTIONS = 2048
  local epoch, captionCount = {}, 0
  local constant = {number = true, f16 = true, text = true, objectid = true, bool = true}
  local function remember(field, key, caption)
    if captionCount == MAX_CAPTIONS then epoch, captionCount = {}, 0 end
    if field.epoch ~= epoch then field.captions, field.epoch = {}, epoch end
    field.captions[key], captionCount = caption, captionCount + 1
  end

  -- captionOf returns the label of a leaf, and remembers it if there is a key.
  local function captionOf(i, field, s, name, kind, v, key)
    local caption = kind == "bool" and bitLabel(leafBit[i], name, v) or label(name, valueText(i, s))
    if key then remember(field, key, caption) end
    return caption
  end

  local boolean, UTF16Z = T.bool, T.transport_UTF16Z
  -- keyOf returns the key of a caption, nil if the label depends on more than the value.
  local function keyOf(i, kind, v, typ)
    if kind == "bool" then return v and leafBit[i] + 8 or leafBit[i] end
    if constant[kind] and typ ~= boolean and (typ or kind ~= "number") then return v end
  end

  -- values are the values of fields in Wireshark.
  local values = {f16 = float16, text = fromBytes, utf16 = fromUTF16}

  -- emit adds the leaves of a payload to the tree, or those of a system message if there is no
  -- payload. The names of the parts of ships are given if the ships are.
  function emit(parent, tvb, s, visible, payload, ships)
    local frame, order = not payload, payload and payload.order
    for i = 1, leaves do
      local at, size, kind, node, v = leafAt[i], leafSize[i], leafKind[i], leafNode[i], leafValue[i]
      local name, group, item = leafName[i], leafGroup[i], parent
      if group then
        if name == "" then
          name = group.label
          group = group.parent
        end
        if group then item = group.item or groupItem(group, parent, tvb) end
      end
      if node then
        if not frame or size > 0 or kind == "bool" then
          local typ, caption = leafType[i], nil
          local field = typ and node[typ] or node.field
          if visible and (typ or not field.alike) then
            if frame and kind ~= "bool" then
              caption = label(name, frameText(i, s))
            else
              local part = ships and kind == "objectid" and partOf(ships, v, order)
              local key = not part and leafName[i] ~= "" and keyOf(i, kind, v, typ)
              if part then caption = label(name, valueText(i, s, part)) end
              if key and field.epoch == epoch then caption = field.captions[key] end
              caption = caption or captionOf(i, field, s, name, kind, v, key)
            end
          end
          if values[kind] then
            v = values[kind](v)
          elseif typ and typ == boolean then
            v = 1
          elseif typ and typ == UTF16Z then
            v = fromUTF16(beforeNUL(sub(s, at + 1, at + size)))
          elseif v == false and kind ~= "bool" then
            v = nil
          end
          if v == nil then
            item = add(item, field.proto, range(tvb, at, size))
            if caption then set_text(item, caption) end
          elseif caption then
            add(item, field.proto, range(tvb, at, size), v, caption)
          else
            add(item, field.proto, range(tvb, at, size), v)
          end
        end
      elseif kind == "opcode" then
        add(item, payload.complete and pf.opcode or pf.partial, range(tvb, at, size), v, "Opcode: " .. payload.title)
      else
        local e = kind == "error" and ef.malformed or ef.trailing
        add(item, pf.err, range(tvb, at, size), v, label(v, "")):add_proto_expert_info(e, v)
      end
    end
  end
end
