package gamespy_test

import (
	"fmt"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

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
