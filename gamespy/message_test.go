package gamespy_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

func TestIsGameSpy(t *testing.T) {
	require.True(t, gamespy.IsGameSpy([]byte(`\`)))
	for _, b := range []string{"", "/status/", "\x01\xD7", " \\"} {
		require.False(t, gamespy.IsGameSpy([]byte(b)), "%q", b)
	}
}

func TestGrammar(t *testing.T) {
	type pairs = gamespy.Pairs
	for _, c := range []struct {
		name, text string
		pairs      pairs
		ending     gamespy.Ending
	}{
		{"query", `\status\`, pairs{{"status", ""}}, gamespy.Plain},
		{"missing last value", `\status`, pairs{{"status", ""}}, gamespy.NoValue},
		{"missing value of a pair", `\a\b\c`, pairs{{"a", "b"}, {"c", ""}}, gamespy.NoValue},
		{"trailing backslash", `\a\b\`, pairs{{"a", "b"}}, gamespy.Trailing},
		{"two trailing backslashes", `\a\b\\`, pairs{{"a", "b"}, {"", ""}}, gamespy.Plain},
		{"backslash alone", `\`, nil, gamespy.Trailing},
		{"two backslashes", `\\`, pairs{{"", ""}}, gamespy.Plain},
		{"empty value between", `\final\\queryid\2.1`, pairs{{"final", ""}, {"queryid", "2.1"}}, gamespy.Plain},
		{"empty key", `\a\b\\c`, pairs{{"a", "b"}, {"", "c"}}, gamespy.Plain},
		{"duplicate keys", `\a\1\a\2\A\3`, pairs{{"a", "1"}, {"a", "2"}, {"A", "3"}}, gamespy.Plain},
		{"value with a backslash", `\hostname\my\server\x`, pairs{{"hostname", "my"}, {"server", "x"}}, gamespy.Plain},
		{"bytes that are not text", "\\a\xFF\x00\\\n\x81", pairs{{"a\xFF\x00", "\n\x81"}}, gamespy.Plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := gamespy.Message{Pairs: gamespy.Pairs{{"stale", "pair"}}, Ending: gamespy.NoValue}
			require.NoError(t, m.UnmarshalBinary([]byte(c.text)))
			require.Equal(t, c.ending, m.Ending)
			require.Equal(t, len(c.pairs), len(m.Pairs))
			for i, p := range c.pairs {
				require.Equal(t, p, m.Pairs[i])
			}
			wire, err := m.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, c.text, string(wire))
		})
	}
}

func TestMaxPairs(t *testing.T) {
	full := strings.Repeat(`\k\v`, gamespy.MaxPairs)
	for _, text := range []string{full, full + `\`} {
		m, err := gamespy.Parse([]byte(text))
		require.NoError(t, err)
		require.Len(t, m.Pairs, gamespy.MaxPairs)
	}
	for text, pairs := range map[string]int{
		full + `\k`: 513, full + `\k\v`: 513, full + `\k\v\`: 513, full + `\\`: 513, full + `\k\v\l`: 514, full + full: 1024,
	} {
		m, err := gamespy.Parse([]byte(text))
		require.ErrorIs(t, err, gamespy.ErrLimit)
		require.EqualError(t, err, fmt.Sprintf("gamespy: pair 512 at offset 2049: limit reached: %d pairs, at most 512", pairs))
		require.Len(t, m.Pairs, gamespy.MaxPairs, "the first pairs are parsed")
	}
	var m gamespy.Message
	for range gamespy.MaxPairs + 1 {
		m.Pairs = append(m.Pairs, gamespy.Pair{Key: "k", Value: "v"})
	}
	_, err := m.MarshalBinary()
	require.ErrorIs(t, err, gamespy.ErrLimit)
	require.EqualError(t, err, "gamespy: pair 512: limit reached: 513 pairs, at most 512")
}

func Test64kBOfPairs(t *testing.T) {
	for _, pair := range []string{`\\`, `\k\v`, `\`, `\` + strings.Repeat("k", 1000)} {
		text := strings.Repeat(pair, gamespy.MaxText/len(pair))
		m, err := gamespy.Parse([]byte(text))
		require.LessOrEqual(t, len(m.Pairs), gamespy.MaxPairs)
		require.Equal(t, strings.Count(text, `\`) > 2*gamespy.MaxPairs, err != nil)
	}
}

func TestMaxText(t *testing.T) {
	text := `\k\` + strings.Repeat("v", gamespy.MaxText-3)
	m, err := gamespy.Parse([]byte(text))
	require.NoError(t, err)
	wire, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, text, string(wire))

	_, err = gamespy.Parse([]byte(text + "v"))
	require.EqualError(t, err, "gamespy: text at offset 65536: limit reached: 65537 bytes, at most 65536")
	m.Pairs[0].Value += "v"
	_, err = m.MarshalBinary()
	require.EqualError(t, err, "gamespy: text: limit reached: 65537 bytes, at most 65536")
}

func TestAppendRefuses(t *testing.T) {
	type pairs = gamespy.Pairs
	for _, c := range []struct {
		m    gamespy.Message
		want error
	}{
		{gamespy.Message{}, gamespy.ErrNotText},
		{gamespy.Message{Pairs: pairs{{"a", "b"}, {"player_0", `\final\`}}}, gamespy.ErrBackslash},
		{gamespy.Message{Pairs: pairs{{`a\b`, ""}}}, gamespy.ErrBackslash},
		{gamespy.Message{Ending: gamespy.NoValue}, gamespy.ErrEnding},
		{gamespy.Message{Pairs: pairs{{"a", "b"}}, Ending: gamespy.NoValue}, gamespy.ErrEnding},
		{gamespy.Message{Pairs: pairs{{"a", "b"}, {}}, Ending: gamespy.NoValue}, gamespy.ErrEnding},
		{gamespy.Message{Pairs: pairs{{"a", "b"}}, Ending: 3}, gamespy.ErrEnding},
	} {
		wire, err := c.m.AppendBinary([]byte("before"))
		require.ErrorIs(t, err, c.want)
		require.Equal(t, "before", string(wire))
	}
}

func TestGet(t *testing.T) {
	m, err := gamespy.Parse([]byte(`\GameName\first\gamename\second\player_0\\final\`))
	require.NoError(t, err)
	for _, key := range []string{"gamename", "GAMENAME", "gameName"} {
		v, ok := m.Pairs.Get(key)
		require.True(t, ok)
		require.Equal(t, gamespy.Text("first"), v)
	}
	v, ok := m.Pairs.Get("player_0")
	require.True(t, ok)
	require.Empty(t, v)
	_, ok = m.Pairs.Get("gamenam")
	require.False(t, ok)
	_, ok = m.Pairs.Get("first")
	require.False(t, ok, "a value is not a key")
}

func TestParseDoesNotAlias(t *testing.T) {
	wire := status(t)
	m, err := gamespy.Parse(wire)
	require.NoError(t, err)
	clear(wire)
	v, _ := m.Pairs.Get("hostname")
	require.Equal(t, gamespy.Text("My Game23"), v)
}

func TestAllocations(t *testing.T) {
	wire := status(t)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = gamespy.Parse(wire) }), 2.0)
	var m gamespy.Message
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = m.UnmarshalBinary(wire) }), 1.0)
	buf := make([]byte, 0, 512)
	require.Zero(t, testing.AllocsPerRun(100, func() { buf, _ = m.AppendBinary(buf[:0]) }))
}

func TestError(t *testing.T) {
	_, err := gamespy.ParseCompactList([]byte("12345"))
	var e *gamespy.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, gamespy.Error{Item: "entry", Index: 0, Offset: 0, Err: io.ErrUnexpectedEOF}, *e)
	require.EqualError(t, err, "gamespy: entry 0 at offset 0: unexpected EOF")
}

// Every text converts to a string and back.
func TestTextRoundTrip(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	again, err := gamespy.NewText(gamespy.Text(all).String())
	require.NoError(t, err)
	require.Equal(t, gamespy.Text(all), again)
	require.Equal(t, "€ Ÿ", gamespy.Text("\x80 \x9F").String())
	require.Equal(t, gamespy.Text("Gr\xFC\xDFe ?"), gamespy.Text(stream.Lossy("Grüße ж")))
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = gamespy.Text("ascii").String() }))
}

// A name printed with %q has no characters that act on a terminal.
func TestQuotedTextIsSafe(t *testing.T) {
	for i := range 256 {
		quoted := fmt.Sprintf("%q", gamespy.Text([]byte{byte(i)}))
		for _, r := range quoted {
			require.True(t, unicode.IsPrint(r), "%02X: %U", i, r)
		}
	}
}

func TestNewText(t *testing.T) {
	v, err := gamespy.NewText("Café 5 €")
	require.NoError(t, err)
	require.Equal(t, gamespy.Text("Caf\xE9 5 \x80"), v)
	for _, s := range []string{"жук", "\u0080", "a\uFFFD", "\xFF"} {
		_, err := gamespy.NewText(s)
		require.ErrorIs(t, err, gamespy.ErrText, "%q", s)
		require.ErrorContains(t, err, "gamespy: character not in Windows-1252: '")
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[gamespy.Text]gamespy.Text{
		"":                         "",
		"plain \x7F\x80\xFF":       "plain \x7F\x80\xFF",
		`\`:                        "",
		`\final\\queryid\9.9`:      "finalqueryid9.9",
		"\x1b[2J\r\n\x00red\x1f\t": "[2Jred",
		"\xE9\\\x00\x9D":           "\xE9\x9D",
	} {
		require.Equal(t, want, text.Clean())
	}
}
