package udp_test

import (
	"context"
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

// A Conn tells the round trip, the last sign of life and the loss of its connection.
func TestConnLink(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		go func() { served <- udp.Serve(ctx, n.listen(t, hostAddr), hub, echo(hub)) }()
		conn, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
		require.NoError(t, err)
		talk := func() {
			for range 16 {
				require.NoError(t, conn.SendPayload([]byte{0xFF}, transport.Reliable))
				time.Sleep(2 * time.Second)
			}
		}
		talk()
		good := conn.Link()
		require.Zero(t, good.Loss)
		require.InDelta(t, 50, good.RoundTrip.Milliseconds(), 50)
		require.Positive(t, good.RoundTrip)
		require.Less(t, time.Since(good.Heard), 5*time.Second)

		n.loss = 0.4
		talk()
		require.InDelta(t, 0.6, conn.Link().Loss, 0.3, "the message or its Ack was lost")
		n.fault(everything)
		time.Sleep(time.Second) // what is on its way
		silent := conn.Link()
		time.Sleep(10 * time.Second)
		require.Equal(t, silent, conn.Link())
		require.Greater(t, time.Since(silent.Heard), 10*time.Second)
		_ = conn.Close()
		cancel()
		<-served
	})
}
