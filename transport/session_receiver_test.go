package transport_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// The distance from the expected number determines whether a message is delivered, buffered or
// acknowledged.
func TestReceiveWindow(t *testing.T) {
	for _, expected := range []uint16{0, 5, 0x4000, 0x7FFF, 0x8000, 65535} {
		for _, v := range []struct {
			distance  int
			acked     bool
			delivered bool
			drops     map[string]int
		}{
			{0, true, true, nil},
			{1, true, false, nil},
			{2, true, false, nil},
			{0x3FFF, true, false, nil},
			{0x4000, false, false, map[string]int{"out_of_window": 1}},
			{0x7FFF, false, false, map[string]int{"out_of_window": 1}},
			{-0x8000, false, false, map[string]int{"out_of_window": 1}},
			{-0x4001, false, false, map[string]int{"out_of_window": 1}},
			{-0x4000, true, false, nil},
			{-2, true, false, nil},
			{-1, true, false, nil},
		} {
			s := openHost(t, transport.Options{})
			transport.SetExpected(s.Session, s.Session, false, expected)
			seq := expected + uint16(v.distance)
			s.Receive(start, text(seq, "x"))
			var want, events []string
			if v.acked {
				want = []string{fmt.Sprintf("010101%02X%02X00", byte(seq), seq>>8)}
			}
			if v.delivered {
				events = []string{"payload reliable x"}
			}
			require.Equal(t, events, s.Events(), "%d", v.distance)
			require.Equal(t, want, s.Sent(after(tick)), "%d", v.distance)
			c := s.Counters()
			if v.drops == nil {
				v.drops = map[string]int{}
			}
			require.Equal(t, v.drops, s.Dropped())
			require.Equal(t, v.acked && v.distance < 0, c.Duplicates == 1)
		}
	}
}

// Messages out of order are delivered once and in order after the missing messages, in both
// channels and across the wrap of the numbers.
func TestReceiveOutOfOrder(t *testing.T) {
	s := openHost(t, transport.Options{})
	transport.SetExpected(s.Session, s.Session, false, 65534)
	transport.SetExpected(s.Session, s.Session, true, 65534)
	name := func(seq uint16, name string) string {
		return wire(transport.NewMessage(seq, &transport.NameChange{PeerID: 2, Name: newText(name)}))
	}
	buffer := from(2, text(1, "d"), text(65535, "b"), text(0, "c"), name(65535, "B"), text(65535, "other"))
	s.Session.Receive(start, buffer)
	clear(buffer) // buffered messages are copies
	require.Nil(t, s.Events())
	require.NoError(t, transport.CheckSession(s.Session))
	s.Receive(start, text(65534, "a"), name(65534, "A"), text(0, "again"))
	require.Equal(t, []string{
		"payload reliable a", "payload reliable b", "payload reliable c", "payload reliable d",
		fmt.Sprintf("system {2 [0 0 0 0] %v}", newText("A")), fmt.Sprintf("system {2 [0 0 0 0] %v}", newText("B")),
	}, s.Events())
	require.Equal(t, hexStrings("01 08 01010000 01FFFF00 01000000 01FFFF02 01FFFF00 01FEFF00 01FEFF02 01000000"), s.Sent(after(tick)))
	require.Equal(t, uint64(2), s.Counters().Duplicates)
	require.NoError(t, transport.CheckSession(s.Session))
}

// Payloads of events stay valid until the next datagram.
func TestPayloadsAreValidAfterTheLoop(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, text(1, "second"), text(2, "third"))
	s.Receive(start, text(0, "first"))
	var payloads [][]byte
	for e := range s.Session.Events() {
		payloads = append(payloads, e.Payload)
		require.NoError(t, s.Send([]byte("reply"), transport.Reliable))
	}
	require.Equal(t, "first second third", string(bytes.Join(payloads, []byte(" "))))
}

// While events are unread, the next datagram does not change their payloads.
func TestPayloadsSurviveTheNextDatagram(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, text(1, "second"))
	s.Receive(start, text(0, "first"))
	s.Receive(start, text(3, "fourth"))
	s.Receive(start, text(4, "fifth."))
	require.Equal(t, []string{"payload reliable first", "payload reliable second"}, s.Events())
}

// Unreliable payloads are delivered as they arrive, and never acknowledged.
func TestReceiveUnreliable(t *testing.T) {
	s := openHost(t, transport.Options{})
	high := transport.NewUnreliable([]byte("y"))
	high.HighPriority = true
	s.Receive(start, wire(transport.NewUnreliable([]byte("x"))), wire(high), text(1, "early"), wire(transport.NewUnreliable(nil)))
	require.Equal(t, []string{"payload x", "payload high y", "payload "}, s.Events())
	require.Equal(t, hexStrings("01 01 01010000"), s.Sent(after(tick)))
	reliable := transport.NewData(0, []byte("z"))
	reliable.HighPriority = true
	s.Receive(start, wire(reliable))
	require.Equal(t, []string{"payload reliable high z", "payload reliable early"}, s.Events())
}

// A message that is not buffered is not acknowledged, because it would otherwise not be retransmitted.
func TestNoAckWithoutRoom(t *testing.T) {
	for _, l := range []transport.Limits{
		{MaxBuffered: 2},
		{MaxBufferedBytes: 5},
	} {
		s := openHost(t, transport.Options{}.With(l))
		s.Receive(start, text(1, "bb"), text(2, "ccc"), text(3, "d"), text(2, "ccc"))
		require.Equal(t, hexStrings("01 03 01010000 01020000 01020000"), s.Sent(after(tick)))
		require.Equal(t, map[string]int{"no_room": 1}, s.Dropped())
		require.Nil(t, s.Events())
		// The next message always has room, and its delivery frees room.
		s.Receive(after(tick), text(0, "a much longer one"))
		require.Len(t, s.Events(), 3)
		s.Receive(after(tick), text(3, "d"))
		require.Equal(t, []string{"payload reliable d"}, s.Events())
		require.Equal(t, hexStrings("01 02 01000000 01030000"), s.Sent(after(3*tick)))
	}
	// By default 256 messages, or 256 KiB.
	s := openHost(t, transport.Options{})
	for seq := range uint16(300) {
		s.Receive(start, text(seq+1, "x"))
	}
	require.Equal(t, map[string]int{"no_room": 44}, s.Dropped())
	s = openHost(t, transport.Options{})
	for seq := range uint16(40) {
		s.Receive(start, text(seq+1, strings.Repeat("x", 8000)))
	}
	require.Equal(t, map[string]int{"no_room": 40 - 32}, s.Dropped())
	require.NoError(t, transport.CheckSession(s.Session))
}

func TestReceiveFragments(t *testing.T) {
	s := openHost(t, transport.Options{})
	d := from(2, fragment(1, 1, 0, "cd"), fragment(0, 2, 0, "3"), fragment(1, 0, 2, "ab"), fragment(0, 0, 3, "1"), fragment(0, 0, 3, "1"))
	s.Session.Receive(start, d)
	clear(d)
	require.Nil(t, s.Events())
	require.NoError(t, transport.CheckSession(s.Session))
	s.Receive(start, fragment(0, 1, 0, "2"), fragment(0, 1, 0, "2"), fragment(1, 0, 2, "ab"))
	require.Equal(t, []string{"payload reliable 123", "payload reliable abcd"}, s.Events())
	require.Equal(t, hexStrings(`01 08 0101000101 0100000102 0101000100 0100000100 0100000100
		0100000101 0100000101 0101000100`), s.Sent(after(tick)))
	require.Equal(t, uint64(3), s.Counters().Duplicates)
	require.NoError(t, transport.CheckSession(s.Session))
}

// A stock client retransmits the fragments of a payload for ever. Each gets an Ack, without another
// effect.
func TestRetransmittedFragments(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, fragment(0, 0, 2, "ab"), fragment(0, 1, 0, "c"))
	require.Len(t, s.Events(), 1)
	s.Sent(after(tick))
	now := after(tick)
	for range 100 {
		now = now.Add(2 * time.Second)
		s.Receive(now, fragment(0, 0, 2, "ab"), fragment(0, 1, 0, "c"))
		require.Nil(t, s.Events())
		require.Equal(t, hexStrings("01 02 0100000100 0100000101"), s.Sent(now.Add(tick)))
	}
	require.Equal(t, uint64(200), s.Counters().Duplicates)
	require.Zero(t, s.Counters().Dropped())
}

// A number has either a message or fragments. The first that arrives counts, and the other is
// acknowledged only after delivery.
func TestFragmentsAndWhole(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, fragment(0, 1, 0, "b"), text(0, "whole"), text(1, "kept"), fragment(1, 0, 2, "x"))
	require.Nil(t, s.Events())
	require.Equal(t, hexStrings("01 03 0100000101 01010000 0101000100"), s.Sent(after(tick)))
	require.Equal(t, map[string]int{"bad_fragment": 1}, s.Dropped())
	s.Receive(after(tick), fragment(0, 0, 2, "a"))
	require.Equal(t, []string{"payload reliable ab", "payload reliable kept"}, s.Events())
}

// A fragment that contradicts acknowledged fragments ends the session, because these never arrive
// again. A fragment that is impossible by itself is dropped.
func TestBadFragments(t *testing.T) {
	for _, second := range []string{
		fragment(0, 0, 3, "xx"), fragment(0, 0, 2, "ab"), fragment(0, 2, 0, "b"), fragment(0, 0, 0, "a"),
	} {
		s := openHost(t, transport.Options{})
		s.Receive(start, fragment(0, 0, 0, "a"), fragment(0, 255, 0, "a"), fragment(3, 0, 0, "a"))
		require.Nil(t, s.Events())
		require.Nil(t, s.Sent(after(tick)))
		require.Equal(t, map[string]int{"bad_fragment": 3}, s.Dropped())
		s.Receive(start, fragment(0, 0, 2, "a"), second, text(1, "late"), wire(transport.NewUnreliable(nil)))
		require.Equal(t, []string{"ended bad fragment"}, s.Events())
		require.Equal(t, map[string]int{"bad_fragment": 4, "late": 2}, s.Dropped())
		require.True(t, s.Ended())
		require.Equal(t, transport.EndBadFragment, transport.EndOf(s.Session))
		require.Equal(t, hexStrings("01 02 0100000100 04 07 C0 01 00 00 02"), s.Sent(after(2*tick)))
		require.NoError(t, transport.CheckSession(s.Session))
	}
}

// A payload that is not completed in time ends the session, too.
func TestFragmentAge(t *testing.T) {
	for _, age := range []time.Duration{0, time.Minute} {
		o := transport.Options{PeerTimeout: time.Hour, KeepAlive: time.Hour}.With(transport.Limits{MaxPartialAge: age})
		if age == 0 {
			age = 360 * time.Second
		}
		s := openHost(t, o)
		s.Receive(after(time.Second), fragment(0, 0, 2, "a"))
		s.Receive(after(2*time.Second), fragment(1, 0, 2, "a"))
		s.Sent(after(age + time.Second - 1))
		require.Nil(t, s.Events())
		require.Equal(t, after(age+time.Second), s.NextDeadline())
		s.Sent(s.NextDeadline())
		require.Equal(t, []string{"ended fragments too old"}, s.Events())
		require.Equal(t, hexStrings("01 01 04 07 C0 01 00 01 02"), s.Sent(s.NextDeadline()))
	}
}

// One of the partial payloads is reserved for the next payload.
func TestNextPayloadHasReservedRoom(t *testing.T) {
	for _, next := range []bool{false, true} {
		s := openHost(t, transport.Options{}.With(transport.Limits{MaxPartialPayloads: 3}))
		if next {
			s.Receive(start, fragment(0, 1, 0, "b"))
		}
		s.Receive(start, fragment(1, 1, 0, "b"), fragment(2, 1, 0, "b"))
		require.Zero(t, s.Counters().Dropped())
		s.Receive(start, fragment(3, 1, 0, "b"), fragment(2, 2, 0, "c"), fragment(0, 2, 0, "c"))
		require.Equal(t, map[string]int{"no_room": 1}, s.Dropped())
	}
}

// Later partial payloads cannot block the next payload, in any order of their fragments.
func TestFragmentsCannotBlock(t *testing.T) {
	t.Parallel()
	const payloads = 5
	payload := numbered(transport.MaxPayload)
	for _, l := range []transport.Limits{{}, {MaxPartialPayloads: 2}, {MaxPartialBytes: transport.MaxPayload}, {MaxPartialBytes: 1}} {
		o := transport.Options{}.With(l)
		s := openHost(t, o)
		var waiting []transport.Message
		for seq := range uint16(payloads) { // the later the first
			waiting = append(waiting, fragments(payloads-1-seq, payload)...)
		}
		delivered := 0
		for round := 1; len(waiting) > 0; round++ {
			require.LessOrEqual(t, round, 2*payloads)
			var refused []transport.Message
			for i, m := range waiting {
				now := after(time.Duration(round)*time.Second + time.Duration(i)*100*time.Microsecond)
				before := s.Counters()
				s.Receive(now, wire(m))
				for e := range s.Session.Events() {
					require.Equal(t, transport.EventPayload, e.Kind)
					require.Len(t, e.Payload, transport.MaxPayload)
					delivered++
				}
				if s.Counters().Dropped() > before.Dropped() {
					refused = append(refused, m)
				}
				s.Sent(now)
				require.NoError(t, transport.CheckSession(s.Session))
			}
			waiting = refused
		}
		require.Equal(t, payloads, delivered)
	}
}

// An empty payload is no probe when its number is one of the next.
func TestEmptyPayloadsAfterManyMessages(t *testing.T) {
	n := newNetwork(1)
	n.loss = 0.2
	client, host := n.connect(transport.Options{})
	n.run(10 * time.Second)
	var got []string
	client.onEvent = func(e transport.Event) { got = append(got, string(e.Payload)) }
	transport.SetExpected(host.session, client.session, false, 0xC1FE)
	payloads := []string{"a", "", "", "b", "", "c"}
	for _, p := range payloads {
		require.NoError(t, host.session.Send([]byte(p), reliable))
	}
	n.run(time.Minute)
	require.Equal(t, payloads, got)
	require.True(t, host.session.Flushed())
}
