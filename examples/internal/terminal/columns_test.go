package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Columns count characters.
func TestColumns(t *testing.T) {
	require.Equal(t, "é  |", string(append(AppendLeft(nil, 3, "é"), '|')))
	require.Equal(t, "long|", string(append(AppendLeft(nil, 3, "long"), '|')))
	require.Equal(t, strings.Repeat(" ", 50), string(AppendLeft(nil, 50, "")))
	require.Equal(t, " 12", string(AppendRight(nil, 3, []byte("12"))))
	require.Equal(t, "1234", string(AppendRight(nil, 3, []byte("1234"))))
	require.Equal(t, []string{"éé", "é…", "…"}, []string{Shorten("éé", 2), Shorten("ééé", 2), Shorten("éé", 1)})
	const red, off = "\x1b[31m", "\x1b[0m"
	require.Equal(t, "a"+red+"éé"+off, Shorten("a"+red+"éé"+off, 3))
	require.Equal(t, "a"+red+"…"+off, Shorten("a"+red+"éé"+off, 2))
	require.Equal(t, "a"+red+"é"+off+"…"+off, Shorten("a"+red+"é"+off+"bc", 3))
}

// A brush without colours leaves a text as it is.
func TestBrush(t *testing.T) {
	plain, red, bold := NewBrush(false, Red), NewBrush(true, Red), NewBrush(true, Bold)
	require.Equal(t, "text", string(plain.Append(nil, "text")))
	require.Equal(t, "\x1b[31mtext\x1b[0m", string(red.Append(nil, "text")))
	require.Equal(t, "\x1b[01mtext\x1b[0m", bold.Paint("text"), "as long as red")
}
