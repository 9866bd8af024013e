package transport_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// openBC is a peer that counts in one byte, like OpenBC. The second byte of its sequence numbers is
// 0, and its Acks have the first byte only. By default, it accepts messages in order only.
type openBC struct {
	peer       objectid.PeerID
	counter    uint8
	inFlight   []outgoing
	expected   uint8
	delivered  [][]byte
	acks       []string
	flagged    bool // its Acks have the flag of OpenBC
	recognised bool // the session has recognised OpenBC
	buffers    bool // it accepts messages out of order
	buffered   map[uint8][]byte
}

type outgoing struct {
	counter uint8
	payload string
	sent    time.Time
}

func (o *openBC) send(payload string) {
	o.inFlight = append(o.inFlight, outgoing{counter: o.counter, payload: payload})
	o.counter++
}

// datagram returns what it sends now: its Acks, and the first messages in flight.
func (o *openBC) datagram(now time.Time) []byte {
	messages := o.acks
	o.acks = nil
	for i := range o.inFlight[:min(len(o.inFlight), 8)] {
		if m := &o.inFlight[i]; now.Sub(m.sent) >= time.Second {
			m.sent = now
			messages = append(messages, text(uint16(m.counter), m.payload))
		}
	}
	return from(o.peer, messages...)
}

func (o *openBC) receive(t *testing.T, d []byte) {
	for m, err := range transport.Messages(d) {
		if err != nil {
			require.NoError(t, err)
		}
		switch {
		case m.Type == transport.TypeAck:
			if a, _ := m.Ack(); a.Flags&transport.AckSystem != 0 {
				continue
			}
			if m.Seq > 255 {
				require.Fail(t, "an Ack names the counter", "%d", m.Seq)
			}
			o.inFlight = slices.DeleteFunc(o.inFlight, func(f outgoing) bool { return f.counter == uint8(m.Seq) })
		case m.Type == transport.TypeData && m.Reliable:
			if o.recognised && m.Seq > 255 {
				require.Fail(t, "a message has the counter", "%d", m.Seq)
			}
			switch ahead := int8(uint8(m.Seq) - o.expected); {
			case ahead > 0 && !o.buffers:
				continue // it is retransmitted
			case o.buffers && ahead >= 0:
				o.buffered[uint8(m.Seq)] = slices.Clone(m.Body)
				for body, ok := o.buffered[o.expected]; ok; body, ok = o.buffered[o.expected] {
					delete(o.buffered, o.expected)
					o.expected++
					o.delivered = append(o.delivered, body)
				}
			case ahead == 0:
				o.expected++
				o.delivered = append(o.delivered, slices.Clone(m.Body))
			}
			flags := transport.AckFlags(0)
			if o.flagged {
				flags = 0x80
			}
			o.acks = append(o.acks, wire(transport.NewMessage(0, &transport.Ack{Seq: m.Seq & 0xFF, Flags: flags})))
		}
	}
}

// A message with a larger number does not overtake those that wait for the window.
func TestOrderOfHeldMessages(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, openBCAck)
	now := start
	send := func() (numbers []uint16) {
		require.NoError(t, s.Send([]byte("x"), transport.Reliable))
		now = now.Add(tick)
		for d := range s.Session.Datagrams(now) {
			for m, err := range transport.Messages(d) {
				require.NoError(t, err)
				if m.Type == transport.TypeData {
					numbers = append(numbers, m.Seq)
				}
			}
		}
		return numbers
	}
	for range 150 {
		for _, n := range send() {
			s.Receive(now, wire(transport.NewMessage(0, &transport.Ack{Seq: n, Flags: 0x80})))
		}
	}
	var sent []uint16
	for range 150 {
		for _, n := range send() {
			if !slices.Contains(sent, n) {
				sent = append(sent, n)
			}
		}
	}
	require.Len(t, sent, 64)
	for i, n := range sent {
		require.Equal(t, uint16(150+i), n)
	}
}

// Thousands of messages in each direction arrive once and in order, although a tenth of the
// datagrams are lost. The session recognises OpenBC by its first Ack, or later, when its own
// numbers need two bytes.
func TestOpenBCNumbers(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]struct {
		host bool
		late int // messages before the first flag
	}{"host": {true, 0}, "client": {false, 0}, "host, late": {true, 250}, "client, late": {false, 250}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			total := testdata.Either(10_000, 2000)
			random := rand.New(rand.NewPCG(7, uint64(v.late)))
			s, peer := openClient(t, transport.Options{}), &openBC{peer: 1, flagged: v.late == 0}
			if v.host {
				s, peer.peer = openHost(t, transport.Options{}), 2
			}
			sent, queued := 0, 0
			var got []uint32
			now := start
			for step := 0; len(got) < total || len(peer.delivered) < total || !s.Flushed(); step++ {
				if step == 200_000 {
					require.Fail(t, "too slow", "%d of %d arrived, and %d", len(got), total, len(peer.delivered))
				}
				now = now.Add(tick)
				if len(peer.delivered) >= v.late {
					peer.flagged = true
				}
				burst := 40
				if !s.OpenBC() {
					burst = 1 // or more than half of the numbers would be in flight
				}
				for ; burst > 0 && sent < total && sent < len(peer.delivered)+40 && (peer.flagged || sent < v.late+30); sent++ {
					burst--
					s.Queue(reliable, string(binary.LittleEndian.AppendUint32(nil, uint32(sent))))
				}
				for ; queued < total && len(peer.inFlight) < 40 && (s.OpenBC() || queued < 256); queued++ {
					peer.send(string(binary.LittleEndian.AppendUint32(nil, uint32(queued))))
				}
				if d := peer.datagram(now); random.IntN(10) > 0 {
					s.Session.Receive(now, d)
				}
				for e := range s.Session.Events() {
					require.Equal(t, transport.EventPayload, e.Kind, "%v", e.End)
					got = append(got, binary.LittleEndian.Uint32(e.Payload))
				}
				peer.recognised = s.OpenBC()
				for d := range s.Datagrams(now) {
					if random.IntN(10) > 0 {
						peer.receive(t, slices.Clone(d))
					}
				}
			}
			require.True(t, s.OpenBC())
			require.Len(t, got, total)
			require.Len(t, peer.delivered, total)
			for i := range total {
				require.EqualValues(t, i, got[i])
				require.EqualValues(t, i, binary.LittleEndian.Uint32(peer.delivered[i]))
			}
		})
	}
}

// An OpenBC server that is full, or whose match has ended, replies to a Connect with a game
// payload. The client delivers this payload, and no payload of a match.
func TestOpenBCServerRefuses(t *testing.T) {
	s := newClient(t, transport.ConnectRequest{}, transport.Options{})
	s.Sent(start)
	s.Session.Receive(start, []byte("\x01\x01\x32\x05\x00\x04\x02"))
	require.Equal(t, []string{"payload \x04\x02"}, s.Events())
	s.Receive(start, text(0, "reliable"), fragment(1, 0, 2, "x"), "05 0A 40 02 00 00 00 00 00 00")
	require.Nil(t, s.Events())
	require.Equal(t, map[string]int{"early": 3}, s.Dropped())
}

// A peer that counts modulo 256 but sends only forms of the stock game, as OpenBC's server does to
// a client that looks like the stock game, is recognised after 256 messages. Ten thousand messages
// in each direction arrive once and in order, also those whose payload is equal to the earlier one
// with the same number, and hardly any message is retransmitted without need.
func TestNarrowNumbersInStockForms(t *testing.T) {
	t.Parallel()
	const total = 10_000
	value := func(i int) string { // every tenth payload is equal to the one with the same number
		if i%10 == 9 && i >= 256 {
			i -= 256
		}
		return string(binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	for name, v := range map[string]struct {
		host    bool
		options transport.Options
		rate    int // messages in a tick of 50 ms
		loss    int // per cent
		replies int // of the peer
	}{
		"client":         {false, transport.Options{}, 1, 5, total},
		"host":           {true, transport.Options{}, 1, 5, total},
		"client, fast":   {false, transport.Options{}, 10, 5, total},
		"client, clean":  {false, transport.Options{}, 2, 0, total},
		"client, lossy":  {false, transport.Options{}, 1, 20, total},
		"client, stock":  {false, transport.StockOptions(), 1, 5, total},
		"client, steady": {false, transport.Options{}, 40, 5, total},
		"only Acks":      {false, transport.Options{}, 1, 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(8, 8))
			s, peer := openClient(t, v.options), &openBC{peer: 1, buffers: true, buffered: map[uint8][]byte{}}
			if v.host {
				s, peer.peer = openHost(t, v.options), 2
			}
			sent, queued, lost := 0, 0, 0
			var got []string
			now := start
			for step := 0; len(got) < v.replies || len(peer.delivered) < total || !s.Flushed(); step++ {
				if step == 200_000 {
					require.Fail(t, "too slow", "%d of %d arrived, and %d", len(got), total, len(peer.delivered))
				}
				now = now.Add(tick)
				for range v.rate {
					if sent < total && s.Send([]byte(value(sent)), reliable) == nil {
						sent++
					}
					if queued < v.replies && len(peer.inFlight) < 40 {
						peer.send(value(queued))
						queued++
					}
				}
				if d := peer.datagram(now); random.IntN(100) >= v.loss {
					s.Session.Receive(now, d)
				} else {
					lost += int(d[1])
				}
				for e := range s.Session.Events() {
					require.Equal(t, transport.EventPayload, e.Kind, "%v", e.End)
					got = append(got, string(e.Payload))
				}
				peer.recognised = s.OpenBC()
				for d := range s.Datagrams(now) {
					if random.IntN(100) >= v.loss {
						peer.receive(t, slices.Clone(d))
					} else {
						lost += int(d[1])
					}
				}
			}
			require.True(t, s.OpenBC())
			require.Len(t, got, v.replies)
			require.Len(t, peer.delivered, total)
			for i := range total {
				if i < v.replies && got[i] != value(i) || string(peer.delivered[i]) != value(i) {
					require.Equal(t, value(i), got[i], i)
					require.Equal(t, value(i), string(peer.delivered[i]), i)
				}
			}
			c := s.Counters()
			t.Logf("%v simulated; %v; %d messages and Acks lost", now.Sub(start), c, lost)
			require.LessOrEqual(t, int(c.Retransmissions), lost+total/100)
		})
	}
}

// A stock peer is never taken for OpenBC, whatever the network does: each schedule exchanges more
// than 256 messages in each direction.
func TestStockPeerIsNotTakenForOpenBC(t *testing.T) {
	total := testdata.Either(2000, 40)
	wide := 0
	for seed := range total {
		n := newNetwork(uint64(seed) + 1e6)
		n.least = 300
		var all outcome
		n.schedule(t, &all)
		for _, e := range n.endpoints {
			require.False(t, e.session.OpenBC(), "seed %d", seed)
		}
		if all.delivered > 0 {
			wide++
		}
	}
	t.Log(wide, "of", total, "schedules delivered all messages")
	require.Greater(t, wide, total/2)
}
