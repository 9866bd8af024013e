package udp_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// listen returns a socket on loopback.
func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// serveSocket runs an echo server on loopback. It returns its address, and a function that ends
// it and returns the result.
func serveSocket(t *testing.T, conn *net.UDPConn, hub *transport.Hub, h udp.Handler) (addr string, stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- udp.Serve(ctx, conn, hub, h) }()
	return conn.LocalAddr().String(), func() error {
		cancel()
		return <-done
	}
}

func dialSocket(t *testing.T, addr string, o udp.Options) *udp.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := udp.Dial(ctx, addr, o)
	require.NoError(t, err)
	return conn
}

// quick has timers that are short enough for a test.
var quick = transport.Options{Tick: time.Millisecond}

// No program has the port.
func TestSocketClosedPort(t *testing.T) {
	conn := listen(t)
	require.NoError(t, conn.Close())
	_, err := udp.Dial(t.Context(), conn.LocalAddr().String(), udp.Options{})
	require.ErrorIs(t, err, udp.PortClosed)
	require.True(t, udp.IsTransient(err))
}

// The server stops without a message, and then the client leaves.
func TestSocketServerVanishes(t *testing.T) {
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quick})
	done := make(chan error, 1)
	go func() { done <- udp.Serve(t.Context(), conn, hub, echo(hub)) }()
	ann := dialSocket(t, conn.LocalAddr().String(), udp.Options{Session: transport.Options{Tick: time.Millisecond, CloseTimeout: time.Hour}})
	require.NoError(t, conn.Close())
	require.ErrorIs(t, <-done, net.ErrClosed)
	require.NoError(t, ann.Close()) // before CloseTimeout
}

// The program closes the socket under Serve, which waits for a datagram.
func TestSocketClosed(t *testing.T) {
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
	time.AfterFunc(20*time.Millisecond, func() { conn.Close() })
	require.ErrorIs(t, udp.Serve(t.Context(), conn, hub, echo(hub)), net.ErrClosed)
	require.ErrorIs(t, udp.Serve(t.Context(), conn, hub, udp.Handler{}), net.ErrClosed)
}

// Serve leaves the socket to its owner, without a deadline.
func TestSocketAfterServe(t *testing.T) {
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
	require.NoError(t, conn.SetReadDeadline(time.Unix(1, 0))) // of an earlier use
	addr, stop := serveSocket(t, conn, hub, echo(hub))
	ann := dialSocket(t, addr, udp.Options{Session: quick})
	require.NoError(t, ann.Close())
	require.NoError(t, stop())
	_, err := conn.WriteTo([]byte("hello"), conn.LocalAddr())
	require.NoError(t, err)
	buf := make([]byte, 10)
	n, _, err := conn.ReadFromUDPAddrPort(buf)
	require.NoError(t, err)
	require.Equal(t, "hello", string(buf[:n]))
}

// Serve and Dial return an error for a connected socket, because it cannot send to an address.
func TestSocketConnected(t *testing.T) {
	conn, err := net.DialUDP("udp4", nil, listen(t).LocalAddr().(*net.UDPAddr))
	require.NoError(t, err)
	defer conn.Close()
	var loop udp.Loop
	waiting := make(chan error)
	go func() { waiting <- loop.Do(context.Background(), func() {}) }()
	require.ErrorIs(t, udp.Serve(t.Context(), conn, &transport.Hub{}, udp.Handler{Loop: &loop}), net.ErrWriteToConnected)
	require.Equal(t, udp.ErrEnded, <-waiting)
	_, err = udp.Dial(t.Context(), conn.RemoteAddr().String(), udp.Options{Conn: conn})
	require.ErrorIs(t, err, net.ErrWriteToConnected)
	require.ErrorIs(t, conn.Close(), net.ErrClosed) // Dial has closed it
}

// A client can be given a socket. It tells the host its own address.
func TestSocketGiven(t *testing.T) {
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quick})
	var ips [][4]byte
	h := echo(hub)
	event := h.Event
	h.Event = func(now time.Time, e transport.Event) {
		if body, ok := e.Body.(*transport.ConnectRequest); ok {
			ips = append(ips, body.LocalIP)
		}
		event(now, e)
	}
	_, stop := serveSocket(t, conn, hub, h)
	addr := fmt.Sprint("localhost:", conn.LocalAddr().(*net.UDPAddr).Port)
	for _, o := range []udp.Options{{Session: quick, Conn: listen(t)}, {Session: quick}} {
		c := dialSocket(t, addr, o)
		require.NoError(t, c.SendPayload([]byte("hello"), reliable))
		for e, err := range c.Events(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "hello", string(e.Payload))
			break
		}
		require.NoError(t, c.Close())
	}
	require.NoError(t, stop())
	loopback := [4]byte{127, 0, 0, 1}
	require.Equal(t, [][4]byte{{}, loopback}, ips)
}

// Many clients send at once, each from several goroutines, while another goroutine uses the
// Hub. Each client gets its own payloads back in their order.
func TestSocketCrowd(t *testing.T) {
	clients, senders, payloads := testdata.Either(30, 8), 3, 20
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quick})
	h := echo(hub)
	h.Loop, h.Interval = &udp.Loop{}, time.Millisecond
	ticks := 0
	h.Tick = func(time.Time) { ticks++ }
	addr, stop := serveSocket(t, conn, hub, h)
	var group sync.WaitGroup
	errs := make(chan error, clients)
	for i := range clients {
		group.Go(func() { errs <- converse(addr, i, senders, payloads) })
	}
	most := 0
	for range 100 {
		require.NoError(t, h.Loop.Do(t.Context(), func() { most = max(most, hub.Len()) }))
	}
	group.Wait()
	for range clients {
		require.NoError(t, <-errs)
	}
	require.NoError(t, stop())
	require.LessOrEqual(t, most, clients)
	require.NotZero(t, ticks)
	require.Zero(t, hub.Len())
}

// Goroutines that call Do without a pause keep neither clients nor timers waiting.
func TestSocketLoopIsFair(t *testing.T) {
	conn, hub := listen(t), transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quick})
	h := echo(hub)
	h.Loop, h.Interval = &udp.Loop{}, time.Millisecond
	calls, ticks := 0, 0
	h.Tick = func(time.Time) { ticks++ }
	addr, stop := serveSocket(t, conn, hub, h)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for h.Loop.Do(ctx, func() { calls++ }) == nil {
			}
		})
	}
	for client := range 2 {
		require.NoError(t, converse(addr, client, 1, 10))
	}
	cancel()
	group.Wait()
	require.NoError(t, stop())
	require.NotZero(t, calls)
	require.NotZero(t, ticks)
}

// converse is a client with several senders and receivers.
func converse(addr string, client, senders, payloads int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, err := udp.Dial(ctx, addr, udp.Options{Session: quick})
	if err != nil {
		return err
	}
	defer conn.Close()
	var group sync.WaitGroup
	for sender := range senders {
		group.Go(func() {
			for i := range payloads {
				_ = conn.SendPayload([]byte{byte(client), byte(sender), byte(i)}, reliable)
				_ = conn.Counters()
			}
		})
	}
	defer group.Wait()
	next := make([]byte, senders)
	for n := 0; n < senders*payloads; n++ {
		e, err := conn.Receive(ctx)
		if err != nil {
			return err
		}
		p := e.Payload
		if len(p) != 3 || p[0] != byte(client) || p[2] != next[p[1]] {
			return fmt.Errorf("client %d: payload %v, want %v", client, p, next)
		}
		next[p[1]]++
	}
	return nil
}
