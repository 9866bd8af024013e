package udp_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A Handler without functions ignores clients and GameSpy text.
func TestServeNothing(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, func(*transport.Hub) udp.Handler { return udp.Handler{} })
		ann, browser := n.listen(t, annAddr), n.listen(t, bobAddr)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := browser.WriteToUDPAddrPort([]byte(`\status\`), addrOf(hostAddr))
		require.NoError(t, err)
		_, err = udp.Dial(ctx, hostAddr, udp.Options{Conn: ann})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		took, err := s.stop()
		require.NoError(t, err)
		require.Zero(t, took)
		require.Zero(t, s.conn.writes())
	})
	var hub transport.Hub // a zero Hub, and a context that has ended
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, udp.Serve(ctx, newNetwork().listen(t, hostAddr), &hub, udp.Handler{}))
}

// GameSpy text is not enciphered, in both directions.
func TestServeQuery(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			h.Query = func(_ time.Time, from netip.AddrPort, text []byte) [][]byte {
				return [][]byte{[]byte(from.String()), []byte(strings.ToUpper(string(text)))}
			}
			return h
		})
		browser := n.listen(t, bobAddr)
		_, err := browser.WriteToUDPAddrPort([]byte(`\status\`), addrOf(hostAddr))
		require.NoError(t, err)
		for _, want := range []string{bobAddr, `\STATUS\`} {
			buf := make([]byte, 100)
			size, from, err := browser.ReadFromUDPAddrPort(buf)
			require.NoError(t, err)
			require.Equal(t, hostAddr, from.String())
			require.Equal(t, want, string(buf[:size]))
		}
		ann := n.dial(t, annAddr)
		requireEcho(t, ann, "hello")
		_, err = s.conn.WriteToUDPAddrPort([]byte(`\status\`), addrOf(annAddr)) // the client ignores it
		require.NoError(t, err)
		requireEcho(t, ann, "hello again")
	})
}

// Tick is called every Interval, also if datagrams arrive all the time or none do.
func TestServeTick(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{
		0: 100 * time.Millisecond, 30 * time.Millisecond: 30 * time.Millisecond, time.Minute: time.Minute,
	} {
		bubble(t, func(t *testing.T, n *network) {
			var ticks []time.Time
			begin := time.Now()
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				h := echo(hub)
				h.Interval = interval
				h.Tick = func(now time.Time) { ticks = append(ticks, now) }
				return h
			})
			time.Sleep(10 * want)
			requireEcho(t, n.dial(t, annAddr), "hello")
			time.Sleep(10 * want)
			_, err := s.stop()
			require.NoError(t, err)
			for i, at := range ticks[:10] {
				require.Equal(t, begin.Add(time.Duration(i+1)*want), at)
			}
			require.InDelta(t, 21, len(ticks), 2)
		})
	}
}

// A Tick that takes longer than its Interval leaves time for the clients.
func TestServeSlowTick(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		ticks := 0
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			h.Interval = 100 * time.Millisecond
			h.Tick = func(time.Time) {
				ticks++
				time.Sleep(time.Second)
			}
			return h
		})
		ann := n.dial(t, annAddr)
		for range 5 {
			requireEcho(t, ann, "hello")
		}
		_, err := s.stop()
		require.NoError(t, err)
		require.Less(t, ticks, 20)
	})
}

// Datagrams of any length are received, and malformed ones are dropped.
func TestServeLengths(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, echo)
		ann := n.dial(t, annAddr)
		unknownAddr := n.listen(t, bobAddr)
		for _, size := range []int{0, 1, 2, 3, 512, 2048, 2049, 65507, 65536, 70000} {
			_, err := unknownAddr.WriteToUDPAddrPort(make([]byte, size), addrOf(hostAddr))
			require.NoError(t, err)
			_, err = s.conn.WriteToUDPAddrPort(make([]byte, size), addrOf(annAddr))
			require.NoError(t, err)
			requireEcho(t, ann, "hello")
		}
		// A message that fills the longest datagram of UDP.
		messages := []transport.Message{}
		sizes := append(slices.Repeat([]int{8188}, 7), 8165)
		for _, size := range sizes {
			messages = append(messages, transport.NewUnreliable(make([]byte, size)))
		}
		d := wire(ann.PeerID(), messages...)
		require.Len(t, d, 65507)
		n.send(addrOf(annAddr), addrOf(hostAddr), d)
		for _, size := range sizes {
			require.Len(t, receive(t, ann), size)
		}
	})
}

// Sends that take longer than the time until the next deadline do not keep a server from its
// clients.
func TestServeReadsWhenOverloaded(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var heard []time.Time
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			return udp.Handler{Event: func(now time.Time, e transport.Event) {
				switch e.Kind {
				case transport.EventConnect:
					_, _ = hub.Accept(e)
				case transport.EventConnected:
					for range 400 {
						_ = e.Session.Send(make([]byte, 400), unreliable)
					}
				case transport.EventPayload:
					heard = append(heard, now)
				}
			}}
		})
		s.conn.change(func() { s.conn.writeTime = 10 * time.Millisecond })
		var all []*udp.Conn
		for i := range 20 {
			all = append(all, n.dial(t, fmt.Sprintf("10.0.1.%d:1", i+1)))
		}
		begin := time.Now() // 20 clients times 400 datagrams times 10 ms are 80 s
		for _, c := range all {
			require.NoError(t, c.SendPayload([]byte("hello"), unreliable))
		}
		time.Sleep(10 * time.Second)
		_, err := s.stop()
		require.NoError(t, err)
		require.Len(t, heard, len(all))
		for _, at := range heard {
			require.Less(t, at.Sub(begin), 5*time.Second)
		}
	})
}
