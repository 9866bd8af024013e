package stateupdate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README contains the body of the example, except the first line.
func TestReadmeShowsExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	src, err := os.ReadFile("example_readme_test.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(src), "shortCapture()\n")
	require.True(t, ok)
	body, _, _ = strings.Cut(body, "\t// Output:")
	require.Contains(t, string(readme), strings.TrimSpace(strings.ReplaceAll(body, "\n\t", "\n")))
}
