package transport_test

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// connectedPair is a client and a host in the middle of a game.
type connectedPair struct {
	client, host *transport.Session
	now          time.Time
	payload      []byte
}

// connectedPair runs a network until a client and a host are connected.
func (n *network) connectedPair(t testing.TB, o transport.Options) *connectedPair {
	client, host := n.connect(o)
	n.run(time.Second)
	for _, e := range n.endpoints {
		for range e.session.Events() {
		}
	}
	return &connectedPair{client.session, host.session, n.clock(host), make([]byte, 40)}
}

// exchange advances one tick: each side sends a reliable and two unreliable payloads.
func (p *connectedPair) exchange(t testing.TB) {
	p.now = p.now.Add(tick)
	for from, to := p.client, p.host; ; from, to = p.host, p.client {
		err := from.Send(p.payload[:20], reliable)
		for range 2 {
			if err == nil {
				err = from.Send(p.payload, unreliable)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		for d := range from.Datagrams(p.now) {
			to.Receive(p.now, d)
		}
		n := 0
		for range to.Events() {
			n++
		}
		if n != 3 {
			t.Fatal(n, "payloads")
		}
		if from == p.host {
			return
		}
	}
}

// With reused memory a session and a hub allocate nothing, also if messages arrive out of order.
func TestSessionAllocations(t *testing.T) {
	for _, o := range []transport.Options{{}, transport.StockOptions()} {
		p := newNetwork(1).connectedPair(t, o)
		for range 1000 {
			p.exchange(t)
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { p.exchange(t) }))
		require.Zero(t, p.host.Counters().Retransmissions)
	}

	s := openHost(t, transport.Options{})
	pool := [2][]byte{from(2, text(0, "x")), from(2, text(0, "y"))}
	seq, now := uint16(0), start
	swapped := func() {
		for i, ahead := range []uint16{1, 0} {
			d := pool[i]
			d[5], d[6] = byte(seq+ahead), byte((seq+ahead)>>8)
			now = now.Add(tick)
			s.Session.Receive(now, d)
			for range s.Session.Events() {
			}
			for range s.Datagrams(now) {
			}
		}
		seq += 2
	}
	for range 10 {
		swapped()
	}
	require.Zero(t, testing.AllocsPerRun(100, swapped))
	require.Equal(t, uint64(2*(10+100+1)), s.Counters().Payloads)

	m := newHub(t, manyClients).busyHub(16)
	for range 10 {
		m.exchange()
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { m.exchange() }))
}

// busyHub is a hub with its clients, whose datagrams are made beforehand.
type busyHub struct {
	*harness
	now   time.Time
	addrs []netip.AddrPort
	wires [][]byte // a reliable message, an unreliable one and the Ack of the last reply
	seq   uint16
}

// manyClients are options for a hub whose clients share an address.
var manyClients = transport.HubOptions{MaxPerIP: 100}.With(transport.HubLimits{ConnectBurst: 100})

// busyHub joins clients to a hub.
func (h *harness) busyHub(clients int) *busyHub {
	m := &busyHub{now: start, harness: h}
	update := transport.NewUnreliable(make([]byte, 40))
	shot := transport.NewData(0, make([]byte, 20))
	for i := range clients {
		addr := addrOf(i, 1000)
		s := m.Join(start, addr, 1)
		s.Queue(reliable, "\x28") // which the first Ack acknowledges
		id := s.PeerID()
		m.addrs = append(m.addrs, addr)
		m.wires = append(m.wires, from(id, wire(shot), wire(update), "01 0000 00"))
	}
	m.now = start.Add(tick)
	m.Sent(m.now)
	return m
}

// exchange advances one tick, in which each client sends its datagram and gets a reply.
func (m *busyHub) exchange() {
	m.now = m.now.Add(tick)
	for i, addr := range m.addrs {
		d := m.wires[i]
		d[5], d[6] = byte(m.seq), byte(m.seq>>8)
		d[len(d)-3], d[len(d)-2] = byte(m.seq), byte(m.seq>>8)
		m.Hub.Receive(m.now, addr, d)
		for e := range m.Hub.Events() {
			if e.Kind == transport.EventPayload {
				if err := e.Session.Send(e.Payload, e.Delivery); err != nil {
					m.t.Fatal(err)
				}
			}
		}
		for range m.Hub.Datagrams(m.now) {
		}
	}
	m.seq++
}

// BenchmarkSession sends a datagram of three messages in each direction, and their Acks. The baseline
// writes and reads such datagrams without a session.
func BenchmarkSession(b *testing.B) {
	p := newNetwork(1).connectedPair(b, transport.Options{})
	shot, update := transport.NewData(1, p.payload[:20]), transport.NewUnreliable(p.payload)
	bare := transport.Packet{PeerID: 2, Messages: []transport.Message{
		transport.NewMessage(0, transport.AckOf(&shot)), shot, update, update,
	}}
	buf, n := make([]byte, 0, transport.MaxDatagram), 0
	datagram, err := bare.MarshalBinary()
	require.NoError(b, err)
	testdata.Compare(b, 2*len(datagram), func() { p.exchange(b) }, func() {
		for range 2 {
			buf, _ = bare.AppendBinary(buf[:0])
			for m := range transport.Messages(buf) {
				n += len(m.Body)
			}
		}
	})
}

// BenchmarkHub receives a datagram of each client with two payloads and an Ack, and sends a reply to each.
func BenchmarkHub(b *testing.B) {
	for _, clients := range []int{1, 16, 100} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			m := newHub(b, manyClients).busyHub(clients)
			b.ReportAllocs()
			for b.Loop() {
				m.exchange()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*clients), "ns/datagram")
		})
	}
}

// TestIdleSession measures the memory of an idle session that has exchanged payloads, with its
// share of the hub.
func TestIdleSession(t *testing.T) {
	const clients = 100
	heapBytes()
	before := heapBytes() // the second collection frees the memory of pools
	m := newHub(t, manyClients).busyHub(clients)
	for range 3 {
		m.exchange()
	}
	for i, addr := range m.addrs {
		m.Hub.Receive(m.now, addr, from(objectid.PeerID(int8(m.wires[i][0])), "01 0300 00"))
	}
	for range m.Hub.Datagrams(m.now.Add(10 * time.Second)) {
	}
	require.True(t, m.Hub.Flushed())
	m.wires, m.addrs = nil, nil
	bytes := (heapBytes() - before) / clients
	t.Log(bytes, "bytes a session,", transport.SessionSize, "of them in one fragment")
	require.Less(t, bytes, int64(1700))
	runtime.KeepAlive(m)
}
