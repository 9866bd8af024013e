//go:build used

package conventions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keptFile lists the exported identifiers that nothing uses, each with the reason why it stays.
const keptFile = "exported.txt"

// readKept returns the reason for each identifier.
func readKept(t *testing.T) map[string]string {
	text, err := os.ReadFile(keptFile)
	require.NoError(t, err)
	kept := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		require.NotEmpty(t, strings.TrimSpace(reason), "%s: no reason: %s", keptFile, line)
		require.Empty(t, kept[name], "%s: twice: %s", keptFile, name)
		kept[name] = strings.TrimSpace(reason)
	}
	return kept
}

// writeKept writes the list without the identifiers that are not in kept, and with its comments.
func writeKept(t *testing.T, kept map[string]string) {
	text, err := os.ReadFile(keptFile)
	require.NoError(t, err)
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if gap := name == "" && strings.HasSuffix(b.String(), "\n\n"); !gap && (name == "" || name == "#" || kept[name] != "") {
			b.WriteString(line)
		}
	}
	require.NoError(t, os.WriteFile(keptFile, []byte(b.String()), 0o644))
}
