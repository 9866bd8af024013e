package transport_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

func addrOf(ip, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(ip >> 8), byte(ip)}), uint16(port))
}

// connectOf is the first datagram of a client.
func connectOf(id uint32) []byte {
	return from(transport.NoPeer, wire(transport.NewMessage(0, transport.ConnectRequest{ConnID: id})))
}

// flushed returns the datagrams of a hub that are due, with their addresses.
func flushed(h *transport.Hub, now time.Time) (all []string) {
	for addr, d := range h.Datagrams(now) {
		all = append(all, fmt.Sprintf("%v %X", addr, d))
	}
	return all
}

func heard(h *transport.Hub) (all []string) {
	for e := range h.Events() {
		all = append(all, fmt.Sprintf("%v %v", e.Addr, tell(e)))
	}
	return all
}

// join has a client accepted, and lets it use its peer ID.
func join(t testing.TB, h *transport.Hub, now time.Time, addr netip.AddrPort, id uint32) *transport.Session {
	t.Helper()
	h.Receive(now, addr, connectOf(id))
	var s *transport.Session
	for e := range h.Events() {
		var err error
		s, err = h.Accept(e)
		require.NoError(t, err)
	}
	require.NotNil(t, s)
	flushed(h, now)
	h.Receive(now, addr, from(s.PeerID(), "01 0000 02"))
	require.Equal(t, []string{fmt.Sprint(addr, " connected")}, heard(h))
	return s
}

func TestHub(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	require.True(t, h.NextDeadline().IsZero())
	a, b, c := addrOf(1, 1000), addrOf(2, 1000), addrOf(2, 1001)
	first, second := join(t, h, start, a, 1), join(t, h, start, b, 2)
	require.Equal(t, []int8{2, 3}, []int8{first.PeerID(), second.PeerID()})
	require.Equal(t, a, first.Addr())
	require.Equal(t, 2, h.Len())

	// Each address has its own peer ID.
	for _, addr := range []netip.AddrPort{a, b, c} {
		h.Receive(start, addr, from(3, text(0, "x")))
	}
	require.Equal(t, []string{"10.0.0.2:1000 payload reliable x"}, heard(h))
	h.Receive(start, a, from(1, text(0, "x")))
	h.Receive(start, c, from(transport.NoPeer, "01 0000 02"))
	h.Receive(start, a, from(transport.NoPeer, "01 0000 02"))
	h.Receive(start, a, nil)
	require.Nil(t, heard(h))
	require.Equal(t, map[string]int{"stranger": 1, "wrong_peer": 2, "no_connect": 2, "malformed": 1}, dropped(h.Counters()))

	// GameSpy text needs no session.
	h.Receive(start, c, []byte(`\status\`))
	for e := range h.Events() {
		require.Equal(t, transport.EventQuery, e.Kind)
		require.Equal(t, `\status\`, string(e.Payload))
		require.Equal(t, c, e.Addr)
		require.Nil(t, e.Session)
	}

	// What is sent leaves for its address, and the deadline is that of the soonest.
	now := after(time.Second)
	require.NoError(t, second.Send([]byte{0x28}, reliably))
	require.True(t, h.NextDeadline().Before(now))
	require.Equal(t, []string{"10.0.0.2:1000 010201000000320680000028"}, flushed(h, now))
	require.True(t, h.NextDeadline().After(now))
	for s := range h.Sessions() {
		require.NoError(t, s.Send([]byte{0x28}, unreliably))
	}
	now = now.Add(tick)
	require.Len(t, flushed(h, now), 2)
	for s := range h.Sessions() {
		require.Equal(t, first, s)
		break
	}
	n := 0
	now = now.Add(time.Minute)
	for range h.Datagrams(now) {
		n++
		break
	}
	require.Equal(t, now, h.NextDeadline())
	require.Len(t, flushed(h, now), 1, "the other farewell")
	require.Equal(t, []string{"10.0.0.2:1000 ended timed out", "10.0.0.1:1000 ended timed out"}, heard(h), "the second was due first")
	require.Zero(t, h.Len())
	require.False(t, h.Flushed())
	for i := range 60 {
		flushed(h, now.Add(time.Duration(i)*time.Second))
	}
	require.True(t, h.Flushed())
	sessions, hosts, _ := h.Remembered()
	require.Zero(t, sessions+hosts)
	require.True(t, h.NextDeadline().IsZero())
	require.Equal(t, map[string]int{"stranger": 1, "wrong_peer": 2, "no_connect": 2, "malformed": 1}, dropped(h.Counters()))
	require.Equal(t, uint64(1), h.Counters().Payloads)
}

// The accepted answer of a Hub is that of a session, and of the captures.
func TestHubAccept(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	a := addrOf(1, 1000)
	connect := vectorHex(t, "connect-request")
	h.Receive(start, a, connect)
	h.Receive(start, a, connect)
	var sessions []*transport.Session
	for e := range h.Events() {
		require.Equal(t, transport.EventConnect, e.Kind)
		require.Equal(t, uint32(0x78F9), e.Body.(transport.ConnectRequest).ConnID)
		s, err := h.Accept(e)
		require.NoError(t, err)
		sessions = append(sessions, s)
	}
	require.Len(t, sessions, 2)
	require.Same(t, sessions[0], sessions[1])
	send(t, sessions[0], reliably, payloadsOf(t, "ack-connect-reply-checksum-request-0")...)
	require.Equal(t, []string{"10.0.0.1:1000 " + upper(vectorHex(t, "ack-connect-reply-checksum-request-0"))}, flushed(h, start))
	h.Receive(start, a, connect)
	require.Nil(t, heard(h), "nothing new")
	require.Equal(t, []string{"10.0.0.1:1000 0102010000020306C0000002"}, flushed(h, after(tick)))
	require.Zero(t, h.Len(), "it is half-open")
	require.Zero(t, h.Counters().Dropped())
}

// A refusal costs no memory; the client that has not heard it asks again.
func TestHubRefuse(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	a := addrOf(1, 1000)
	for range 3 {
		h.Receive(start, a, connectOf(1))
		for e := range h.Events() {
			h.Refuse(e, transport.BootPassword)
		}
		require.False(t, h.Flushed())
		require.Equal(t, start, h.NextDeadline())
		require.Equal(t, []string{"10.0.0.1:1000 0102010000020407C0000002FF"}, flushed(h, start))
		require.True(t, h.NextDeadline().IsZero())
		h.Receive(start, a, from(transport.NoPeer, "01 0000 02"))
	}
	h.Receive(start, a, from(transport.NoPeer, "03 08 01 00 00 00 7F 00"))
	for e := range h.Events() {
		h.Refuse(e, transport.BootTooManyPlayers)
	}
	require.Equal(t, []string{"10.0.0.1:1000 01010407C0000003FF"}, flushed(h, start), "has no number, wants no Ack")
	h.Refuse(transport.Event{Kind: transport.EventQuery}, transport.BootPassword)
	require.Empty(t, flushed(h, start))

	// A client that is refused ends and says that it has understood.
	client := newClient(start, transport.ConnectRequest{}, transport.Options{})
	require.Len(t, leaving(client, start), 1)
	client.Receive(start, from(1, "01 0000 02", "04 07 C0 0000 02 FF"))
	require.Equal(t, []string{"ended booted {wrong password -1}"}, told(client))
	require.False(t, client.Flushed())
	require.Equal(t, hexes("FF 01 01 0000 02"), leaving(client, after(tick)))
	require.True(t, client.Flushed())

	// No more than 256 wait.
	for i := range 300 {
		h.Receive(start, addrOf(i, 1000), connectOf(1))
	}
	for e := range h.Events() {
		h.Refuse(e, transport.BootPassword)
	}
	require.Equal(t, 300-256, dropped(h.Counters())["refusal"])
	n := 0
	for range h.Datagrams(start) {
		if n++; n == 100 {
			break
		}
	}
	require.Len(t, flushed(h, start), 256-100)
}

func TestHubAcceptRefusesWhatIsNoConnect(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	for _, e := range []transport.Event{
		{}, {Kind: transport.EventQuery}, {Kind: transport.EventConnect}, {Kind: transport.EventConnect, Body: transport.Boot{}},
	} {
		_, err := h.Accept(e)
		require.Equal(t, transport.ErrNoConnect, err)
	}
}

// Another Connect from the same address replaces a session that is silent, and no other.
// Copies of those that have ended are known for a minute.
func TestHubReplace(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	a := addrOf(1, 1000)
	old := join(t, h, start, a, 1)
	h.Receive(after(3*time.Second-1), a, connectOf(2))
	require.Nil(t, heard(h))
	require.Equal(t, map[string]int{"busy_connect": 1}, dropped(h.Counters()))

	now := after(3 * time.Second)
	h.Receive(now, a, connectOf(2))
	var stale transport.Event
	for e := range h.Events() {
		stale = e
	}
	h.Receive(now, a, from(2, "02"))
	_, err := h.Accept(stale)
	require.Equal(t, transport.ErrNoConnect, err, "it has spoken in the meantime")

	now = after(6 * time.Second)
	s := join2(t, h, now, a, 2, "10.0.0.1:1000 ended replaced")
	require.Equal(t, int8(3), s.PeerID(), "2 rests")
	require.Equal(t, 1, h.Len())
	require.Equal(t, transport.ErrNotOpen, old.Send(nil, reliably))
	old.Close()
	require.Nil(t, heard(h))
	require.True(t, old.NextDeadline().IsZero())
	for _, dt := range []time.Duration{10 * time.Second, 60*time.Second - 1} {
		h.Receive(now.Add(dt), a, from(3, "02"))
		h.Receive(now.Add(dt).Add(4*time.Second), a, connectOf(1))
	}
	require.Equal(t, 1, dropped(h.Counters())["stale_connect"])
	require.Equal(t, []string{"10.0.0.1:1000 connect {[0 0 0 0] 1 }"}, heard(h), "after a minute it is news")

	// One that has left can come back at once, but not as a copy.
	h.Receive(after(70*time.Second), a, from(3, wire(transport.NewMessage(1, transport.Disconnect{PeerID: 3}))))
	require.Equal(t, []string{"10.0.0.1:1000 ended left {3 [0 0 0 0]}"}, heard(h))
	h.Receive(after(71*time.Second), a, connectOf(2))
	require.Equal(t, 2, dropped(h.Counters())["stale_connect"])
	s = join2(t, h, after(72*time.Second), a, 3)
	require.Equal(t, int8(2), s.PeerID(), "2 has rested")
}

// join2 is join with other events in between.
func join2(t *testing.T, h *transport.Hub, now time.Time, addr netip.AddrPort, id uint32, also ...string) (s *transport.Session) {
	t.Helper()
	h.Receive(now, addr, connectOf(id))
	for e := range h.Events() {
		if e.Kind == transport.EventConnect {
			var err error
			s, err = h.Accept(e)
			require.NoError(t, err)
		} else {
			require.Equal(t, also, []string{fmt.Sprintf("%v %v", e.Addr, tell(e))})
			also = nil
		}
	}
	require.Empty(t, also)
	flushed(h, now)
	h.Receive(now, addr, from(s.PeerID(), "01 0000 02"))
	require.Equal(t, []string{fmt.Sprint(addr, " connected")}, heard(h))
	return s
}

// joinProven is join with a payload that goes with the reply and is acknowledged.
func joinProven(t testing.TB, h *transport.Hub, now time.Time, addr netip.AddrPort, id uint32) *transport.Session {
	t.Helper()
	h.Receive(now, addr, connectOf(id))
	sessions, errs := accept(h)
	require.Equal(t, []error{nil}, errs)
	s := sessions[0]
	require.NoError(t, s.Send([]byte{0x28}, reliably))
	flushed(h, now)
	require.False(t, s.Proven())
	h.Receive(now, addr, from(s.PeerID(), "01 0000 02", "01 0000 00"))
	require.Equal(t, []string{fmt.Sprint(addr, " connected"), fmt.Sprint(addr, " proven")}, heard(h))
	require.True(t, s.Proven())
	return s
}

// joinAll opens proven sessions with all peer IDs.
func joinAll(t testing.TB, h *transport.Hub) (all []*transport.Session) {
	for i := range 124 {
		all = append(all, joinProven(t, h, start, addrOf(1, 1000+i), uint32(i)))
	}
	return all
}

// accept accepts all Connects that wait, and returns the sessions and errors.
func accept(h *transport.Hub) (sessions []*transport.Session, errs []error) {
	for e := range h.Events() {
		if e.Kind == transport.EventConnect {
			s, err := h.Accept(e)
			sessions, errs = append(sessions, s), append(errs, err)
		}
	}
	return sessions, errs
}

// Peer IDs are the lowest free ones, but not those of the last minute.
func TestHubPeerIDs(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 200, ConnectBurst: 200})
	all := joinAll(t, h)
	for i, s := range all {
		want := int8(2 + i)
		if want >= '\\' {
			want++
		}
		require.Equal(t, want, s.PeerID())
	}
	h.Receive(start, addrOf(2, 1), connectOf(1))
	_, errs := accept(h)
	require.Equal(t, []error{transport.ErrHubFull}, errs)
	leave := func(now time.Time, i int) {
		s := all[i]
		h.Receive(now, s.Addr(), from(s.PeerID(), wire(transport.NewMessage(1, transport.Disconnect{PeerID: s.PeerID()}))))
		require.Len(t, heard(h), 1)
	}
	leave(after(time.Second), 7) // peer 9
	leave(after(2*time.Second), 3)
	require.Equal(t, int8(9), join(t, h, after(3*time.Second), addrOf(2, 1), 1).PeerID(), "no other has rested so long")
	require.Equal(t, int8(5), join(t, h, after(3*time.Second), addrOf(2, 2), 1).PeerID())
	leave(after(4*time.Second), 50)
	leave(after(5*time.Second), 20)
	for s := range h.Sessions() {
		h.Receive(after(40*time.Second), s.Addr(), from(s.PeerID(), "02"))
	}
	require.Nil(t, heard(h))
	require.Equal(t, int8(22), join(t, h, after(65*time.Second), addrOf(2, 3), 1).PeerID(), "both have rested")
	require.NoError(t, transport.CheckHub(h))
}

// Random peer IDs are valid, free, and not in order.
func TestHubRandomPeerIDs(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 200, ConnectBurst: 200, RandomPeerIDs: true})
	seen, inOrder := map[int8]bool{}, 0
	last := int8(1)
	for i := range 124 {
		id := join(t, h, start, addrOf(1, 1000+i), uint32(i)).PeerID()
		require.True(t, id >= 2 && id <= 126 && id != '\\', id)
		require.False(t, seen[id])
		if seen[id] = true; id == last+1 {
			inOrder++
		}
		last = id
	}
	require.Less(t, inOrder, 20)
}

// Clients who connect at the same time get different random peer IDs. A flood of Connects
// does not make the IDs easier to guess.
func TestHubRandomPeerIDsOfHalfOpenSessions(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 200, RandomPeerIDs: true})
	seen := map[int8]bool{}
	for i := range 62 {
		seen[int8(halfOpen(t, h, start, 1, 1000+i, uint32(i)).PeerID())] = true
	}
	require.Len(t, seen, 62)
	shared := 0
	for i := range 500 {
		if id := int8(halfOpen(t, h, start, 2, 1000+i, uint32(i)).PeerID()); seen[id] {
			shared++
		}
	}
	require.Greater(t, shared, 100)
	require.NoError(t, transport.CheckHub(h))

	// IDs that rest do not make the others easier to guess either.
	h = transport.NewHub(start, transport.HubOptions{MaxPerIP: 200, ConnectBurst: 200, RandomPeerIDs: true})
	for i := range 120 {
		s := join(t, h, start, addrOf(1, 1000+i), uint32(i))
		leave := wire(transport.NewMessage(1, transport.Disconnect{PeerID: s.PeerID()}))
		h.Receive(start, s.Addr(), from(s.PeerID(), leave))
		require.Len(t, heard(h), 1)
	}
	clear(seen)
	for i := range 500 {
		seen[int8(halfOpen(t, h, start, 2, 1000+i, uint32(i)).PeerID())] = true
	}
	require.Greater(t, len(seen), 100)
}

// A client that comes back takes the place of its session that is silent, however full the
// hub is. Another one takes the place of a session that is not proven.
func TestHubFullReplaces(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 124, ConnectBurst: 200})
	joinAll(t, h)
	now := after(5 * time.Second)
	s := join2(t, h, now, addrOf(1, 1005), 2, "10.0.0.1:1005 ended replaced")
	require.Equal(t, int8(7), s.PeerID(), "there is no other")
	require.Equal(t, 124, h.Len())
	require.NoError(t, transport.CheckHub(h))

	h.Receive(now, addrOf(2, 1), connectOf(1))
	sessions, _ := accept(h)
	require.Equal(t, int8(7), sessions[0].PeerID(), "the one session that is not proven has it")
	require.Equal(t, 124, h.Len(), "it is half-open")
	flushed(h, now)
	h.Receive(now, addrOf(2, 1), from(7, "01 0000 02"))
	require.Equal(t, []string{"10.0.0.1:1005 ended replaced", "10.0.0.2:1 connected"}, heard(h))
	require.Equal(t, 124, h.Len())
	require.NoError(t, transport.CheckHub(h))

	// While another one is half-open with the same peer ID, the session is proven.
	h.Receive(now, addrOf(2, 2), connectOf(1))
	require.Len(t, only(accept(h)), 1)
	require.NoError(t, sessions[0].Send([]byte{0x28}, reliably))
	now = now.Add(tick)
	flushed(h, now)
	h.Receive(now, addrOf(2, 1), from(7, "01 0000 00"))
	require.Equal(t, []string{"10.0.0.2:1 proven"}, heard(h))
	h.Receive(now, addrOf(2, 2), from(7, "01 0000 02"))
	require.Equal(t, []string{"10.0.0.2:2 ended handshake not completed"}, heard(h))
	require.Equal(t, []string{"10.0.0.2:2 01010407C0000000FF"}, flushed(h, now), "it is told at once")
	require.NoError(t, transport.CheckHub(h))
}

func only(sessions []*transport.Session, _ []error) []*transport.Session { return sessions }

// An open session of an address that is not proven gives way to another of that address.
func TestHubLimits(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 3})
	joinProven(t, h, start, addrOf(1, 1), 1)
	joinProven(t, h, start, addrOf(1, 2), 1)
	unproven := join(t, h, start, addrOf(1, 3), 1)
	h.Receive(start, addrOf(1, 4), connectOf(1))
	s := only(accept(h))[0]
	require.NoError(t, s.Send([]byte{0x28}, reliably))
	flushed(h, start)
	h.Receive(start, addrOf(1, 4), from(s.PeerID(), "01 0000 02", "01 0000 00"))
	require.Equal(t, []string{"10.0.0.1:3 ended replaced", "10.0.0.1:4 connected", "10.0.0.1:4 proven"}, heard(h))
	require.Equal(t, transport.EndReplaced, endOf(unproven))

	h.Receive(start, addrOf(1, 10), connectOf(1))
	require.Nil(t, heard(h))
	require.Equal(t, map[string]int{"connect_limit": 1}, dropped(h.Counters()))
	h.Receive(start, addrOf(1, 1), connectOf(9))
	require.Nil(t, heard(h), "busy")
	join2(t, h, after(3*time.Second), addrOf(1, 1), 9, "10.0.0.1:1 ended replaced")
	join2(t, h, after(3*time.Second), addrOf(2, 9), 1)
	require.NoError(t, transport.CheckHub(h))
}

func endOf(s *transport.Session) transport.EndReason {
	r, _ := s.Ended()
	return r
}

// Sessions that have ended do not pile up either.
func TestHubEvicts(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxSessions: 2})
	for i := range 1000 { // each from an address of its own
		now := after(time.Duration(i) * time.Millisecond)
		s := join(t, h, now, addrOf(i, 1), 1)
		s.Close()
		require.Len(t, heard(h), 1)
		sessions, hosts, connects := h.Remembered()
		require.LessOrEqual(t, sessions, 3)
		require.Zero(t, hosts)
		require.LessOrEqual(t, connects, transport.MaxPast)
	}
	require.Equal(t, uint64(2*1000), h.Counters().Received+h.Counters().Drops[transport.DropNoConnect]+1000)
}

// The host says goodbye to everyone.
func TestHubClose(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	for i := range 3 {
		join(t, h, start, addrOf(1, 1+i), 1)
	}
	h.Close()
	require.Equal(t, []string{"10.0.0.1:1 ended closed", "10.0.0.1:2 ended closed", "10.0.0.1:3 ended closed"}, heard(h))
	require.Len(t, flushed(h, after(tick)), 3)
	for i := range 3 {
		require.False(t, h.Flushed())
		h.Receive(after(tick), addrOf(1, 1+i), from(int8(2+i), "01 0100 02"))
	}
	require.True(t, h.Flushed())
}

// The loop over the datagrams may do what it likes with the hub.
func TestHubChangesInTheLoop(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxSessions: 4})
	for i := range 4 {
		join(t, h, start, addrOf(1, 1+i), 1)
	}
	for s := range h.Sessions() {
		send(t, s, reliably, "x")
	}
	n := 0
	for addr := range h.Datagrams(after(4 * time.Second)) {
		// The session that is being served, and another one, are replaced.
		if n < 8 { // each has an answer
			h.Receive(after(4*time.Second), addrOf(1, 1), connectOf(uint32(100+n)))
			h.Receive(after(4*time.Second), addr, connectOf(uint32(200+n)))
		}
		for e := range h.Events() {
			if e.Kind == transport.EventConnect {
				if _, err := h.Accept(e); err != nil {
					require.Equal(t, transport.ErrNoConnect, err, "it has just been replaced")
				}
			}
		}
		if n++; n > 20 {
			break
		}
	}
	require.Less(t, n, 20)
	require.NoError(t, transport.CheckHub(h))
	flushed(h, after(5*time.Second))
	for s := range h.Sessions() {
		require.NoError(t, transport.CheckBounds(s))
	}
}

// Sixteen clients join a hub over a bad network, talk, leave and come back, and nothing
// is left of them in the end.
func TestHubPlays(t *testing.T) {
	t.Parallel()
	n := newNetwork(3)
	n.loss, n.double = 0.05, 0.05
	n.delay = func() time.Duration { return time.Duration(n.between(5, 150)) * time.Millisecond }
	h := transport.NewHub(start, transport.HubOptions{})
	host := &endpoint{hub: h, addr: addrOf(0, 22101)}
	got := map[*transport.Session]int{}
	host.onEvent = func(e transport.Event) {
		switch e.Kind {
		case transport.EventConnect:
			_, err := h.Accept(e)
			require.NoError(t, err)
		case transport.EventPayload:
			require.Equal(t, byte(got[e.Session]), e.Payload[0])
			got[e.Session]++
			for s := range h.Sessions() {
				if s != e.Session {
					require.NoError(t, s.Send([]byte{byte(e.Session.PeerID())}, reliably))
				}
			}
		case transport.EventEnded:
			require.Equal(t, transport.EndLeft, e.End)
		}
	}
	n.ends = append(n.ends, host)
	heard := 0
	come := func(i, round int) *endpoint {
		c := &endpoint{addr: addrOf(1, 1000+100*round+i), peer: host}
		c.session = newClient(n.clock(c), transport.ConnectRequest{ConnID: uint32(i)}, transport.Options{})
		c.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventPayload {
				heard++
			}
		}
		n.ends = append(n.ends, c)
		n.serve(c)
		return c
	}
	for round := range 3 {
		var clients []*endpoint
		for i := range 16 {
			clients = append(clients, come(i, round))
		}
		n.run(15 * time.Second)
		require.Equal(t, 16, h.Len())
		for k := range 10 {
			for _, c := range clients {
				require.NoError(t, c.session.Send([]byte{byte(k)}, reliably))
				n.serve(c)
			}
			n.run(time.Second)
		}
		n.run(20 * time.Second)
		require.True(t, h.Flushed())
		require.Equal(t, (round+1)*16*10*15, heard)
		for _, c := range clients {
			c.session.Close()
			n.serve(c)
		}
		n.run(30 * time.Second)
		require.Zero(t, h.Len())
		n.ends = n.ends[:1]
	}
	n.run(time.Minute)
	sessions, hosts, _ := h.Remembered()
	require.Zero(t, sessions+hosts)
	require.Len(t, got, 48)
	for _, k := range got {
		require.Equal(t, 10, k)
	}
	require.Equal(t, uint64(480), h.Counters().Payloads)
}

// Events that are not taken hold up the hub rather than fill the memory.
func TestHubEventsNotTaken(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	for range 1100 {
		h.Receive(start, addrOf(1, 1), []byte(`\status\`))
	}
	require.Equal(t, map[string]int{"unread": 1100 - transport.MaxEvents}, dropped(h.Counters()))
	require.Len(t, heard(h), transport.MaxEvents)
}

// Sessions that are over at the same time are all removed.
func TestHubRemoves(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	for i := range 5 {
		s := join(t, h, start, addrOf(1, 1+i), 1)
		h.Receive(start, s.Addr(), from(s.PeerID(), "06 02"))
		require.Len(t, heard(h), 1)
	}
	require.Empty(t, flushed(h, after(15*time.Second-1)))
	require.Equal(t, after(15*time.Second), h.NextDeadline())
	require.Empty(t, flushed(h, after(15*time.Second)))
	require.True(t, h.NextDeadline().IsZero())
}

// However sessions come, talk, fall silent and go, each is looked at when it is due.
func TestHubAgenda(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	h := transport.NewHub(start, transport.HubOptions{MaxPerIP: 200, ConnectBurst: 200})
	now, most := start, 0
	for range 5000 {
		now = now.Add(time.Duration(random.IntN(200)) * time.Millisecond)
		addr := addrOf(1, 1+random.IntN(100))
		h.Receive(now, addr, connectOf(random.Uint32()))
		for s := range h.Sessions() {
			switch id := s.PeerID(); random.IntN(40) {
			case 0:
				_ = s.Send([]byte{1}, transport.Delivery(random.IntN(2)))
			case 1, 2, 3:
				h.Receive(now, s.Addr(), from(id, text(0, "")))
			case 4:
				h.Receive(now, s.Addr(), from(id, wire(transport.NewMessage(1, transport.Disconnect{PeerID: id}))))
			}
		}
		opens, _ := accept(h)
		require.NoError(t, transport.CheckHub(h))
		for _, s := range opens {
			if s != nil && random.IntN(5) > 0 {
				h.Receive(now, s.Addr(), from(s.PeerID(), "02"))
			}
		}
		require.NoError(t, transport.CheckHub(h))
		for range h.Datagrams(now) {
			if random.IntN(9) == 0 {
				break
			}
		}
		for range h.Datagrams(now) {
		}
		require.NoError(t, transport.CheckHub(h))
		most = max(most, h.Len())
	}
	require.Greater(t, most, 20)
	h.Close()
	for !h.NextDeadline().IsZero() {
		for range h.Events() {
		}
		for range h.Datagrams(h.NextDeadline()) {
		}
	}
	sessions, _, _ := h.Remembered()
	require.Zero(t, sessions)
	require.NoError(t, transport.CheckHub(h))
}
