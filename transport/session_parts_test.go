package transport

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
)

// The tests in this file are about the parts of a Session, in isolation.

// TestSender checks that the messages in flight, unsent and beyond the window are all that
// was queued and not acknowledged, whatever the order of sends and Acks.
func TestSender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sender{options: Options{window: 5, MaxQueue: 12, maxQueueBytes: 2500}.complete()}
		if rapid.Bool().Draw(t, "OpenBC") {
			s.numbers.openBC = true
		}
		s.channels[gameChannel].oldest = rapid.SampledFrom([]uint16{0, 250, 65530}).Draw(t, "first")
		var queued, acknowledged int
		var now time.Duration
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			switch now++; rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				d := Delivery(rapid.IntRange(0, 3).Draw(t, "delivery"))
				err := s.send(make([]byte, rapid.SampledFrom([]int{0, 10, 409, 410, 1000}).Draw(t, "length")), d)
				if err == nil {
					queued++
				} else {
					require.Equal(t, ErrQueueFull, err)
				}
			case 1: // a datagram
				w := writeDatagram(nil, 1, MaxDatagram)
				for m := s.unsent.head; m != nil && w.fits(len(m.wire)); m = s.unsent.head {
					if s.write(&w, m, now) {
						s.schedule(m, now+10)
					}
				}
				require.LessOrEqual(t, len(w.finish()), MaxDatagram)
			case 2: // the Ack of a message in flight
				if m := s.inFlight.head; m != nil {
					a := Ack{Seq: s.numbers.wire(m.seq), FragIndex: m.index}
					if m.fragment {
						a.Flags = AckFragment
					}
					require.Same(t, m, s.find(a))
					s.acknowledged(m)
					acknowledged++
					require.NotSame(t, m, s.find(a), "once")
				}
			case 3: // the Ack of a message that was never sent
				require.Nil(t, s.find(Ack{Seq: s.channels[gameChannel].next() + 64}))
			}
			require.NoError(t, s.check())
			c := &s.channels[gameChannel]
			for m := s.inFlight.head; m != nil; m = m.next {
				require.Less(t, c.ahead(m.seq), s.window(m), "within the window")
				if m.next != nil {
					require.LessOrEqual(t, m.due, m.next.due, "sorted by due")
				}
			}
			if c.held.head != nil {
				require.GreaterOrEqual(t, c.ahead(c.held.head.seq), s.window(c.held.head), "beyond the window")
			}
		}
		s.discard(gameChannel)
		require.Zero(t, s.bytes+s.unreliable)
		require.Equal(t, forever, s.due())
		require.NoError(t, s.check())
	})
}

// TestReceiver checks that messages that arrive in any order and any number of times are
// ready once and in order, and that each is acknowledged.
func TestReceiver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var counters Counters
		r := receiver{options: Options{}.complete(), counters: &counters}
		first := rapid.SampledFrom([]uint16{0, 65530}).Draw(t, "first")
		r.channels[gameChannel].expected = first
		const total = 20
		var got []uint16
		acks := 0
		for len(got) < total {
			m := NewData(first+uint16(rapid.IntRange(0, total-1).Draw(t, "message")), []byte{1})
			seq := m.Seq
			if seq%3 == 0 {
				m.Fragment, m.FragIndex = true, uint8(rapid.IntRange(0, 1).Draw(t, "fragment"))
				m.FragTotal = 2
			}
			acks++
			switch r.receive(0, &m) {
			case outcomeReady:
				require.Equal(t, first+uint16(len(got)), seq, "in order")
				got = append(got, seq)
				ready := r.ready(gameChannel)
				for i := range ready {
					got = append(got, ready[i].m.Seq)
				}
				r.delivered(gameChannel, len(ready))
				r.reclaim(false)
			case outcomeBuffered, outcomeDuplicate:
			default:
				require.Fail(t, "neither buffered nor ready")
			}
			require.Equal(t, min(acks, maxAcks), r.acks.len())
		}
		for i, seq := range got {
			require.Equal(t, first+uint16(i), seq, "each once, in order")
		}
		require.Zero(t, r.channels[gameChannel].bytes+r.partial.bytes)
		require.Equal(t, forever, r.deadline())
		r.close()
		late := NewData(first+total, nil)
		require.Equal(t, outcomeDropped, r.receive(0, &late))
		require.Positive(t, counters.Drops[dropLate])
	})
}

// TestReceiverReusesMemory checks that the memory of a delivered message is reused, unless
// events that refer to it are unread.
func TestReceiverReusesMemory(t *testing.T) {
	for _, unread := range []bool{false, true} {
		var counters Counters
		r := receiver{options: Options{}.complete(), counters: &counters}
		for _, seq := range []uint16{1, 0} {
			m := NewData(seq, []byte("x"))
			r.receive(0, &m)
		}
		n := len(r.ready(gameChannel))
		require.Equal(t, 1, n)
		r.delivered(gameChannel, n)
		r.reclaim(unread)
		require.Equal(t, map[bool]int{false: 1, true: 0}[unread], r.pool.n)
	}
}

// TestReceiverReleasesMemory checks that an idle receiver keeps no memory of payloads that it has
// reassembled.
func TestReceiverReleasesMemory(t *testing.T) {
	r := receiver{options: Options{}.complete(), counters: &Counters{}}
	m := Message{Type: TypeData, Reliable: true, Fragment: true, FragTotal: 2}
	require.Equal(t, outcomeBuffered, r.receive(0, &m))
	r.releaseMemory()
	require.Len(t, r.partial.list, 1)
	m.FragIndex = 1
	require.Equal(t, outcomeReady, r.receive(0, &m))
	require.NotZero(t, cap(r.partial.list))
	r.releaseMemory()
	require.Zero(t, r.partial)
}

// TestLifecycleDeadlines checks the deadline of each state.
func TestLifecycleDeadlines(t *testing.T) {
	o := Options{}.complete()
	for name, v := range map[string]struct {
		l    lifecycle
		want time.Duration
	}{
		"client without a peer ID":     {lifecycle{}, o.PeerTimeout},
		"host without a Connect":       {lifecycle{host: true}, o.HandshakeTimeout},
		"open":                         {lifecycle{state: stateOpen, heardAt: time.Minute}, time.Minute + o.PeerTimeout},
		"half-open":                    {lifecycle{state: stateHalfOpen, host: true}, o.HandshakeTimeout},
		"half-open client heard since": {lifecycle{state: stateOpen, host: true}, o.PeerTimeout},
		"closing":                      {lifecycle{state: stateClosing, closeUntil: 7}, 7},
		"lingering":                    {lifecycle{state: stateLingering, lingerUntil: 9}, 9},
		"released":                     {lifecycle{state: stateReleased}, forever},
	} {
		v.l.options = o
		require.Equal(t, v.want, v.l.deadline(), name)
	}
}

// An address is validated by the Acks of all probes, in any order and also twice, but without another number in
// between. OpenBC names the low byte.
func TestValidation(t *testing.T) {
	for _, v := range []struct {
		acks string // the indexes of probes; x is another number, and - the Ack of an early payload
		want bool
	}{
		{"01234", true},
		{"43210", true},
		{"0-1-2-3-4", true},
		{"0123x4", false},
		{"0123x01234", true},
		{"01234x", true},
		{"00112233", false},
		{"0120321304", true},
		{"xxxxx", false},
	} {
		for _, mask := range []uint16{0xFFFF, 0xFF} {
			a := validation{}
			a.begin(rand.Reader, 0)
			require.Len(t, a.probes, 5)
			other := uint16(leastLow)
			for slices.ContainsFunc(a.probes, func(p uint16) bool { return uint8(p) == uint8(other) }) {
				other++
			}
			for _, r := range v.acks {
				ack := Ack{Seq: other, Flags: openBCAck}
				switch r {
				case 'x':
				case '-':
					ack.Seq = leastLow - 1
				default:
					ack.Seq = a.probes[r-'0'] & mask
				}
				a.acknowledge(Ack{Seq: ack.Seq, Flags: AckSystem})
				a.acknowledge(Ack{Seq: ack.Seq, Flags: AckFragment})
				a.acknowledge(ack)
			}
			require.Equal(t, v.want, a.met == 1<<5-1, v)
		}
	}
}

// The numbers of probes are before the first ones of the game channel, for a client that has received fewer than 512,
// and their low bytes differ.
func TestProbes(t *testing.T) {
	high := map[uint16]bool{}
	for range 10_000 {
		var v validation
		v.begin(rand.Reader, 0)
		low := map[uint8]bool{}
		for _, seq := range v.probes {
			low[uint8(seq)], high[seq>>8] = true, true
			require.GreaterOrEqual(t, uint8(seq), uint8(leastLow))
			for _, expected := range []uint16{0, 512} {
				require.Less(t, int16(seq-expected), int16(0))
				require.GreaterOrEqual(t, int16(seq-expected), int16(-maxAhead-1))
			}
		}
		require.Len(t, low, 5)
	}
	require.Len(t, high, 62)
}

// TestLifecycleClosingMessage checks the message with which each side ends a session.
func TestLifecycleClosingMessage(t *testing.T) {
	client := clientIdentity{peer: 5, ip: [4]byte{1, 2, 3, 4}}
	for _, v := range []struct {
		host   bool
		reason EndReason
		want   Body
	}{
		{false, EndClosed, &Disconnect{PeerID: 5, IP: client.ip}},
		{false, EndTimeout, &Disconnect{PeerID: 5, IP: client.ip}},
		{true, EndClosed, &Disconnect{PeerID: objectid.Host}},
		{true, EndTimeout, &Boot{Reason: BootTimeout, PeerID: 5}},
		{true, EndUnacknowledged, &Boot{Reason: BootTimeout, PeerID: 5}},
		{true, EndBadFragment, &Boot{PeerID: 5}},
	} {
		l := lifecycle{host: v.host, client: client}
		require.Equal(t, v.want, l.closingMessage(v.reason))
	}
}

// TestNumbering checks the sequence numbers of OpenBC, which have one byte.
func TestNumbering(t *testing.T) {
	stock, openBC := numbering{}, numbering{openBC: true}
	same := func(want, got uint16) {
		if want != got {
			t.Helper()
			require.Equal(t, want, got)
		}
	}
	for seq := range 1 << 16 {
		s := uint16(seq)
		same(s, stock.wire(s))
		same(s, stock.received(s, 7))
		same(s, stock.acknowledged(s, 7))
		for _, distance := range []int16{-128, -1, 0, 1, 127} {
			same(s+uint16(distance), openBC.received(openBC.wire(s+uint16(distance)), s))
		}
		for _, ahead := range []uint16{0, 1, 255} {
			same(s+ahead, openBC.acknowledged(openBC.wire(s+ahead), s))
		}
	}
	require.Equal(t, 256, stock.window(256))
	require.Equal(t, openBCWindow, openBC.window(256))
}

// TestEchoes checks when a peer that acknowledges low bytes is recognised: if it has answered more than three of four
// probes, or twelve. A probe is a retransmission after the time in which a stock peer repeats Acks.
func TestEchoes(t *testing.T) {
	m := &storedMessage{seq: 300}
	waits := echoes{slowest: time.Second}
	waits.probe(m, 9*time.Second-1)
	require.False(t, waits.probing)
	waits.probe(m, 9*time.Second)
	require.True(t, waits.probing)
	for _, v := range []struct{ misses, hits int }{{0, 3}, {1, 4}, {2, 7}, {3, 10}, {4, 12}, {9, 12}} {
		var e echoes
		for range v.misses {
			e.probe(m, time.Minute)
		}
		for hit := range v.hits {
			e.probe(m, time.Minute)
			require.Equal(t, hit == v.hits-1, e.echo(m, true), v)
		}
	}

	s := sender{options: Options{}.complete()}
	s.channels[gameChannel].oldest = 250
	for range 20 {
		require.NoError(t, s.send(nil, Reliable))
	}
	require.False(t, s.echo(Ack{Seq: 260 & 0xFF}))
	require.False(t, s.echoes.any, "of a message that was not sent")
}

// TestDoubts checks that a peer cannot have many messages kept.
func TestDoubts(t *testing.T) {
	var d doubts
	for seq := range uint16(256) {
		for range 2 {
			d.add(&Message{Type: TypeData, Reliable: true, Seq: seq}, 256)
		}
	}
	require.Len(t, d.kept, 120)
}

// TestMessagePool checks that the pool keeps 64 messages, and none of them with much memory.
func TestMessagePool(t *testing.T) {
	var p messagePool
	p.put(&storedMessage{wire: make([]byte, 0, 513)})
	require.Zero(t, p.n)
	for range 100 {
		p.put(&storedMessage{wire: make([]byte, 0, 512)})
	}
	require.Equal(t, 64, p.n)
}

// TestRelayHoldsLimitedDatagrams checks that the oldest datagrams that wait for fragments are dropped.
func TestRelayHoldsLimitedDatagrams(t *testing.T) {
	for _, size := range []int{1, 400, 512} {
		var s relaySide
		for i := range 2000 {
			d := make([]byte, size)
			d[0] = byte(i)
			s.hold(heldDatagram{d, uint16(i % 100)})
			require.LessOrEqual(t, len(s.held), 512)
			require.LessOrEqual(t, s.heldBytes, 256<<10)
			require.Equal(t, len(s.held)*size, s.heldBytes)
			require.Equal(t, byte(i), s.held[len(s.held)-1].datagram[0])
		}
		n := min(512, 256<<10/size)
		require.Len(t, s.held, n)
		require.Empty(t, s.release([]uint16{100}), "the datagrams that wait for others are not read again")
		require.Len(t, s.release([]uint16{99, 98}), 12)
		require.Len(t, s.held, n-12)
		require.Equal(t, len(s.held)*size, s.heldBytes)
	}
}
