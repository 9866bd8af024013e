package transport_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// observerHarness is an Observer that returns observations as text.
type observerHarness struct {
	transport.Observer
	now time.Time
}

func newObserverHarness() *observerHarness { return &observerHarness{now: start} }

// FromHost observes a datagram of the host with the given messages.
func (w *observerHarness) FromHost(messages ...string) []string {
	return w.Observe(true, from(objectid.Host, messages...))
}

// From observes a datagram of a client with the given messages.
func (w *observerHarness) From(peer objectid.PeerID, messages ...string) []string {
	return w.Observe(false, from(peer, messages...))
}

// Observe observes a datagram.
func (w *observerHarness) Observe(fromHost bool, datagram []byte) (words []string) {
	for m, err := range w.Receive(w.now, fromHost, datagram) {
		words = append(words, w.text(m, err))
	}
	return words
}

func (w *observerHarness) text(m *transport.Observation, err error) string {
	text := fmt.Sprintf("%v: %v", m.Message, m.Verdict)
	if m.Payload != nil {
		text += fmt.Sprintf(" %q", m.Payload)
	}
	if m.Fragments > 0 {
		text += fmt.Sprintf(" of %d", m.Fragments)
	}
	if m.NewConnection {
		text += ", new connection"
	}
	if trip, ok := m.Acked.RoundTrip(w.now); ok {
		text += fmt.Sprintf(" after %v", trip)
	} else if m.Acked.Sends > 0 {
		text += fmt.Sprintf(" sent %d times, acknowledged %d times", m.Acked.Sends, m.Acked.Acks)
	}
	if err != nil {
		text += ", " + err.Error()
	}
	return text
}

// Advance advances the clock.
func (w *observerHarness) Advance(d time.Duration) { w.now = w.now.Add(d) }

// connect returns the Connect of a client in hex.
func connect(connID uint32) string {
	return wire(transport.NewMessage(0, &transport.ConnectRequest{ConnID: connID}))
}

const (
	noPeer  = objectid.NoPeer
	reply   = "03 06 C0 00 00 02"
	nothing = "02"
)

func TestObserverFollowsJoin(t *testing.T) {
	w := newObserverHarness()
	require.Equal(t, []string{"Connect #0, ConnID 0x00000007: complete, new connection"}, w.From(noPeer, connect(7)))
	w.Advance(20 * time.Millisecond)
	require.Equal(t, []string{
		"Ack of system #0: complete after 20ms",
		"Connect #0, peer 2 is accepted: complete",
		`Data #0, 5 bytes: complete "first"`,
	}, w.FromHost(handshakeAck, reply, text(0, "first")))
	w.Advance(30 * time.Millisecond)
	require.Equal(t, []string{
		"Ack of system #0: complete after 30ms",
		"Ack of game #0: complete after 30ms",
		`NameChange #1, peer 2 is "Cady2": complete`,
		`Data #0, 6 bytes: complete "second"`,
		`Data unreliable, 6 bytes: complete "update"`,
	}, w.From(2, handshakeAck, "01 0000 00", wire(transport.NewMessage(1, nameChange(2, "Cady2"))), text(0, "second"), wire(transport.NewUnreliable([]byte("update")))))
	require.Equal(t, []string{"DoNothing: complete"}, w.FromHost(nothing))
}

// System messages come with their typed bodies. An Ack has none; Message.Ack returns it.
func TestObserverDecodes(t *testing.T) {
	var o transport.Observer
	bodies := []transport.Body{
		&transport.ConnectReply{PeerID: 2},
		nameChange(3, "x"),
		&transport.Boot{Reason: transport.BootBanned, PeerID: 4},
		&transport.Disconnect{PeerID: 5},
		&transport.DoNothing{},
		&transport.Ack{Seq: 9, Flags: transport.AckSystem},
	}
	p := transport.Packet{PeerID: objectid.Host}
	for i, b := range bodies {
		p.Messages = append(p.Messages, transport.NewMessage(uint16(i), b))
	}
	d, err := p.MarshalBinary()
	require.NoError(t, err)
	var got []transport.Body
	offset := 2
	for m, err := range o.Receive(start, true, d) {
		require.NoError(t, err)
		require.Equal(t, d[offset:offset+m.Len()], m.Raw)
		offset += len(m.Raw)
		if ack, ok := m.Ack(); ok {
			require.Nil(t, m.Decoded)
			got = append(got, &ack)
			continue
		}
		got = append(got, m.Decoded)
	}
	require.Equal(t, bodies, got)
}

func TestObserverJoinsFragments(t *testing.T) {
	w := newObserverHarness()
	require.Equal(t, []string{"Data #5, fragment 3, 1 bytes: stored"}, w.From(2, fragment(5, 2, 0, "c")))
	require.Equal(t, []string{"Data #5, fragment 1 of 3, 1 bytes: stored of 3"}, w.From(2, fragment(5, 0, 3, "a")))
	require.Equal(t, []string{"Data #5, fragment 3, 1 bytes: duplicate of 3"}, w.From(2, fragment(5, 2, 0, "c")))
	require.Equal(t, []string{"Data #5, fragment 1 of 3, 1 bytes: stored of 3"}, w.FromHost(fragment(5, 0, 3, "x")), "the other direction")
	payloads, size := w.Pending()
	require.Equal(t, []int{2, 3}, []int{payloads, size})
	require.Equal(t, []string{`Data #5, fragment 2, 1 bytes: complete "abc" of 3`}, w.From(2, fragment(5, 1, 0, "b")))
	require.Equal(t, []string{"Data #5, fragment 2, 1 bytes: duplicate"}, w.From(2, fragment(5, 1, 0, "b")))
	require.Equal(t, []string{
		"Data #5, fragment 1 of 4, 1 bytes: discarded of 4, transport: message 0 (Data) at offset 2: bad fragment",
		"Data #6, fragment 1 of 0, 1 bytes: refused, transport: message 1 (Data) at offset 10: bad fragment",
		`Data #7, 4 bytes: complete "fine"`,
	}, w.FromHost(fragment(5, 0, 4, "x"), fragment(6, 0, 0, "x"), text(7, "fine")))
}

func TestObserverLimits(t *testing.T) {
	w := newObserverHarness()
	w.Limit(1, 10, time.Minute)
	require.Equal(t, []string{
		"Data #1, fragment 2, 9 bytes: stored",
		"Data #1, fragment 3, 2 bytes: dropped, transport: limit of reassembly reached: 11 bytes of fragments, at most 10",
		"Data #2, fragment 2, 1 bytes: dropped, transport: limit of reassembly reached: 2 partial payloads, at most 1",
	}, w.From(2, fragment(1, 1, 0, "123456789"), fragment(1, 2, 0, "xx"), fragment(2, 1, 0, "x")))
	require.Equal(t, []string{"Data #2, fragment 2, 1 bytes: stored"}, w.From(3, fragment(2, 1, 0, "x")), "another sender")
	w.Advance(time.Minute + 1)
	require.Equal(t, []string{"Data #2, fragment 2, 1 bytes: stored"}, w.From(2, fragment(2, 1, 0, "x")), "the first payload is too old")
}

func TestObserverMarksRetransmissions(t *testing.T) {
	w := newObserverHarness()
	name := wire(transport.NewMessage(1, nameChange(2, "x")))
	update := wire(transport.NewUnreliable([]byte("u")))
	w.From(2, text(1, "a"), name, update)
	require.Equal(t, []string{
		"Data #1, 1 bytes: duplicate",
		`NameChange #1, peer 2 is "x": duplicate`,
		`Data unreliable, 1 bytes: complete "u"`,
		`Data #2, 1 bytes: complete "b"`,
	}, w.From(2, text(1, "a"), name, update, text(2, "b")))
	require.Equal(t, []string{`Data #1, 1 bytes: complete "a"`}, w.FromHost(text(1, "a")))
	require.Equal(t, []string{`Data #0, 1 bytes: complete "z"`}, w.From(2, text(0, "z")), "out of order")
}

// Only an Ack of a message that was sent once gives a round-trip time, and only the first.
func TestObserverRoundTrips(t *testing.T) {
	w := newObserverHarness()
	w.FromHost(text(7, "a"), text(8, "b"), fragment(9, 0, 2, "c"))
	w.Advance(time.Second)
	w.FromHost(text(8, "b"))
	require.Equal(t, []string{
		"Ack of game #7: complete after 1s",
		"Ack of game #8: complete sent 2 times, acknowledged 1 times",
		"Ack of game #9, fragment 1: complete after 1s",
		"Ack of game #9, fragment 2: complete",
		"Ack of game #9: complete",
		"Ack of system #7: complete",
	}, w.From(2, "01 0700 00", "01 0800 00", "01 0900 01 00", "01 0900 01 01", "01 0900 00", "01 0700 02"))
	require.Equal(t, []string{"Ack of game #7: complete sent 1 times, acknowledged 2 times"}, w.From(2, "01 0700 00"))
	require.Equal(t, []string{"Ack of game #7: complete"}, w.FromHost("01 0700 00"), "the client has sent none")
	w.FromHost(text(7+256, "z"))
	require.Equal(t, []string{"Ack of game #7: complete"}, w.From(2, "01 0700 00"), "256 messages ago")
}

func TestObserverAckedHasTimeOfSending(t *testing.T) {
	w := newObserverHarness()
	w.From(2, text(1, "a"))
	w.Advance(time.Second)
	for m, err := range w.Receive(w.now, true, from(1, "01 0100 00")) {
		require.NoError(t, err)
		require.Equal(t, start, m.Acked.SentAt())
	}
}

// Least is the smallest of the last sixteen round trips to a peer. An Ack of a message that was
// retransmitted, or a repeated one, does not change it.
func TestObserverLeastRoundTrip(t *testing.T) {
	w := newObserverHarness()
	least := func(seq int, fromHost bool, d time.Duration) (least time.Duration) {
		for range w.Receive(w.now, !fromHost, from(map[bool]objectid.PeerID{true: 2, false: 1}[fromHost], text(uint16(seq), "x"))) {
		}
		w.Advance(d)
		ack := wire(transport.NewMessage(0, &transport.Ack{Seq: uint16(seq)}))
		for m := range w.Receive(w.now, fromHost, from(map[bool]objectid.PeerID{true: 1, false: 2}[fromHost], ack, ack)) {
			least = m.Acked.Least
		}
		return least
	}
	for range 2 {
		w.FromHost(text(0, "x"))
	}
	for m := range w.Receive(w.now, false, from(2, "01 0000 00")) {
		require.Equal(t, 2, m.Acked.Sends)
		require.Zero(t, m.Acked.Least, "there is no round trip yet")
	}
	require.Equal(t, 80*time.Millisecond, least(1, true, 80*time.Millisecond))
	require.Equal(t, 30*time.Millisecond, least(2, true, 30*time.Millisecond))
	for seq := range 15 {
		require.Equal(t, 30*time.Millisecond, least(3+seq, true, 90*time.Millisecond))
	}
	require.Equal(t, 90*time.Millisecond, least(18, true, 90*time.Millisecond), "sixteen later ones")
}

// A client that restarts on its port still gets the messages of its earlier session, until the host
// accepts it.
func TestObserverKeepsTheHostUntilItReplies(t *testing.T) {
	w := newObserverHarness()
	h := text(0, "h")
	require.Equal(t, []string{`Data #0, 1 bytes: complete "h"`}, w.FromHost(h))
	w.From(noPeer, connect(8))
	require.Equal(t, []string{"Data #0, 1 bytes: duplicate"}, w.FromHost(h))
	w.FromHost(wire(transport.NewMessage(0, &transport.ConnectReply{PeerID: 2})))
	require.Equal(t, []string{`Data #0, 1 bytes: complete "h"`}, w.FromHost(h))
}

func TestObserverResetsAtNewConnection(t *testing.T) {
	w := newObserverHarness()
	again := func(connID uint32) bool {
		return strings.HasSuffix(w.From(noPeer, connect(connID))[0], "new connection")
	}
	exchange := func() []string {
		return append(w.From(2, text(0, "c"), fragment(1, 0, 2, "f")), w.FromHost(text(0, "h"))...)
	}
	first := []string{`Data #0, 1 bytes: complete "c"`, "Data #1, fragment 1 of 2, 1 bytes: stored of 2", `Data #0, 1 bytes: complete "h"`}
	duplicates := []string{"Data #0, 1 bytes: duplicate", "Data #1, fragment 1 of 2, 1 bytes: duplicate of 2", "Data #0, 1 bytes: duplicate"}

	require.Equal(t, first, exchange(), "the capture starts in the middle")
	require.True(t, again(0))
	require.Equal(t, first, exchange())
	require.False(t, again(0), "a retransmission")
	require.Equal(t, duplicates, exchange())
	require.True(t, again(8))
	require.Equal(t, first, exchange())
	require.False(t, again(0), "a late copy")
	require.False(t, again(8))
	require.Equal(t, duplicates, exchange())
	require.True(t, again(9))

	other := connect(10)
	require.NotContains(t, w.From(2, other)[0], "new", "of a client that has a peer ID")
	require.NotContains(t, w.FromHost(other)[0], "new")
	require.NotContains(t, w.Observe(true, from(noPeer, other))[0], "new")
	require.NotContains(t, w.From(noPeer, wire(transport.NewMessage(1, &transport.ConnectRequest{ConnID: 10})))[0], "new", "not the first message")
	require.NotContains(t, w.From(noPeer, reply)[0], "new")
}

// In the middle of a capture the first number may be any.
func TestObserverStartsInTheMiddle(t *testing.T) {
	for _, first := range []uint16{1, 0x7FFF, 0xFFF0} {
		w := newObserverHarness()
		for i := range uint16(100) {
			require.Equal(t, []string{fmt.Sprintf(`Data #%d, 1 bytes: complete "x"`, first+i)}, w.FromHost(text(first+i, "x")))
		}
		require.Equal(t, []string{fmt.Sprintf("Data #%d, 1 bytes: duplicate", first+50)}, w.FromHost(text(first+50, "x")))
		require.Equal(t, []string{fmt.Sprintf("Ack of game #%d: complete after 0s", first+99)}, w.From(2, fmt.Sprintf("01 %02X%02X 00", byte(first+99), byte((first+99)>>8))))
	}
}

// Clients whose addresses are unknown are distinguished by their peer IDs.
func TestObserverSharedByClients(t *testing.T) {
	w := newObserverHarness()
	for peer := range objectid.PeerID(10) {
		require.Equal(t, []string{fmt.Sprintf(`Data #0, 1 bytes: complete "%d"`, peer)}, w.From(peer, text(0, fmt.Sprint(peer))))
		require.Equal(t, []string{"Data #1, fragment 2, 1 bytes: stored"}, w.From(peer, fragment(1, 1, 0, "b")))
	}
	for peer := range objectid.PeerID(10) {
		require.Equal(t, []string{"Data #0, 1 bytes: duplicate"}, w.From(peer, text(0, "x")))
		require.Equal(t, []string{fmt.Sprintf(`Data #1, fragment 1 of 2, 1 bytes: complete "%db" of 2`, peer)}, w.From(peer, fragment(1, 0, 2, fmt.Sprint(peer))))
	}
}

// A sender beyond the limit replaces the one that has been silent for longest.
func TestObserverForgetsSilentSenders(t *testing.T) {
	w := newObserverHarness()
	w.FromHost(text(0, "h"))
	for peer := objectid.PeerID(2); peer < 21; peer++ {
		w.From(peer, text(0, "x"))
		w.FromHost("01 0000 00")
	}
	require.Equal(t, []string{"Data #0, 1 bytes: duplicate"}, w.From(2, text(0, "x")))
	require.Equal(t, []string{`Data #0, 1 bytes: complete "x"`}, w.From(21, text(0, "x")), "in place of peer 3")
	require.Equal(t, []string{"Data #0, 1 bytes: duplicate"}, w.From(2, text(0, "x")))
	require.Equal(t, []string{"Data #0, 1 bytes: duplicate"}, w.FromHost(text(0, "h")))
	require.Equal(t, []string{`Data #0, 1 bytes: complete "x"`}, w.From(3, text(0, "x")))
}

// A sender that replaces another one, and a new connection, reuse the memory.
func TestObserverReusesMemory(t *testing.T) {
	var o transport.Observer
	i := uint32(0)
	pass := func() {
		i++
		for range o.Receive(start, false, from(objectid.PeerID(i%100), text(uint16(i), "x"))) {
		}
		for range o.Receive(start, false, from(noPeer, connect(i))) {
		}
	}
	for range 100 {
		pass()
	}
	const passes = 1000
	before := totalBytes()
	for range passes {
		pass()
	}
	require.Less(t, (totalBytes()-before)/passes, uint64(4<<10), "for each new sender and connection")
}

// totalBytes returns the bytes that were ever allocated.
func totalBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// If the loop ends early, the rest of the datagram is still observed.
func TestObserverLoopIsLeft(t *testing.T) {
	w := newObserverHarness()
	for range w.Receive(start, false, from(2, text(0, "a"), text(1, "b"))) {
		break
	}
	require.Equal(t, []string{"Data #1, 1 bytes: duplicate"}, w.From(2, text(1, "b")))
}

// Malformed messages come with their errors between the others.
func TestObserverMalformed(t *testing.T) {
	w := newObserverHarness()
	require.Equal(t, []string{
		`Data #0, 1 bytes: complete "a"`,
		"Data #0, 1 bytes: refused, transport: message 1 (Data) at offset 8: bad length",
		"Boot #0, 1 bytes: complete, transport: message 2 (Boot) at offset 12: bad length",
		"0x99, 0 bytes: refused, transport: message 3 (0x99) at offset 18: unknown message type",
	}, w.From(2, text(0, "a"), "32 0480 00", "04 06C0 0000 04", "99", text(1, "lost")))
	require.Equal(t, []string{"NameChange, 0 bytes: refused, transport: GameSpy text, not a datagram of the game"}, w.Observe(false, []byte(`\status\`)))
	require.Equal(t, []string{"NameChange, 0 bytes: refused, transport: message 0 at offset 1: unexpected EOF"}, w.Observe(false, []byte{2}))
	require.Empty(t, w.Observe(false, []byte{2, 0, 1}))
}

// A payload that is joined from fragments stays valid when the datagrams are overwritten.
func TestObserverPayloadsOfFragmentsAreCopies(t *testing.T) {
	var o transport.Observer
	all := fragments(0, numbered(1000))
	var payload []byte
	for i := range all {
		p := transport.Packet{PeerID: 2, Messages: all[i : i+1]}
		d, err := p.MarshalBinary()
		require.NoError(t, err)
		for m := range o.Receive(start, false, d) {
			payload = m.Payload
		}
		clear(d)
	}
	require.Equal(t, numbered(1000), payload)
}

// Neither keepalives nor most errors allocate memory, because a datagram can have 255 of them.
func TestObserverAllocatesLittle(t *testing.T) {
	var o transport.Observer
	for message, most := range map[string]float64{"02": 0, "32 0380": 255.0/8 + 1, "04 06C0 0000 04": 255.0/8 + 1} {
		d := from(2, slices.Repeat([]string{message}, 255)...)
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
			for range o.Receive(start, false, d) {
			}
		}), most, message)
	}
}

// Errors stay valid after later datagrams.
func TestObserverErrorsAreKept(t *testing.T) {
	var o transport.Observer
	var kept []error
	for i := range 100 {
		for _, err := range o.Clone().Receive(start, false, from(2, text(0, "a"), "32 0380", "32 0380")) {
			_ = err
		}
		for _, err := range o.Receive(start, false, from(2, slices.Concat(slices.Repeat([]string{"02"}, i), []string{"32 0380"})...)) {
			if err != nil {
				kept = append(kept, err)
			}
		}
	}
	require.Len(t, kept, 100)
	for i, err := range kept {
		var located *transport.Error
		require.ErrorAs(t, err, &located)
		require.Equal(t, i, located.Index)
	}
}

func TestObserverAllocations(t *testing.T) {
	var o transport.Observer
	toHost := from(2, text(0, "x"), wire(transport.NewUnreliable([]byte("update"))), "01 0000 00")
	fromHost := from(1, "01 0000 00", text(0, "y"), wire(transport.NewUnreliable([]byte("update"))))
	seq, payloads := uint16(0), 0
	pass := func() {
		seq++
		toHost[5], toHost[6] = byte(seq), byte(seq>>8)
		fromHost[9], fromHost[10] = byte(seq), byte(seq>>8)
		for m, err := range o.Receive(start, false, toHost) {
			if err == nil && m.Payload != nil {
				payloads++
			}
		}
		for m, err := range o.Receive(start, true, fromHost) {
			if err == nil && m.Payload != nil {
				payloads++
			}
		}
	}
	pass()
	require.Zero(t, testing.AllocsPerRun(1000, pass))
	require.Equal(t, 4*1002, payloads)
}

// The memory of an Observer has a limit for any input.
func TestObserverMemory(t *testing.T) {
	observe := func(o *transport.Observer, fromHost bool, datagram []byte) {
		for range o.Receive(start, fromHost, datagram) {
		}
	}
	var one, flooded transport.Observer
	heapBytes()
	before := heapBytes()
	observe(&one, false, from(noPeer, connect(7)))
	for i := uint16(0); i < math.MaxUint16-5; i += testdata.Either[uint16](1, 5) {
		if i == 10 {
			require.Less(t, heapBytes()-before, int64(12<<10), "the begin of a connection")
		}
		messages := []string{text(i, "x"), wire(transport.NewMessage(i, nameChange(2, "x")))}
		observe(&one, false, from(2, messages...))
		observe(&one, true, from(1, messages...))
	}
	require.Less(t, heapBytes()-before, int64(65<<10), "one client")

	before = heapBytes()
	for peer := range objectid.PeerID(testdata.Either(40, 24)) {
		for i := range 16 * 255 {
			seq, index := uint16(i/255), uint8(i)
			messages := []string{fragment(seq, index, 0, strings.Repeat("x", i%100)), text(uint16(100+i), ""), wire(transport.NewMessage(uint16(i), nameChange(2, "x")))}
			observe(&flooded, peer%2 == 0, from(peer, messages...))
		}
	}
	payloads, size := flooded.Pending()
	require.Equal(t, []int{20 * 16, 20 * 128 << 10}, []int{payloads, size})
	require.Less(t, heapBytes()-before, int64(8<<20), "a flood")
	runtime.KeepAlive(&one)
	runtime.KeepAlive(&flooded)
}

// An Observer reads the captures: every system message and every payload once.
func TestObserverReadsVectors(t *testing.T) {
	for _, v := range testdata.Load[vector](t, "transport.json") {
		d, _ := v.datagram()
		var want [][]byte
		for _, r := range readAll(d) {
			if r.err == nil && r.m.Type == transport.TypeData && !r.m.Fragment {
				want = append(want, r.m.Body)
			}
		}
		var o transport.Observer
		var got [][]byte
		for m, err := range o.Receive(start, d[0] == 1, d) {
			if err == nil && m.Payload != nil {
				got = append(got, slices.Clone(m.Payload))
			}
		}
		require.True(t, slices.EqualFunc(want, got, bytes.Equal), v.Name)
	}
}
