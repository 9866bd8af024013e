package transport_test

import (
	"crypto/rand"
	"fmt"
	random "math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

func TestHub(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	require.True(t, h.Hub.NextDeadline().IsZero())
	a, b, c := addrOf(1, 1000), addrOf(2, 1000), addrOf(2, 1001)
	first, second := h.Join(start, a, 1), h.Join(start, b, 2)
	require.Equal(t, []objectid.PeerID{2, 3}, []objectid.PeerID{first.PeerID(), second.PeerID()})
	require.Equal(t, a, first.Addr())
	require.Equal(t, 2, h.Hub.Len())

	// Each address has its own peer ID.
	for _, addr := range []netip.AddrPort{a, b, c} {
		h.ReceiveFrom(start, addr, from(3, text(0, "x")))
	}
	require.Equal(t, []string{"10.0.0.2:1000 payload reliable x"}, h.Events())
	h.ReceiveFrom(start, a, from(1, text(0, "x")))
	h.ReceiveFrom(start, c, from(objectid.NoPeer, "01 0000 02"))
	h.ReceiveFrom(start, a, from(objectid.NoPeer, "01 0000 02"))
	h.ReceiveFrom(start, a, nil)
	require.Nil(t, h.Events())
	require.Equal(t, map[string]int{"unknown_address": 1, "wrong_peer": 2, "no_connect": 2, "malformed": 1}, h.Dropped())

	// GameSpy text needs no session.
	h.ReceiveFrom(start, c, []byte(`\status\`))
	for e := range h.Hub.Events() {
		require.Equal(t, transport.EventQuery, e.Kind)
		require.Equal(t, `\status\`, string(e.Payload))
		require.Equal(t, c, e.Addr)
		require.Nil(t, e.Session)
	}

	// Datagrams go to the address of their session, and the deadline is the earliest of all sessions.
	now := after(time.Second)
	require.NoError(t, second.Send([]byte{0x28}, reliable))
	require.True(t, h.Hub.NextDeadline().Before(now))
	require.Equal(t, []string{"10.0.0.2:1000 010201000000320680000028"}, h.Sent(now))
	require.True(t, h.Hub.NextDeadline().After(now))
	for s := range h.Hub.Sessions() {
		require.NoError(t, s.Send([]byte{0x28}, unreliable))
	}
	now = now.Add(tick)
	require.Len(t, h.Sent(now), 2)
	for s := range h.Hub.Sessions() {
		require.Same(t, first.Session, s)
		break
	}
	now = now.Add(time.Minute)
	for range h.Hub.Datagrams(now) {
		break
	}
	require.Equal(t, now, h.Hub.NextDeadline())
	require.Len(t, h.Sent(now), 1, "the other closing message")
	require.Equal(t, []string{"10.0.0.2:1000 ended timed out", "10.0.0.1:1000 ended timed out"}, h.Events(), "the second was due first")
	require.Zero(t, h.Hub.Len())
	require.False(t, h.Hub.Flushed())
	for i := range 60 {
		h.Sent(now.Add(time.Duration(i) * time.Second))
	}
	require.True(t, h.Hub.Flushed())
	sessions, hosts, _ := h.Hub.TableSizes()
	require.Zero(t, sessions+hosts)
	require.True(t, h.Hub.NextDeadline().IsZero())
	require.Equal(t, map[string]int{"unknown_address": 1, "wrong_peer": 2, "no_connect": 2, "malformed": 1}, h.Dropped())
	require.Equal(t, uint64(1), h.Hub.Counters().Payloads)
}

// A Hub accepts a client with the same reply as the captures, and the probes.
func TestHubAccept(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1000)
	connect := vectorHex(t, "connect-request")
	h.ReceiveFrom(start, a, connect)
	h.ReceiveFrom(start, a, connect)
	var sessions []*transport.Session
	for e := range h.Hub.Events() {
		require.Equal(t, transport.EventConnect, e.Kind)
		require.Equal(t, uint32(0x78F9), e.Body.(*transport.ConnectRequest).ConnID)
		s, err := h.Hub.Accept(e)
		require.NoError(t, err)
		sessions = append(sessions, s)
	}
	require.Len(t, sessions, 2)
	require.Same(t, sessions[0], sessions[1])
	(&harness{Session: sessions[0], t: t}).QueueVector("ack-connect-reply-checksum-request-0")
	sent := h.Sent(start)
	require.Len(t, sent, 1)
	ack, reply, probe := "01000002", "0306C0000002", "32058040C2"
	captured := fmt.Sprintf("%X", vectorHex(t, "ack-connect-reply-checksum-request-0"))
	want := strings.Replace(captured, "0103"+ack+reply, "0108"+ack+reply+probe+"32058041C2"+"32058042C2"+"32058043C2"+"32058044C2", 1)
	require.Equal(t, []string{"10.0.0.1:1000 " + want}, sent, "as captured, with the probes")
	h.ReceiveFrom(start, a, connect)
	require.Nil(t, h.Events(), "nothing new")
	require.Equal(t, sent, h.Sent(after(tick)))
	require.Zero(t, h.Hub.Len(), "it is half-open")
	require.Zero(t, h.Hub.Counters().Dropped())
}

// A refusal takes no memory. A client that has not received it retransmits its Connect.
func TestHubRefuse(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1000)
	for range 3 {
		h.ReceiveFrom(start, a, connectOf(1))
		for e := range h.Hub.Events() {
			h.Hub.Refuse(e, transport.BootPassword)
		}
		require.False(t, h.Hub.Flushed())
		require.Equal(t, start, h.Hub.NextDeadline())
		require.Equal(t, []string{"10.0.0.1:1000 0102010000020407C0000002FF"}, h.Sent(start))
		require.True(t, h.Hub.NextDeadline().IsZero())
		h.ReceiveFrom(start, a, from(objectid.NoPeer, "01 0000 02"))
	}
	h.ReceiveFrom(start, a, from(objectid.NoPeer, "03 08 01 00 00 00 7F 00"))
	for e := range h.Hub.Events() {
		h.Hub.Refuse(e, transport.BootTooManyPlayers)
	}
	require.Equal(t, []string{"10.0.0.1:1000 01010407C0000003FF"}, h.Sent(start), "has no number, wants no Ack")
	h.Hub.Refuse(transport.Event{Kind: transport.EventQuery}, transport.BootPassword)
	require.Empty(t, h.Sent(start))

	// A refused client ends and acknowledges the Boot.
	client := newClient(t, transport.ConnectRequest{}, transport.Options{})
	require.Len(t, client.Sent(start), 1)
	client.Receive(start, "01 0000 02", "04 07 C0 0000 02 FF")
	require.Equal(t, []string{"ended booted {wrong password none}"}, client.Events())
	require.False(t, client.Flushed())
	require.Equal(t, hexStrings("FF 01 01 0000 02"), client.Sent(after(tick)))
	require.True(t, client.Flushed())

	// At most 256 refusals wait.
	for i := range 300 {
		h.ReceiveFrom(start, addrOf(i, 1000), connectOf(1))
	}
	for e := range h.Hub.Events() {
		h.Hub.Refuse(e, transport.BootPassword)
	}
	require.Equal(t, 300-256, h.Dropped()["refusal_queue_full"])
	n := 0
	for range h.Hub.Datagrams(start) {
		if n++; n == 100 {
			break
		}
	}
	require.Len(t, h.Sent(start), 256-100)
}

// Sent counts the datagrams of all sessions, also removed ones, and of refusals.
func TestHubCountsSentDatagrams(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	h.ReceiveFrom(start, addrOf(2, 1), connectOf(1))
	for e := range h.Hub.Events() {
		h.Hub.Refuse(e, transport.BootPassword)
	}
	h.ReceiveFrom(start, addrOf(1, 1), connectOf(1))
	sessions, _ := h.Accept()
	n := len(h.Sent(start))
	require.Equal(t, 2, n, "the refusal and the acceptance")
	h.ReceiveFrom(start, addrOf(1, 1), sessions[0].Validation())
	for now := start; now.Before(after(2 * time.Minute)); now = now.Add(time.Second) {
		sent := len(h.Sent(now))
		n += sent
		require.EqualValues(t, n, h.Hub.Counters().Sent)
		require.LessOrEqual(t, sessions[0].Counters().Sent, uint64(n-1))
	}
	require.Greater(t, n, 10, "keepalives")
	held, _, _ := h.Hub.TableSizes()
	require.Zero(t, held)
	require.EqualValues(t, n-1, sessions[0].Counters().Sent)
}

func TestHubAcceptRefusesOtherEvents(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for _, e := range []transport.Event{
		{}, {Kind: transport.EventQuery}, {Kind: transport.EventConnect}, {Kind: transport.EventConnect, Body: &transport.Boot{}},
	} {
		_, err := h.Hub.Accept(e)
		require.Equal(t, transport.ErrNoConnect, err)
	}
}

// Another Connect from the same address replaces a silent session only. Duplicates of the Connects
// of ended sessions are recognised for a minute.
func TestHubReplace(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1000)
	old := h.Join(start, a, 1)
	h.ReceiveFrom(after(3*time.Second-1), a, connectOf(2))
	require.Nil(t, h.Events())
	require.Equal(t, map[string]int{"busy_connect": 1}, h.Dropped())

	now := after(3 * time.Second)
	h.ReceiveFrom(now, a, connectOf(2))
	var stale transport.Event
	for e := range h.Hub.Events() {
		stale = e
	}
	h.ReceiveFrom(now, a, from(2, "02"))
	_, err := h.Hub.Accept(stale)
	require.Equal(t, transport.ErrNoConnect, err, "it has sent a datagram since")

	now = after(6 * time.Second)
	s := h.Join(now, a, 2, "10.0.0.1:1000 ended replaced")
	require.Equal(t, objectid.PeerID(3), s.PeerID(), "2 is in use until the new session opens")
	require.Equal(t, 1, h.Hub.Len())
	require.Equal(t, transport.ErrNotOpen, old.Send(nil, reliable))
	old.Close()
	require.Nil(t, h.Events())
	require.True(t, old.NextDeadline().IsZero())
	for _, dt := range []time.Duration{10 * time.Second, 60*time.Second - 1} {
		h.ReceiveFrom(now.Add(dt), a, from(3, "02"))
		h.ReceiveFrom(now.Add(dt).Add(4*time.Second), a, connectOf(1))
	}
	require.Equal(t, 1, h.Dropped()["stale_connect"])
	require.Equal(t, []string{"10.0.0.1:1000 connect {[0 0 0 0] 1 }"}, h.Events(), "after a minute it is reported again")

	// A client can reconnect at once with a new ConnID, but not with the same one.
	h.ReceiveFrom(after(70*time.Second), a, from(3, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 3}))))
	require.Equal(t, []string{"10.0.0.1:1000 ended left {3 [0 0 0 0]}"}, h.Events())
	h.ReceiveFrom(after(71*time.Second), a, connectOf(2))
	require.Equal(t, 2, h.Dropped()["stale_connect"])
	s = h.Join(after(72*time.Second), a, 3)
	require.Equal(t, objectid.PeerID(2), s.PeerID(), "the cooldown of 2 is over")
}

// A client that has sent something within three seconds has not restarted.
func TestHubConnectFromBusyAddress(t *testing.T) {
	for _, v := range []struct {
		age  time.Duration
		busy bool
	}{
		{3*time.Second - 1, true},
		{3 * time.Second, false},
	} {
		h := newHub(t, transport.HubOptions{})
		a := addrOf(1, 1)
		h.Join(start, a, 1)
		h.ReceiveFrom(after(v.age), a, connectOf(2))
		sessions, errs := h.Accept()
		require.Equal(t, v.busy, len(sessions) == 0, v)
		require.Equal(t, v.busy, h.Dropped()["busy_connect"] == 1, v)
		if !v.busy {
			require.Equal(t, []error{nil}, errs, v)
		}
	}
}

// There are 124 peer IDs, so a greater MaxSessions has no effect.
func TestHubMaximumOfSessions(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 1000, MaxPerIP: 200}.With(transport.HubLimits{ConnectBurst: 200}))
	require.Len(t, h.JoinAll(), 124)
	h.Join(start, addrOf(2, 1), 1, "10.0.0.1:1000 ended limit reached")
	require.Equal(t, 124, h.Hub.Len())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// By default, the first sixteen clients have the peer IDs 2 to 17, in a random order. A later client
// has one of them as soon as it is free, although others were never used.
func TestHubUsualPeerIDs(t *testing.T) {
	h := newHub(t, transport.HubOptions{Rand: rand.Reader})
	var sessions []*harness
	ids, inOrder := map[objectid.PeerID]bool{}, 0
	for i := range 16 {
		s := h.Join(start, addrOf(1, 1+i), 1)
		if ids[s.PeerID()] = true; i > 0 && s.PeerID() == sessions[i-1].PeerID()+1 {
			inOrder++
		}
		sessions = append(sessions, s)
	}
	for id := objectid.PeerID(2); id <= 17; id++ {
		require.Contains(t, ids, id)
	}
	require.Less(t, inOrder, 15)
	require.Greater(t, h.Join(start, addrOf(1, 17), 1).PeerID(), objectid.PeerID(17))
	sessions[5].Close()
	require.Equal(t, sessions[5].PeerID(), h.Join(start, addrOf(1, 18), 1, "10.0.0.1:6 ended closed").PeerID())
}

// Peer IDs are the lowest free ones, except IDs released in the last minute.
func TestHubPeerIDs(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 200}.With(transport.HubLimits{ConnectBurst: 200}))
	all := h.JoinAll()
	for _, s := range all {
		s.Keep()
	}
	for i, s := range all {
		want := objectid.PeerID(2 + i)
		if want >= '\\' {
			want++
		}
		require.Equal(t, want, s.PeerID())
	}
	h.ReceiveFrom(start, addrOf(2, 1), connectOf(1))
	_, errs := h.Accept()
	require.Equal(t, []error{transport.ErrHubFull}, errs)
	leave := func(now time.Time, i int) {
		s := all[i]
		h.ReceiveFrom(now, s.Addr(), from(s.PeerID(), wire(transport.NewMessage(1, &transport.Disconnect{PeerID: s.PeerID()}))))
		require.Len(t, h.Events(), 1)
	}
	leave(after(time.Second), 7) // peer 9
	leave(after(2*time.Second), 3)
	require.Equal(t, objectid.PeerID(9), h.Join(after(3*time.Second), addrOf(2, 1), 1).PeerID(), "9 has the shortest cooldown")
	require.Equal(t, objectid.PeerID(5), h.Join(after(3*time.Second), addrOf(2, 2), 1).PeerID())
	leave(after(4*time.Second), 50)
	leave(after(5*time.Second), 20)
	for s := range h.Hub.Sessions() {
		h.ReceiveFrom(after(40*time.Second), s.Addr(), from(s.PeerID(), "02"))
	}
	require.Nil(t, h.Events())
	require.Equal(t, objectid.PeerID(22), h.Join(after(65*time.Second), addrOf(2, 3), 1).PeerID(), "both cooldowns are over")
	require.NoError(t, transport.CheckHub(h.Hub))
}

// Random peer IDs are valid, free, and not in order.
func TestHubRandomPeerIDs(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 200, RandomPeerIDs: true, Rand: rand.Reader}.With(transport.HubLimits{ConnectBurst: 200}))
	seen, inOrder := map[objectid.PeerID]bool{}, 0
	last := objectid.PeerID(1)
	for i := range 124 {
		id := h.Join(start, addrOf(1, 1000+i), uint32(i)).PeerID()
		require.True(t, id >= 2 && id <= 126 && id != '\\', id)
		require.False(t, seen[id])
		if seen[id] = true; id == last+1 {
			inOrder++
		}
		last = id
	}
	require.Less(t, inOrder, 20)
}

// Clients that connect at the same time get different random peer IDs. A flood of Connects
// does not make the IDs easier to guess.
func TestHubRandomPeerIDsOfHalfOpenSessions(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 200, RandomPeerIDs: true, Rand: rand.Reader})
	seen := map[objectid.PeerID]bool{}
	for i := range 62 {
		seen[h.Connect(start, addrOf(1, 1000+i), uint32(i)).PeerID()] = true
	}
	require.Len(t, seen, 62)
	shared := 0
	for i := range 500 {
		if seen[h.Connect(start, addrOf(2, 1000+i), uint32(i)).PeerID()] {
			shared++
		}
	}
	require.Greater(t, shared, 100)
	require.NoError(t, transport.CheckHub(h.Hub))

	// IDs in cooldown do not make the others easier to guess either.
	h = newHub(t, transport.HubOptions{MaxPerIP: 200, RandomPeerIDs: true, Rand: rand.Reader}.With(transport.HubLimits{ConnectBurst: 200}))
	for i := range 120 {
		s := h.Join(start, addrOf(1, 1000+i), uint32(i))
		leave := wire(transport.NewMessage(1, &transport.Disconnect{PeerID: s.PeerID()}))
		h.ReceiveFrom(start, s.Addr(), from(s.PeerID(), leave))
		require.Len(t, h.Events(), 1)
	}
	clear(seen)
	for i := range 500 {
		seen[h.Connect(start, addrOf(2, 1000+i), uint32(i)).PeerID()] = true
	}
	require.Greater(t, len(seen), 100)
}

// In a full hub, a new client replaces a session that is not kept: one of the most crowded network, then the oldest.
// The client of that session is informed.
func TestHubFullReplaces(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 5})
	kept := h.Join(start, addrOf(9, 1), 1)
	kept.Keep()
	h.Join(start, addrOf(1, 1), 1)
	h.Join(start, addrOf(2, 1), 1)
	h.Join(start, addrOf(2, 2), 1)
	h.Join(start, addrOf(3, 1), 1)
	for i, ended := range []string{"10.0.0.2:1", "10.0.0.1:1", "10.0.0.2:2", "10.0.0.3:1"} {
		now := after(time.Duration(3*i) * time.Second)
		addr := addrOf(20+i, 1)
		h.Join(now, addr, 1, ended+" ended limit reached").Keep()
		require.Equal(t, 5, h.Hub.Len())
		require.Contains(t, fmt.Sprint(h.Sent(now.Add(2*time.Second))), ended+" 0101", "a Boot, again")
		require.NoError(t, transport.CheckHub(h.Hub))
	}
	now := after(16 * time.Second)
	h.ReceiveFrom(now, addrOf(99, 1), connectOf(1))
	_, errs := h.Accept()
	require.Equal(t, []error{transport.ErrHubFull}, errs, "all are kept")
	require.Contains(t, h.Sent(now), "10.0.0.99:1 0102010000020407C0000003FF", "the client is refused")
	require.False(t, kept.Ended())
}

// Among sessions of equally crowded networks, the one whose client has acknowledged the fewest payloads is
// replaced, before the oldest.
func TestHubReplacesLeastProgress(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 3})
	now := start
	for i, more := range []int{2, 0, 1} {
		s := h.Join(now, addrOf(1+i, 1), 1)
		for n := range more {
			now = now.Add(tick)
			s.Queue(reliable, "?")
			h.Sent(now)
			h.ReceiveFrom(now, s.Addr(), from(s.PeerID(), fmt.Sprintf("01 %02X00 00", n)))
		}
	}
	for i, ended := range []string{"10.0.0.2:1", "10.0.0.3:1", "10.0.0.1:1"} {
		h.Join(now, addrOf(9+i, 1), 1, ended+" ended limit reached").Keep()
	}
}

// If all peer IDs are in use, a new client gets the one of the session that it replaces.
func TestHubWithoutFreePeerIDs(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 124}.With(transport.HubLimits{ConnectBurst: 200}))
	for i, s := range h.JoinAll() {
		if i != 5 {
			s.Keep()
		}
	}
	h.ReceiveFrom(start, addrOf(2, 1), connectOf(1))
	sessions, _ := h.Accept()
	require.Equal(t, objectid.PeerID(7), sessions[0].PeerID(), "the one session that is not kept has it")
	require.Equal(t, 124, h.Hub.Len(), "it is half-open")
	h.Sent(start)
	h.ReceiveFrom(start, addrOf(2, 2), connectOf(1))
	halfOpen, _ := h.Accept()
	h.Sent(start)
	h.ReceiveFrom(start, addrOf(2, 1), sessions[0].Validation())
	require.Equal(t, []string{"10.0.0.1:1005 ended limit reached", "10.0.0.2:1 connected"}, h.Events())
	require.Equal(t, 124, h.Hub.Len())
	require.NoError(t, transport.CheckHub(h.Hub))

	// While another one is half-open with the same peer ID, the session is kept.
	sessions[0].Keep()
	require.Equal(t, objectid.PeerID(7), halfOpen[0].PeerID())
	h.ReceiveFrom(start, addrOf(2, 2), halfOpen[0].Validation())
	require.Equal(t, []string{"10.0.0.2:2 ended limit reached"}, h.Events())
	require.Contains(t, h.Sent(start), "10.0.0.2:2 01010407C001000307", "it is told at once")
	require.NoError(t, transport.CheckHub(h.Hub))

	// A client cannot get the peer ID of its own earlier session.
	h = newHub(t, transport.HubOptions{MaxPerIP: 124}.With(transport.HubLimits{ConnectBurst: 200}))
	for i, s := range h.JoinAll() {
		if i != 5 {
			s.Keep()
		}
	}
	h.ReceiveFrom(after(5*time.Second), addrOf(1, 1005), connectOf(2))
	_, errs := h.Accept()
	require.Equal(t, []error{transport.ErrHubFull}, errs)
}

// At its limit, an address replaces its own session that is not kept.
func TestHubLimits(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 3})
	h.Join(start, addrOf(1, 1), 1).Keep()
	h.Join(start, addrOf(1, 2), 1).Keep()
	other := h.Join(start, addrOf(2, 1), 1)
	weak := h.Join(start, addrOf(1, 3), 1)
	h.Join(start, addrOf(1, 4), 1, "10.0.0.1:3 ended limit reached").Keep()
	require.Equal(t, transport.EndLimit, weak.EndReason())
	require.False(t, other.Ended(), "of another network")

	h.ReceiveFrom(start, addrOf(1, 10), connectOf(1))
	require.Nil(t, h.Events())
	require.Equal(t, map[string]int{"address_limit": 1}, h.Dropped())
	h.ReceiveFrom(start, addrOf(1, 1), connectOf(9))
	require.Nil(t, h.Events(), "busy")
	h.Join(after(4*time.Second), addrOf(1, 1), 9, "10.0.0.1:1 ended replaced")
	h.Join(after(4*time.Second), addrOf(2, 9), 1)
	require.NoError(t, transport.CheckHub(h.Hub))
}

// The 64 bits of an IPv6 network count as one address, and an IPv4 address in an IPv6 form as itself.
func TestHubLimitsNetworks(t *testing.T) {
	for _, v := range []struct {
		a, b string
		same bool
	}{
		{"[2001:db8::1]:1", "[2001:db8::ffff:0:0:1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[::ffff:10.0.0.1]:1", "10.0.0.1:2", true},
		{"[::ffff:10.0.0.1]:1", "[::ffff:10.0.0.2]:1", false},
	} {
		h := newHub(t, transport.HubOptions{MaxPerIP: 1})
		h.Join(start, netip.MustParseAddrPort(v.a), 1).Keep()
		h.ReceiveFrom(start, netip.MustParseAddrPort(v.b), connectOf(1))
		require.Equal(t, v.same, h.Events() == nil, v)
	}
}

// The hub keeps a session after two minutes by itself.
func TestHubKeepsOldSessions(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 1, Session: transport.Options{PeerTimeout: time.Hour}})
	h.Join(start, addrOf(1, 1), 1)
	h.Join(after(2*time.Minute-1), addrOf(2, 1), 1, "10.0.0.1:1 ended limit reached")
	h.ReceiveFrom(after(4*time.Minute-1), addrOf(3, 1), connectOf(1))
	_, errs := h.Accept()
	require.Equal(t, []error{transport.ErrHubFull}, errs)
}

// Between two loops over Datagrams, the hub has at most twice MaxSessions sessions. After the loop,
// at most MaxSessions of them have ended. The sessions that ended first are removed.
func TestHubLimitsEndedSessions(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 2})
	received := 0
	for i := range 1000 { // each from an address of its own
		now := after(time.Duration(i) * time.Millisecond)
		s := h.Join(now, addrOf(i, 1), 1)
		received++
		if s.Close(); i%3 > 0 { // a session opens and ends before the next loop
			other := h.Connect(now, addrOf(i, 2), 1)
			h.ReceiveFrom(now, other.Addr(), other.Validation())
			received++
			other.Close()
		}
		h.Events()
		sessions, hosts, connects := h.Hub.TableSizes()
		require.LessOrEqual(t, sessions, 4)
		require.Zero(t, hosts)
		require.LessOrEqual(t, connects, 256)
	}
	require.Zero(t, h.Hub.Counters().Dropped())
	require.EqualValues(t, received, h.Hub.Counters().Received)
}

// Sessions that end together replace the sessions that ended before, also if the loop over Datagrams
// ends early.
func TestHubRemovesOldestEndedSessions(t *testing.T) {
	for _, early := range []bool{false, true} {
		h := newHub(t, transport.HubOptions{MaxSessions: 3})
		var first, second []*harness
		for i := range 3 {
			first = append(first, h.Join(start, addrOf(1, 1+i), 1))
		}
		h.Hub.Close()
		require.Len(t, h.Events(), 3)
		require.Len(t, h.Sent(after(time.Second)), 3, "each Disconnect is sent")
		for i := range 3 {
			second = append(second, h.Join(after(2*time.Second), addrOf(2, 1+i), 1))
		}
		h.Hub.Close()
		require.Len(t, h.Events(), 3)
		require.False(t, h.Hub.Flushed())
		for range h.Hub.Datagrams(after(3 * time.Second)) {
			if early {
				break
			}
		}
		sessions, _, _ := h.Hub.TableSizes()
		require.Equal(t, 3, sessions)
		h.Sent(after(3 * time.Second)) // the rest
		require.NoError(t, transport.CheckHub(h.Hub))
		for i := range 3 {
			require.True(t, first[i].Flushed() && first[i].NextDeadline().IsZero(), "removed")
			require.False(t, second[i].Flushed())
			h.ReceiveFrom(after(3*time.Second), second[i].Addr(), from(second[i].PeerID(), "01 0100 02"))
			require.True(t, second[i].Flushed(), "acknowledged")
		}
		require.True(t, h.Hub.Flushed())
	}
}

// A program that refuses a client after it has accepted it calls Boot. The client learns it, whether or not it has
// the acceptance.
func TestHubBootsHalfOpenClient(t *testing.T) {
	for _, late := range []bool{false, true} {
		h := newHub(t, transport.HubOptions{})
		client := newClient(t, transport.ConnectRequest{ConnID: 1}, transport.Options{})
		client.Sent(start)
		toClient := func() {
			for _, d := range h.Hub.Datagrams(start) {
				client.Session.Receive(start, d)
			}
		}
		h.ReceiveFrom(start, addrOf(1, 1), connectOf(1))
		for e := range h.Hub.Events() {
			if e.Kind != transport.EventConnect {
				continue
			}
			s, err := h.Hub.Accept(e)
			require.NoError(t, err)
			if late {
				toClient()
			}
			s.Boot(transport.BootPassword)
		}
		toClient()
		want := []string{"ended booted {wrong password none}"}
		if late {
			want = []string{"connected {2}", "ended booted {wrong password 2}"}
		}
		require.Equal(t, want, client.Events())
		require.True(t, h.Hub.Flushed())
	}
}

// Close ends all sessions with a Disconnect.
func TestHubClose(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for i := range 3 {
		h.Join(start, addrOf(1, 1+i), 1)
	}
	h.Connect(start, addrOf(1, 4), 1) // half-open: it gets no Disconnect
	h.Hub.Close()
	require.Equal(t, []string{"10.0.0.1:4 ended closed", "10.0.0.1:1 ended closed", "10.0.0.1:2 ended closed", "10.0.0.1:3 ended closed"}, h.Events())
	require.Len(t, h.Sent(after(tick)), 3)
	for i := range 3 {
		require.False(t, h.Hub.Flushed())
		h.ReceiveFrom(after(tick), addrOf(1, 1+i), from(objectid.PeerID(2+i), "01 0100 02"))
	}
	require.True(t, h.Hub.Flushed())
}

// The loop over the datagrams can change the sessions of the hub.
func TestHubChangesInTheLoop(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 4})
	for i := range 4 {
		h.Join(start, addrOf(1, 1+i), 1)
	}
	for s := range h.Hub.Sessions() {
		require.NoError(t, s.Send([]byte("x"), reliable))
	}
	n := 0
	for addr := range h.Hub.Datagrams(after(4 * time.Second)) {
		// The session that is being served, and another one, are replaced.
		if n < 8 { // each gets a reply
			h.ReceiveFrom(after(4*time.Second), addrOf(1, 1), connectOf(uint32(100+n)))
			h.ReceiveFrom(after(4*time.Second), addr, connectOf(uint32(200+n)))
		}
		for e := range h.Hub.Events() {
			if e.Kind == transport.EventConnect {
				if _, err := h.Hub.Accept(e); err != nil {
					require.Equal(t, transport.ErrNoConnect, err, "it has just been replaced")
				}
			}
		}
		if n++; n > 20 {
			break
		}
	}
	require.Less(t, n, 20)
	require.NoError(t, transport.CheckHub(h.Hub))
	h.Sent(after(5 * time.Second))
	for s := range h.Hub.Sessions() {
		require.NoError(t, transport.CheckSession(s))
	}
}

// Sixteen clients join a hub over a bad network, send payloads, leave and come back. At the end the
// hub stores nothing about them.
func TestHubServesManyClients(t *testing.T) {
	t.Parallel()
	n := newNetwork(3)
	n.loss, n.duplicate = 0.05, 0.05
	n.delay = func() time.Duration { return time.Duration(n.between(5, 150)) * time.Millisecond }
	h := newHub(t, transport.HubOptions{})
	host := &endpoint{hub: h.Hub, addr: addrOf(0, 22101)}
	got := map[*transport.Session]int{}
	host.onEvent = func(e transport.Event) {
		switch e.Kind {
		case transport.EventConnect:
			_, err := h.Hub.Accept(e)
			require.NoError(t, err)
		case transport.EventPayload:
			require.Equal(t, byte(got[e.Session]), e.Payload[0])
			got[e.Session]++
			for s := range h.Hub.Sessions() {
				if s != e.Session {
					require.NoError(t, s.Send([]byte{byte(e.Session.PeerID())}, reliable))
				}
			}
		case transport.EventEnded:
			require.Equal(t, transport.EndLeft, e.End)
		}
	}
	n.endpoints = append(n.endpoints, host)
	heard := 0
	come := func(i, round int) *endpoint {
		c := &endpoint{addr: addrOf(1, 1000+100*round+i), peer: host}
		n.newClient(c, uint32(i))
		c.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventPayload {
				heard++
			}
		}
		n.endpoints = append(n.endpoints, c)
		n.serve(c)
		return c
	}
	for round := range 3 {
		var clients []*endpoint
		for i := range 16 {
			clients = append(clients, come(i, round))
		}
		n.run(15 * time.Second)
		require.Equal(t, 16, h.Hub.Len())
		for k := range 10 {
			for _, c := range clients {
				require.NoError(t, c.session.Send([]byte{byte(k)}, reliable))
				n.serve(c)
			}
			n.run(time.Second)
		}
		n.run(20 * time.Second)
		require.True(t, h.Hub.Flushed())
		require.Equal(t, (round+1)*16*10*15, heard)
		for _, c := range clients {
			c.session.Close()
			n.serve(c)
		}
		n.run(30 * time.Second)
		require.Zero(t, h.Hub.Len())
		n.endpoints = n.endpoints[:1]
	}
	n.run(time.Minute)
	sessions, hosts, _ := h.Hub.TableSizes()
	require.Zero(t, sessions+hosts)
	require.Len(t, got, 48)
	for _, k := range got {
		require.Equal(t, 10, k)
	}
	require.Equal(t, uint64(480), h.Hub.Counters().Payloads)
}

// Unread events make the hub drop datagrams, so they take limited memory.
func TestHubUnreadEvents(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for range 1100 {
		h.ReceiveFrom(start, addrOf(1, 1), []byte(`\status\`))
	}
	require.Equal(t, map[string]int{"unread": 1100 - 1024}, h.Dropped())
	require.Len(t, h.Events(), 1024)
}

// Sessions that are over at the same time are all removed.
func TestHubRemoves(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for i := range 5 {
		s := h.Join(start, addrOf(1, 1+i), 1)
		h.ReceiveFrom(start, s.Addr(), from(s.PeerID(), "06 02"))
		require.Len(t, h.Events(), 1)
	}
	require.Empty(t, h.Sent(after(15*time.Second-1)))
	require.Equal(t, after(15*time.Second), h.Hub.NextDeadline())
	require.Empty(t, h.Sent(after(15*time.Second)))
	require.True(t, h.Hub.NextDeadline().IsZero())
}

// Each session is served when it is due, whenever sessions join, send, time out and leave.
func TestHubDeadlines(t *testing.T) {
	random := random.New(random.NewPCG(3, 4))
	h := newHub(t, transport.HubOptions{MaxPerIP: 200}.With(transport.HubLimits{ConnectBurst: 200}))
	now, most := start, 0
	for range 5000 {
		now = now.Add(time.Duration(random.IntN(200)) * time.Millisecond)
		addr := addrOf(1, 1+random.IntN(100))
		h.ReceiveFrom(now, addr, connectOf(random.Uint32()))
		for s := range h.Hub.Sessions() {
			switch id := s.PeerID(); random.IntN(40) {
			case 0:
				_ = s.Send([]byte{1}, transport.Delivery(random.IntN(2)))
			case 1, 2, 3:
				h.ReceiveFrom(now, s.Addr(), from(id, text(0, "")))
			case 4:
				h.ReceiveFrom(now, s.Addr(), from(id, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: id}))))
			}
		}
		opens, _ := h.Accept()
		require.NoError(t, transport.CheckHub(h.Hub))
		for _, s := range opens {
			if s.Session != nil && random.IntN(5) > 0 {
				h.ReceiveFrom(now, s.Addr(), s.Validation())
			}
		}
		require.NoError(t, transport.CheckHub(h.Hub))
		for range h.Hub.Datagrams(now) {
			if random.IntN(9) == 0 {
				break
			}
		}
		for range h.Hub.Datagrams(now) {
		}
		require.NoError(t, transport.CheckHub(h.Hub))
		most = max(most, h.Hub.Len())
	}
	require.Greater(t, most, 20)
	h.Hub.Close()
	for !h.Hub.NextDeadline().IsZero() {
		for range h.Hub.Events() {
		}
		for range h.Hub.Datagrams(h.Hub.NextDeadline()) {
		}
	}
	sessions, _, _ := h.Hub.TableSizes()
	require.Zero(t, sessions)
	require.NoError(t, transport.CheckHub(h.Hub))
}
