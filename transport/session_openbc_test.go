package transport_test

import (
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

// A client of OpenBC joins: its Connect has no number, it acknowledges nothing in the
// system channel, has one number for all names, its own Acks and keepalives, and leaves
// in a way of its own.
func TestOpenBCClient(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	a := addrOf(1, 1000)
	h.Receive(start, a, from(objectid.NoPeer, openBCConnect, "00 00", "00 7F 00"))
	var s *transport.Session
	for e := range h.Events() {
		require.Equal(t, transport.ConnectRequest{}, e.Body)
		var err error
		s, err = h.Accept(e)
		require.NoError(t, err)
		send(t, s, reliably, "\x20")
	}
	require.Equal(t, []string{"10.0.0.1:1000 01020306C000000232068000002" + "0"}, flushed(h, start))
	h.Receive(start, a, from(objectid.NoPeer, openBCConnect))
	require.Nil(t, heard(h), "a copy")
	require.Equal(t, []string{"10.0.0.1:1000 01010306C0000002"}, flushed(h, after(tick)))

	h.Receive(after(tick), a, from(2, openBCAck, text(0, "\x21"), openBCName))
	require.Equal(t, []string{
		"10.0.0.1:1000 connected", "10.0.0.1:1000 proven", "10.0.0.1:1000 payload reliable \x21", "10.0.0.1:1000 system {0 [127 0 0 1] Cady}",
	}, heard(h))
	require.NoError(t, s.SendSystem(nameOf(2, "Cady")))
	send(t, s, reliably, "\x20")
	now := after(2 * tick)
	for range 1000 { // seconds
		now = now.Add(time.Second)
		flushed(h, now)
		h.Receive(now, a, from(2, "00 02", openBCName, "01 01 00 80"))
		require.Equal(t, []string{"10.0.0.1:1000 system {0 [127 0 0 1] Cady}"}, heard(h), "one for each that comes")
	}
	require.Equal(t, uint64(1+2), s.Counters().Retransmissions, "of the reply and of the name")
	require.Zero(t, s.Counters().Dropped())
	h.Receive(now, a, from(2, "06 02"))
	require.Equal(t, []string{"10.0.0.1:1000 ended left"}, heard(h))
	require.Zero(t, h.Len())
}

// A server of OpenBC acknowledges the Connect by its reply only, and repeats its names.
func TestOpenBCServer(t *testing.T) {
	s := newClient(start, transport.ConnectRequest{}, transport.Options{})
	require.Len(t, leaving(s, start), 1)
	s.Receive(start, from(1, "03 06 C0 00 00 02", text(0, "\x20")))
	require.Equal(t, []string{"connected {2}", "payload reliable \x20"}, told(s))
	require.NoError(t, s.SendSystem(nameOf(2, "me")))
	send(t, s, reliably, "\x21")
	now := after(tick)
	require.Len(t, leaving(s, now), 1)
	s.Receive(now, from(1, openBCAck))
	for range 1000 {
		now = now.Add(time.Second)
		leaving(s, now)
		s.Receive(now, from(1, openBCName))
		require.Equal(t, []string{"system {0 [127 0 0 1] Cady}"}, told(s))
	}
	require.Equal(t, uint64(2), s.Counters().Retransmissions, "of the name")
	s.Close()
	require.Equal(t, []string{"ended closed"}, told(s))
	n := 0
	for ; !s.Flushed(); now = now.Add(time.Second) {
		n += len(leaving(s, now))
		require.Less(t, n, 10)
	}
	require.Equal(t, 3, n)

	s = newJoined(t, transport.Options{})
	s.Receive(after(tick), from(1, "06 02"))
	require.Equal(t, []string{"ended left"}, told(s))
}

// Each of its forms gives OpenBC away: what it does not acknowledge is sent three times.
func TestOpenBCSigns(t *testing.T) {
	for _, sign := range []string{openBCAck, openBCName, "00 02"} {
		s := newHosted(t, transport.Options{PeerTimeout: time.Hour})
		s.Receive(start, from(2, sign))
		told(s)
		require.NoError(t, s.SendSystem(nameOf(3, "x")))
		for second := range 10 {
			leaving(s, after(tick+time.Duration(second)*time.Second))
		}
		require.Equal(t, uint64(2), s.Counters().Retransmissions, sign)
		require.True(t, s.Flushed())
	}
	// The name has its Ack, for what it is worth.
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, openBCName, openBCName))
	require.Len(t, told(s), 2)
	require.Equal(t, hexes("01 02 01000002 01000002"), leaving(s, after(tick)))
}

// Without a sign of OpenBC the names of a peer that does not acknowledge are repeated,
// and the peer is given up.
func TestNotOpenBC(t *testing.T) {
	s := newJoined(t, transport.Options{})
	require.NoError(t, s.SendSystem(nameOf(2, "me")))
	leaving(s, after(2*tick))
	for now := s.NextDeadline(); len(told(s)) == 0; now = s.NextDeadline() {
		s.Receive(now, from(1, "02"))
		leaving(s, now)
	}
	require.Greater(t, s.Counters().Retransmissions, uint64(350))
}

// OpenBC drops a datagram with a DoNothing in it: it takes the next byte for a length. Its
// keepalive is a copy of the last Ack.
func TestKeepAliveOfOpenBC(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, openBCAck))
	require.Equal(t, hexes("01 01 01 0000 02"), leaving(s, after(5*time.Second)))
	s.Receive(after(5*time.Second), from(2, text(0, "x"), fragment(1, 1, 0, "x")))
	told(s)
	require.Len(t, leaving(s, after(5*time.Second+tick)), 1)
	require.Equal(t, hexes("01 01 01 0100 01 01"), leaving(s, after(10*time.Second+tick)))
}

// The Strict mode understands none of it.
func TestOpenBCStrict(t *testing.T) {
	o := transport.Options{Mode: transport.Strict}
	h := transport.NewHub(start, transport.HubOptions{Session: o})
	h.Receive(start, addrOf(1, 1), from(objectid.NoPeer, openBCConnect))
	require.Nil(t, heard(h))
	require.Equal(t, map[string]int{"no_connect": 1}, dropped(h.Counters()))
	s := newHosted(t, o)
	s.Receive(start, from(2, openBCName, "06 02", "00 02"))
	require.Nil(t, told(s))
	require.Equal(t, map[string]int{"malformed": 2}, dropped(s.Counters()))
	require.Equal(t, uint64(1), s.Counters().Duplicates, "the name has the number of the Connect")
}

// Other short messages are not understood.
func TestShortMessages(t *testing.T) {
	s := newHosted(t, transport.Options{})
	s.Receive(start, from(2, "00 04 00 00", "04 04 00 00", openBCConnect, "05 02"))
	require.Nil(t, told(s))
	require.Equal(t, map[string]int{"malformed": 4}, dropped(s.Counters()))
}

// The option for OpenBC, which reads an Ack of a fragment as one byte less: nothing
// follows it.
func TestSeparateFragmentAcks(t *testing.T) {
	s := newHosted(t, transport.Options{SeparateFragmentAcks: true, Burst: 10})
	s.Receive(start, from(2, text(1, "x"), fragment(0, 0, 4, "1"), fragment(0, 1, 0, "2"), text(1, "x"), fragment(0, 2, 0, "3")))
	send(t, s, reliably, "y")
	require.Equal(t, hexes("0102 01010000"+text(0, "y"), "0101 0100000100", "0101 0100000101", "0101 01010000", "0101 0100000102"),
		leaving(s, after(tick)))
}

// All Connects of OpenBC are alike. One that comes when its session has been silent, or
// has ended a while ago, is a client that has started anew, not a copy.
func TestOpenBCComesBack(t *testing.T) {
	connect := from(objectid.NoPeer, openBCConnect)
	a := addrOf(1, 1000)
	play := func(t *testing.T, h *transport.Hub, now time.Time) *transport.Session {
		var s *transport.Session
		for e := range h.Events() {
			if e.Kind == transport.EventConnect {
				var err error
				s, err = h.Accept(e)
				require.NoError(t, err)
			}
		}
		require.NotNil(t, s)
		require.Len(t, flushed(h, now), 1)
		h.Receive(now, a, from(s.PeerID(), "00 02"))
		require.Equal(t, []string{"10.0.0.1:1000 connected"}, heard(h))
		return s
	}
	t.Run("after a crash", func(t *testing.T) {
		h := transport.NewHub(start, transport.HubOptions{})
		h.Receive(start, a, connect)
		old := play(t, h, start)
		for second := range 3 {
			h.Receive(after(time.Duration(second)*time.Second), a, connect)
			require.Nil(t, heard(h), "a copy, for all that is known")
		}
		h.Receive(after(3*time.Second), a, connect)
		require.NotSame(t, old, play(t, h, after(3*time.Second)))
		require.Equal(t, 1, h.Len())
	})
	t.Run("after leaving", func(t *testing.T) {
		h := transport.NewHub(start, transport.HubOptions{})
		h.Receive(start, a, connect)
		play(t, h, start)
		h.Receive(start, a, from(2, "06 02"))
		require.Equal(t, []string{"10.0.0.1:1000 ended left"}, heard(h))
		h.Receive(after(3*time.Second-1), a, connect)
		require.Nil(t, heard(h))
		require.Equal(t, map[string]int{"stale_connect": 1}, dropped(h.Counters()))
		h.Receive(after(3*time.Second), a, connect)
		play(t, h, after(3*time.Second))
	})
}

// Copies of a Connect are no sign of life when the client has gone on from it.
func TestConnectIsNoKeepAlive(t *testing.T) {
	for _, connect := range []string{openBCConnect, connectMessage} {
		s := transport.NewHost(start, 2, transport.Options{})
		for second := range 46 {
			now := after(time.Duration(second) * time.Second)
			s.Receive(now, from(objectid.NoPeer, connect))
			if second == 0 {
				s.Receive(now, from(2, "00 02"))
			}
			leaving(s, now)
		}
		require.Equal(t, []string{"connected", "ended timed out"}, told(s))
	}
}
