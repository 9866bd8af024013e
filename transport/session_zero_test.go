package transport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// The zero value of a Session has ended, and does nothing.
func TestZeroSession(t *testing.T) {
	ended := func(t *testing.T, s *transport.Session) {
		t.Helper()
		reason, over := s.Ended()
		require.True(t, over)
		require.Equal(t, transport.EndClosed, reason)
		require.True(t, s.Flushed())
		require.True(t, s.NextDeadline().IsZero())
		require.Equal(t, objectid.NoPeer, s.PeerID())
		require.False(t, s.Addr().IsValid())
		for e := range s.Events() {
			require.Fail(t, "an event", "%v", e)
		}
	}
	for name, use := range map[string]func(*testing.T, *transport.Session){
		"nothing": func(*testing.T, *transport.Session) {},
		"Close":   func(_ *testing.T, s *transport.Session) { s.Close() },
		"Boot":    func(_ *testing.T, s *transport.Session) { s.Boot(transport.BootRemoved) },
		"Send": func(t *testing.T, s *transport.Session) {
			require.ErrorIs(t, s.Send([]byte{1}, transport.Reliable), transport.ErrNotOpen)
		},
		"SendSystem": func(t *testing.T, s *transport.Session) {
			require.ErrorIs(t, s.SendSystem(&transport.NameChange{}), transport.ErrNotOpen)
		},
		"AppendDatagram": func(t *testing.T, s *transport.Session) {
			require.Equal(t, []byte("dst"), s.AppendDatagram([]byte("dst"), start))
		},
		"Datagrams": func(t *testing.T, s *transport.Session) {
			for d := range s.Datagrams(start) {
				require.Fail(t, "a datagram", "%x", d)
			}
		},
		"Receive": func(t *testing.T, s *transport.Session) {
			s.Receive(start, connectOf(1))
			s.Receive(start, from(objectid.Host, "01 0000 02"))
			require.EqualValues(t, s.Counters().Dropped(), s.Counters().Drops[transport.DropLate])
			require.Positive(t, s.Counters().Drops[transport.DropLate])
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s transport.Session
			for range 2 {
				use(t, &s)
				ended(t, &s)
			}
		})
	}
}

// The zero value of a Session has no events.
func TestZeroSessionEvents(t *testing.T) {
	var s transport.Session
	for e := range s.Events() {
		require.Fail(t, "an event", "%v", e)
	}
}

// The zero value of a Hub is one with the default options.
func TestZeroHub(t *testing.T) {
	var h transport.Hub
	require.True(t, h.NextDeadline().IsZero())
	require.Zero(t, h.Len())
	require.True(t, h.Flushed())
	require.Empty(t, (&harness{Hub: &h, t: t}).Sent(start))
	h.Close()
	s := (&harness{Hub: &h, t: t}).Join(start, addrOf(1, 1000), 7)
	require.LessOrEqual(t, s.PeerID(), objectid.PeerID(17))
	require.NoError(t, s.Send([]byte{1, 2, 3}, transport.Reliable))
	require.Len(t, (&harness{Hub: &h, t: t}).Sent(start.Add(time.Second)), 1)

	e := transport.Event{Kind: transport.EventConnect, Body: &transport.ConnectRequest{ConnID: 1}, Addr: addrOf(1, 1000)}
	var other transport.Hub
	_, err := other.Accept(transport.Event{})
	require.ErrorIs(t, err, transport.ErrNoConnect)
	session, err := other.Accept(e)
	require.NoError(t, err)
	require.LessOrEqual(t, session.PeerID(), objectid.PeerID(17))
}
