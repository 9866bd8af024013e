package transport_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

const (
	openBCConnect = "03 08 01 00 00 00 7F 00"
	openBCName    = "00 14 80 00 00 00 7F 00 00 01 43 00 61 00 64 00 79 00 00 00"
	openBCAck     = "01 00 00 80"
)

// OpenBC's client sends a Connect without a number, acknowledges no system messages, and uses one
// number for all names. It has its own forms of Acks, keepalives and Disconnect.
func TestOpenBCClient(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1000)
	h.ReceiveFrom(start, a, from(objectid.NoPeer, openBCConnect, "00 00", "00 7F 00"))
	sessions, errs := h.Accept()
	require.Equal(t, []error{nil}, errs)
	s := sessions[0]
	s.Queue(reliable, "\x20")
	first := h.Sent(start)
	require.Equal(t, []string{"10.0.0.1:1000 01070306C0000002" + "32058040C2" + "32058041C2" + "32058042C2" + "32058043C2" + "32058044C2" + "320680000020"}, first)
	h.ReceiveFrom(start, a, from(objectid.NoPeer, openBCConnect))
	require.Nil(t, h.Events(), "a copy")
	require.Equal(t, first, h.Sent(after(tick)))

	for probe := range 5 { // each Ack has a datagram, and names the low byte
		h.ReceiveFrom(after(tick), a, from(2, fmt.Sprintf("01 %02X 00 80", 0x40+probe)))
	}
	h.ReceiveFrom(after(tick), a, from(2, openBCAck, text(0, "\x21"), openBCName))
	require.Equal(t, []string{
		"10.0.0.1:1000 connected", "10.0.0.1:1000 payload reliable \x21", "10.0.0.1:1000 system {0 [127 0 0 1] Cady}",
	}, h.Events())
	require.NoError(t, s.SendSystem(nameChange(2, "Cady")))
	s.Queue(reliable, "\x20")
	now := after(2 * tick)
	for range 1000 { // seconds
		now = now.Add(time.Second)
		h.Sent(now)
		h.ReceiveFrom(now, a, from(2, "00 02", openBCName, "01 01 00 80"))
		require.Equal(t, []string{"10.0.0.1:1000 system {0 [127 0 0 1] Cady}"}, h.Events(), "one for each that comes")
	}
	require.Equal(t, uint64(2+2), s.Counters().Retransmissions, "of the reply with its payload, and of the name")
	require.Zero(t, s.Counters().Dropped())
	h.ReceiveFrom(now, a, from(2, "06 02"))
	require.Equal(t, []string{"10.0.0.1:1000 ended left"}, h.Events())
	require.Zero(t, h.Hub.Len())
}

// OpenBC's server acknowledges the Connect by its reply only, and retransmits its names.
func TestOpenBCServer(t *testing.T) {
	s := newClient(t, transport.ConnectRequest{}, transport.Options{})
	require.Len(t, s.Sent(start), 1)
	s.Receive(start, "03 06 C0 00 00 02", text(0, "\x20"))
	require.Equal(t, []string{"connected {2}", "payload reliable \x20"}, s.Events())
	require.NoError(t, s.SendSystem(nameChange(2, "me")))
	s.Queue(reliable, "\x21")
	now := after(tick)
	require.Len(t, s.Sent(now), 1)
	s.Receive(now, openBCAck)
	for range 1000 {
		now = now.Add(time.Second)
		s.Sent(now)
		s.Receive(now, openBCName)
		require.Equal(t, []string{"system {0 [127 0 0 1] Cady}"}, s.Events())
	}
	require.Equal(t, uint64(2), s.Counters().Retransmissions, "of the name")
	s.Close()
	require.Equal(t, []string{"ended closed"}, s.Events())
	n := 0
	for ; !s.Flushed(); now = now.Add(time.Second) {
		n += len(s.Sent(now))
		require.Less(t, n, 10)
	}
	require.Equal(t, 3, n)

	s = openClient(t, transport.Options{})
	s.Receive(after(tick), "06 02")
	require.Equal(t, []string{"ended left"}, s.Events())
}

// Each form of OpenBC makes the session recognise it: a system message is then sent three times
// only.
func TestOpenBCIsRecognised(t *testing.T) {
	for _, form := range []string{openBCAck, openBCName, "00 02"} {
		s := openHost(t, transport.Options{PeerTimeout: time.Hour})
		s.Receive(start, form)
		s.Events()
		require.NoError(t, s.SendSystem(nameChange(3, "x")))
		for second := range 10 {
			s.Sent(after(tick + time.Duration(second)*time.Second))
		}
		require.Equal(t, uint64(2), s.Counters().Retransmissions, form)
		require.True(t, s.Flushed())
	}
	// The name has an Ack, which OpenBC ignores.
	s := openHost(t, transport.Options{})
	s.Receive(start, openBCName, openBCName)
	require.Len(t, s.Events(), 2)
	require.Equal(t, hexStrings("01 02 01000002 01000002"), s.Sent(after(tick)))
}

// Without a form of OpenBC, the names of a peer that does not acknowledge are retransmitted, and
// the peer is disconnected.
func TestPeerWithoutOpenBCForms(t *testing.T) {
	s := openClient(t, transport.Options{})
	require.NoError(t, s.SendSystem(nameChange(2, "me")))
	s.Sent(after(2 * tick))
	for now := s.NextDeadline(); len(s.Events()) == 0; now = s.NextDeadline() {
		s.Receive(now, "02")
		s.Sent(now)
	}
	require.Greater(t, s.Counters().Retransmissions, uint64(350))
}

// OpenBC takes the byte after a DoNothing for a length, and drops the datagram. Its keepalive is a
// copy of the last Ack.
func TestKeepAliveOfOpenBC(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, openBCAck)
	require.Equal(t, hexStrings("01 01 01 0000 02"), s.Sent(after(5*time.Second)))
	s.Receive(after(5*time.Second), text(0, "x"), fragment(1, 1, 0, "x"))
	s.Events()
	require.Len(t, s.Sent(after(5*time.Second+tick)), 2)
	require.Equal(t, hexStrings("01 01 01 0100 01 01"), s.Sent(after(10*time.Second+tick)))
}

// Other short messages are not understood.
func TestShortMessages(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, "00 04 00 00", "04 04 00 00", openBCConnect, "05 02")
	require.Nil(t, s.Events())
	require.Equal(t, map[string]int{"malformed": 4}, s.Dropped())
}

// OpenBC reads one byte less of an Ack of a fragment. Nothing follows such an Ack.
func TestSeparateFragmentAcks(t *testing.T) {
	s := openHost(t, transport.Options{}.With(transport.Limits{Burst: 10}))
	s.Receive(start, openBCAck)
	s.Receive(start, text(1, "x"), fragment(0, 0, 4, "1"), fragment(0, 1, 0, "2"), text(1, "x"), fragment(0, 2, 0, "3"))
	s.Queue(reliable, "y")
	require.Equal(t, hexStrings("0102 01010000"+text(0, "y"), "0101 0100000100", "0101 0100000101", "0101 01010000", "0101 0100000102"),
		s.Sent(after(tick)))
}

// All Connects of OpenBC are equal. A Connect after a silence, or some time after the end of the
// session, is from a client that has restarted.
func TestOpenBCReconnects(t *testing.T) {
	connect := from(objectid.NoPeer, openBCConnect)
	a := addrOf(1, 1000)
	play := func(t *testing.T, h *harness, now time.Time) *transport.Session {
		sessions, errs := h.Accept()
		require.Equal(t, []error{nil}, errs)
		require.Len(t, h.Sent(now), 1)
		h.ReceiveFrom(now, a, sessions[0].Validation())
		events := h.Events()
		require.Equal(t, "10.0.0.1:1000 connected", events[len(events)-1])
		return sessions[0].Session
	}
	t.Run("after a crash", func(t *testing.T) {
		h := newHub(t, transport.HubOptions{})
		h.ReceiveFrom(start, a, connect)
		old := play(t, h, start)
		for second := range 3 {
			h.ReceiveFrom(after(time.Duration(second)*time.Second), a, connect)
			require.Nil(t, h.Events(), "it can be a duplicate")
		}
		h.ReceiveFrom(after(3*time.Second), a, connect)
		s := play(t, h, after(3*time.Second))
		require.NotSame(t, old, s)
		require.Equal(t, transport.EndReplaced, (&harness{Session: old}).EndReason())
		require.Equal(t, 1, h.Hub.Len())
	})
	t.Run("after leaving", func(t *testing.T) {
		h := newHub(t, transport.HubOptions{})
		h.ReceiveFrom(start, a, connect)
		play(t, h, start)
		h.ReceiveFrom(start, a, from(2, "06 02"))
		require.Equal(t, []string{"10.0.0.1:1000 ended left"}, h.Events())
		h.ReceiveFrom(after(3*time.Second-1), a, connect)
		require.Nil(t, h.Events())
		require.Equal(t, map[string]int{"stale_connect": 1}, h.Dropped())
		h.ReceiveFrom(after(3*time.Second), a, connect)
		play(t, h, after(3*time.Second))
	})
}

// Duplicates of a Connect do not show that the client is alive after its handshake.
func TestConnectIsNoKeepAlive(t *testing.T) {
	for _, connect := range []string{openBCConnect, connectMessage} {
		s := newHost(t, transport.Options{})
		for second := range 46 {
			now := after(time.Duration(second) * time.Second)
			s.Session.Receive(now, from(objectid.NoPeer, connect))
			if second == 0 {
				s.Receive(now, "00 02")
			}
			s.Sent(now)
		}
		require.Equal(t, []string{"connected", "ended timed out"}, s.Events())
	}
}

// OpenBC names the low byte of a number. Acks of probes that are late acknowledge no payload of the first window.
func TestOpenBCAcknowledgesProbesLate(t *testing.T) {
	for try := range 50 {
		h := newHub(t, transport.HubOptions{Rand: rand.NewChaCha8([32]byte{byte(try)})})
		a := addrOf(1, 1)
		h.ReceiveFrom(start, a, from(objectid.NoPeer, openBCConnect))
		sessions, _ := h.Accept()
		s := sessions[0]
		h.Sent(start)
		acks := s.Validation()
		h.ReceiveFrom(start, a, acks)
		for range 64 {
			s.Queue(reliable, "payload")
		}
		h.Sent(after(tick))
		h.ReceiveFrom(after(2*tick), a, acks)
		require.EqualValues(t, 10, s.Counters().StrayAcks)
	}
}
