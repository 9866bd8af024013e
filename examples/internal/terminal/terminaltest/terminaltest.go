// Package terminaltest checks the output of the example programs.
package terminaltest

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Hostile is a text that would clear a terminal, forge a line of output, set a title and
// reverse text. It has no slash, so it can be a file name.
const Hostile = "x\x1b[2J\nforged: line\r\t\a\x7f\x9b2J\u009b2J\u0090\u009d0;title\u202e\ufeff.pyc"

// RequirePlain requires that output has only printable characters and line feeds, and not the
// line that Hostile forges.
func RequirePlain(t *testing.T, output string) {
	t.Helper()
	require.NotContains(t, "\n"+output, "\nforged: line")
	for i, r := range output {
		_, size := utf8.DecodeRuneInString(output[i:])
		require.False(t, r == utf8.RuneError && size == 1, "%#x in %q", output[i], output[max(0, i-20):i])
		require.True(t, r == '\n' || unicode.IsPrint(r), "%U in %q", r, output[max(0, i-20):i])
	}
}
