package udp_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A Handler that blocks delays the clients, and loses them after PeerTimeout.
func TestServeHandlerBlocks(t *testing.T) {
	for _, row := range []struct {
		block time.Duration
		want  error
	}{{40 * time.Second, nil}, {50 * time.Second, join.ErrTimeout}} {
		bubble(t, func(t *testing.T, n *network) {
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				h := echo(hub)
				event := h.Event
				h.Event = func(now time.Time, e transport.Event) {
					if event(now, e); string(e.Payload) == "block" {
						time.Sleep(row.block)
					}
				}
				return h
			})
			ann, bob := n.dial(t, annAddr), n.dial(t, bobAddr)
			time.Sleep(time.Second)
			require.NoError(t, ann.SendPayload([]byte("block"), reliable))
			time.Sleep(row.block + time.Second)
			for _, c := range []*udp.Conn{ann, bob} {
				require.ErrorIs(t, c.Err(), row.want)
				if row.want == nil {
					require.NoError(t, c.SendPayload([]byte("alive"), reliable))
				}
			}
			time.Sleep(time.Minute) // the sessions are over, or alive
			requireEcho(t, n.dial(t, "10.0.1.3:1"), "the server is alive")
			_, err := s.stop()
			require.NoError(t, err)
		})
	}
}

// A Tick that blocks does not make the messages that it sends look old.
func TestServeTickBlocks(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		blocked := false
		n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			h.Tick = func(time.Time) {
				for s := range hub.Sessions() {
					if !blocked {
						blocked = true
						_ = s.Send([]byte("late"), reliable)
						time.Sleep(30 * time.Second) // more than an unproven client has to acknowledge it
					}
				}
			}
			return h
		})
		ann := n.dial(t, annAddr)
		time.Sleep(32 * time.Second)
		require.Equal(t, "late", receive(t, ann))
		requireEcho(t, ann, "hello")
	})
}

// A panic of a Handler leaves Serve. The socket stays open and has no deadline.
func TestServeHandlerPanics(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		conn, hub, loop := n.listen(t, hostAddr), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs}), &udp.Loop{}
		h := echo(hub)
		event := h.Event
		h.Loop, h.Tick = loop, func(time.Time) {}
		h.Event = func(now time.Time, e transport.Event) {
			if event(now, e); e.Kind == transport.EventPayload {
				panic(string(e.Payload))
			}
		}
		result := make(chan any)
		go func() {
			defer func() { result <- recover() }()
			_ = udp.Serve(context.Background(), conn, hub, h)
		}()
		ann := n.dial(t, annAddr)
		require.NoError(t, ann.SendPayload([]byte("oops"), reliable))
		require.Equal(t, "oops", <-result)
		deadline, _, closed := conn.state()
		require.Zero(t, deadline)
		require.False(t, closed)
		require.Equal(t, udp.ErrEnded, loop.Do(context.Background(), func() {}))
		_, err := requireEnd(t, ann)
		require.ErrorIs(t, err, join.ErrTimeout) // nobody has told it
	})
}

// Serve continues after failed reads, up to a limit. A datagram or a write resets the count.
func TestServeReadErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		errs []error
		want error
	}{
		{"9 unknown errors", slices.Repeat([]error{errOdd}, 9), nil},
		{"10 unknown errors", slices.Repeat([]error{errOdd}, 10), errOdd},
		{"999 transient errors", slices.Repeat([]error{udp.PortClosed}, 999), nil},
		{"1000 transient errors", slices.Repeat([]error{udp.PortClosed}, 1000), udp.PortClosed},
		{"an unknown error after transient ones", append(slices.Repeat([]error{udp.PortClosed}, 500), errOdd), nil},
		{"transient errors between unknown ones", slices.Repeat([]error{errOdd, udp.PortClosed}, 10), errOdd},
		{"a closed socket", []error{&net.OpError{Op: "read", Err: net.ErrClosed}}, net.ErrClosed},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				s := n.serve(t, echo)
				if row.want != nil {
					s.conn.failReads(row.errs...)
					require.ErrorIs(t, <-s.done, row.want)
					return
				}
				for range 3 {
					s.conn.failReads(row.errs...)
					_, err := n.listen(t, bobAddr).WriteToUDPAddrPort(nil, addrOf(hostAddr))
					require.NoError(t, err)
					time.Sleep(time.Second)
				}
				s.conn.failReads(row.errs[1:]...)
				requireEcho(t, n.dial(t, annAddr), "hello")
				_, err := s.stop()
				require.NoError(t, err)
			})
		})
	}
	bubble(t, func(t *testing.T, n *network) { // each write could make a read fail
		s := n.serve(t, echo)
		ann := n.dial(t, annAddr)
		for range 10 {
			s.conn.failReads(slices.Repeat([]error{errOdd}, 5)...)
			time.Sleep(6 * time.Second) // a keepalive
		}
		requireEcho(t, ann, "hello")
	})
}

// A server that cannot write continues.
func TestServeWriteErrors(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, echo)
		ann := n.dial(t, annAddr)
		s.conn.failWrites(errOdd)
		require.NoError(t, ann.SendPayload([]byte("hello"), reliable))
		time.Sleep(10 * time.Second)
		s.conn.failWrites(nil)
		require.Equal(t, "hello", receive(t, ann))
	})
}

// noDeadline is a socket whose deadline cannot be set.
type noDeadline struct{ *simConn }

func (noDeadline) SetReadDeadline(time.Time) error { return errOdd }

func TestServeWithoutDeadline(t *testing.T) {
	conn := noDeadline{newNetwork().listen(t, hostAddr)}
	require.Equal(t, errOdd, udp.Serve(t.Context(), conn, &transport.Hub{}, udp.Handler{}))
	_, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn})
	require.ErrorIs(t, err, errOdd)
}
