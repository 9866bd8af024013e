package terminal

import (
	"bytes"
	"os"
	"testing"

	"github.com/fatih/color"
	"github.com/stretchr/testify/require"
)

func TestNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	file, ok := File(f)
	require.Same(t, f, file)
	require.False(t, ok)
	require.False(t, Colourful(f))
	require.False(t, Is(new(bytes.Buffer)))
}

func TestPaint(t *testing.T) {
	require.Equal(t, "x", Paint(false, color.Bold).Sprint("x"))
	require.Contains(t, Paint(true, color.Bold).Sprint("x"), "\x1b[1m")
}
