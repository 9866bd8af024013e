package checksum_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/stream"
)

func TestLocalPath(t *testing.T) {
	for name, want := range map[string]string{
		"Scripts/Multiplayer/Modifier.pyc": "Scripts/Multiplayer/Modifier.pyc",
		`Scripts\Multiplayer\Modifier.pyc`: "Scripts/Multiplayer/Modifier.pyc",
		"x":                                "x",
		"..x":                              "..x",
		"gr\xFCn.pyc":                      "grün.pyc",
		"\x80":                             "€",
		"contact.pyc":                      "contact.pyc",
		"com.pyc":                          "com.pyc",
		"com10.pyc":                        "com10.pyc",
		"comet1":                           "comet1",
		"a.con":                            "a.con",
		strings.Repeat("a/", 127) + "b":    strings.Repeat("a/", 127) + "b",
		"with space.pyc":                   "with space.pyc",
		"backup~":                          "backup~",
		"~1.pyc":                           "~1.pyc",
		"mission~2b.pyc":                   "mission~2b.pyc",
		"verylong~1.pyc":                   "verylong~1.pyc",
		"short~1.pyc2":                     "short~1.pyc2",
		"a\xa0b":                           "a\u00a0b",
	} {
		got, err := checksum.LocalPath(stream.Text(name))
		require.NoError(t, err, "%q", name)
		require.Equal(t, want, got)
	}
	for _, name := range []string{
		"", "/", "/etc/passwd", `\\server\share\x`, `\x`, "C:x", `C:\x`, "c:/x", "a:stream", ".", "..", "../x", "a/../b", `a\..\..\b`, "a/..", "a/.",
		"a//b", "a/", "a/ /b", "a ", "a.", "...", ".. /x", "a/.../b", "nul", "NUL.pyc", "a/Con", "con .txt", "COM1", "lpt9.x", "com\xB9", "conin$", "CONOUT$.x",
		"a\x00b", "a\nb", "a\x7fb", "a\x81b", "MULTIP~1", "scripts/APP~1.PYC", "scripts/a~12/x", "AB12F~9.P", "a*", "a?", `a"b`, "a<b", "a>b", "a|b", strings.Repeat("a", 256),
	} {
		got, err := checksum.LocalPath(stream.Text(name))
		require.ErrorIs(t, err, stream.ErrInvalid, "%q", name)
		require.Empty(t, got)
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, s := range []string{"Scripts/Multiplayer/Modifier.pyc", `..\x`, "C:/x", "a/./b", "nul.pyc", "\x80\xFC", "a. /b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, name []byte) {
		got, err := checksum.LocalPath(name)
		if err != nil {
			require.ErrorIs(t, err, stream.ErrInvalid)
			require.Empty(t, got)
			return
		}
		require.True(t, fs.ValidPath(got), got)
		require.True(t, filepath.IsLocal(got), got)
		require.NotContains(t, got, `\`)
		text, err := stream.NewText(got)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(string(name), `\`, "/"), string(text))
	})
}
