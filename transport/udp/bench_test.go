package udp_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const (
	benchClients = 16
	benchBurst   = 4 // datagrams of each client at once; more could overflow the socket
)

// BenchmarkBar compares Serve with a plain loop. 16 clients on loopback send bursts of unreliable
// payloads, and a round ends when the server has received them.
func BenchmarkBar(b *testing.B) {
	before := newCrowd(b, serveBefore)
	now := newCrowd(b, func(ctx context.Context, conn *net.UDPConn, hub *transport.Hub, event func(transport.Event)) {
		_ = udp.Serve(ctx, conn, hub, udp.Handler{
			Event: func(_ time.Time, e transport.Event) { event(e) },
			Tick:  func(time.Time) {},
		})
	})
	b.Run("Serve", func(b *testing.B) {
		testdata.AtMost(b, testdata.Limit{Aim: 1.1}, before.round, now.round)
	})
}

// crowd is a server with clients on loopback.
type crowd struct {
	clients   []*net.UDPConn
	datagrams [][]byte // of each client, enciphered
	received  atomic.Int64
	sent      int64
}

type serveFunc func(ctx context.Context, conn *net.UDPConn, hub *transport.Hub, event func(transport.Event))

func newCrowd(b *testing.B, serve serveFunc) *crowd {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
	c := &crowd{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(ctx, conn, hub, func(e transport.Event) {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = hub.Accept(e)
			case transport.EventPayload:
				c.received.Add(1)
			}
		})
	}()
	b.Cleanup(func() {
		cancel()
		_ = conn.SetReadDeadline(time.Unix(1, 0))
		<-done
		conn.Close()
	})
	for range benchClients {
		c.join(b, conn.LocalAddr().(*net.UDPAddr))
	}
	return c
}

// join connects a client and makes its datagram.
func (c *crowd) join(b *testing.B, addr *net.UDPAddr) {
	conn, err := net.DialUDP("udp4", nil, addr)
	require.NoError(b, err)
	b.Cleanup(func() { conn.Close() })
	session, err := transport.NewClient(time.Now(), transport.ConnectRequest{ConnID: uint32(len(c.clients))}, transport.Options{})
	require.NoError(b, err)
	buf := make([]byte, 2048)
	require.NoError(b, conn.SetReadDeadline(time.Now().Add(5*time.Second)))
	for connected := false; !connected; {
		for d := range session.Datagrams(time.Now()) {
			cipher.Encrypt(d)
			_, err := conn.Write(d)
			require.NoError(b, err)
		}
		n, err := conn.Read(buf)
		require.NoError(b, err)
		cipher.Decrypt(buf[:n])
		session.Receive(time.Now(), buf[:n])
		for e := range session.Events() {
			connected = connected || e.Kind == transport.EventConnected
		}
	}
	packet := transport.Packet{PeerID: session.PeerID(), Messages: []transport.Message{transport.NewUnreliable(make([]byte, 37))}}
	d, err := packet.MarshalBinary()
	require.NoError(b, err)
	cipher.Encrypt(d)
	c.clients = append(c.clients, conn)
	c.datagrams = append(c.datagrams, d)
}

// round sends a burst from all clients and waits until the server has received it.
func (c *crowd) round() {
	for i, conn := range c.clients {
		for range benchBurst {
			if _, err := conn.Write(c.datagrams[i]); err != nil {
				panic(err)
			}
			c.sent++
		}
	}
	for limit := time.Now().Add(5 * time.Second); c.received.Load() < c.sent; {
		if time.Now().After(limit) {
			panic("datagrams lost on loopback")
		}
	}
}

// serveBefore is the pinned baseline: a loop as a server has it without package udp.
func serveBefore(ctx context.Context, conn *net.UDPConn, hub *transport.Hub, event func(transport.Event)) {
	buf := make([]byte, 2048)
	tickAt := time.Now()
	for ctx.Err() == nil {
		deadline := tickAt.Add(100 * time.Millisecond)
		if next := hub.NextDeadline(); !next.IsZero() && next.Before(deadline) {
			deadline = next
		}
		if err := conn.SetReadDeadline(deadline); err != nil {
			return
		}
		n, addr, err := conn.ReadFromUDPAddrPort(buf)
		now := time.Now()
		switch {
		case err == nil:
			if !transport.IsGameSpy(buf[:n]) {
				cipher.Decrypt(buf[:n])
			}
			hub.Receive(now, netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), buf[:n])
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return
		}
		for e := range hub.Events() {
			event(e)
		}
		if d := now.Sub(tickAt); d < 0 || d >= 100*time.Millisecond {
			tickAt = now
		}
		for to, d := range hub.Datagrams(now) {
			cipher.Encrypt(d)
			_, _ = conn.WriteToUDPAddrPort(d, to)
		}
	}
}
