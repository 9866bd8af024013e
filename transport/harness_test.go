package transport_test

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// start is the time at which tests begin, and after returns later times.
var start = time.Date(2002, 2, 1, 0, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

const (
	tick = 50 * time.Millisecond

	reliable     = transport.Reliable
	unreliable   = transport.Unreliable
	highPriority = transport.HighPriority

	// connectMessage is a Connect, and handshakeAck the Ack of one.
	connectMessage = "03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00"
	handshakeAck   = "01 00 00 02"
)

// harness is a session under test, or a hub. Datagrams are in hex, and events are text.
type harness struct {
	*transport.Session // nil: the test is about Hub
	Hub                *transport.Hub

	t    testing.TB
	peer objectid.PeerID // of the datagrams for Session
}

// newHost returns the session of a host with the peer 2, which has not received a Connect.
func newHost(t testing.TB, o transport.Options) *harness {
	return &harness{Session: transport.NewHost(start, 2, o), t: t, peer: 2}
}

// openHost returns the session of a host that is connected, flushed and without events.
func openHost(t testing.TB, o transport.Options) *harness {
	h := newHost(t, o)
	h.Session.Receive(start, from(objectid.NoPeer, connectMessage))
	require.Equal(t, hexStrings("01 02 01 00 00 02 03 06 C0 00 00 02"), h.Sent(start))
	h.Receive(start, handshakeAck)
	require.Equal(t, []string{"connected"}, h.Events())
	require.True(t, h.Flushed())
	return h
}

// newClient returns the session of a client, which has not received a reply.
func newClient(t testing.TB, request transport.ConnectRequest, o transport.Options) *harness {
	s, err := transport.NewClient(start, request, o)
	require.NoError(t, err)
	return &harness{Session: s, t: t, peer: objectid.Host}
}

// openClient returns the session of a client with the peer ID 2 that is connected, flushed
// and without events.
func openClient(t testing.TB, o transport.Options) *harness {
	h := newClient(t, transport.ConnectRequest{
		LocalIP: [4]byte{10, 10, 10, 239}, ConnID: 0x78F9, Password: newText(""),
	}, o)
	require.Equal(t, []string{fmt.Sprintf("%X", from(objectid.NoPeer, connectMessage))}, h.Sent(start))
	h.Receive(start, handshakeAck, "03 06 C0 00 00 02")
	require.Equal(t, []string{"connected {2}"}, h.Events())
	require.Equal(t, hexStrings("02 01 01 00 00 02"), h.Sent(after(tick)))
	require.True(t, h.Flushed())
	return h
}

// newHub returns a hub without sessions.
func newHub(t testing.TB, o transport.HubOptions) *harness {
	if o.Rand == nil {
		o.Rand = testdata.LowestIDs
	}
	return &harness{Hub: transport.NewHub(start, o), t: t}
}

// Receive passes a datagram of the peer with the given messages to the session.
func (h *harness) Receive(now time.Time, messages ...string) {
	h.Session.Receive(now, from(h.peer, messages...))
}

// Sent returns the datagrams that are due. Datagrams of a hub come with their addresses.
func (h *harness) Sent(now time.Time) (datagrams []string) {
	if h.Hub != nil {
		for addr, d := range h.Hub.Datagrams(now) {
			datagrams = append(datagrams, fmt.Sprintf("%v %X", addr, d))
		}
		return datagrams
	}
	for d := range h.Session.Datagrams(now) {
		datagrams = append(datagrams, fmt.Sprintf("%X", d))
	}
	return datagrams
}

// SentAt serves a session whose peer is silent, and returns the times at which each message
// was sent.
func (h *harness) SentAt(begin, end time.Duration) map[string][]time.Duration {
	h.t.Helper()
	times := map[string][]time.Duration{}
	for now := begin; now <= end; {
		h.Events()
		for d := range h.Session.Datagrams(after(now)) {
			for m, err := range transport.Messages(d) {
				require.NoError(h.t, err)
				times[wire(*m)] = append(times[wire(*m)], now)
			}
		}
		h.Events()
		next := h.NextDeadline()
		if next.IsZero() {
			break
		}
		require.True(h.t, next.After(after(now)))
		now = next.Sub(start)
	}
	return times
}

// Events returns the events as text. Events of a hub come with their addresses.
func (h *harness) Events() (events []string) {
	if h.Hub != nil {
		for e := range h.Hub.Events() {
			events = append(events, fmt.Sprintf("%v %v", e.Addr, h.text(e)))
		}
		return events
	}
	for e := range h.Session.Events() {
		events = append(events, h.text(e))
	}
	return events
}

func (h *harness) text(e transport.Event) string {
	words := []string{e.Kind.String()}
	switch e.Kind {
	case transport.EventPayload:
		if e.Delivery&transport.Reliable != 0 {
			words = append(words, "reliable")
		}
		if e.Delivery&transport.HighPriority != 0 {
			words = append(words, "high")
		}
		words = append(words, string(e.Payload))
	case transport.EventEnded:
		words = append(words, e.End.String())
	}
	if e.Body != nil {
		words = append(words, strings.TrimPrefix(fmt.Sprint(e.Body), "&"))
	}
	return strings.Join(words, " ")
}

// Dropped returns the counters of the reasons for drops.
func (h *harness) Dropped() map[string]int {
	var c transport.Counters
	if h.Hub != nil {
		c = h.Hub.Counters()
	} else {
		c = h.Counters()
	}
	reasons, sum := map[string]int{}, 0
	for r, n := range c.Drops {
		if n > 0 {
			reasons[transport.DropReason(r).String()] = int(n)
			sum += int(n)
		}
	}
	require.EqualValues(h.t, sum, c.Dropped())
	return reasons
}

// Queue sends payloads with the session.
func (h *harness) Queue(d transport.Delivery, payloads ...string) {
	h.t.Helper()
	for _, p := range payloads {
		require.NoError(h.t, h.Send([]byte(p), d))
	}
}

// QueueVector sends the payloads of a vector with the session.
func (h *harness) QueueVector(name string) {
	h.t.Helper()
	for m, err := range transport.Messages(vectorHex(h.t, name)) {
		require.NoError(h.t, err)
		if m.Type == transport.TypeData {
			h.Queue(reliable, string(m.Body))
		}
	}
}

// EndReason returns the reason for which the session has ended.
func (h *harness) EndReason() transport.EndReason {
	return transport.EndOf(h.Session)
}

// ReceiveFrom passes a datagram from an address to the hub.
func (h *harness) ReceiveFrom(now time.Time, addr netip.AddrPort, datagram []byte) {
	h.Hub.Receive(now, addr, datagram)
}

// Accept accepts all Connects, and returns the sessions and errors.
func (h *harness) Accept() (sessions []*harness, errs []error) {
	for e := range h.Hub.Events() {
		if e.Kind == transport.EventConnect {
			s, err := h.Hub.Accept(e)
			sessions = append(sessions, &harness{Session: s, t: h.t, peer: 2})
			errs = append(errs, err)
		}
	}
	return sessions, errs
}

// Connect accepts a client whose address is not validated.
func (h *harness) Connect(now time.Time, addr netip.AddrPort, connID uint32) *harness {
	h.t.Helper()
	h.ReceiveFrom(now, addr, connectOf(connID))
	sessions, errs := h.Accept()
	require.Equal(h.t, []error{nil}, errs)
	h.Sent(now)
	return sessions[0]
}

// Join accepts a client and validates its address. The events before that must be as given.
func (h *harness) Join(now time.Time, addr netip.AddrPort, connID uint32, before ...string) *harness {
	h.t.Helper()
	h.ReceiveFrom(now, addr, connectOf(connID))
	var s *harness
	var events []string
	for e := range h.Hub.Events() {
		if e.Kind != transport.EventConnect {
			events = append(events, fmt.Sprintf("%v %v", e.Addr, h.text(e)))
			continue
		}
		session, err := h.Hub.Accept(e)
		require.NoError(h.t, err)
		s = &harness{Session: session, t: h.t, peer: session.PeerID()}
	}
	require.NotNil(h.t, s)
	h.Sent(now)
	h.ReceiveFrom(now, addr, s.Validation())
	require.Equal(h.t, append(before, fmt.Sprint(addr, " connected")), append(events, h.Events()...))
	return s
}

// Validation returns the first datagram of a client, which validates its address, with more messages.
func (h *harness) Validation(more ...string) []byte {
	messages := []string{handshakeAck}
	for _, seq := range transport.Probes(h.Session) {
		messages = append(messages, wire(transport.NewMessage(0, &transport.Ack{Seq: seq})))
	}
	return from(h.PeerID(), append(messages, more...)...)
}

// JoinAll opens sessions with all peer IDs.
func (h *harness) JoinAll() (sessions []*harness) {
	for i := range 124 {
		sessions = append(sessions, h.Join(start, addrOf(1, 1000+i), uint32(i)))
	}
	return sessions
}

// from returns a datagram of a peer with the given messages.
func from(peer objectid.PeerID, messages ...string) []byte {
	d, err := hex.DecodeString(strings.ReplaceAll(strings.Join(messages, ""), " ", ""))
	if err != nil {
		panic(err)
	}
	return append([]byte{byte(peer), byte(len(messages))}, d...)
}

// connectOf returns the first datagram of a client.
func connectOf(connID uint32) []byte {
	return from(objectid.NoPeer, wire(transport.NewMessage(0, &transport.ConnectRequest{ConnID: connID})))
}

func addrOf(ip, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(ip >> 8), byte(ip)}), uint16(port))
}

// hexStrings returns hex without its spaces.
func hexStrings(wires ...string) []string {
	var all []string
	for _, w := range wires {
		all = append(all, strings.Join(strings.Fields(w), ""))
	}
	return all
}

// wire returns a message in hex, text a reliable one with a text, and fragment a fragment.
func wire(m transport.Message) string {
	b, err := m.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%X", b)
}

func text(seq uint16, text string) string { return wire(transport.NewData(seq, []byte(text))) }

func fragment(seq uint16, index, total uint8, body string) string {
	return wire(newFragment(seq, index, total, body))
}

func newText(s string) transport.UTF16Z {
	t, err := transport.NewUTF16Z(s)
	if err != nil {
		panic(err)
	}
	return t
}

func nameChange(peer objectid.PeerID, name string) *transport.NameChange {
	return &transport.NameChange{PeerID: peer, Name: newText(name)}
}
