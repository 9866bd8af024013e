package show

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fatih/color"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestCheckFails(t *testing.T) {
	good := pack(t, 2, transport.NewData(0, chat("good")))
	res := render(t, hexLines(good), "-plain", "-check")
	require.False(t, res.failed)
	require.Contains(t, res.stdout, "1 datagram, 1 message: all messages decode and re-encode to the same bytes")

	// A chat message whose text is longer than the payload.
	res = render(t, hexLines(good, testdata.Bytes("0101320f8001002c02000000050068656c")), "-plain", "-check")
	require.True(t, res.failed)
	require.Contains(t, res.stdout, "packet 2, message 0, ChatMessage: opcode: decode ChatMessage.Text at offset 5: unexpected EOF")
	require.Contains(t, res.stdout, "2 datagrams, 2 messages: 1 failure")

	var many strings.Builder
	for range maxShown + 5 {
		many.WriteString("02\n")
	}
	require.Contains(t, render(t, many.String(), "-plain", "-check").stdout, "and 5 more")
}

// compare returns an error for other bytes.
func TestCompare(t *testing.T) {
	require.NoError(t, compare([]byte{1}, []byte{1}))
	require.ErrorIs(t, compare([]byte{1, 3}, []byte{1, 2}), errDiffers)
	require.EqualError(t, compare([]byte{1, 3}, []byte{1, 2}), "re-encoding changes the bytes: 0x03 instead of 0x02 at offset 1")
	require.EqualError(t, compare([]byte{1}, []byte{1, 2}), "re-encoding changes the bytes: 1 byte instead of 2")
}

func TestStats(t *testing.T) {
	chatLine := func(at float64) string {
		return fmt.Sprintf(`{"t":%g,"dir":"c2s","hex":"%x"}`+"\n", at, pack(t, 2, transport.NewUnreliable(chat("hello"))))
	}
	res := render(t, chatLine(10)+chatLine(11)+chatLine(14), "-plain", "-stats")
	require.Contains(t, res.stdout, "c2s      3     45      0.8     11.2  ChatMessage")
	require.Contains(t, res.stdout, "both      3     51      0.8     12.8  datagrams")
	require.Contains(t, res.stdout, "\n4.000 s\n")
	res = render(t, chatLine(10), "-plain", "-stats")
	require.Contains(t, res.stdout, "c2s      1     15        -        -  ChatMessage")
	require.Contains(t, render(t, "", "-stats").stdout, "0.000 s")
}

func TestColour(t *testing.T) {
	bad := func(colour bool) string {
		s := newStyle(colour)
		return string(s.bad.append(nil, "x"))
	}
	require.Contains(t, bad(true), "\x1b[31mx\x1b[")
	require.Equal(t, "x", bad(false))
	before := color.NoColor
	color.NoColor = true
	defer func() { color.NoColor = before }()
	require.Contains(t, bad(true), "\x1b[31m", "the default of the colour library has no effect")
}

// The note of a Datagram is printed, and counted by -check.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		want string
		out  Output
	}{
		{`Text="x"  (dropped)`, NewLines(false, false)},
		{"[0] ChatMessage  (dropped)", NewBytes(false)},
		{`"note":"dropped"`, NewJSON()},
		{"1  dropped, first in packet 7", NewCheck()},
	} {
		var d Decoder
		dg := &Datagram{Number: 7, Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("x")))), Note: "dropped"}
		text := c.out.Append(nil, d.Decode(dg))
		require.Contains(t, string(c.out.Finish(text, d.Pending())), c.want)
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
