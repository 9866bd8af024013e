// Package relaytest attacks the relays of the example programs.
package relaytest

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Server starts a server that accepts all clients and sends their payloads back. It returns the
// address.
func Server(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	served := make(chan error, 1)
	go func() {
		served <- udp.Serve(ctx, conn, hub, udp.Handler{Event: func(_ time.Time, e transport.Event) {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = hub.Accept(e)
			case transport.EventPayload:
				_ = e.Session.Send(e.Payload, e.Delivery)
			}
		}})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		conn.Close()
	})
	return conn.LocalAddr().String()
}

// Forge sends a Connect from each of n addresses to a relay, one after each interval. The addresses
// never use the peer IDs that the server assigns, as if their owners had sent nothing.
func Forge(t *testing.T, relay string, n int, interval time.Duration) {
	t.Helper()
	to, err := net.ResolveUDPAddr("udp4", relay)
	require.NoError(t, err)
	for i := range n {
		conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 3, byte(1+i%250))}, to)
		if err != nil { // only Linux has these addresses
			conn, err = net.DialUDP("udp4", nil, to)
		}
		require.NoError(t, err)
		connect := transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(1 + i)})
		p := transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{connect}}
		datagram, err := p.MarshalBinary()
		require.NoError(t, err)
		cipher.Encrypt(datagram)
		_, err = conn.Write(datagram)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		time.Sleep(interval)
	}
}

// RequireAdmitted requires that a new player, Ann, comes through a relay to [Server] within ten seconds.
func RequireAdmitted(t *testing.T, relay string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := udp.Dial(ctx, relay, udp.Options{})
	require.NoError(t, err)
	defer conn.Close()
	name, err := transport.NewUTF16Z("Ann")
	require.NoError(t, err)
	require.NoError(t, conn.SendSystem(&transport.NameChange{PeerID: conn.PeerID(), Name: name}))
	require.NoError(t, conn.SendPayload([]byte("hello"), transport.Reliable))
	e, err := conn.Receive(ctx)
	require.NoError(t, err)
	require.Equal(t, "hello", string(e.Payload))
}

// RequireOpen attacks a relay to [Server], at once and for a while, and requires that new players
// come through.
func RequireOpen(t *testing.T, relay string) {
	t.Helper()
	Forge(t, relay, 64, 0)
	RequireAdmitted(t, relay)
	Forge(t, relay, 64, testdata.Either(20*time.Millisecond, 2*time.Millisecond))
	RequireAdmitted(t, relay)
}
