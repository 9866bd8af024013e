package udp_test

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// withLoop is an echo server with a Loop.
func withLoop(loop *udp.Loop) func(*transport.Hub) udp.Handler {
	return func(hub *transport.Hub) udp.Handler {
		h := echo(hub)
		h.Loop = loop
		return h
	}
}

// Do reaches the Hub at once, although Serve waits for a datagram.
func TestLoop(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		s := n.serve(t, withLoop(&loop))
		ann := n.dial(t, annAddr)
		time.Sleep(time.Second)
		begin, sessions := time.Now(), 0
		require.NoError(t, loop.Do(t.Context(), func() {
			for session := range s.hub.Sessions() {
				sessions++
				_ = session.Send([]byte("from another goroutine"), reliable)
			}
		}))
		require.Equal(t, 1, sessions)
		require.Equal(t, "from another goroutine", receive(t, ann))
		require.Equal(t, n.delay, time.Since(begin))
		require.NoError(t, ann.Close())
		time.Sleep(time.Minute) // until the session has gone
		before := s.conn.expirations()
		require.NoError(t, loop.Do(t.Context(), func() {}))
		time.Sleep(time.Hour)
		require.LessOrEqual(t, s.conn.expirations()-before, 3) // Serve sleeps again
	})
}

// Do fails after Serve. A later Serve takes over.
func TestLoopAfterServe(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		for range 2 {
			s := n.serve(t, withLoop(&loop))
			synctest.Wait()
			calls := 0
			require.NoError(t, loop.Do(t.Context(), func() { calls++ }))
			require.Equal(t, 1, calls)
			_, err := s.stop()
			require.NoError(t, err)
			require.Equal(t, udp.ErrEnded, loop.Do(t.Context(), func() { t.Error("runs") }))
		}
	})
}

// Calls before Serve run in their order when it begins.
func TestLoopWaitsForServe(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		var order []int
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() { _ = loop.Do(context.Background(), func() { order = append(order, i) }) })
			synctest.Wait()
		}
		s := n.serve(t, withLoop(&loop))
		group.Wait()
		_, err := s.stop()
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2, 3, 4}, order)
	})
}

// Calls that Serve has not run when it returns fail, also if it never began.
func TestLoopEnds(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		result := make(chan error)
		go func() { result <- loop.Do(context.Background(), func() { t.Error("runs") }) }()
		synctest.Wait()
		conn := noDeadline{n.listen(t, hostAddr)}
		require.Equal(t, errOdd, udp.Serve(t.Context(), conn, &transport.Hub{}, udp.Handler{Loop: &loop}))
		require.Equal(t, udp.ErrEnded, <-result)
	})
}

func TestLoopContext(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		never := func() { t.Error("runs") }
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.Equal(t, context.Canceled, loop.Do(ended, never))

		// The context ends while the call waits for Serve, or for another call.
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Equal(t, context.DeadlineExceeded, loop.Do(short, never))
		n.serve(t, withLoop(&loop))
		short, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		waiting := make(chan error)
		begin := time.Now()
		require.NoError(t, loop.Do(t.Context(), func() {
			go func() { waiting <- loop.Do(short, never) }()
			time.Sleep(2 * time.Second)
		}))
		require.Equal(t, context.DeadlineExceeded, <-waiting)

		// The context ends while the call runs.
		short, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, loop.Do(short, func() { time.Sleep(3 * time.Second) }))
		requireTook(t, 5*time.Second, time.Since(begin))
	})
}

// A call inside a call waits for itself until its context ends.
func TestLoopNested(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		n.serve(t, withLoop(&loop))
		require.NoError(t, loop.Do(t.Context(), func() {
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := loop.Do(short, func() {}); err != context.DeadlineExceeded {
				t.Error(err)
			}
		}))
		ann := n.dial(t, annAddr)
		requireEcho(t, ann, "hello")
	})
}

// A panic of a call leaves Serve, like the end of its goroutine.
func TestLoopPanics(t *testing.T) {
	for want, f := range map[any]func(){"oops": func() { panic("oops") }, nil: runtime.Goexit} {
		bubble(t, func(t *testing.T, n *network) {
			var loop udp.Loop
			conn := n.listen(t, hostAddr)
			result := make(chan any)
			go func() {
				defer func() { result <- recover() }()
				_ = udp.Serve(context.Background(), conn, &transport.Hub{}, udp.Handler{Loop: &loop})
			}()
			later := make(chan error)
			require.Equal(t, udp.ErrEnded, loop.Do(t.Context(), func() {
				go func() { later <- loop.Do(context.Background(), func() { t.Error("runs") }) }()
				time.Sleep(time.Millisecond)
				f()
			}))
			require.Equal(t, want, <-result)
			require.Equal(t, udp.ErrEnded, <-later)
			deadline, _, _ := conn.state()
			require.Zero(t, deadline)
		})
	}
}

// A call that queues itself again does not keep a server from its clients.
func TestLoopQueuesItself(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		defer group.Wait()
		defer cancel()
		n.serve(t, withLoop(&loop))
		calls := 0
		var call func()
		call = func() {
			if calls++; calls < 10000 {
				group.Go(func() { _ = loop.Do(ctx, call) })
				synctest.Wait() // until it is in the queue
			}
		}
		require.NoError(t, loop.Do(ctx, call))
		ann := n.dial(t, annAddr)
		requireEcho(t, ann, "hello")
		require.NoError(t, loop.Do(ctx, func() { require.Less(t, calls, 10000) }))
	})
}

// restless is a server's socket. Another goroutine calls Do before each read.
type restless struct {
	*simConn
	loop *udp.Loop
}

func (r restless) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	go func() { _ = r.loop.Do(context.Background(), func() {}) }()
	synctest.Wait() // for its call of SetReadDeadline
	return r.simConn.ReadFromUDPAddrPort(b)
}

// Goroutines that call Do all the time do not keep a server from its clients.
func TestLoopIsFair(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var loop udp.Loop
		hub, ticks := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs}), 0
		h := withLoop(&loop)(hub)
		h.Tick = func(time.Time) { ticks++ }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		conn := restless{n.listen(t, hostAddr), &loop}
		go func() { done <- udp.Serve(ctx, conn, hub, h) }()
		ann := n.dial(t, annAddr)
		begin := time.Now()
		for range 10 {
			requireEcho(t, ann, "hello")
		}
		took := time.Since(begin)
		require.NoError(t, ann.Close())
		cancel()
		require.NoError(t, <-done)
		require.Less(t, took, time.Second)
		require.InDelta(t, took/(100*time.Millisecond), ticks, 3)
	})
}
