package gamespy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// The packages do not import each other, so that each has the table.
func TestTextIsThatOfStream(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
		require.Equal(t, stream.Text(all[i:i+1]).String(), gamespy.Text(all[i:i+1]).String())
	}
	require.Equal(t, stream.Text(all).String(), gamespy.Text(all).String())
	again, err := gamespy.NewText(gamespy.Text(all).String())
	require.NoError(t, err)
	require.Equal(t, gamespy.Text(all), again)
}

func TestNewText(t *testing.T) {
	v, err := gamespy.NewText("Café 5 €")
	require.NoError(t, err)
	require.Equal(t, gamespy.Text("Caf\xE9 5 \x80"), v)
	for _, s := range []string{"жук", "\u0080", "a\uFFFD", "\xFF"} {
		_, err := gamespy.NewText(s)
		require.ErrorIs(t, err, gamespy.ErrText, "%q", s)
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
