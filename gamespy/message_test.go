package gamespy_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

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
		{"bytes that are not text", "\\a\xFF\x00\\\n\x81", pairs{{"aÿ\x00", "\n\u0081"}}, gamespy.Plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := gamespy.Parse([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, c.ending, m.Ending)
			require.Equal(t, len(c.pairs), len(m.Pairs))
			for i, p := range c.pairs {
				require.Equal(t, p, m.Pairs[i])
			}
			wire, err := m.AppendBinary(nil)
			require.NoError(t, err)
			require.Equal(t, c.text, string(wire))
		})
	}
}

// Windows-1252 leaves five bytes undefined. They become the control characters with their numbers. All
// other bytes from 0x80 become printable characters, and every byte is encoded again.
func TestEveryByteOfAValue(t *testing.T) {
	var undefined []rune
	for c := range 256 {
		if c == '\\' {
			continue
		}
		text := "\\k\\" + string([]byte{byte(c)})
		m, err := gamespy.Parse([]byte(text))
		require.NoError(t, err)
		if r := []rune(m.Pairs[0].Value)[0]; r >= 0x80 && unicode.IsControl(r) {
			require.EqualValues(t, c, r)
			undefined = append(undefined, r)
		}
		wire, err := m.AppendBinary(nil)
		require.NoError(t, err)
		require.Equal(t, text, string(wire))
	}
	require.Len(t, undefined, 5)
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
		require.ErrorIs(t, err, stream.ErrLimit)
		require.EqualError(t, err, fmt.Sprintf("gamespy: pair 512 at offset 2049: limit reached: %d pairs, at most 512", pairs))
		require.Len(t, m.Pairs, gamespy.MaxPairs, "the first pairs are parsed")
	}
	var m gamespy.Message
	for range gamespy.MaxPairs + 1 {
		m.Pairs = append(m.Pairs, gamespy.Pair{Key: "k", Value: "v"})
	}
	_, err := (&gamespy.Message{Pairs: m.Pairs[1:]}).AppendBinary(nil)
	require.NoError(t, err)
	_, err = m.AppendBinary(nil)
	require.ErrorIs(t, err, stream.ErrLimit)
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
	wire, err := m.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, text, string(wire))

	_, err = gamespy.Parse([]byte(text + "v"))
	require.EqualError(t, err, "gamespy: text at offset 65536: limit reached: 65537 bytes, at most 65536")
	m.Pairs[0].Value += "v"
	wire, err = m.AppendBinary([]byte("before"))
	require.Equal(t, "before", string(wire))
	require.EqualError(t, err, "gamespy: text: limit reached: 65537 bytes, at most 65536")
}

func TestAppendRefuses(t *testing.T) {
	type pairs = gamespy.Pairs
	for _, c := range []struct {
		m    gamespy.Message
		want error
	}{
		{gamespy.Message{}, stream.ErrInvalid},
		{gamespy.Message{Pairs: pairs{{"a", "b"}, {"player_0", `\final\`}}}, stream.ErrInvalid},
		{gamespy.Message{Pairs: pairs{{`a\b`, ""}}}, stream.ErrInvalid},
		{gamespy.Message{Ending: gamespy.NoValue}, stream.ErrInvalid},
		{gamespy.Message{Pairs: pairs{{"a", "b"}}, Ending: gamespy.NoValue}, stream.ErrInvalid},
		{gamespy.Message{Pairs: pairs{{"a", "b"}, {}}, Ending: gamespy.NoValue}, stream.ErrInvalid},
		{gamespy.Message{Pairs: pairs{{"a", "b"}}, Ending: 3}, stream.ErrInvalid},
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
		require.Equal(t, "first", v)
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
	require.Equal(t, "My Game23", v)
}

func TestAllocations(t *testing.T) {
	wire := status(t)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = gamespy.Parse(wire) }), 2.0)
	m, err := gamespy.Parse(wire)
	require.NoError(t, err)
	buf := make([]byte, 0, 512)
	require.Zero(t, testing.AllocsPerRun(100, func() { buf, _ = m.AppendBinary(buf[:0]) }))
}

func TestErrors(t *testing.T) {
	for text, m := range map[string]gamespy.Message{
		`gamespy: pair 1: invalid: backslash at offset 1`:                       {Pairs: gamespy.Pairs{{}, {`a\b`, ""}}},
		`gamespy: pair 0: invalid: 'ж' at offset 2 is not in Windows-1252`:      {Pairs: gamespy.Pairs{{"k", "éж"}}},
		`gamespy: pair 0: invalid: '\u0080' at offset 0 is not in Windows-1252`: {Pairs: gamespy.Pairs{{"\u0080", ""}}},
		`gamespy: pair 0: invalid: '�' at offset 0 is not in Windows-1252`:      {Pairs: gamespy.Pairs{{"\xFF", ""}}},
		`gamespy: ending: invalid: it does not fit the last pair`:               {Ending: gamespy.NoValue},
	} {
		_, err := m.AppendBinary(nil)
		require.ErrorIs(t, err, stream.ErrInvalid)
		require.EqualError(t, err, text)
	}
}

// Every byte except a backslash converts to a character and back.
func TestTextRoundTrip(t *testing.T) {
	wire := []byte(`\`)
	for i := range 256 {
		if i != '\\' {
			wire = append(wire, byte(i))
		}
	}
	wire = append(wire, `\`...)
	m, err := gamespy.Parse(wire)
	require.NoError(t, err)
	key := m.Pairs[0].Key
	require.Len(t, []rune(key), 255)
	require.Contains(t, key, "~\x7f€\u0081‚ƒ")
	require.True(t, strings.HasSuffix(key, "üýþÿ"))
	again, err := m.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, wire, again)

	// A text printed with %q has no characters that act on a terminal.
	for _, r := range fmt.Sprintf("%q", key) {
		require.True(t, unicode.IsPrint(r), "%U", r)
	}
}

// The offset of an error counts bytes of the input, which are not those of the converted text.
func TestOffsetAfterOtherCharacters(t *testing.T) {
	_, err := gamespy.Parse([]byte("\\\x80\\\xE9" + strings.Repeat(`\k\v`, 512)))
	require.EqualError(t, err, "gamespy: pair 512 at offset 2049: limit reached: 513 pairs, at most 512")
}

// status returns the captured reply of the game.
func status(t testing.TB) []byte {
	for _, v := range testdata.Load[vector](t, "gamespy.json") {
		if v.Name == "status-response" {
			return v.Hex
		}
	}
	t.Fatal("no such vector")
	return nil
}
