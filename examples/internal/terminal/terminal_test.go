package terminal

import (
	"bytes"
	"os"
	"testing"

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
	require.Zero(t, Columns(f))
	require.False(t, Is(new(bytes.Buffer)))
}
