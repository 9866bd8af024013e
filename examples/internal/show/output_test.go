package show

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

func TestColour(t *testing.T) {
	bad := func(colour bool) string {
		s := newStyle(colour)
		return string(s.bad.Append(nil, "x"))
	}
	require.Contains(t, bad(true), "\x1b[31mx\x1b[")
	require.Equal(t, "x", bad(false))
}

// The note of a Datagram is printed.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		want string
		out  Output
	}{
		{`Text="x"  (dropped)`, NewLines(false, false)},
		{"[0] ChatMessage  (dropped)", NewBytes(false)},
		{`"note":"dropped"`, NewJSON()},
	} {
		var d Decoder
		dg := &Datagram{Number: 7, Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("x")))), Note: "dropped"}
		require.Contains(t, string(c.out.Append(nil, d.Decode(dg))), c.want)
	}
}

func TestAcks(t *testing.T) {
	for hex, want := range map[string]string{
		"0201 01050000":   "of game #5",
		"0201 01050002":   "of system #5",
		"0201 0105000102": "of game #5, fragment 3",
	} {
		require.Contains(t, render(t, hex, "-plain").stdout, want+"\n")
	}
}
