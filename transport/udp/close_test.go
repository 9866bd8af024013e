package udp_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Close tells the host, waits for its answer, and ends every method.
func TestClose(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var ends []transport.EndReason
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			event := h.Event
			h.Event = func(now time.Time, e transport.Event) {
				if event(now, e); e.Kind == transport.EventEnded {
					ends = append(ends, e.End)
				}
			}
			return h
		})
		ann := n.dial(t, annAddr)
		require.NoError(t, ann.SendPayload([]byte("unread"), reliable))
		time.Sleep(time.Second)
		waiting := make(chan error)
		bob := n.dial(t, bobAddr)
		go func() {
			_, err := bob.Receive(context.Background())
			waiting <- err
		}()
		synctest.Wait()
		for _, c := range []*udp.Conn{ann, bob} {
			begin := time.Now()
			require.NoError(t, c.Close())
			require.InDelta(t, 0.09, time.Since(begin).Seconds(), 0.02) // a round trip, and a tick of the host
			require.ErrorIs(t, c.Err(), net.ErrClosed)
			require.ErrorIs(t, c.SendPayload([]byte("x"), reliable), net.ErrClosed)
			require.ErrorIs(t, c.Send(&opcode.NewPlayerInGame{}), net.ErrClosed)
			require.ErrorIs(t, c.SendSystem(&transport.NameChange{}), net.ErrClosed)
			_, err := c.Receive(t.Context())
			require.ErrorIs(t, err, net.ErrClosed)
		}
		require.ErrorIs(t, <-waiting, net.ErrClosed)
		_, err := s.stop()
		require.NoError(t, err)
		require.Equal(t, []transport.EndReason{transport.EndLeft, transport.EndLeft}, ends)
		require.EqualValues(t, 2, ann.PeerID()) // remains
	})
}

func TestCloseTwice(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { ann.Close() })
		}
		group.Wait()
		require.NoError(t, ann.Close())
		require.ErrorIs(t, ann.Err(), net.ErrClosed)
	})
}

func TestCloseInLoop(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		for range 3 {
			require.NoError(t, ann.SendPayload([]byte{0x2A, 0x20}, reliable))
		}
		var all []string
		for m, err := range ann.Messages(t.Context()) {
			all = append(all, fmt.Sprintf("%T %v", m, err))
			require.NoError(t, ann.Close())
		}
		require.Equal(t, []string{"*opcode.NewPlayerInGame <nil>", "<nil> use of closed network connection"}, all)
	})
}

// A quiet client and a quiet host tell each other that they leave, even if CloseTimeout is
// shorter than the time since the last datagram.
func TestCloseWhenQuiet(t *testing.T) {
	quiet := transport.Options{CloseTimeout: time.Second, KeepAlive: time.Hour, PeerTimeout: 3 * time.Hour}
	for _, hostFirst := range []bool{true, false} {
		bubble(t, func(t *testing.T, n *network) {
			var loop udp.Loop
			var left []transport.EndReason
			hub, host := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quiet}), n.listen(t, hostAddr)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				done <- udp.Serve(ctx, host, hub, udp.Handler{Loop: &loop, Event: func(_ time.Time, e transport.Event) {
					switch e.Kind {
					case transport.EventConnect:
						_, _ = hub.Accept(e)
					case transport.EventEnded:
						left = append(left, e.End)
					}
				}})
			}()
			ann := n.dial(t, annAddr, udp.Options{Session: quiet})
			time.Sleep(time.Minute)
			if hostFirst {
				require.NoError(t, loop.Do(t.Context(), func() {
					for s := range hub.Sessions() {
						s.Close()
					}
				}))
				_, err := requireEnd(t, ann)
				require.ErrorIs(t, err, join.ErrLeft)
			}
			require.NoError(t, ann.Close())
			cancel()
			require.NoError(t, <-done)
			require.Equal(t, []transport.EndReason{map[bool]transport.EndReason{true: transport.EndClosed, false: transport.EndLeft}[hostFirst]}, left)
		})
	}
}

// A host that does not answer delays Close by CloseTimeout. A port that is closed does not.
func TestCloseSilentHost(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{0: 5 * time.Second, time.Second: time.Second} {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			ann := n.dial(t, annAddr, udp.Options{Session: transport.Options{CloseTimeout: timeout}})
			n.fault(everything)
			begin := time.Now()
			require.NoError(t, ann.Close())
			requireTook(t, want, time.Since(begin))
		})
	}
	bubble(t, func(t *testing.T, n *network) { // and the client has been quiet, too
		n.serve(t, echo)
		ann := n.dial(t, annAddr, udp.Options{Session: transport.Options{KeepAlive: time.Hour, PeerTimeout: time.Hour}})
		time.Sleep(10 * time.Second)
		n.fault(everything)
		begin := time.Now()
		require.NoError(t, ann.Close())
		requireTook(t, 5*time.Second, time.Since(begin))
	})
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		n.fault(everything)
		begin := time.Now()
		time.AfterFunc(n.delay, func() { n.at(annAddr).failReads(udp.PortClosed) })
		require.NoError(t, ann.Close())
		requireTook(t, n.delay, time.Since(begin))
		require.ErrorIs(t, ann.Err(), net.ErrClosed)
	})
}

// Both sides close completely on a network that loses datagrams.
func TestGracefulClose(t *testing.T) {
	for _, hostFirst := range []bool{true, false} {
		bubble(t, func(t *testing.T, n *network) {
			n.loss = 0.3
			var left []transport.EndReason
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				return udp.Handler{Event: func(_ time.Time, e transport.Event) {
					switch e.Kind {
					case transport.EventConnect:
						_, _ = hub.Accept(e)
					case transport.EventEnded:
						left = append(left, e.End)
					}
				}}.CloseIn(time.Minute)
			})
			ann := n.dial(t, annAddr, udp.Options{Session: transport.Options{CloseTimeout: time.Minute}})
			time.Sleep(time.Minute) // the client uses its peer ID
			if hostFirst {
				_, err := s.stop()
				require.NoError(t, err)
				_, err = requireEnd(t, ann)
				require.ErrorIs(t, err, join.ErrLeft)
				require.Equal(t, []transport.EndReason{transport.EndClosed}, left)
				return
			}
			require.NoError(t, ann.Close())
			time.Sleep(time.Minute)
			_, err := s.stop()
			require.NoError(t, err)
			require.Equal(t, []transport.EndReason{transport.EndLeft}, left)
		})
	}
}

// The program learns why its Conn has ended, and Send returns the reason, too.
func TestEnds(t *testing.T) {
	fragment := func(index, total uint8) transport.Message {
		return transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, FragIndex: index, FragTotal: total, Body: []byte("x")}
	}
	acks := func(d []byte) [][]byte { // accepts, and keeps the client alive without acknowledging anything
		if objectid.PeerID(int8(d[0])) == objectid.NoPeer {
			return accepting()(d)
		}
		return [][]byte{wire(objectid.Host)}
	}
	for _, row := range []struct {
		name  string
		reply func([]byte) [][]byte
		want  error
		end   transport.EndReason
		took  time.Duration
	}{
		{"silent host", accepting(), join.ErrTimeout, transport.EndTimeout, 45 * time.Second},
		{"nothing is acknowledged", acks, join.ErrTimeout, transport.EndUnacknowledged, 360 * time.Second},
		{"fragments that contradict each other", accepting(wire(1, fragment(0, 2), fragment(0, 3))), join.ErrProtocol, transport.EndBadFragment, 0},
		{"fragments that are not completed", accepting(wire(1, fragment(0, 2))), join.ErrProtocol, transport.EndFragmentAge, 360 * time.Second},
		{"Disconnect of the host", accepting(wire(1, transport.NewMessage(1, &transport.Disconnect{PeerID: 1}))), join.ErrLeft, transport.EndLeft, 0},
		{"Disconnect of OpenBC", accepting(enciphered([]byte{1, 1, 6, 2})), join.ErrLeft, transport.EndLeft, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				n.host(t, row.reply)
				var o transport.Options
				if row.end == transport.EndFragmentAge { // other timeouts end the session before
					o.PeerTimeout, o.SendTimeout = time.Hour, time.Hour
				}
				ann := n.dial(t, annAddr, udp.Options{Session: o})
				_ = ann.SendPayload([]byte("hello"), reliable) // unless the host has ended the session at once
				took, err := requireEnd(t, ann)
				require.ErrorIs(t, err, row.want)
				require.Equal(t, row.want == join.ErrTimeout, err.(net.Error).Timeout())
				text := row.want.Error()
				if row.want == join.ErrProtocol {
					text += fmt.Sprintf(": %v", row.end)
				}
				require.Equal(t, "read udp 10.0.0.1:22101: "+text, err.Error())
				require.InDelta(t, row.took.Seconds(), took.Seconds(), 0.1)
				require.Equal(t, err, ann.SendPayload([]byte("x"), reliable))
				require.NoError(t, ann.Close())
				require.Equal(t, err, ann.Err()) // the first reason counts
				requireClosed(t, n.at(annAddr))
			})
		})
	}
}
