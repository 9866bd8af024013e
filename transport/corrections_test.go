package transport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about statements of older documents; see opcode/CORRECTIONS.md.

// The engine has a reader for the types 0x00 to 0x05 and 0x32 only. A message of another type,
// such as APP_START of the scripts, ends the datagram.
func TestTypesOfTheEngine(t *testing.T) {
	for typ := range 256 {
		known := typ <= 0x05 || typ == 0x32
		wire := []byte{1, 1, byte(typ), 0x05, 0xC0, 0, 0}
		for m, err := range transport.Messages(wire) {
			if known {
				require.NotErrorIs(t, err, transport.ErrUnknownType, "%v", m.Type)
				require.NotContains(t, transport.Type(typ).String(), "0x")
			} else {
				require.ErrorIs(t, err, transport.ErrUnknownType, "%v", typ)
				require.Contains(t, transport.Type(typ).String(), "0x")
			}
			break
		}
	}
}

// OpenBC's server acknowledges game messages with the flags 0x00 and system messages with 0x02, as
// the stock game does. These Acks do not show that a peer is OpenBC; the Acks of its client do.
func TestAcksOfOpenBCServer(t *testing.T) {
	for _, v := range []struct {
		wire   string
		ack    transport.Ack
		openBC bool
	}{
		{"01 00 00 00", transport.Ack{}, false},
		{"01 01 00 02", transport.Ack{Seq: 1, Flags: transport.AckSystem}, false},
		{"01 00 00 01 00", transport.Ack{Flags: transport.AckFragment}, false},
		{"01 00 00 80", transport.Ack{Flags: 0x80}, true},
	} {
		p := requireErrors(t, from(1, v.wire), nil)
		require.Equal(t, transport.NewMessage(0, &v.ack), p.Messages[0], "the stock form")
		s := openClient(t, transport.Options{})
		s.Queue(reliable, "x")
		require.NoError(t, s.SendSystem(nameChange(2, "me")))
		s.Sent(after(2 * tick))
		s.Receive(after(3*tick), v.wire)
		require.Equal(t, v.openBC, s.OpenBC(), v.wire)
	}
}

// A silent peer is dropped after 45 s, not after 30, with the timers of the stock game and by
// default.
func TestSilentPeerIsDroppedAfter45Seconds(t *testing.T) {
	for _, o := range []transport.Options{{}, transport.StockOptions()} {
		s := openHost(t, o)
		for second := 1; second < 45; second++ {
			s.Sent(after(time.Duration(second) * time.Second))
			require.Empty(t, s.Events())
		}
		s.Sent(after(45 * time.Second))
		require.Equal(t, []string{"ended timed out"}, s.Events())
	}
}
