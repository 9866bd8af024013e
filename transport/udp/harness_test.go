package udp_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const (
	hostAddr = "10.0.0.1:22101"
	annAddr  = "10.0.1.1:5000"
	bobAddr  = "10.0.1.2:5000"

	reliable   = transport.Reliable
	unreliable = transport.Unreliable
)

func addrOf(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// bubble runs a test on a simulated network. The clock is simulated, too: waiting takes no
// time. The test fails if a goroutine is left.
func bubble(t *testing.T, test func(t *testing.T, n *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newNetwork()) })
}

// server is a Serve in a bubble.
type server struct {
	hub    *transport.Hub
	conn   *simConn
	cancel context.CancelFunc
	done   chan error // has the result of Serve
}

// echo accepts all clients and sends every payload back.
func echo(hub *transport.Hub) udp.Handler {
	return udp.Handler{Event: func(_ time.Time, e transport.Event) {
		switch e.Kind {
		case transport.EventConnect:
			_, _ = hub.Accept(e)
		case transport.EventPayload:
			_ = e.Session.Send(e.Payload, e.Delivery)
		}
	}}
}

// serve runs a server at hostAddr.
func (n *network) serve(t *testing.T, handler func(*transport.Hub) udp.Handler) *server {
	s := &server{hub: transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs}), conn: n.listen(t, hostAddr), done: make(chan error, 1)}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	h := handler(s.hub)
	ended := make(chan struct{})
	t.Cleanup(func() {
		s.cancel()
		<-ended
	})
	go func() {
		defer close(ended)
		s.done <- udp.Serve(ctx, s.conn, s.hub, h)
	}()
	return s
}

// stop ends the context of Serve, and returns the result and the time that Serve has taken.
func (s *server) stop() (time.Duration, error) {
	begin := time.Now()
	s.cancel()
	err := <-s.done
	return time.Since(begin), err
}

// dial connects a client from an address to hostAddr.
func (n *network) dial(t *testing.T, from string, options ...udp.Options) *udp.Conn {
	t.Helper()
	o := udp.Options{}
	if len(options) > 0 {
		o = options[0]
	}
	o.Conn = n.listen(t, from)
	conn, err := udp.Dial(t.Context(), hostAddr, o)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// host runs a host at hostAddr that is not a Serve: reply gets each datagram, deciphered, and
// returns the datagrams to send back as they are.
func (n *network) host(t *testing.T, reply func(datagram []byte) [][]byte) *simConn {
	conn := n.listen(t, hostAddr)
	go func() {
		buf := make([]byte, 2048)
		for {
			size, from, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			cipher.Decrypt(buf[:size])
			for _, d := range reply(buf[:size]) {
				_, _ = conn.WriteToUDPAddrPort(d, from)
			}
		}
	}()
	return conn
}

// accepting returns a reply for host that accepts a client, and sends more datagrams with the
// acceptance.
func accepting(more ...[]byte) func([]byte) [][]byte {
	return func(datagram []byte) [][]byte {
		if objectid.PeerID(int8(datagram[0])) != objectid.NoPeer {
			return nil
		}
		return append([][]byte{acceptance()}, more...)
	}
}

// acceptance returns the datagram with which a host accepts the client 2.
func acceptance() []byte {
	return wire(objectid.Host, ackOf(0), transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))
}

func ackOf(seq uint16) transport.Message {
	return transport.NewMessage(0, &transport.Ack{Seq: seq, Flags: transport.AckSystem})
}

// wire returns a datagram of a peer, enciphered.
func wire(peer objectid.PeerID, messages ...transport.Message) []byte {
	d := plain(peer, messages...)
	cipher.Encrypt(d)
	return d
}

// plain returns a datagram of a peer that is not enciphered.
func plain(peer objectid.PeerID, messages ...transport.Message) []byte {
	p := transport.Packet{PeerID: peer, Messages: messages}
	d, err := p.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return d
}

// enciphered returns a copy of bytes as they are on the wire.
func enciphered(d []byte) []byte {
	d = slices.Clone(d)
	cipher.Encrypt(d)
	return d
}

// text returns a name for a system message.
func text(s string) transport.UTF16Z {
	t, err := transport.NewUTF16Z(s)
	if err != nil {
		panic(err)
	}
	return t
}

// receive returns the next event in words.
func receive(t *testing.T, c *udp.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := c.Receive(ctx)
	require.NoError(t, err)
	return words(e)
}

func words(e transport.Event) string {
	if e.Kind == transport.EventPayload {
		return string(e.Payload)
	}
	return fmt.Sprintf("%T %v", e.Body, e.Body)
}

// requireEcho checks that an echo server serves a client.
func requireEcho(t *testing.T, c *udp.Conn, payload string) {
	t.Helper()
	require.NoError(t, c.SendPayload([]byte(payload), reliable))
	require.Equal(t, payload, receive(t, c))
}

// requireEnd waits until a client has ended, and returns the reason and the time that it took.
func requireEnd(t *testing.T, c *udp.Conn) (time.Duration, error) {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for {
		if _, err := c.Receive(ctx); err != nil {
			require.NoError(t, ctx.Err())
			require.Equal(t, err, c.Err())
			return time.Since(begin), err
		}
	}
}

// requireTook checks a duration, except for the millisecond that a reader has for datagrams.
func requireTook(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.InDelta(t, want.Seconds(), got.Seconds(), 0.005)
}
