package show

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/fatih/color"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
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

// compareEncoding returns an error for other bytes, and for a failed encoding.
func TestCompareEncoding(t *testing.T) {
	encode := func(b []byte, err error) func() ([]byte, error) {
		return func() ([]byte, error) { return b, err }
	}
	require.NoError(t, compareEncoding([]byte{1}, encode([]byte{1}, nil)))
	require.ErrorIs(t, compareEncoding([]byte{1, 2}, encode([]byte{1, 3}, nil)), errDiffers)
	require.EqualError(t, compareEncoding([]byte{1, 2}, encode([]byte{1, 3}, nil)), "re-encoding changes the bytes: 0x03 instead of 0x02 at offset 1")
	require.EqualError(t, compareEncoding([]byte{1, 2}, encode([]byte{1}, nil)), "re-encoding changes the bytes: 1 byte instead of 2")
	require.ErrorIs(t, compareEncoding(nil, encode(nil, io.EOF)), io.EOF)
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
	require.Contains(t, newStyle(true).bad.Sprint("x"), "\x1b[31m")
	require.Equal(t, "x", newStyle(false).bad.Sprint("x"))
	before := color.NoColor
	color.NoColor = true
	defer func() { color.NoColor = before }()
	require.Contains(t, newStyle(true).bad.Sprint("x"), "\x1b[31m", "the default of the colour library has no effect")
}

func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	first := &Datagram{Client: "first", Dir: recording.ToServer}
	kept := &Datagram{Client: "kept", Dir: recording.ToServer}
	a, b := s.find(first), s.find(kept)
	for i := range 2 * maxSessions {
		s.find(&Datagram{Client: fmt.Sprint(i), Dir: recording.ToServer})
		require.Same(t, b, s.find(kept))
	}
	require.LessOrEqual(t, len(s.open), maxSessions)
	require.NotSame(t, a, s.find(first))
	for i := range 2 * maxServers {
		s.find(&Datagram{Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1), Data: []byte{1, 0}})
	}
	require.LessOrEqual(t, len(s.servers), maxServers)
}

// A session that replaces another one takes little longer than the first sessions.
func TestSessionsTime(t *testing.T) {
	sessions := func(most int) func() {
		s, i := &sessions{}, 0
		return func() {
			if i++; i%most == 0 {
				s = &sessions{}
			}
			s.find(&Datagram{Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1), Dir: recording.ToServer})
		}
	}
	testdata.CheckRatio(t, 2, sessions(1<<30), sessions(maxSessions))
}

// A clone forgets the same sessions as its original.
func TestSessionsOfClone(t *testing.T) {
	var s sessions
	for i := range maxSessions {
		s.find(&Datagram{Client: fmt.Sprint(i), Dir: recording.ToServer})
	}
	s.find(&Datagram{Client: "0", Dir: recording.ToServer})
	clone := s.clone()
	clone.find(&Datagram{Client: "new", Dir: recording.ToServer})
	require.Len(t, clone.open, maxSessions)
	require.NotContains(t, clone.open, flow{client: "1"})
	require.Contains(t, clone.open, flow{client: "0"})
	require.Contains(t, s.open, flow{client: "1"})
}

func TestGameSpyDirectionOfCaptures(t *testing.T) {
	server := netip.MustParseAddrPort("10.0.0.1:30000")
	player := netip.MustParseAddrPort("10.0.0.2:50000")
	stock := netip.MustParseAddrPort("10.0.0.3:22101")
	var s sessions
	s.find(&Datagram{Src: server, Dst: player, Data: []byte{1, 0}})
	for _, c := range []struct {
		src, dst netip.AddrPort
		want     recording.Direction
	}{{server, player, recording.ToClient}, {player, server, recording.ToServer}, {stock, player, recording.ToClient}, {player, stock, recording.ToServer}} {
		d := &Datagram{Src: c.src, Dst: c.dst, Data: []byte(`\x\`)}
		s.find(d)
		require.Equal(t, c.want, d.Dir)
		require.Equal(t, player.String(), d.Client)
	}
}

// The note of a Datagram is printed, and counted by -check.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		want string
		out  func(io.Writer) Output
	}{
		{`Text="x"  (dropped)`, func(w io.Writer) Output { return NewLines(w, false, false) }},
		{"[0] ChatMessage  (dropped)", func(w io.Writer) Output { return NewBytes(w, false) }},
		{`"note":"dropped"`, NewJSON},
		{"1  dropped, first in packet 7", NewCheck},
	} {
		var b bytes.Buffer
		var d Decoder
		out := c.out(&b)
		dg := &Datagram{Number: 7, Data: encrypted(pack(t, 2, transport.NewUnreliable(chat("x")))), Note: "dropped"}
		require.NoError(t, out.Packet(d.Decode(dg)))
		require.NoError(t, out.Finish(d.Pending()))
		require.Contains(t, b.String(), c.want)
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

// brokenPipe is an output whose reader has closed it.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteErrorsAreReturned(t *testing.T) {
	for i, out := range []Output{NewLines(brokenPipe{}, false, false), NewBytes(brokenPipe{}, false), NewJSON(brokenPipe{}), NewCheck(brokenPipe{}), NewStats(brokenPipe{})} {
		var d Decoder
		err := out.Packet(d.Decode(&Datagram{Number: 1, Data: []byte{2, 0}}))
		if i >= 3 { // these print at the end
			require.NoError(t, err)
			err = out.Finish(0)
		}
		require.ErrorIs(t, err, io.ErrClosedPipe)
	}
}
