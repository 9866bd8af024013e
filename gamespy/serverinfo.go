package gamespy

import "strings"

// Values of the stock game.
const (
	GameName  = "bcommander"
	GameVer   = "60"     // of what a server reports
	SecretKey = "Nm3aZ9" // for [Validate]

	ModeSettings = "settings"    // GameMode while the host chooses the settings
	ModePlaying  = "openplaying" // GameMode afterwards
)

// ServerInfo is what a server reports of itself. The keys, in wire order, with the query
// that asks for them:
//
//	basic    gamename, gamever, location
//	info     hostname, missionscript, mapname, numplayers, maxplayers, gamemode
//	rules    timelimit, fraglimit, system, password; then those of Extra
//	players  player_0, player_1, ...
//
// Written again, what was read says the same, except for what [Text.Clean] removes. It has
// the same bytes if the known keys stood in this order, the unknown ones after password,
// and if hostname began with an asterisk when password was 1. A [Message] has them always.
//
// Evidence: observed; the sections are documented, but basic and info are inferred.
type ServerInfo struct {
	GameName      Text
	GameVer       Text
	Location      int  // without a meaning for players
	HostName      Text // name of the server, without the asterisk that tells of a password
	MissionScript Text // such as "Multiplayer.Episode.Mission1.Mission1"
	MapName       Text // name of the mission, such as "DM"
	NumPlayers    int  // does not count a dedicated host
	MaxPlayers    int  // 2 to 8 by the menus of the game, up to 16 by its structure
	GameMode      Text // ModeSettings, ModePlaying, or another
	TimeLimit     int  // minutes; negative: none
	FragLimit     int  // negative: none; times 10,000 points in missions that count points
	System        Text // script of the star system, such as "Multi1"
	Password      bool
	Players       []Text // in wire order; the first is the host

	// Missing tells which fields are not there. They are zero and not written.
	Missing Fields

	// Extra holds pairs in wire order that are not in the fields above: unknown keys, a
	// key that came before, a value that is not a number as Go would write it.
	Extra Pairs
}

// NewServerInfo returns what a dedicated server of this name reports before anybody has
// joined. The name has room for 63 bytes in the browser of the game. Players has the host
// already, by the name of "Dedicated Server"; append those who join, and count them in
// NumPlayers.
func NewServerInfo(name Text) ServerInfo {
	return ServerInfo{
		GameName: GameName, GameVer: GameVer, Location: 1,
		HostName: name, MissionScript: "Multiplayer.Episode.Mission1.Mission1", MapName: "DM",
		MaxPlayers: 8, GameMode: ModePlaying,
		TimeLimit: -1, FragLimit: -1, System: "Multi1",
		Players: []Text{"Dedicated Server"},
	}
}

// Fields is a set of fields of a [ServerInfo].
type Fields uint16

// The fields that have a key each, in wire order.
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

// The fields of each section.
const (
	basicFields = FieldHostName - 1
	infoFields  = FieldTimeLimit - 1 - basicFields
	rulesFields = AllFields - infoFields - basicFields
)

// String returns the keys of the fields, "numplayers|maxplayers".
func (f Fields) String() string {
	var names []string
	for i, key := range fieldKeys {
		if f>>i&1 != 0 {
			names = append(names, key)
		}
	}
	return strings.Join(names, "|")
}

// fieldKeys holds the keys of the fields, in the order of their bits.
var fieldKeys = [...]string{
	"gamename", "gamever", "location",
	"hostname", "missionscript", "mapname", "numplayers", "maxplayers", "gamemode",
	"timelimit", "fraglimit", "system", "password",
}

// at returns where the field with a number is, a text or an integer. Password is neither.
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
