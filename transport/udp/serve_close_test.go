package udp_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Serve waits until the clients have acknowledged their end, at most for CloseTimeout.
func TestServeCloses(t *testing.T) {
	for _, row := range []struct {
		timeout, want time.Duration
		silent        bool
	}{
		{0, 90 * time.Millisecond, false}, // a round trip, and a tick of the client
		{0, 2 * time.Second, true},
		{time.Second, time.Second, true},
		{time.Minute, 5 * time.Second, true}, // CloseTimeout of the sessions
	} {
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
				return h.CloseIn(row.timeout)
			})
			n.dial(t, annAddr)
			n.dial(t, bobAddr)
			time.Sleep(time.Second)
			if row.silent {
				n.fault(everything)
			}
			took, err := s.stop()
			require.NoError(t, err)
			requireTook(t, row.want, took)
			require.Equal(t, []transport.EndReason{transport.EndClosed, transport.EndClosed}, ends)
			deadline, _, closed := s.conn.state()
			require.Zero(t, deadline)
			require.False(t, closed)
		})
	}
}

// The last messages of Handler.Close arrive before the end. Nothing else begins meanwhile.
func TestServeLastMessages(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.loss = 0.2
		closed, later := false, 0
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			event := h.Event
			h = h.CloseIn(time.Minute)
			h.Tick = func(time.Time) { require.False(t, closed) }
			h.Event = func(now time.Time, e transport.Event) {
				if closed && e.Kind == transport.EventConnect {
					later++
				}
				event(now, e)
			}
			h.Close = func(time.Time) {
				closed = true
				for s := range hub.Sessions() {
					for i := range 20 {
						_ = s.Send(fmt.Append(nil, "bye ", i), reliable)
					}
				}
			}
			return h
		})
		ann := n.dial(t, annAddr)
		requireEcho(t, ann, "hello")
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_, _ = udp.Dial(ctx, hostAddr, udp.Options{Conn: n.listen(t, bobAddr)})
		}()
		s.cancel()
		for i := range 20 {
			require.Equal(t, fmt.Sprint("bye ", i), receive(t, ann))
		}
		_, err := requireEnd(t, ann)
		require.ErrorIs(t, err, join.ErrLeft)
		require.NoError(t, <-s.done)
		require.Zero(t, later)
	})
	bubble(t, func(t *testing.T, n *network) { // a client that does not acknowledge them
		var begin, end time.Time
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			event := h.Event
			h.Event = func(now time.Time, e transport.Event) {
				if event(now, e); e.Kind == transport.EventEnded {
					end = time.Now()
				}
			}
			h.Close = func(time.Time) {
				begin = time.Now()
				for s := range hub.Sessions() {
					_ = s.Send([]byte("bye"), reliable)
				}
			}
			return h
		})
		n.dial(t, annAddr)
		time.Sleep(time.Second)
		n.fault(everything)
		took, err := s.stop()
		require.NoError(t, err)
		requireTook(t, time.Second, end.Sub(begin))
		requireTook(t, 2*time.Second, took)
	})
}

// The socket may break while Serve closes.
func TestServeBreaksWhileClosing(t *testing.T) {
	for _, last := range []bool{true, false} {
		bubble(t, func(t *testing.T, n *network) {
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				h := echo(hub)
				if last {
					h.Close = func(time.Time) {
						for s := range hub.Sessions() {
							_ = s.Send([]byte("bye"), reliable)
						}
					}
				}
				return h
			})
			n.dial(t, annAddr)
			time.Sleep(time.Second)
			n.fault(everything)
			time.AfterFunc(500*time.Millisecond, func() { s.conn.Close() })
			took, err := s.stop()
			require.ErrorIs(t, err, net.ErrClosed)
			requireTook(t, 500*time.Millisecond, took)
		})
	}
}

// A program that accepts a client while Serve closes does not delay it.
func TestServeAcceptsWhileClosing(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		loop := &udp.Loop{}
		connects := make(chan transport.Event, 10)
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			return udp.Handler{Loop: loop, Event: func(_ time.Time, e transport.Event) {
				if e.Kind == transport.EventConnect {
					e.Body = &transport.ConnectRequest{ConnID: e.Body.(*transport.ConnectRequest).ConnID}
					connects <- e
				}
			}}
		})
		require.NoError(t, loop.Do(t.Context(), func() {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				_, _ = udp.Dial(ctx, hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
			}()
		}))
		connect := <-connects
		require.NoError(t, loop.Do(t.Context(), func() {
			s.cancel() // Serve closes when the function has returned
			go func() { _ = loop.Do(context.Background(), func() { _, _ = s.hub.Accept(connect) }) }()
			time.Sleep(time.Millisecond)
		}))
		begin := time.Now()
		require.NoError(t, <-s.done)
		require.Less(t, time.Since(begin), time.Second)
		require.Zero(t, s.hub.Len())
	})
}
