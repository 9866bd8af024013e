package transport_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// TestObserverSeesWhatIsDelivered observes a client and a host on a network that loses, duplicates
// and reorders datagrams. An Observer where they arrive sees the payloads that the sessions
// deliver, no more and no fewer. An Observer where they are sent sees the reliable ones.
func TestObserverSeesWhatIsDelivered(t *testing.T) { rapid.Check(t, propertyObserver) }

// deliveredNumbers holds the numbers of the payloads of a direction.
type deliveredNumbers struct{ delivered, arrived, sent []uint32 }

func propertyObserver(t *rapid.T) {
	n := newNetwork(rapid.Uint64().Draw(t, "seed"))
	n.loss = rapid.Float64Range(0, 0.3).Draw(t, "loss")
	n.duplicate = rapid.Float64Range(0, 0.3).Draw(t, "duplicate")
	slowest := rapid.IntRange(1, 300).Draw(t, "slowest")
	n.delay = func() time.Duration { return time.Duration(n.between(1, slowest)) * time.Millisecond }
	o := transport.Options{}
	if rapid.Bool().Draw(t, "stock") {
		o = transport.StockOptions()
	}
	o.PeerTimeout, o.HandshakeTimeout = time.Hour, time.Hour
	client, host := n.connect(o)

	var toHost, fromHost deliveredNumbers
	var arriving, departing transport.Observer
	direction := func(isFromHost bool) *deliveredNumbers {
		if isFromHost {
			return &fromHost
		}
		return &toHost
	}
	n.onArrive = func(to *endpoint, d []byte) {
		for m := range arriving.Receive(n.clock(to), to == client, d) {
			if m.Payload != nil {
				x := direction(to == client)
				x.arrived = append(x.arrived, binary.LittleEndian.Uint32(m.Payload))
			}
		}
	}
	n.onSend = func(from *endpoint, d []byte) {
		for m := range departing.Receive(n.clock(from), from == host, d) {
			if m.Payload != nil && m.Reliable {
				x := direction(from == host)
				x.sent = append(x.sent, binary.LittleEndian.Uint32(m.Payload))
			}
		}
	}
	for _, e := range n.endpoints {
		e.onEvent = func(event transport.Event) {
			if event.Kind == transport.EventPayload {
				x := direction(e == client)
				x.delivered = append(x.delivered, binary.LittleEndian.Uint32(event.Payload))
			}
		}
	}
	for ; client.session.PeerID() == objectid.NoPeer; n.run(time.Second) {
	}

	want := [2][]uint32{} // the reliable payloads, by endpoint
	for i := range uint32(rapid.IntRange(0, 60).Draw(t, "payloads")) {
		from := int(i) % 2
		payload := make([]byte, rapid.SampledFrom([]int{4, 40, 407, 408, 1500, 6000}).Draw(t, "length"))
		binary.LittleEndian.PutUint32(payload, i)
		delivery := transport.Delivery(rapid.IntRange(0, 3).Draw(t, "delivery"))
		if delivery&reliable != 0 || len(payload) > 409 {
			want[from] = append(want[from], i)
		}
		require.NoError(t, n.endpoints[from].session.Send(payload, delivery))
		n.serve(n.endpoints[from])
		n.run(time.Duration(n.between(0, 200)) * time.Millisecond)
	}
	for i := 0; !client.session.Flushed() || !host.session.Flushed() || len(n.inTransit) > 0 && i < 5; i++ {
		require.Less(t, n.now, 24*time.Hour)
		n.run(time.Second)
	}
	for from, x := range []*deliveredNumbers{&toHost, &fromHost} {
		require.Equal(t, sorted(x.delivered), sorted(x.arrived))
		require.Equal(t, sorted(want[from]), sorted(x.sent))
	}
	partial, _ := arriving.Pending()
	require.Zero(t, partial)
}

func sorted(numbers []uint32) []uint32 { return slices.Sorted(slices.Values(numbers)) }

// FuzzObserver reads a sequence of datagrams: for each, a direction, a length and a time. The
// Observer gives the messages and errors of Messages, the verdicts of a Reassembler of the same
// sender as long as no Connect and no OpenBC interferes, and it stays within its limits.
func FuzzObserver(f *testing.F) {
	for _, d := range append(stock(f), from(2, fragment(1, 1, 0, "b"), fragment(1, 0, 2, "a"), text(1, "x")),
		from(1, text(0, "h"), text(0, "h"), "01 0000 01 00"), from(noPeer, openBCConnect), from(2, openBCName, "06 02")) {
		f.Add(slices.Concat([]byte{0, byte(len(d))}, d, []byte{0x21, byte(len(d))}, d, []byte{0xFE, byte(len(d))}, d))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		o := new(transport.Observer).Limit(3, 500, 100*time.Second)
		type sender struct {
			fromHost bool
			peer     byte
		}
		plain := map[sender]*transport.Reassembler{} // nil: there was a Connect or OpenBC
		now := start
		for len(program) >= 2 {
			op, n := program[0], min(int(program[1]), len(program)-2)
			d := program[2 : 2+n]
			program = program[2+n:]
			now = now.Add(time.Duration(int8(op)>>1) * time.Second)
			results, i, offset := readAll(d), 0, min(2, len(d))
			for m, err := range o.Receive(now, op&1 != 0, d) {
				r := results[i]
				i++
				require.True(t, same(r.m, m.Message))
				require.True(t, r.err == nil || err != nil && err.Error() == r.err.Error(), "%v, not %v", err, r.err)
				require.True(t, len(m.Raw) == 0 || &m.Raw[0] == &d[offset] && len(m.Raw) <= len(d)-offset)
				offset += len(m.Raw)
				require.Equal(t, m.Payload != nil, err == nil && m.Type == transport.TypeData && m.Verdict == transport.VerdictComplete)
				require.True(t, m.Acked == transport.Acked{} || m.Type == transport.TypeAck && m.Acked.Sends > 0 && m.Acked.Acks > 0)
				ack, _ := m.Ack()
				if m.Type == transport.TypeConnect || m.Short || ack.Flags&0x80 != 0 || m.System() && m.Reliable && !m.HighPriority {
					plain = nil
				}
				if plain == nil || r.err != nil || m.Type != transport.TypeData {
					continue
				}
				key := sender{op&1 != 0, d[0]}
				if plain[key] == nil && len(plain) < 20 {
					plain[key] = new(transport.Reassembler).Limit(3, 500, 100*time.Second)
				} else if plain[key] == nil {
					plain = nil // one was forgotten
					continue
				}
				plain[key].Expire(now)
				payload, verdict, _ := plain[key].Add(now, &r.m)
				require.Equal(t, verdict, m.Verdict)
				require.Equal(t, payload, m.Payload)
			}
			require.Len(t, results, i)
			payloads, size := o.Pending()
			require.True(t, payloads <= 3*20 && size <= 500*20)
		}
	})
}
