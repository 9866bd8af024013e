package relay

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// wire returns a datagram of a peer, enciphered unless plain.
func wire(t *testing.T, plain bool, peer objectid.PeerID, messages ...transport.Message) []byte {
	t.Helper()
	datagram, err := (&transport.Packet{PeerID: peer, Messages: messages}).MarshalBinary()
	require.NoError(t, err)
	if !plain {
		cipher.Encrypt(datagram)
	}
	return datagram
}

func replyWith(peer objectid.PeerID) transport.Message {
	return transport.NewMessage(0, &transport.ConnectReply{PeerID: peer})
}

// Only a datagram with the peer ID of the last reply proves a client.
func TestProof(t *testing.T) {
	hello, ack := transport.NewUnreliable([]byte{0x2C}), transport.NewMessage(0, &transport.Ack{})
	for _, plain := range []bool{false, true} {
		c := &client{peer: objectid.NoPeer}
		proves := func(dir Direction, datagram []byte) bool {
			before := bytes.Clone(datagram)
			defer func() { require.Equal(t, before, datagram, "the datagram stays as it is") }()
			return c.examine(dir, datagram, plain)
		}
		for _, datagram := range [][]byte{
			nil,
			{2},
			[]byte(`\status\`), bytes.Repeat([]byte{0xFF}, 600),
			wire(t, plain, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7})), wire(t, plain, 2, hello),
		} {
			require.False(t, proves(ToServer, datagram))
			require.False(t, proves(ToClient, datagram))
		}
		require.False(t, c.peer.Valid())
		require.False(t, proves(ToClient, wire(t, plain, objectid.Host, ack, replyWith(5))))
		require.False(t, proves(ToServer, wire(t, plain, 2, hello)))
		require.False(t, proves(ToServer, wire(t, plain, objectid.NoPeer, hello)))
		require.True(t, proves(ToServer, wire(t, plain, 5, hello)))
		require.False(t, proves(ToClient, wire(t, plain, objectid.Host, replyWith(6))))
		require.False(t, proves(ToServer, wire(t, plain, 5, hello)))
		require.True(t, proves(ToServer, wire(t, plain, 6)))
	}
}

// With Hold, datagrams are shown in order, when their client has used its peer ID. The datagrams
// that wait are bounded.
func TestHold(t *testing.T) {
	p := newRelay(Options{Clients: 1, Idle: time.Minute, Log: io.Discard}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
	var shown []int
	p.Hold, p.Show = true, func(d *show.Datagram) { shown = append(shown, d.Number) }
	c := p.clients.arrive(start, address(1))
	for range 2 {
		p.arrive(t.Context(), arrival{from: c.addr, at: start, data: wire(t, false, objectid.NoPeer)})
	}
	p.arrive(t.Context(), arrival{from: c.addr, at: start, data: []byte(`\status\`)})
	require.Equal(t, []int{3}, shown)
	p.arrive(t.Context(), arrival{client: c, at: start, data: wire(t, false, objectid.Host, replyWith(2))})
	for range 100 {
		p.arrive(t.Context(), arrival{from: c.addr, at: start, data: make([]byte, 2000)})
	}
	require.Equal(t, []int{3}, shown)
	p.arrive(t.Context(), arrival{from: c.addr, at: start, data: wire(t, false, 2)})
	require.Equal(t, []int{3, 1, 2, 4, 5, 6, 7, 105}, shown)
	p.arrive(t.Context(), arrival{from: c.addr, at: start, data: wire(t, false, 2)})
	require.Equal(t, 106, shown[len(shown)-1])
}

// Forged Connects, the replies to them, and queries fill the recording with a limited number of bytes. A client that
// joins meanwhile is recorded from its Connect on.
func TestStrangersFillNoRecording(t *testing.T) {
	var file, log bytes.Buffer
	p := newRelay(Options{Clients: 4, Idle: time.Minute, Log: &log}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
	p.Record = capture.NewLines(&file, start)
	now := start
	connect := func(c *client) {
		p.arrive(t.Context(), arrival{from: c.addr, at: now, data: wire(t, false, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7}))})
		p.arrive(t.Context(), arrival{client: c, at: now, data: wire(t, false, objectid.Host, replyWith(2))})
	}
	flood := func() {
		for n := range 20_000 {
			now = now.Add(time.Millisecond)
			if c := p.clients.arrive(now, address(1000+n)); c != nil {
				connect(c)
				p.unrecorded += len(c.unrecorded)
				p.clients.remove(c)
			}
			p.arrive(t.Context(), arrival{from: address(1), at: now, data: []byte(`\status\`)})
		}
	}
	ann := p.clients.arrive(start, address(1))
	flood()
	before := file.Len()
	joined := now
	connect(ann)
	require.NoError(t, p.Record.Flush())
	p.arrive(t.Context(), arrival{from: ann.addr, at: now.Add(time.Second), data: wire(t, false, 2)})
	flood()
	require.NoError(t, p.Record.Flush())
	require.Less(t, before, 3<<20)
	require.Less(t, file.Len(), 4<<20)
	require.Greater(t, p.unrecorded, 10_000)
	var of []float64
	for d, err := range recording.Read(&file) {
		require.NoError(t, err)
		if d.Client == ann.number && !transport.IsGameSpy(d.Data) {
			of = append(of, d.Seconds)
		}
	}
	require.Equal(t, []float64{joined.Sub(start).Seconds(), joined.Sub(start).Seconds(), joined.Sub(start).Seconds() + 1}, of)
}

// The filter of a client changes, drops and adds datagrams to the server.
func TestFilter(t *testing.T) {
	p := newRelay(Options{Clients: 2, Idle: time.Minute, Log: io.Discard}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
	p.NewFilter = func() func([]byte) [][]byte {
		n := 0
		return func(datagram []byte) [][]byte {
			n++
			return [][]byte{append(datagram, '!'), {byte('0' + n)}}[:n-1]
		}
	}
	ann, ben := p.clients.arrive(start, address(1)), p.clients.arrive(start, address(2))
	for _, c := range []*client{ann, ann, ann, ben} {
		p.arrive(t.Context(), arrival{from: c.addr, at: start, data: []byte("up")})
	}
	p.arrive(t.Context(), arrival{client: ann, at: start, data: []byte("down")})
	queued := func(l *link) (all []string) {
		for datagram, ok := l.next(start); ok; datagram, ok = l.next(start) {
			all = append(all, string(datagram))
		}
		return all
	}
	require.Equal(t, []string{"up!", "up!", "3"}, queued(ann.links[ToServer]))
	require.Empty(t, queued(ben.links[ToServer]))
	require.Equal(t, []string{"down"}, queued(ann.links[ToClient]))
	require.Equal(t, counts{received: 4, bytes: 8, added: 1, filtered: 2}, p.counts[ToServer])
}
