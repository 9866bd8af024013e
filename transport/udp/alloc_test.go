package udp_test

import (
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// With reused memory, Serve allocates nothing for a datagram: neither for payloads, nor for the
// Acks and the retransmissions that it sends, nor for ticks and expired deadlines.
func TestServeAllocatesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, _ *network) {
		const warm, rounds = 2000, 10000
		var before, after runtime.MemStats
		client := &player{remote: addrOf(annAddr)}
		client.next = func(i int) []byte {
			switch i {
			case 0:
				return wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 1}))
			case 1:
				var acks []transport.Message
				for seq := range uint16(5) {
					acks = append(acks, transport.NewMessage(0, &transport.Ack{Seq: 0xC240 + seq})) // of the probes with the lowest random numbers
				}
				return wire(2, acks...)
			case warm:
				runtime.ReadMemStats(&before)
			case warm + rounds:
				runtime.ReadMemStats(&after)
				return nil
			}
			return client.payload(uint16(i - 2))
		}
		hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
		payloads, ticks := 0, 0
		err := udp.Serve(t.Context(), client, hub, udp.Handler{
			Tick: func(time.Time) { ticks++ },
			Event: func(_ time.Time, e transport.Event) {
				switch e.Kind {
				case transport.EventConnect:
					_, _ = hub.Accept(e)
				case transport.EventPayload:
					payloads++
				}
			},
			Loop: &udp.Loop{},
		})
		require.ErrorIs(t, err, net.ErrClosed)
		require.Equal(t, warm+rounds-2, payloads)
		require.Greater(t, ticks, 100)
		require.Greater(t, client.writes, 200)
		require.Less(t, after.Mallocs-before.Mallocs, uint64(rounds/100))
	})
}

// player is the socket of a server with a client that sends a datagram every millisecond.
type player struct {
	remote netip.AddrPort
	next   func(i int) []byte // the datagrams; nil: the socket is closed

	packet transport.Packet
	buf    []byte
	reads  int
	writes int
}

// payload returns a datagram with a payload. The next call overwrites it.
func (p *player) payload(seq uint16) []byte {
	p.packet.PeerID = 2
	p.packet.Messages = append(p.packet.Messages[:0], transport.NewData(seq, p.text()))
	p.buf, _ = p.packet.AppendBinary(p.buf[:0])
	cipher.Encrypt(p.buf)
	return p.buf
}

func (p *player) text() []byte { return playerText[:] }

var playerText = [...]byte{0x2A, 0x20}

func (p *player) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	time.Sleep(time.Millisecond)
	d := p.next(p.reads)
	p.reads++
	if d == nil {
		return 0, netip.AddrPort{}, net.ErrClosed
	}
	return copy(b, d), p.remote, nil
}

func (p *player) WriteToUDPAddrPort(b []byte, _ netip.AddrPort) (int, error) {
	p.writes++
	return len(b), nil
}

func (p *player) SetReadDeadline(time.Time) error { return nil }
