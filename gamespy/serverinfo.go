package gamespy

import (
	"math/bits"
	"strconv"
	"strings"
)

// Values of the stock game.
const (
	GameName  = "bcommander"
	SecretKey = "Nm3aZ9" // key of the challenges, see [Validate]

	ModeSettings = "settings"    // GameMode while the host chooses settings
	ModePlaying  = "openplaying" // GameMode afterwards
)

const gameVer = "60" // gamever in a reply

// ServerInfo describes a server. Its keys in wire order, with the query that asks for them:
//
//	basic    gamename, gamever, location
//	info     hostname, missionscript, mapname, numplayers, maxplayers, gamemode
//	rules    timelimit, fraglimit, system, password; then the pairs of Extra
//	players  player_0, player_1, ...
//
// Encoding a parsed ServerInfo preserves its values, except for characters that [Text.Clean]
// removes. It may change the order; encode the [Message] to get the same bytes.
//
// Evidence: observed; the sections are documented, but basic and info are inferred.
type ServerInfo struct {
	GameName      Text
	GameVer       Text
	Location      int  // 1 in the captured reply; players do not need it
	HostName      Text // name of the server, without the asterisk that marks a password
	MissionScript Text // such as "Multiplayer.Episode.Mission1.Mission1"
	MapName       Text // name of the mission, such as "DM"
	NumPlayers    int  // a dedicated host does not count
	MaxPlayers    int  // 2 to 8 in the menus of the game, which has 16 slots
	GameMode      Text // ModeSettings, ModePlaying or another value
	TimeLimit     int  // in minutes; negative means no limit
	FragLimit     int  // in kills, or in units of 10,000 points; negative means no limit
	System        Text // script of the star system, such as "Multi1"
	Password      bool
	Players       []Text // in wire order, the host first

	// Missing is the set of absent fields. They are zero and are not encoded.
	Missing Fields

	// Extra holds all other pairs in wire order: unknown keys, repeated keys, and values that
	// would not re-encode to the same text.
	Extra Pairs
}

// NewServerInfo returns the information of a dedicated server without players. The game's browser
// has room for a name of 63 bytes. Players contains the host, "Dedicated Server". Append players
// who join, and count them in NumPlayers.
func NewServerInfo(name Text) ServerInfo {
	return ServerInfo{
		GameName: GameName, GameVer: gameVer, Location: 1,
		HostName: name, MissionScript: "Multiplayer.Episode.Mission1.Mission1", MapName: "DM",
		MaxPlayers: 8, GameMode: ModePlaying,
		TimeLimit: -1, FragLimit: -1, System: "Multi1",
		Players: []Text{"Dedicated Server"},
	}
}

// Fields is a set of fields of a [ServerInfo].
type Fields uint16

// Fields with one key each, in wire order.
const (
	FieldGameName Fields = 1 << iota
	FieldGameVer
	FieldLocation
	FieldHostName
	FieldMissionScript
	FieldMapName
	FieldNumPlayers
	FieldMaxPlayers
	FieldGameMode
	FieldTimeLimit
	FieldFragLimit
	FieldSystem
	FieldPassword

	AllFields Fields = 1<<iota - 1
)

// Fields of each section.
const (
	basicFields = FieldHostName - 1
	infoFields  = FieldTimeLimit - 1 - basicFields
	rulesFields = AllFields - infoFields - basicFields
)

// String returns the keys of the fields, such as "numplayers|maxplayers".
func (f Fields) String() string {
	var names []string
	for i, key := range fieldKeys {
		if f>>i&1 != 0 {
			names = append(names, key)
		}
	}
	return strings.Join(names, "|")
}

// fieldKeys holds the keys of the fields in bit order.
var fieldKeys = [...]string{
	"gamename", "gamever", "location",
	"hostname", "missionscript", "mapname", "numplayers", "maxplayers", "gamemode",
	"timelimit", "fraglimit", "system", "password",
}

// at returns the i-th field, which is a text or a number. Password is neither.
func (s *ServerInfo) at(i int) (text *Text, number *int) {
	switch Fields(1) << i {
	case FieldGameName:
		return &s.GameName, nil
	case FieldGameVer:
		return &s.GameVer, nil
	case FieldLocation:
		return nil, &s.Location
	case FieldHostName:
		return &s.HostName, nil
	case FieldMissionScript:
		return &s.MissionScript, nil
	case FieldMapName:
		return &s.MapName, nil
	case FieldNumPlayers:
		return nil, &s.NumPlayers
	case FieldMaxPlayers:
		return nil, &s.MaxPlayers
	case FieldGameMode:
		return &s.GameMode, nil
	case FieldTimeLimit:
		return nil, &s.TimeLimit
	case FieldFragLimit:
		return nil, &s.FragLimit
	case FieldSystem:
		return &s.System, nil
	}
	return nil, nil
}

// ServerInfo returns the information in the pairs of a reply. It does not fail: Missing lists
// absent fields, and Extra keeps unknown pairs. It ignores final, queryid and validate.
func (p Pairs) ServerInfo() ServerInfo {
	s := ServerInfo{Missing: AllFields}
	next := 0 // the next field in a reply of the game
	for _, pair := range p {
		i := fieldOf(pair.Key, next)
		switch {
		case i >= 0 && s.Missing>>i&1 != 0 && s.set(i, pair.Value):
			s.Missing &^= 1 << i
			next = i + 1
		case isPlayer(pair.Key):
			s.Players = append(s.Players, pair.Value)
		case !isFrame(pair.Key):
			s.Extra = append(s.Extra, pair)
		}
	}
	if s.Password {
		s.HostName = Text(strings.TrimPrefix(string(s.HostName), "*"))
	}
	return s
}

// fieldOf returns the index of the field with a key, or -1. It tries the likely field
// first.
func fieldOf(key Text, likely int) int {
	for n := range fieldKeys {
		if i := (likely + n) % len(fieldKeys); key.is(fieldKeys[i]) {
			return i
		}
	}
	return -1
}

// isPlayer reports whether a key is player_ and a number.
func isPlayer(key Text) bool {
	const prefix = "player_"
	if len(key) <= len(prefix) || !key[:len(prefix)].is(prefix) {
		return false
	}
	for _, digit := range []byte(key[len(prefix):]) {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return true
}

func isFrame(key Text) bool {
	return key.is("final") || key.is("queryid") || key.is("validate")
}

// set sets a field and reports whether the value re-encodes to the same text.
func (s *ServerInfo) set(i int, value Text) bool {
	text, number := s.at(i)
	switch {
	case text != nil:
		*text = value
		return true
	case number != nil:
		n, ok := parseNumber(value)
		*number = n
		return ok
	}
	s.Password = value == "1"
	return s.Password || value == "0"
}

// parseNumber parses a decimal number in the form that strconv.Itoa returns.
func parseNumber(t Text) (int, bool) {
	n, err := strconv.Atoi(string(t))
	if err != nil || strconv.Itoa(n) != string(t) {
		return 0, false
	}
	return n, true
}

// value returns the text of a field.
func (s *ServerInfo) value(i int) Text {
	text, number := s.at(i)
	switch {
	case number != nil:
		return Text(strconv.Itoa(*number))
	case text == nil && s.Password:
		return "1"
	case text == nil:
		return "0"
	case text == &s.HostName && s.Password:
		return "*" + *text
	}
	return *text
}

// write writes the fields that are not missing.
func (s *ServerInfo) write(w *replyWriter, fields Fields) {
	for fields &^= s.Missing; fields != 0; fields &= fields - 1 {
		i := bits.TrailingZeros16(uint16(fields))
		w.pair(Text(fieldKeys[i]), s.value(i))
	}
}

func (s *ServerInfo) writeExtra(w *replyWriter) {
	for _, p := range s.Extra {
		w.pair(p.Key, p.Value)
	}
}

func (s *ServerInfo) writePlayers(w *replyWriter) {
	for i, name := range s.Players {
		w.pair(Text("player_"+strconv.Itoa(i)), name)
	}
}
