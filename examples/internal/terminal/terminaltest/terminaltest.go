// Package terminaltest checks the output of the example programs.
package terminaltest

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Hostile is a text that would clear a terminal, forge a line of output, set a title, reverse
// text, and look like another text. It has no slash, so it can be a file name on Linux; see
// [FileName].
const Hostile = "x\x1b[2J\nforged: line\r\t\a\x7f\x9b2J\u009b2J\u0090\u009d0;title\u202e\ufeff" + Invisible + ".pyc"

// Invisible has characters that turn the direction of text, and characters without width or
// picture. The package unicode counts some of them as printable.
const Invisible = "\u061c\u200b\u200d\u200f\u202d\u2060\u2066\u2069\u034f\u115f\u17b4\u180b\u2800\u3164\ufe0f\uffa0\U000e0001\U000e0101"

// FileName returns as much of [Hostile] as can be the name of a file on this system. macOS refuses
// what is not UTF-8, and Windows also control characters and some others.
func FileName() string {
	name := Hostile
	switch runtime.GOOS {
	case "darwin":
		name = strings.ToValidUTF8(name, "")
	case "windows":
		name = strings.Map(func(r rune) rune {
			if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(name, ""))
	}
	return name
}

// RequirePlain requires that output has only visible characters and line feeds, and not the line
// that Hostile forges.
func RequirePlain(t *testing.T, output string) {
	t.Helper()
	require.NotContains(t, "\n"+output, "\nforged: line")
	for i, r := range output {
		_, size := utf8.DecodeRuneInString(output[i:])
		require.False(t, r == utf8.RuneError && size == 1, "%#x in %q", output[i], output[max(0, i-20):i])
		require.True(t, r == '\n' || terminal.Visible(r), "%U in %q", r, output[max(0, i-20):i])
	}
}

// Buffer is a buffer that is safe for concurrent use, for the output of a program that runs. The zero value is empty.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (b *Buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(text)
}

// String returns what was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
