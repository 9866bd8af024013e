package udp_test

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A Conn knows the address from which its datagrams come.
func TestConnLocalAddr(t *testing.T) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer socket.Close()
	hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
	from := make(chan netip.AddrPort, 1)
	handler := udp.Handler{Event: func(_ time.Time, e transport.Event) {
		if e.Kind == transport.EventConnect {
			_, _ = hub.Accept(e)
			from <- e.Addr
		}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- udp.Serve(ctx, socket, hub, handler) }()
	conn, err := udp.Dial(ctx, socket.LocalAddr().String(), udp.Options{})
	require.NoError(t, err)
	require.Equal(t, <-from, conn.LocalAddr())
	require.NoError(t, conn.Close())
	cancel()
	require.NoError(t, <-served)
	require.Zero(t, new(udp.Conn).LocalAddr())
}

// A host shows that it is OpenBC by an Ack with flags that the game does not use.
func TestConnOpenBC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		host := n.listen(t, "10.0.0.1:22101")
		go func() { served <- udp.Serve(ctx, host, hub, echo(hub)) }()
		conn, err := udp.Dial(ctx, "10.0.0.1:22101", udp.Options{Conn: n.listen(t, "10.0.0.2:1")})
		require.NoError(t, err)
		require.Zero(t, conn.LocalAddr(), "the simulated socket has no method for it")
		require.False(t, conn.OpenBC())
		ack := []byte("\x01\x01\x01\x00\x00\x80")
		cipher.Encrypt(ack)
		_, err = host.WriteToUDPAddrPort(ack, netip.MustParseAddrPort("10.0.0.2:1"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, conn.OpenBC())
		require.NoError(t, conn.Close())
		cancel()
		require.NoError(t, <-served)
		require.False(t, new(udp.Conn).OpenBC())
	})
}
