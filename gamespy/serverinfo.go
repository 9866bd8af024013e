package gamespy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/internal/stock"
)

// Values of the stock game.
const (
	SecretKey = "Nm3aZ9" // key of the challenges, see [Validate]

	ModeSettings = "settings"    // GameMode while the host chooses settings
	ModePlaying  = "openplaying" // GameMode afterwards

	gameName = "bcommander"
	gameVer  = "60" // gamever in a reply
)

// ServerInfo describes a server. Its keys in wire order, with the query that asks for them:
//
//	basic    gamename, gamever, location
//	info     hostname, missionscript, mapname, numplayers, maxplayers, gamemode
//	rules    timelimit, fraglimit, system, password; then the pairs of Extra
//	players  player_0, player_1, ...
//
// A [Responder] preserves the values of a parsed ServerInfo, except for characters that it removes.
// It may change the order; encode the [Message] to get the same bytes.
//
// Evidence: observed; the sections are documented, but basic and info are inferred. The ranges of
// MaxPlayers and FragLimit, [ModeSettings], and the longest name in the game's browser are documented.
type ServerInfo struct {
	GameName      string
	GameVer       string
	Location      int    // 1 in the captured reply; players do not need it
	HostName      string // name of the server, without the asterisk that marks a password
	MissionScript string // such as "Multiplayer.Episode.Mission1.Mission1"
	MapName       string // name of the mission, such as "DM"
	NumPlayers    int    // a dedicated host does not count
	MaxPlayers    int    // 2 to 8 in the menus of the game, which has 16 slots
	GameMode      string // ModeSettings, ModePlaying or another value
	TimeLimit     int    // in minutes; negative means no limit
	FragLimit     int    // in kills, or in units of 10,000 points; negative means no limit
	System        string // script of the star system, such as "Multi1"
	Password      bool
	Players       []string // in wire order, the host first

	// Missing holds the keys of absent fields, such as "numplayers". The fields are zero and are
	// not encoded.
	Missing []string

	// Extra holds all other pairs in wire order: unknown keys, repeated keys, and values that
	// would not re-encode to the same text.
	Extra Pairs
}

// NewServerInfo returns the information of a dedicated server without players. The game's browser
// has room for a name of 63 bytes. Players contains the host, "Dedicated Server". Append players
// who join, and count them in NumPlayers.
func NewServerInfo(name string) ServerInfo {
	return ServerInfo{
		GameName: gameName, GameVer: gameVer, Location: 1,
		HostName: name, MissionScript: stock.Mission, MapName: "DM",
		MaxPlayers: 8, GameMode: ModePlaying,
		TimeLimit: -1, FragLimit: -1, System: "Multi1",
		Players: []string{stock.HostName},
	}
}

// field is a field with one key: a text, a number, or Password, which is neither.
type field struct {
	key    string
	text   *string
	number *int
}

// Number of fields with one key, and the ends of their sections.
const (
	basicEnd = 3
	infoEnd  = 9
	rulesEnd = 13
)

// fields returns the fields with one key in wire order.
func (s *ServerInfo) fields() [rulesEnd]field {
	return [...]field{
		{"gamename", &s.GameName, nil},
		{"gamever", &s.GameVer, nil},
		{"location", nil, &s.Location},

		{"hostname", &s.HostName, nil},
		{"missionscript", &s.MissionScript, nil},
		{"mapname", &s.MapName, nil},
		{"numplayers", nil, &s.NumPlayers},
		{"maxplayers", nil, &s.MaxPlayers},
		{"gamemode", &s.GameMode, nil},

		{"timelimit", nil, &s.TimeLimit},
		{"fraglimit", nil, &s.FragLimit},
		{"system", &s.System, nil},
		{"password", nil, nil},
	}
}

// ServerInfo returns the information in the pairs of a reply. It does not fail: Missing lists
// absent fields, and Extra keeps unknown pairs. It ignores final, queryid and validate.
func (p Pairs) ServerInfo() ServerInfo {
	var s ServerInfo
	fields := s.fields()
	var have [rulesEnd]bool
	for _, pair := range p {
		i := slices.IndexFunc(fields[:], func(f field) bool { return strings.EqualFold(pair.Key, f.key) })
		switch {
		case i >= 0 && !have[i] && s.set(&fields[i], pair.Value):
			have[i] = true
		case isPlayer(pair.Key):
			s.Players = append(s.Players, pair.Value)
		case !isFrame(pair.Key) && !strings.EqualFold(pair.Key, "validate"):
			s.Extra = append(s.Extra, pair)
		}
	}
	for i, f := range fields {
		if !have[i] {
			s.Missing = append(s.Missing, f.key)
		}
	}
	if s.Password {
		s.HostName = strings.TrimPrefix(s.HostName, "*")
	}
	return s
}

// isPlayer reports whether a key is player_ and a number.
func isPlayer(key string) bool {
	const prefix = "player_"
	return len(key) > len(prefix) && strings.EqualFold(key[:len(prefix)], prefix) &&
		strings.Trim(key[len(prefix):], "0123456789") == ""
}

// isFrame reports whether a key belongs to the frame of a reply.
func isFrame(key string) bool {
	return strings.EqualFold(key, "final") || strings.EqualFold(key, "queryid")
}

// set sets a field and reports whether the value re-encodes to the same text.
func (s *ServerInfo) set(f *field, value string) bool {
	switch {
	case f.text != nil:
		*f.text = value
		return true
	case f.number != nil:
		n, err := strconv.Atoi(value)
		if err != nil || strconv.Itoa(n) != value {
			return false
		}
		*f.number = n
		return true
	}
	s.Password = value == "1"
	return s.Password || value == "0"
}

// value returns the text of a field.
func (s *ServerInfo) value(f *field) string {
	switch {
	case f.number != nil:
		return strconv.Itoa(*f.number)
	case f.text == nil && s.Password:
		return "1"
	case f.text == nil:
		return "0"
	case f.text == &s.HostName && s.Password:
		return "*" + *f.text
	}
	return *f.text
}

// write writes fields that are not missing.
func (s *ServerInfo) write(w *replyWriter, fields []field) {
	for i := range fields {
		if f := &fields[i]; !slices.Contains(s.Missing, f.key) {
			w.pair(f.key, s.value(f))
		}
	}
}
