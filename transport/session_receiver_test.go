package transport_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

const connectMessage = "03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00"

// from returns a datagram of a peer with the given messages.
func from(peer objectid.PeerID, messages ...string) []byte {
	d := datagram(messages...)
	d[0] = byte(peer)
	return d
}

// after returns the time so long after the start.
func after(d time.Duration) time.Time { return start.Add(d) }

const tick = 50 * time.Millisecond

// newHosted returns a host's session with the peer 2, which is connected and has nothing
// to send or to tell.
func newHosted(t testing.TB, o transport.Options) *transport.Session {
	s := transport.NewHost(start, 2, o)
	s.Receive(start, from(objectid.NoPeer, connectMessage))
	require.Equal(t, hexes("01 02 01 00 00 02 03 06 C0 00 00 02"), leaving(s, start))
	s.Receive(start, from(2, "01 00 00 02"))
	require.Equal(t, []string{"connected"}, told(s))
	require.True(t, s.Flushed())
	return s
}

// newJoined returns a client's session with the peer ID 2, likewise.
func newJoined(t testing.TB, o transport.Options) *transport.Session {
	s := newClient(start, transport.ConnectRequest{
		LocalIP: [4]byte{10, 10, 10, 239}, ConnID: 0x78F9, Password: newText(""),
	}, o)
	require.Equal(t, []string{fmt.Sprintf("%X", from(objectid.NoPeer, connectMessage))}, leaving(s, start))
	s.Receive(start, from(objectid.Host, "01 00 00 02", "03 06 C0 00 00 02"))
	require.Equal(t, []string{"connected {2}"}, told(s))
	require.Equal(t, hexes("02 01 01 00 00 02"), leaving(s, after(tick)))
	require.True(t, s.Flushed())
	return s
}

func newClient(now time.Time, request transport.ConnectRequest, o transport.Options) *transport.Session {
	s, err := transport.NewClient(now, request, o)
	if err != nil {
		panic(err)
	}
	return s
}

func newText(s string) transport.UTF16Z {
	t, err := transport.NewUTF16Z(s)
	if err != nil {
		panic(err)
	}
	return t
}

func hexes(wires ...string) []string {
	var all []string
	for _, w := range wires {
		all = append(all, strings.Join(strings.Fields(w), ""))
	}
	return all
}

// leaving returns the datagrams that are due.
func leaving(s *transport.Session, now time.Time) (all []string) {
	for d := range s.Datagrams(now) {
		all = append(all, fmt.Sprintf("%X", d))
	}
	return all
}

// told returns what has happened.
func told(s *transport.Session) (all []string) {
	for e := range s.Events() {
		all = append(all, tell(e))
	}
	return all
}

func tell(e transport.Event) string {
	words := []string{e.Kind.String()}
	switch e.Kind {
	case transport.EventPayload:
		if e.Delivery&transport.Reliable != 0 {
			words = append(words, "reliable")
		}
		if e.Delivery&transport.HighPriority != 0 {
			words = append(words, "first")
		}
		words = append(words, string(e.Payload))
	case transport.EventEnded:
		words = append(words, e.End.String())
	}
	if e.Body != nil {
		words = append(words, fmt.Sprint(e.Body))
	}
	return strings.Join(words, " ")
}

// text is the wire form of a reliable message with a text.
func text(seq uint16, text string) string { return wire(transport.NewData(seq, []byte(text))) }

func wire(m transport.Message) string {
	b, err := m.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%X", b)
}

// dropped returns the reasons of what was dropped, with their numbers.
func dropped(c transport.Counters) map[string]int {
	all := map[string]int{}
	sum := 0
	for r, n := range c.Drops {
		if n > 0 {
			all[transport.DropReason(r).String()] = int(n)
			sum += int(n)
		}
	}
	if sum != int(c.Dropped()) {
		panic("the sum is wrong")
	}
	return all
}

// Distances from the expected number, as the specification has them: what is delivered,
// what is kept, what is acknowledged, again or at all.
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
			s := newHosted(t, transport.Options{})
			transport.SetExpected(s, s, false, expected)
			seq := expected + uint16(v.distance)
			s.Receive(start, from(2, text(seq, "x")))
			var want, events []string
			if v.acked {
				want = []string{fmt.Sprintf("010101%02X%02X00", byte(seq), seq>>8)}
			}
			if v.delivered {
				events = []string{"payload reliable x"}
			}
			require.Equal(t, events, told(s), "%d", v.distance)
			require.Equal(t, want, leaving(s, after(tick)), "%d", v.distance)
			c := s.Counters()
			if v.drops == nil {
				v.drops = map[string]int{}
			}
			require.Equal(t, v.drops, dropped(c))
			require.Equal(t, v.acked && v.distance < 0, c.Duplicates == 1)
		}
	}
}

// What is early is delivered when what was missing has come, each once, in order, in
// both channels, over the wrap of the numbers.
func TestReceiveEarly(t *testing.T) {
	s := newHosted(t, transport.Options{})
	transport.SetExpected(s, s, false, 65534)
	transport.SetExpected(s, s, true, 65534)
	name := func(seq uint16, name string) string {
		return wire(transport.NewMessage(seq, transport.NameChange{PeerID: 2, Name: newText(name)}))
	}
	buffer := from(2, text(1, "d"), text(65535, "b"), text(0, "c"), name(65535, "B"), text(65535, "other"))
	s.Receive(start, buffer)
	clear(buffer) // what is kept is copied
	require.Nil(t, told(s))
	require.NoError(t, transport.CheckSession(s))
	s.Receive(start, from(2, text(65534, "a"), name(65534, "A"), text(0, "again")))
	require.Equal(t, []string{
		"payload reliable a", "payload reliable b", "payload reliable c", "payload reliable d",
		fmt.Sprintf("system {2 [0 0 0 0] %v}", newText("A")), fmt.Sprintf("system {2 [0 0 0 0] %v}", newText("B")),
	}, told(s))
	require.Equal(t, hexes("01 08 01010000 01FFFF00 01000000 01FFFF02 01FFFF00 01FEFF00 01FEFF02 01000000"), leaving(s, after(tick)))
	require.Equal(t, uint64(2), s.Counters().Duplicates)
	require.NoError(t, transport.CheckSession(s))
}

// Payloads of events stay as they are until the next datagram, whatever the loop does.
func TestPayloadsSurviveTheLoop(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, text(1, "second"), text(2, "third")))
	s.Receive(start, from(2, text(0, "first")))
	var payloads [][]byte
	for e := range s.Events() {
		payloads = append(payloads, e.Payload)
		require.NoError(t, s.Send([]byte("answer"), transport.Reliable))
	}
	require.Equal(t, "first second third", string(bytesJoin(payloads)))
}

// Nor does another datagram change them, as long as not all events are taken.
func TestPayloadsSurviveTheNextDatagram(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, text(1, "second")))
	s.Receive(start, from(2, text(0, "first")))
	s.Receive(start, from(2, text(3, "fourth")))
	s.Receive(start, from(2, text(4, "fifth.")))
	require.Equal(t, []string{"payload reliable first", "payload reliable second"}, told(s))
}

func bytesJoin(all [][]byte) []byte {
	var texts []string
	for _, b := range all {
		texts = append(texts, string(b))
	}
	return []byte(strings.Join(texts, " "))
}

// Unreliable payloads are delivered as they come, and never acknowledged.
func TestReceiveUnreliable(t *testing.T) {
	s := newHosted(t, transport.Options{})
	high := transport.NewUnreliable([]byte("y"))
	high.HighPriority = true
	s.Receive(start, from(2, wire(transport.NewUnreliable([]byte("x"))), wire(high), text(1, "early"), wire(transport.NewUnreliable(nil))))
	require.Equal(t, []string{"payload x", "payload first y", "payload "}, told(s))
	require.Equal(t, hexes("01 01 01010000"), leaving(s, after(tick)))
	reliable := transport.NewData(0, []byte("z"))
	reliable.HighPriority = true
	s.Receive(start, from(2, wire(reliable)))
	require.Equal(t, []string{"payload reliable first z", "payload reliable early"}, told(s))
}

// What is not kept is not acknowledged, for it would never come again.
func TestNoAckWithoutRoom(t *testing.T) {
	for _, o := range []transport.Options{
		{MaxBuffered: 2},
		{MaxBufferedBytes: 5},
	} {
		s := newHosted(t, o)
		s.Receive(start, from(2, text(1, "bb"), text(2, "ccc"), text(3, "d"), text(2, "ccc")))
		require.Equal(t, hexes("01 03 01010000 01020000 01020000"), leaving(s, after(tick)))
		require.Equal(t, map[string]int{"no_room": 1}, dropped(s.Counters()))
		require.Nil(t, told(s))
		// The expected one always has room, and makes some.
		s.Receive(after(tick), from(2, text(0, "a much longer one")))
		require.Len(t, told(s), 3)
		s.Receive(after(tick), from(2, text(3, "d")))
		require.Equal(t, []string{"payload reliable d"}, told(s))
		require.Equal(t, hexes("01 02 01000000 01030000"), leaving(s, after(3*tick)))
	}
	// By default 256 messages, or 256 KiB.
	s := newHosted(t, transport.Options{})
	for seq := range uint16(300) {
		s.Receive(start, from(2, text(seq+1, "x")))
	}
	require.Equal(t, map[string]int{"no_room": 44}, dropped(s.Counters()))
	s = newHosted(t, transport.Options{})
	for seq := range uint16(40) {
		s.Receive(start, from(2, text(seq+1, strings.Repeat("x", 8000))))
	}
	require.Equal(t, map[string]int{"no_room": 40 - 32}, dropped(s.Counters()))
	require.NoError(t, transport.CheckSession(s))
}

func fragment(seq uint16, index, total uint8, body string) string {
	return wire(piece(seq, index, total, body))
}

func TestReceiveFragments(t *testing.T) {
	s := newHosted(t, transport.Options{})
	d := from(2, fragment(1, 1, 0, "cd"), fragment(0, 2, 0, "3"), fragment(1, 0, 2, "ab"), fragment(0, 0, 3, "1"), fragment(0, 0, 3, "1"))
	s.Receive(start, d)
	clear(d)
	require.Nil(t, told(s))
	require.NoError(t, transport.CheckSession(s))
	s.Receive(start, from(2, fragment(0, 1, 0, "2"), fragment(0, 1, 0, "2"), fragment(1, 0, 2, "ab")))
	require.Equal(t, []string{"payload reliable 123", "payload reliable abcd"}, told(s))
	require.Equal(t, hexes(`01 08 0101000101 0100000102 0101000100 0100000100 0100000100
		0100000101 0100000101 0101000100`), leaving(s, after(tick)))
	require.Equal(t, uint64(3), s.Counters().Duplicates)
	require.NoError(t, transport.CheckSession(s))
}

// The fault of the stock client: it repeats the pieces of a payload for ever. Each has
// its Ack, nothing else happens.
func TestFragmentsRepeated(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, fragment(0, 0, 2, "ab"), fragment(0, 1, 0, "c")))
	require.Len(t, told(s), 1)
	leaving(s, after(tick))
	now := after(tick)
	for range 100 {
		now = now.Add(2 * time.Second)
		s.Receive(now, from(2, fragment(0, 0, 2, "ab"), fragment(0, 1, 0, "c")))
		require.Nil(t, told(s))
		require.Equal(t, hexes("01 02 0100000100 0100000101"), leaving(s, now.Add(tick)))
	}
	require.Equal(t, uint64(200), s.Counters().Duplicates)
	require.Zero(t, s.Counters().Dropped())
}

// A number has either a message or pieces; what came first counts, and the other is not
// acknowledged unless it has been delivered.
func TestFragmentsAndWhole(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, fragment(0, 1, 0, "b"), text(0, "whole"), text(1, "kept"), fragment(1, 0, 2, "x")))
	require.Nil(t, told(s))
	require.Equal(t, hexes("01 03 0100000101 01010000 0101000100"), leaving(s, after(tick)))
	require.Equal(t, map[string]int{"bad_fragment": 1}, dropped(s.Counters()))
	s.Receive(after(tick), from(2, fragment(0, 0, 2, "a")))
	require.Equal(t, []string{"payload reliable ab", "payload reliable kept"}, told(s))
}

// A fragment that contradicts those that were acknowledged ends the session: they will
// not come again. One that is impossible by itself is only dropped.
func TestBadFragments(t *testing.T) {
	for _, second := range []string{
		fragment(0, 0, 3, "xx"), fragment(0, 0, 2, "ab"), fragment(0, 2, 0, "b"), fragment(0, 0, 0, "a"),
	} {
		s := newHosted(t, transport.Options{})
		s.Receive(start, from(2, fragment(0, 0, 0, "a"), fragment(0, 255, 0, "a"), fragment(3, 0, 0, "a")))
		require.Nil(t, told(s))
		require.Nil(t, leaving(s, after(tick)))
		require.Equal(t, map[string]int{"bad_fragment": 3}, dropped(s.Counters()))
		s.Receive(start, from(2, fragment(0, 0, 2, "a"), second, text(1, "late"), wire(transport.NewUnreliable(nil))))
		require.Equal(t, []string{"ended bad fragment"}, told(s))
		require.Equal(t, map[string]int{"bad_fragment": 4, "late": 2}, dropped(s.Counters()))
		reason, ended := s.Ended()
		require.True(t, ended)
		require.Equal(t, transport.EndBadFragment, reason)
		require.Equal(t, hexes("01 02 0100000100 04 07 C0 01 00 00 02"), leaving(s, after(2*tick)))
		require.NoError(t, transport.CheckSession(s))
	}
}

// A payload that is not completed in time ends the session, too.
func TestFragmentAge(t *testing.T) {
	o := transport.Options{PeerTimeout: time.Hour, MaxPartialAge: time.Minute}
	s := newHosted(t, o)
	s.Receive(after(time.Second), from(2, fragment(0, 0, 2, "a")))
	s.Receive(after(2*time.Second), from(2, fragment(1, 0, 2, "a")))
	leaving(s, after(time.Minute+time.Second-1))
	require.Nil(t, told(s))
	require.Equal(t, after(time.Minute+time.Second), s.NextDeadline())
	leaving(s, s.NextDeadline())
	require.Equal(t, []string{"ended fragments too old"}, told(s))
	require.Equal(t, hexes("01 01 04 07 C0 01 00 01 02"), leaving(s, s.NextDeadline()))
}

// One place among the payloads in the making is kept for the next one.
func TestMaxSets(t *testing.T) {
	for _, next := range []bool{false, true} {
		s := newHosted(t, transport.Options{MaxPartialPayloads: 3})
		if next {
			s.Receive(start, from(2, fragment(0, 1, 0, "b")))
		}
		s.Receive(start, from(2, fragment(1, 1, 0, "b"), fragment(2, 1, 0, "b")))
		require.Zero(t, s.Counters().Dropped())
		s.Receive(start, from(2, fragment(3, 1, 0, "b"), fragment(2, 2, 0, "c"), fragment(0, 2, 0, "c")))
		require.Equal(t, map[string]int{"no_room": 1}, dropped(s.Counters()))
	}
}

// Payloads in the making cannot block the one before them, whatever the order in which
// their pieces come: only what would complete it may fill the last of the room.
func TestFragmentsCannotBlock(t *testing.T) {
	t.Parallel()
	const payloads = 5
	payload := numbered(transport.MaxPayload)
	for _, o := range []transport.Options{{}, {MaxPartialPayloads: 2}, {MaxPartialBytes: transport.MaxPayload}, {MaxPartialBytes: 1}} {
		s := newHosted(t, o)
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
				s.Receive(now, from(2, wire(m)))
				for e := range s.Events() {
					require.Equal(t, transport.EventPayload, e.Kind)
					require.Len(t, e.Payload, transport.MaxPayload)
					delivered++
				}
				if s.Counters().Dropped() > before.Dropped() {
					refused = append(refused, m)
				}
				leaving(s, now)
				require.NoError(t, transport.CheckSession(s))
			}
			waiting = refused
		}
		require.Equal(t, payloads, delivered)
	}
}
