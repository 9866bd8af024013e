package rows

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestSources(t *testing.T) {
	for input, want := range map[string]string{
		"a/b/battle.jsonl":     "battle",
		"battle.jsonl.gz":      "battle",
		"battle.pcapng.ZST":    "battle",
		"-":                    "stdin",
		"sample.jsonl":         "sample",
		"night.2026.11.22":     "night.2026.11.22",
		"night.pcapng.1":       "night.pcapng.1",
		"two words, 1+(2).hex": "two words, 1+(2)",
		"матч №1.pcap":         "матч _1",
		"100%.hex":             "100_",
		"a=b*?[c]{d}'\"#.hex":  "a_b___c__d____",
		".pcap":                ".pcap",
		"..":                   "..",
		"a\x00\x1b[2J\nb.hex":  "a___2J_b",
		"\xff\xfe.hex":         "__",
		"NULL.pcap":            "NULL_",
		"null":                 "null_",
	} {
		require.Equal(t, []string{want}, Sources([]string{input}), "%q", input)
	}
}

func TestMatchesAreUnique(t *testing.T) {
	got := Sources([]string{"x/a.pcap", "y/a.jsonl", "A.hex", "a-2.hex", "-", "-", "b"})
	require.Equal(t, []string{"a", "a-2", "A-3", "a-2-2", "stdin", "stdin-2", "b"}, got)
}

// Long names are cut between characters, and stay short enough for a file system.
func TestLongSources(t *testing.T) {
	long := strings.Repeat("ж", 200)
	got := Sources([]string{long + "1", long + "2"})
	require.NotEqual(t, got[0], got[1])
	for _, name := range got {
		require.True(t, utf8.ValidString(name))
		require.LessOrEqual(t, len(".source="+name+"-1234567890"), 255)
	}
}
