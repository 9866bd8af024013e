package gamespy_test

import (
	"fmt"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// Package gamespy imports nothing of the module, so that it has a table of Windows-1252 of
// its own. This test is the only tie to that of package stream: all bytes and all
// characters are the same in both.
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
	for r := range rune(0x3000) {
		want, wantErr := stream.NewText(string(r))
		got, err := gamespy.NewText(string(r))
		if string(want) != string(got) || (wantErr == nil) != (err == nil) {
			t.Fatalf("%U is % X (%v), and % X (%v) in stream", r, got, err, want, wantErr)
		}
	}
}

// What String does not do, %q does: nothing of a name acts on a terminal.
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
