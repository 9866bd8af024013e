package udp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A host that is known to be OpenBC ends a client at once when it shuts down, and a stock host does not by
// the same Disconnect. No ICMP comes back.
func TestShutdownOfOpenBC(t *testing.T) {
	reply := transport.NewMessage(0, &transport.ConnectReply{PeerID: 2})
	ann := transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: text("Ann")})
	leave := wire(objectid.Host, transport.NewMessage(0, &transport.Disconnect{PeerID: 2}))
	for name, v := range map[string]struct {
		acceptance []byte
		took       time.Duration
		text       string
	}{
		"OpenBC":  {wire(objectid.Host, reply, ann), 0, "the server has disconnected"},
		"unknown": {wire(objectid.Host, reply), 10 * time.Second, "the server has disconnected"},
		"stock":   {wire(objectid.Host, ackOf(0), reply), 45 * time.Second, "the server does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				host := n.host(t, func(d []byte) [][]byte {
					if objectid.PeerID(int8(d[0])) == objectid.NoPeer {
						return [][]byte{v.acceptance}
					}
					return nil
				})
				defer host.Close()
				conn := n.dial(t, annAddr)
				_, err := host.WriteToUDPAddrPort(leave, addrOf(annAddr))
				require.NoError(t, err)
				took, err := requireEnd(t, conn)
				require.InDelta(t, v.took.Seconds(), took.Seconds(), 0.1)
				require.ErrorContains(t, err, v.text)
			})
		})
	}
}

// A Conn tells the round trip, the last sign of life and the loss of its connection.
func TestConnQuality(t *testing.T) {
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
		good := conn.Quality()
		require.Zero(t, good.Loss)
		require.InDelta(t, 50, good.RoundTrip.Milliseconds(), 50)
		require.Positive(t, good.RoundTrip)
		require.Less(t, time.Since(good.Heard), 5*time.Second)

		n.loss = 0.4
		talk()
		require.InDelta(t, 0.6, conn.Quality().Loss, 0.3, "the message or its Ack was lost")
		n.fault(everything)
		time.Sleep(time.Second) // what is on its way
		silent := conn.Quality()
		time.Sleep(10 * time.Second)
		require.Equal(t, silent, conn.Quality())
		require.Greater(t, time.Since(silent.Heard), 10*time.Second)
		_ = conn.Close()
		cancel()
		<-served
	})
}
