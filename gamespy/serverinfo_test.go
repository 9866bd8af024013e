package gamespy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
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

// reply returns the answer to \status\.
func reply(t testing.TB, s *gamespy.ServerInfo) string {
	t.Helper()
	datagrams, err := answerTo(`\status\`, s)
	return only(t, datagrams, err)
}

// second returns a first reply with the number of a second one.
func second(reply string) string { return strings.Replace(reply, `\queryid\1.`, `\queryid\2.`, 1) }

func TestCapturedStatus(t *testing.T) {
	info := infoOf(t, text(t, "status-response"))
	require.Empty(t, cmp.Diff(gamespy.ServerInfo{
		GameName: "bcommander", GameVer: "60", Location: 1,
		HostName: "My Game23", MissionScript: "Multiplayer.Episode.Mission1.Mission1", MapName: "DM",
		MaxPlayers: 8, GameMode: gamespy.ModePlaying,
		TimeLimit: -1, FragLimit: -2, System: "Multi1",
		Players: []string{"Dedicated Server"},
	}, info))
	require.Equal(t, text(t, "status-response"), second(reply(t, &info)))
}

// The numbers in the documentation of Responder are those of the captured query and its reply.
func TestCapturedReplyIs33TimesItsQuery(t *testing.T) {
	query, reply := text(t, "status-query"), text(t, "status-response")
	require.Len(t, reply, 267)
	require.Equal(t, 33, len(reply)/len(query))
}

// The longest reply of a full server: 16 players with names of 32 characters.
func TestReplyOfFullServerIs125TimesItsQuery(t *testing.T) {
	info := gamespy.NewServerInfo(strings.Repeat("n", 63))
	for range 16 {
		info.Players = append(info.Players, strings.Repeat("n", 32))
	}
	require.Equal(t, 125, len(reply(t, &info))/len(`\status\`))
}

func TestNewServerInfo(t *testing.T) {
	info := gamespy.NewServerInfo("My Game23")
	info.FragLimit = -2
	require.Equal(t, text(t, "status-response"), second(reply(t, &info)))
}

func TestSections(t *testing.T) {
	info := gamespy.NewServerInfo("Name")
	info.Extra = gamespy.Pairs{{"mod", "KM"}}
	for query, want := range map[string]string{
		`\basic\`:          `\gamename\bcommander\gamever\60\location\1`,
		`\info\`:           `\hostname\Name\missionscript\Multiplayer.Episode.Mission1.Mission1\mapname\DM\numplayers\0\maxplayers\8\gamemode\openplaying`,
		`\rules\`:          `\timelimit\-1\fraglimit\-1\system\Multi1\password\0\mod\KM`,
		`\players\`:        `\player_0\Dedicated Server`,
		`\players\\basic\`: `\gamename\bcommander\gamever\60\location\1\player_0\Dedicated Server`,
		`\echo\x`:          `\echo\x`,
		`\info\\status\`:   strings.TrimSuffix(reply(t, &info), `\final\\queryid\1.1`), // each section once
	} {
		datagrams, err := answerTo(query, &info)
		got := only(t, datagrams, err)
		require.Equal(t, want+`\final\\queryid\1.1`, got, query)
		require.Equal(t, query == `\players\` || query == `\echo\x`, slices.Equal(infoOf(t, got).Missing, allKeys()), query)
	}
}

// allKeys returns the keys of all fields.
func allKeys() []string { return gamespy.Pairs(nil).ServerInfo().Missing }

func TestPackets(t *testing.T) {
	info := gamespy.NewServerInfo("Name")
	datagrams, err := answerTo(`\packets\\status\`, &info)
	require.NoError(t, err)
	require.Len(t, datagrams, 5)
	require.Equal(t, `\gamename\bcommander\gamever\60\location\1\queryid\1.1`, string(datagrams[0]))
	require.Equal(t, `\player_0\Dedicated Server\queryid\1.4`, string(datagrams[3]))
	require.Equal(t, `\final\\queryid\1.5`, string(datagrams[4]))
}

func TestExtraKeepsUnknownPairs(t *testing.T) {
	for _, c := range []struct {
		name, text string
		check      func(*testing.T, gamespy.ServerInfo)
	}{
		{"missing values", `\hostname\\numplayers\\maxplayers`, func(t *testing.T, s gamespy.ServerInfo) {
			require.NotContains(t, s.Missing, "hostname")
			require.Contains(t, s.Missing, "numplayers")
			require.Equal(t, gamespy.Pairs{{"numplayers", ""}, {"maxplayers", ""}}, s.Extra)
		}},
		{"duplicate keys", `\hostname\one\hostname\two\numplayers\3\numplayers\4`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, "one", s.HostName)
			require.Equal(t, 3, s.NumPlayers)
			require.Equal(t, gamespy.Pairs{{"hostname", "two"}, {"numplayers", "4"}}, s.Extra)
		}},
		{"no numbers", `\numplayers\two\maxplayers\08\timelimit\99999999999999999999\fraglimit\+1\password\yes`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, allKeys(), s.Missing)
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
			require.Equal(t, []string{"Bob", "", "Eve"}, s.Players)
			require.Len(t, s.Extra, 3)
		}},
		{"frame", `\VALIDATE\x\final\\queryid\1.1`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, gamespy.ServerInfo{Missing: allKeys()}, s)
		}},
		{"keys in capitals", `\HOSTNAME\X\Password\1`, func(t *testing.T, s gamespy.ServerInfo) {
			require.Equal(t, "X", s.HostName)
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
	require.Equal(t, "Locked", info.HostName)
	require.Contains(t, reply(t, &info), `\hostname\*Locked\`)

	info = infoOf(t, `\hostname\*Star\password\0`)
	require.False(t, info.Password)
	require.Equal(t, "*Star", info.HostName, "an asterisk of the name")
	require.Contains(t, reply(t, &info), `\hostname\*Star\`)

	info = infoOf(t, `\password\1`)
	require.NotContains(t, reply(t, &info), "hostname")
}

// A name can neither end a reply nor add pairs to it.
func TestReplyIsClean(t *testing.T) {
	info := gamespy.NewServerInfo("A\\final\\\\queryid\\9.9\\\x1b[2J")
	info.Players = []string{`x\password\1`, "\r\n"}
	info.Extra = gamespy.Pairs{{`k\e`, "\x00v"}}
	text := reply(t, &info)
	again := infoOf(t, text)
	require.Equal(t, "Afinalqueryid9.9[2J", again.HostName)
	require.Equal(t, []string{"xpassword1", ""}, again.Players)
	require.Equal(t, gamespy.Pairs{{"ke", "v"}}, again.Extra)
	require.False(t, again.Password)
}

func TestReserved(t *testing.T) {
	for _, key := range []string{"final", "QueryID", "fin\nal"} {
		info := gamespy.ServerInfo{Extra: gamespy.Pairs{{"mod", ""}, {key, ""}}}
		_, err := answerTo(`\status\`, &info)
		require.ErrorIs(t, err, stream.ErrInvalid)
		require.EqualError(t, err, "gamespy: pair 14: invalid: key final or queryid is reserved")
	}
}

// requireAgain encodes a ServerInfo and requires that it parses to the same value.
func requireAgain(t require.TestingT, s *gamespy.ServerInfo) {
	datagrams, err := answerTo(`\status\`, s)
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

// characters returns the characters that a Responder keeps.
func characters() (all []rune) {
	for i := ' '; i <= 0xFF; i++ {
		if i != '\\' {
			all = append(all, []rune(stream.Text{byte(i)}.String())...)
		}
	}
	return all
}

// word draws a text that may contain special characters.
func word() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "final", "queryid", "2.1", "player_0", "*", "hostname", "password", "-1", "007"}),
		rapid.StringOfN(rapid.SampledFrom(characters()), 0, 40, -1),
	)
}

func pair() *rapid.Generator[gamespy.Pair] {
	return rapid.Custom(func(t *rapid.T) gamespy.Pair {
		key := rapid.OneOf(word(), rapid.SampledFrom([]string{
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
	if rapid.Bool().Draw(t, "pairs of another server") {
		info := gamespy.Pairs(rapid.SliceOfN(pair(), 0, 60).Draw(t, "pairs")).ServerInfo()
		requireAgain(t, &info)
		return
	}
	info := drawServerInfo(t)
	datagrams, err := answerTo(`\status\`, &info)
	require.NoError(t, err)
	again := joined(t, datagrams).Pairs.ServerInfo()
	wire, err := answerTo(`\status\`, &again)
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
		Missing: rapid.SliceOfDistinct(rapid.SampledFrom(allKeys()), rapid.ID).Draw(t, "missing"),
		Extra:   gamespy.Pairs{{"mod", word().Draw(t, "mod")}},
	}
}

func TestLongPlayers(t *testing.T) {
	info := gamespy.NewServerInfo(strings.Repeat("n", gamespy.MaxPart))
	_, err := answerTo(`\status\`, &info)
	require.ErrorIs(t, err, stream.ErrLimit)
	require.EqualError(t, err, "gamespy: pair 3: limit reached: 1359 bytes, at most 1349")
}
