package show

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal"
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
		{`Text="x"  (dropped)`, NewLines(false, false, 0)},
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

// In a terminal, a line of the sample has at most as many characters as there are columns, and as many fields as fit.
// A file has all fields.
func TestColumns(t *testing.T) {
	lines := func(colour bool, columns int) []string {
		var b []byte
		d := Decoder{Plain: true}
		out := NewLines(colour, false, columns)
		for i, data := range sampleDatagrams(t) {
			b = out.Append(b, d.Decode(&Datagram{Number: i, Data: data}))
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	whole := lines(false, 0)
	for _, columns := range []int{80, 200} {
		plain, painted := lines(false, columns), lines(true, columns)
		require.Len(t, plain, len(whole))
		shortened := 0
		for i, line := range plain {
			if cut, ok := strings.CutSuffix(line, "…"); ok {
				shortened++
				require.Equal(t, columns, utf8.RuneCountInString(line))
				require.Equal(t, columns, terminal.Width([]byte(painted[i])))
				require.True(t, strings.HasPrefix(whole[i], cut))
				continue
			}
			require.True(t, line == whole[i] || strings.Contains(line, "…  ("), line)
		}
		require.Positive(t, shortened)
	}
	const note = "this datagram was dropped by the proxy, which simulates a bad network"
	var d Decoder
	p := d.Decode(&Datagram{Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("a long text of a player")))), Note: note})
	require.Contains(t, string(NewLines(false, false, 80).Append(nil, p)), `SenderID=2 Text…  (`+note+")\n")
}
