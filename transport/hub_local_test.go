package transport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// A session without a client has a peer ID of its own, needs no datagrams, and ends like any other.
func TestLocalSession(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 1})
	s, err := h.Hub.Local()
	require.NoError(t, err)
	require.Equal(t, objectid.PeerID(2), s.PeerID())
	client := h.Join(start, addrOf(1, 1), 1)
	require.Equal(t, objectid.PeerID(3), client.PeerID(), "the limit of sessions is for clients")
	h.Sent(start)
	due := h.Hub.NextDeadline()
	require.Positive(t, s.Room())
	for range 5000 {
		require.NoError(t, s.Send([]byte("x"), reliable))
		require.NoError(t, s.SendSystem(nameChange(3, "Ann")))
	}
	require.Positive(t, s.Room())
	require.True(t, s.Flushed())
	require.False(t, s.Addr().IsValid())
	require.Equal(t, due, h.Hub.NextDeadline())
	require.Nil(t, h.Hub.Session(2))

	// Nobody speaks for it, and it is never silent.
	h.ReceiveFrom(start, addrOf(1, 1), from(2, text(0, "x")))
	h.ReceiveFrom(start, addrOf(2, 1), from(2, text(0, "x"), wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 2}))))
	require.Empty(t, h.Events())
	h.Sent(after(24 * time.Hour))
	require.Equal(t, []string{"10.0.0.1:1 ended timed out"}, h.Events())
	require.False(t, s.Ended())

	s.Close()
	require.Equal(t, []string{"invalid AddrPort ended left"}, h.Events())
	require.ErrorIs(t, s.Send(nil, reliable), transport.ErrNotOpen)
	s.Boot(transport.BootTimeout)
	require.Empty(t, h.Events())
	next, err := h.Hub.Local()
	require.NoError(t, err)
	require.NotContains(t, []objectid.PeerID{2, 3}, next.PeerID(), "two IDs are cooling down")
	next.Boot(transport.BootBanned)
	require.Equal(t, []string{"invalid AddrPort ended closed {banned 4}"}, h.Events())
}

// Sessions without clients can have all peer IDs. A client that has been promised one is refused.
func TestLocalSessionsTakeAllPeerIDs(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	half := h.Connect(start, addrOf(1, 1), 1)
	require.Equal(t, objectid.PeerID(2), half.PeerID())
	ids := map[objectid.PeerID]bool{}
	for range 124 {
		s, err := h.Hub.Local()
		require.NoError(t, err)
		ids[s.PeerID()] = true
	}
	require.Len(t, ids, 124)
	_, err := h.Hub.Local()
	require.ErrorIs(t, err, transport.ErrHubFull)
	h.ReceiveFrom(start, addrOf(1, 1), half.Validation())
	require.Equal(t, []string{"10.0.0.1:1 ended limit reached"}, h.Events())
}
