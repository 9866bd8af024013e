package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README quotes lines of the output without arguments.
func TestReadmeShowsOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/text.golden")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "both show a bundled match:\n\n```\n")
	require.True(t, ok)
	shown, _, ok := strings.Cut(rest, "\n```\n")
	require.True(t, ok)
	lines := strings.Split(shown, "\n")
	require.Greater(t, len(lines), 4)
	for _, line := range lines {
		if line != "  ..." {
			require.Contains(t, string(golden), line)
		}
	}
}
