package transport_test

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// transfer is the messages that one endpoint sends to the other, and counts those that have arrived.
type transfer struct {
	to         *endpoint // the receiver
	payloads   [][]byte
	kinds      []transport.Delivery
	names      int
	queued     int // payloads
	sentNames  int
	reliable   int // payloads that arrived
	received   int // names that arrived
	unreliable int
	ended      bool
	reason     transport.EndReason
}

// newTransfer makes the payloads: an index, and bytes that depend on it.
func (n *network) newTransfer(to *endpoint) *transfer {
	t := &transfer{to: to, names: n.between(0, 4)}
	for i := range n.least + n.between(0, []int{10, 40, 150}[n.between(0, 2)]) {
		size := n.between(4, 60)
		switch n.between(0, 29) {
		case 0, 1:
			size = n.between(400, 415) // around the limit
		case 2, 3:
			size = n.between(416, 3000)
		case 4:
			if n.chance(0.1) {
				size = n.between(30000, 60000)
			}
		}
		t.kinds = append(t.kinds, []transport.Delivery{
			transport.Reliable, transport.Reliable, transport.Unreliable,
			transport.Reliable | transport.HighPriority, transport.HighPriority,
		}[n.between(0, 4)])
		payload := numbered(size)
		binary.LittleEndian.PutUint32(payload, uint32(i))
		t.payloads = append(t.payloads, payload)
	}
	return t
}

// offer queues at most most payloads, until the send queue is full.
func (t *transfer) offer(s *transport.Session, most int) {
	for ; most > 0 && t.queued < len(t.payloads); most-- {
		err := s.Send(t.payloads[t.queued], t.kinds[t.queued])
		if err != nil {
			return
		}
		t.queued++
	}
	if t.sentNames < t.names && s.SendSystem(&transport.NameChange{PeerID: objectid.PeerID(t.sentNames)}) == nil {
		t.sentNames++
	}
}

// check compares an event with the messages that were sent.
func (t *transfer) check(tb require.TestingT, e transport.Event) {
	if t.ended {
		require.Fail(tb, "an event after the end")
	}
	switch e.Kind {
	case transport.EventPayload:
		i := int(binary.LittleEndian.Uint32(e.Payload))
		if i >= t.queued {
			require.Fail(tb, "never sent")
		}
		if !bytes.Equal(t.payloads[i], e.Payload) {
			require.Equal(tb, t.payloads[i], e.Payload)
		}
		if e.Delivery&transport.Reliable == 0 {
			require.Zero(tb, t.kinds[i]&transport.Reliable)
			t.unreliable++
			return
		}
		for t.kinds[t.reliable]&transport.Reliable == 0 && len(t.payloads[t.reliable]) <= 409 {
			t.reliable++ // skip the unreliable payloads
		}
		if i != t.reliable {
			require.Equal(tb, t.reliable, i, "out of order, or a duplicate")
		}
		t.reliable++
	case transport.EventSystem:
		require.Equal(tb, t.received, int(e.Body.(*transport.NameChange).PeerID), "out of order, or a duplicate")
		t.received++
	case transport.EventEnded:
		t.ended, t.reason = true, e.End
	}
}

// done reports whether all reliable payloads and all names have arrived.
func (t *transfer) done() bool {
	last := t.reliable
	for last < len(t.payloads) && t.kinds[last]&transport.Reliable == 0 && len(t.payloads[last]) <= 409 {
		last++
	}
	return last == len(t.payloads) && t.received == t.names
}

// options returns random options for one side.
func (n *network) options() transport.Options {
	if n.chance(0.5) {
		return transport.StockOptions()
	}
	return transport.Options{}.With(transport.Limits{RetransmitSteps: n.between(1, 5), Burst: n.between(1, 4)})
}

// outcome counts how schedules end.
type outcome struct{ delivered, ended, jumped int }

// schedule runs a random exchange over a random network. Every reliable payload and every name
// arrives once and in order, or a session reports its end. The options of the two sides, client
// first, are random if they are not given.
func (n *network) schedule(tb require.TestingT, all *outcome, sides ...transport.Options) {
	n.loss, n.duplicate = n.random.Float64()/2, n.random.Float64()/4
	longest := []int{30, 300, 3000, 10000}[n.between(0, 3)]
	n.delay = func() time.Duration { return time.Duration(n.between(0, longest)) * time.Millisecond }
	clients, hosts := n.options(), n.options()
	if len(sides) == 2 {
		clients, hosts = sides[0], sides[1]
	}
	if n.chance(0.2) { // small limits
		for _, o := range []*transport.Options{&clients, &hosts} {
			*o = o.With(transport.Limits{MaxBuffered: 3, MaxBufferedBytes: 2000, MaxPartialPayloads: 2, Window: 20})
			o.MaxQueue = 5
		}
	}
	client, host := n.connectWith(clients, hosts)
	there, back := n.newTransfer(host), n.newTransfer(client)
	host.onEvent = func(e transport.Event) { there.check(tb, e) }
	client.onEvent = func(e transport.Event) { back.check(tb, e) }
	jumps := n.chance(0.3)
	returns := 0
	n.onReturn = func(e *endpoint) {
		if returns++; returns%16 == 0 {
			require.NoError(tb, transport.CheckSession(e.session))
		}
		if transport.Overdue(e.session) {
			require.Fail(tb, "overdue")
		}
	}
	for n.now < max(20*time.Minute, time.Duration(n.least)*time.Minute) && !(there.done() && back.done()) && !there.ended && !back.ended {
		n.run(time.Duration(n.between(1, 1000)) * time.Millisecond)
		there.offer(client.session, n.between(0, 5))
		back.offer(host.session, n.between(0, 5))
		n.serve(client)
		n.serve(host)
		if jumps && n.chance(0.05) {
			e := []*endpoint{client, host}[n.between(0, 1)]
			e.skew += time.Duration(n.between(-100_000, 50_000)) * time.Millisecond
			e.wake = n.now
		}
	}
	if there.ended || back.ended {
		n.run(2 * time.Minute) // until the other session has ended, too
		require.True(tb, there.ended && back.ended, "seed %d", n.seed)
		all.ended++
		if jumps {
			all.jumped++
		}
		return
	}
	all.delivered++
	require.True(tb, there.done() && back.done(), "seed %d: neither delivered nor ended", n.seed)
	require.Equal(tb, there.names, there.received)
}

// TestSchedules runs 400 random schedules, and 10,000 in the long form.
func TestSchedules(t *testing.T) {
	total := testdata.Either(10_000, 400)
	const parts = 4
	for part := range parts {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			var all outcome
			for seed := part; seed < total; seed += parts {
				newNetwork(uint64(seed)).schedule(t, &all)
			}
			t.Logf("%d delivered, %d ended, %d of them with a clock that jumped", all.delivered, all.ended, all.jumped)
			require.Greater(t, all.delivered, 9*all.ended)
			require.Less(t, all.ended-all.jumped, max(1, total/1000))
		})
	}
}
