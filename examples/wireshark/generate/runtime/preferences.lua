-- Preferences.
local udp = DissectorTable.get("udp.port")
proto.prefs.ports = Pref.range("UDP ports", "22101", "Ports of servers. Other ports are recognised after two datagrams in a row, or set with Decode As.", 65535)
proto.prefs.plain = Pref.bool("Datagrams are not enciphered", false, "For captures that were deciphered before.")
proto.prefs.classes = Pref.string("Classes of a mod's ships", "", "A JSON file in the schema of stateupdate/ships.json.")

local ports, classesFile
local function configure()
  if ports ~= proto.prefs.ports then
    if ports then udp:remove(ports, proto) end
    ports = proto.prefs.ports
    udp:add(ports, proto)
  end
  if classesFile ~= proto.prefs.classes then
    classesFile, modClasses, modProblem = proto.prefs.classes, {}, nil
    if classesFile ~= "" then modClasses, modProblem = readClasses(classesFile) end
  end
end

function proto.prefs_changed() configure() end
function proto.init() clear() end
configure()
