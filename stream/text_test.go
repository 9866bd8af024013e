package stream_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// cp1252 is the code page's upper control block by code point. The bytes 81, 8D, 8F, 90 and
// 9D are undefined.
const cp1252 = "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
	"\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"

func TestText(t *testing.T) {
	all := make(stream.Text, 256)
	var want []rune
	for i := range all {
		all[i] = byte(i)
		want = append(want, rune(i))
	}
	copy(want[0x80:], []rune(cp1252))
	require.Equal(t, string(want), all.String())
	back, err := stream.NewText(all.String())
	require.NoError(t, err)
	require.Equal(t, all, back)
	seen := map[string]bool{}
	for i := range all {
		s := all[i : i+1].String()
		require.Equal(t, string(want[i]), s)
		require.True(t, utf8.ValidString(s))
		require.False(t, seen[s], "%q", s)
		seen[s] = true
	}
}

func TestNewText(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Multi\x00player": "Multi\x00player", "Größe": "Gr\xF6\xDFe", "€ 5": "\x80 5", "ÿ": "\xFF", "\u00A0": "\xA0",
	} {
		got, err := stream.NewText(s)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.Equal(t, s, got.String())
	}
	for _, s := range []string{"Ā", "naïve 日本", "\u0080", "\u009F", "\xFF", "a\uFFFD", "\U0001F596"} {
		got, err := stream.NewText(s)
		require.ErrorIs(t, err, stream.ErrText, "%q", s)
		require.Nil(t, got)
	}
	for s, want := range map[string]string{
		"Zoë 日":   `"日" at offset 5 is not in Windows-1252`,
		"a\uFFFD": `"�" at offset 1 is not in Windows-1252`,
		"ab\xFF":  `"\xff" at offset 2 is not UTF-8`,
	} {
		_, err := stream.NewText(s)
		require.EqualError(t, err, "stream: character cannot be encoded: "+want)
	}
	require.Empty(t, stream.Text(nil).String())
}

// Lossy agrees with NewText if NewText succeeds, and otherwise replaces only the characters
// that have no code.
func TestLossy(t *testing.T) {
	for r := range rune(0x3000) {
		want, err := stream.NewText(string(r))
		if err != nil {
			want = stream.Text("?")
		}
		require.Equal(t, want, stream.Lossy(string(r)), "%U", r)
	}
	for s, want := range map[string]string{
		"": "", "a日b本": "a?b?", "\xFF\xFEa": "??a", "a\uFFFD": "a?", "\U0001F596!": "?!", "So it does.": "So it does.",
	} {
		require.Equal(t, want, string(stream.Lossy(s)), "%q", s)
	}
}
