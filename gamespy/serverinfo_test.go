package gamespy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
)

// infoOf returns the ServerInfo in the text of a reply.
func infoOf(t testing.TB, text string) gamespy.ServerInfo {
	t.Helper()
	m, err := gamespy.Parse([]byte(text))
	require.NoError(t, err)
	return m.Pairs.ServerInfo()
}

// only returns the datagram of a reply that has exactly one.
func only(t testing.TB, datagrams [][]byte, err error) string {
	t.Helper()
	require.NoError(t, err)
	require.Len(t, datagrams, 1)
	return string(datagrams[0])
}

func reply(t testing.TB, s *gamespy.ServerInfo, types gamespy.QueryTypes, number uint32, more ...gamespy.Pair) string {
	t.Helper()
	datagrams, err := s.Reply(types, number, more...)
	return only(t, datagrams, err)
}

func TestCapturedStatus(t *testing.T) {
	info := infoOf(t, text(t, "status-response"))
	require.Empty(t, cmp.Diff(gamespy.ServerInfo{
		GameName: "bcommander", GameVer: "60", Location: 1,
		HostName: "My Game23", MissionScript: "Multiplayer.Episode.Mission1.Mission1", MapName: "DM",
		MaxPlayers: 8, GameMode: gamespy.ModePlaying,
		TimeLimit: -1, FragLimit: -2, System: "Multi1",
		Players: []gamespy.Text{"Dedicated Server"},
	}, info))
	require.Equal(t, text(t, "status-response"), reply(t, &info, gamespy.Status, 2))
}

func TestNewServerInfo(t *testing.T) {
	info := gamespy.NewServerInfo("My Game23")
	info.FragLimit = -2
	require.Equal(t, text(t, "status-response"), reply(t, &info, gamespy.Status, 2))
}

func TestSections(t *testing.T) {
	info := gamespy.NewServerInfo("Name")
	info.Extra = gamespy.Pairs{{"mod", "KM"}}
	for types, want := range map[gamespy.QueryTypes]string{
		gamespy.Basic:                   `\gamename\bcommander\gamever\60\location\1`,
		gamespy.Info:                    `\hostname\Name\missionscript\Multiplayer.Episode.Mission1.Mission1\mapname\DM\numplayers\0\maxplayers\8\gamemode\openplaying`,
		gamespy.Rules:                   `\timelimit\-1\fraglimit\-1\system\Multi1\password\0\mod\KM`,
		gamespy.Players:                 `\player_0\Dedicated Server`,
		gamespy.Players | gamespy.Basic: `\gamename\bcommander\gamever\60\location\1\player_0\Dedicated Server`,
	} {
		got := reply(t, &info, types, 7)
		require.Equal(t, want+`\final\\queryid\7.1`, got, types.String())
		require.Equal(t, types == gamespy.Players, infoOf(t, got).Missing == gamespy.AllFields)
	}
	require.Equal(t, `\echo\x\final\\queryid\1.1`, reply(t, &info, gamespy.Echo, 1, gamespy.Pair{Key: "echo", Value: "x"}))
	datagrams, err := info.Reply(0, 1)
	require.NoError(t, err)
	require.Empty(t, datagrams)
	require.Equal(t, reply(t, &info, gamespy.Status, 1), reply(t, &info, gamespy.Status|gamespy.Info|gamespy.Basic, 1), "each section once")
}

func TestPackets(t *testing.T) {
	info := gamespy.NewServerInfo("Name")
	datagrams, err := info.Reply(gamespy.Packets|gamespy.Status, 3)
	require.NoError(t, err)
	require.Len(t, datagrams, 5)
	require.Equal(t, `\gamename\bcommander\gamever\60\location\1\queryid\3.1`, string(datagrams[0]))
	require.Equal(t, `\player_0\Dedicated Server\queryid\3.4`, string(datagrams[3]))
	require.Equal(t, `\final\\queryid\3.5`, string(datagrams[4]))
}

func TestExtraKeepsUnknownPairs(t *testing.T) {
	for _, c := range []struct {
		name, text string
		check      func(*testing.T, gamespy.ServerInfo)
	}{
		{"missing values", `\hostname\\numplayers\\maxplayers`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Zero(t, s.Missing&gamespy.FieldHostName)
			require.NotZero(t, s.Missing&gamespy.FieldNumPlayers&gamespy.AllFields)
			require.Equal(t, gamespy.Pairs{{"numplayers", ""}, {"maxplayers", ""}}, s.Extra)
		}},
		{"duplicate keys", `\hostname\one\hostname\two\numplayers\3\numplayers\4`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.Text("one"), s.HostName)
			require.Equal(t, 3, s.NumPlayers)
			require.Equal(t, gamespy.Pairs{{"hostname", "two"}, {"numplayers", "4"}}, s.Extra)
		}},
		{"no numbers", `\numplayers\two\maxplayers\08\timelimit\99999999999999999999\fraglimit\+1\password\yes`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.AllFields, s.Missing)
			require.Len(t, s.Extra, 5)
			require.Zero(t, s.NumPlayers+s.MaxPlayers+s.TimeLimit+s.FragLimit)
			require.False(t, s.Password)
		}},
		{"a number after another text", `\numplayers\two\numplayers\2`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, 2, s.NumPlayers)
			require.Equal(t, gamespy.Pairs{{"numplayers", "two"}}, s.Extra)
		}},
		{"unknown keys", `\mod\KM\gamename\bcommander\frags_0\3\\x`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.Pairs{{"mod", "KM"}, {"frags_0", "3"}, {"", "x"}}, s.Extra)
		}},
		{"players of any number", `\player_7\Bob\player_0\\Player_12\Eve\player_\x\player_1a\y\player\z`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, []gamespy.Text{"Bob", "", "Eve"}, s.Players)
			require.Len(t, s.Extra, 3)
		}},
		{"frame", `\VALIDATE\x\final\\queryid\1.1`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.ServerInfo{Missing: gamespy.AllFields}, s)
		}},
		{"keys in capitals", `\HOSTNAME\X\Password\1`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.Text("X"), s.HostName)
			require.True(t, s.Password)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := infoOf(t, c.text)
			c.check(t, info)
			requireAgain(t, &info)
		})
	}
}

func TestPassword(t *testing.T) {
	info := infoOf(t, `\hostname\*Locked\password\1`)
	require.True(t, info.Password)
	require.Equal(t, gamespy.Text("Locked"), info.HostName)
	require.Contains(t, reply(t, &info, gamespy.Status, 1), `\hostname\*Locked\`)

	info = infoOf(t, `\hostname\*Star\password\0`)
	require.False(t, info.Password)
	require.Equal(t, gamespy.Text("*Star"), info.HostName, "an asterisk of the name")
	require.Contains(t, reply(t, &info, gamespy.Status, 1), `\hostname\*Star\`)

	info = infoOf(t, `\password\1`)
	require.NotContains(t, reply(t, &info, gamespy.Status, 1), "hostname")
}

// A name can neither end a reply nor add pairs to it.
func TestReplyIsClean(t *testing.T) {
	info := gamespy.NewServerInfo("A\\final\\\\queryid\\9.9\\\x1b[2J")
	info.Players = []gamespy.Text{`x\password\1`, "\r\n"}
	info.Extra = gamespy.Pairs{{`k\e`, "\x00v"}}
	text := reply(t, &info, gamespy.Status, 1)
	again := infoOf(t, text)
	require.Equal(t, gamespy.Text("Afinalqueryid9.9[2J"), again.HostName)
	require.Equal(t, []gamespy.Text{"xpassword1", ""}, again.Players)
	require.Equal(t, gamespy.Pairs{{"ke", "v"}}, again.Extra)
	require.False(t, again.Password)
}

func TestReserved(t *testing.T) {
	for _, key := range []gamespy.Text{"final", "QueryID", "fin\nal"} {
		info := gamespy.ServerInfo{Extra: gamespy.Pairs{{"mod", ""}, {key, ""}}}
		_, err := info.Reply(gamespy.Status, 1)
		require.ErrorIs(t, err, gamespy.ErrReserved)
		require.EqualError(t, err, "gamespy: pair 14: key final or queryid is reserved")
	}
}

// requireAgain encodes a ServerInfo and requires that it parses to the same value.
func requireAgain(t require.TestingT, s *gamespy.ServerInfo) {
	datagrams, err := s.Reply(gamespy.Status, 1)
	require.NoError(t, err)
	again := joined(t, datagrams).Pairs.ServerInfo()
	require.Empty(t, cmp.Diff(*s, again))
}

// joined returns the reply in the datagrams.
func joined(t require.TestingT, datagrams [][]byte) gamespy.Reply {
	var a gamespy.Assembler
	for i, d := range datagrams {
		r, complete, err := a.Add(start, source, d)
		require.NoError(t, err)
		require.Equal(t, i == len(datagrams)-1, complete)
		if complete {
			require.False(t, r.Incomplete)
			return r
		}
	}
	require.Fail(t, "the reply is not complete")
	return gamespy.Reply{}
}

// word draws a text that may contain special characters.
func word() *rapid.Generator[gamespy.Text] {
	return rapid.Map(rapid.OneOf(
		rapid.SampledFrom([]string{"", "final", "queryid", "2.1", "player_0", "*", "hostname", "password", "-1", "007"}),
		rapid.StringMatching(`[ -\[\]-ÿ]{0,40}`),
	), func(s string) gamespy.Text {
		text, err := gamespy.NewText(s)
		if err != nil {
			return gamespy.Text(s)
		}
		return text
	})
}

func pair() *rapid.Generator[gamespy.Pair] {
	return rapid.Custom(func(t *rapid.T) gamespy.Pair {
		key := rapid.OneOf(word(), rapid.SampledFrom([]gamespy.Text{
			"gamename", "HostName", "numplayers", "password", "player_0", "player_3", "maxplayers", "mod",
		}))
		return gamespy.Pair{Key: key.Draw(t, "key"), Value: word().Draw(t, "value")}
	})
}

// Any pairs parse to the same values after encoding. With the game's keys in their order,
// the bytes are the same.
func TestServerInfoRoundTrip(t *testing.T) { rapid.Check(t, propertyServerInfo) }

func FuzzServerInfoProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyServerInfo)) }

func propertyServerInfo(t *rapid.T) {
	if rapid.Bool().Draw(t, "pairs of a stranger") {
		info := gamespy.Pairs(rapid.SliceOfN(pair(), 0, 60).Draw(t, "pairs")).ServerInfo()
		requireAgain(t, &info)
		return
	}
	info := drawServerInfo(t)
	number := rapid.Uint32().Draw(t, "number")
	datagrams, err := info.Reply(gamespy.Status, number)
	require.NoError(t, err)
	got := joined(t, datagrams)
	require.Equal(t, number, got.Number)
	again := got.Pairs.ServerInfo()
	wire, err := again.Reply(gamespy.Status, number)
	require.NoError(t, err)
	require.Equal(t, datagrams, wire)
}

func drawServerInfo(t *rapid.T) gamespy.ServerInfo {
	number := func(name string) int { return rapid.IntRange(-2, 99).Draw(t, name) }
	return gamespy.ServerInfo{
		GameName: word().Draw(t, "gamename"), GameVer: word().Draw(t, "gamever"), Location: number("location"),
		HostName: word().Draw(t, "hostname"), MissionScript: word().Draw(t, "missionscript"),
		MapName: word().Draw(t, "mapname"), NumPlayers: number("numplayers"), MaxPlayers: number("maxplayers"),
		GameMode: word().Draw(t, "gamemode"), TimeLimit: number("timelimit"), FragLimit: number("fraglimit"),
		System: word().Draw(t, "system"), Password: rapid.Bool().Draw(t, "password"),
		Players: rapid.SliceOfN(word(), 0, 16).Draw(t, "players"),
		Missing: gamespy.Fields(rapid.Uint16Range(0, uint16(gamespy.AllFields)).Draw(t, "missing")),
		Extra:   gamespy.Pairs{{"mod", word().Draw(t, "mod")}},
	}
}

func TestLongPlayers(t *testing.T) {
	info := gamespy.NewServerInfo(gamespy.Text(strings.Repeat("n", gamespy.MaxPart)))
	_, err := info.Reply(gamespy.Status, 1)
	require.ErrorIs(t, err, gamespy.ErrTooLong)
	require.EqualError(t, err, "gamespy: pair 3: too long: 1359 bytes, at most 1349")
}

func TestFieldsString(t *testing.T) {
	require.Empty(t, gamespy.Fields(0).String())
	require.Equal(t, "gamename|password", (gamespy.FieldGameName | gamespy.FieldPassword | 1<<15).String())
}
