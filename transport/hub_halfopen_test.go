package transport_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about clients whose addresses may be forged.

// A wrong peer ID is a guess of an attacker, or late. It changes nothing: the client does not repeat
// its Connect when it has the reply, so its session must stay.
func TestWrongPeerIDLeavesHalfOpenSession(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1000)
	old := h.Join(start, a, 1)
	h.ReceiveFrom(start, a, from(2, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 2}))))
	require.Len(t, h.Events(), 1)
	require.True(t, old.EndReason() == transport.EndLeft)

	s := h.Connect(after(time.Second), addrOf(1, 1000), 2)
	require.Equal(t, objectid.PeerID(3), s.PeerID())
	h.ReceiveFrom(after(time.Second), a, from(2, text(7, "late")))
	require.Nil(t, h.Events())
	require.Equal(t, map[string]int{"wrong_peer": 1}, h.Dropped())
	h.ReceiveFrom(after(time.Second), a, from(4, text(0, "guess")))
	require.Nil(t, h.Events())
	require.Equal(t, map[string]int{"wrong_peer": 2}, h.Dropped())
	require.NoError(t, transport.CheckHub(h.Hub))
	h.ReceiveFrom(after(time.Second), a, s.Validation())
	require.Equal(t, []string{"10.0.0.1:1000 connected"}, h.Events())
}

// The reply is sent once for each Connect. Another Connect replaces the ConnID of the session.
func TestReplyIsSentForEachConnect(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Connect(start, addrOf(1, 1000), 1)
	n := 0
	for now := start; now.Before(after(29 * time.Second)); now = now.Add(tick) {
		n += len(h.Sent(now))
	}
	require.Zero(t, n)
	h.ReceiveFrom(after(29*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, h.Events())
	require.Len(t, h.Sent(after(29*time.Second)), 1)
	h.ReceiveFrom(after(29*time.Second), addrOf(1, 1000), s.Validation())
	require.Equal(t, []string{"10.0.0.1:1000 connected"}, h.Events())
	h.ReceiveFrom(after(33*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, h.Events(), "a late copy of the second Connect, which counts")
	require.Equal(t, 1, h.Hub.Len())
}

// A half-open session has the last four different passwords of its Connects, the newest first.
func TestPasswords(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	var s *transport.Session
	for _, v := range [][2]string{{"a", "a"}, {"b", "b a"}, {"a", "a b"}, {"c", "c a b"}, {"d", "d c a b"}, {"e", "e d c a"}} {
		request := &transport.ConnectRequest{ConnID: 1, Password: newText(v[0])}
		h.ReceiveFrom(start, addrOf(1, 1), from(noPeer, wire(transport.NewMessage(0, request))))
		if sessions, _ := h.Accept(); len(sessions) > 0 {
			s = sessions[0].Session
		}
		require.Equal(t, "["+v[1]+"]", fmt.Sprint(h.Hub.Passwords(s)))
	}
}

// A client with a delay of 100 ms is accepted during 400 forged Connects a second, some of them
// from its own IP address.
func TestClientJoinsDuringFloodOfConnects(t *testing.T) {
	t.Parallel()
	for try := range testdata.Either(20, 5) {
		n := newNetwork(uint64(try))
		n.delay = func() time.Duration { return 50 * time.Millisecond }
		h := newHub(t, transport.HubOptions{})
		host := &endpoint{hub: h.Hub, addr: addrOf(0, 22101)}
		host.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventConnect {
				s, err := h.Hub.Accept(e)
				require.NoError(t, err)
				require.NoError(t, s.Send([]byte{0x20}, reliable))
			}
		}
		n.endpoints = append(n.endpoints, host)
		random := rand.New(rand.NewPCG(uint64(try), 9))
		flood := func(seconds int) {
			for range 400 * seconds {
				forged := addrOf(random.IntN(3)*random.IntN(5000), 1+random.IntN(60000))
				h.ReceiveFrom(n.clock(host), forged, connectOf(random.Uint32()))
				n.serve(host)
				n.run(time.Second / 400)
			}
		}
		flood(4)
		client := &endpoint{addr: addrOf(0, 7), peer: host}
		n.newClient(client, 7)
		connected, payloads := time.Duration(0), 0
		client.onEvent = func(e transport.Event) {
			switch e.Kind {
			case transport.EventConnected:
				connected = n.now
			case transport.EventPayload:
				payloads++
			}
		}
		n.endpoints = append(n.endpoints, client)
		began := n.now
		n.serve(client)
		flood(1)
		require.Equal(t, 1, payloads)
		require.Less(t, connected-began, 200*time.Millisecond)
		require.Equal(t, 1, h.Hub.Len())
		sessions, _, _ := h.Hub.TableSizes()
		require.LessOrEqual(t, sessions, 5*400+1)
		require.NoError(t, transport.CheckHub(h.Hub))
	}
}

// One address can open 32 sessions at once, and then one in 0.7 s. Beyond this, its Connects have
// no effect, and a client that repeats its Connect is accepted. Half-open sessions do not
// count, because their addresses may be forged.
func TestNewSessionsAreRateLimited(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	opened := 0
	churn := func(seconds int, validate bool) {
		for i := range 450 * seconds {
			now := after(time.Duration(i) * time.Second / 450)
			h.ReceiveFrom(now, addrOf(1, 1+i%60000), connectOf(uint32(i)))
			sessions, _ := h.Accept()
			if len(sessions) == 0 {
				continue
			}
			s := sessions[0]
			h.Sent(now)
			leave := wire(transport.NewMessage(1, &transport.Disconnect{PeerID: s.PeerID()}))
			d := from(s.PeerID(), leave)
			if validate {
				d = s.Validation(leave)
			}
			h.ReceiveFrom(now, s.Addr(), d)
			for e := range h.Hub.Events() {
				if e.Kind == transport.EventConnected {
					opened++
				}
			}
		}
	}
	churn(10, true)
	require.InDelta(t, 32+10/0.7, opened, 1)
	require.NoError(t, transport.CheckHub(h.Hub))
	require.NotZero(t, h.Dropped()["rate_limit"])
	require.Eventually(t, func() bool { // its next Connects
		h.ReceiveFrom(after(11*time.Second), addrOf(1, 61000), connectOf(1))
		sessions, _ := h.Accept()
		return len(sessions) == 1
	}, time.Second, time.Millisecond)
	h.Join(after(11*time.Second), addrOf(2, 1), 1) // other addresses have their own limit

	h = newHub(t, transport.HubOptions{})
	for i := range 32 {
		h.Join(start, addrOf(1, 1+i), 1).Close()
		h.Events()
	}
	const interval = 700 * time.Millisecond
	for _, now := range []time.Duration{0, interval - 1} {
		h.ReceiveFrom(after(now), addrOf(1, 99), connectOf(1))
		require.Nil(t, h.Events())
	}
	require.Equal(t, 2, h.Dropped()["rate_limit"])
	h.Join(after(interval), addrOf(1, 99), 1)
	h.ReceiveFrom(after(2*interval-1), addrOf(1, 100), connectOf(1))
	require.Equal(t, 3, h.Dropped()["rate_limit"])

	// A client that was accepted before the limit was reached waits, too.
	h = newHub(t, transport.HubOptions{})
	late := h.Connect(start, addrOf(1, 99), 1)
	for i := range 32 {
		h.Join(start, addrOf(1, 1+i), 1).Close()
		h.Events()
	}
	h.ReceiveFrom(start, late.Addr(), late.Validation())
	require.Nil(t, h.Events())
	h.ReceiveFrom(after(interval), late.Addr(), from(late.PeerID(), "02"))
	require.Equal(t, []string{"10.0.0.1:99 connected"}, h.Events())

	h = newHub(t, transport.HubOptions{})
	opened = 0
	churn(1, false)
	require.Zero(t, opened)
	require.Zero(t, h.Dropped()["rate_limit"])
	h.Join(after(time.Second), addrOf(1, 61000), 1)
}

// Until its address is validated, nothing that a client sends counts, and nothing is acknowledged. A client has lost
// nothing: it retransmits.
func TestNothingCountsBeforeValidation(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Connect(start, addrOf(1, 1), 1)
	for _, d := range [][]byte{
		{2, 0},
		from(2, "FE 00"), from(2, "32 01"), from(2, "02"), from(2, handshakeAck), from(2, "01 0000 00"),
		from(2, text(0, "hello"), "32 05 00 2C 00", fragment(1, 0, 2, "x")), from(2, "06 02"),
		from(2, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 2})), wire(transport.NewMessage(1, nameChange(2, "Ann")))),
	} {
		h.ReceiveFrom(start, s.Addr(), d)
	}
	require.Nil(t, h.Events())
	require.Zero(t, h.Hub.Len())
	require.Equal(t, map[string]int{"unvalidated": 9}, h.Dropped())
	h.ReceiveFrom(start, s.Addr(), s.Validation(text(0, "hello")))
	require.Equal(t, []string{"10.0.0.1:1 connected", "10.0.0.1:1 payload reliable hello"}, h.Events())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// A wrong Ack harms nobody: the right ones still count, and those of a probe that are repeated.
func TestGuessesHarmNobody(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Connect(start, addrOf(1, 1), 1)
	for range 1000 {
		h.ReceiveFrom(start, s.Addr(), from(2, "01 40C2 00", "01 45C2 00", "01 FFFF 00"))
	}
	require.Nil(t, h.Events())
	h.ReceiveFrom(start, s.Addr(), s.Validation())
	require.Equal(t, []string{"10.0.0.1:1 connected"}, h.Events())
}

// Somebody who does not see the datagrams of the host validates no address: not with all Acks that fit into 4,000
// datagrams, in a session that looks like OpenBC's or the stock game's.
func TestBlindGuesses(t *testing.T) {
	for _, openBC := range []bool{false, true} {
		random := rand.New(rand.NewPCG(4, 7))
		h := newHub(t, transport.HubOptions{Rand: rand.NewChaCha8([32]byte{1})})
		connects := testdata.Either(50, 5)
		for try := range connects {
			addr := addrOf(1, 1+try)
			connect := connectOf(1)
			if openBC {
				connect = from(objectid.NoPeer, "03 08 01 00 00 00 7F 00")
			}
			h.ReceiveFrom(start, addr, connect)
			sessions, _ := h.Accept()
			require.Len(t, sessions, 1)
			for range 4000 {
				d := []byte{byte(sessions[0].PeerID()), 127} // the peer ID may be guessed
				for range 127 {
					d = append(d, 1, byte(0x40+random.IntN(192)), 0, 0) // the low byte is enough
				}
				h.ReceiveFrom(start, addr, d)
			}
		}
		require.Zero(t, h.Hub.Len())
	}
}

// The first datagram is repeated when the client asks for it, by another Connect or by a datagram that does not validate
// its address, until it has got three times what it has sent, and 128 bytes. With the payloads that fit, all of it
// arrives again.
func TestFirstDatagramIsRepeated(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	h.ReceiveFrom(start, addrOf(1, 1), connectOf(1))
	sessions, _ := h.Accept()
	s := sessions[0]
	s.Queue(reliable, "\x20one", "\x20two")
	first := h.Sent(start)
	require.Len(t, first, 1)
	require.Contains(t, first[0], fmt.Sprintf("%X", "one"))
	require.Contains(t, first[0], fmt.Sprintf("%X", "two"))
	h.ReceiveFrom(after(500*time.Millisecond), s.Addr(), from(2, text(0, "Acks are lost")))
	require.Empty(t, h.Sent(after(500*time.Millisecond)), "not more than once a second")
	require.Len(t, h.Sent(after(time.Second)), 1)
	now := after(time.Second + tick)
	for range 100 {
		h.ReceiveFrom(now, s.Addr(), connectOf(1))
		require.Len(t, h.Sent(now), 1)
		now = now.Add(tick)
		h.ReceiveFrom(now, s.Addr(), from(2, "02"))
		h.Sent(now)
		now = now.Add(tick)
	}
	h.ReceiveFrom(now, s.Addr(), s.Validation("01 0000 00", "01 0100 00"))
	require.Equal(t, []string{"10.0.0.1:1 connected"}, h.Events())
	require.True(t, s.Flushed())
}

// A half-open session does not keep the lowest free peer ID.
func TestHalfOpenReservesNothing(t *testing.T) {
	h := newHub(t, transport.HubOptions{}.With(transport.HubLimits{MaxHalfOpen: 3}))
	for i := range 10 {
		s := h.Connect(after(time.Duration(i)*time.Second), addrOf(1+i, 1), 1)
		require.Equal(t, objectid.PeerID(2+i%4), s.PeerID(), fmt.Sprint(i))
	}
	for range h.Hub.Events() {
	}
	h.Sent(after(time.Minute))
	require.Equal(t, objectid.PeerID(2), h.Connect(after(time.Minute), addrOf(99, 1), 1).PeerID())
}

// More clients can be half-open than there are peer IDs. The first client with a shared ID whose address is validated
// gets it, and the host refuses the others.
func TestSharedPeerIDGoesToTheFirstUser(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	var sessions []*harness
	for i := range 125 {
		sessions = append(sessions, h.Connect(start, addrOf(1+i, 1), 1))
	}
	first, last := sessions[0], sessions[124]
	require.Equal(t, first.PeerID(), last.PeerID())
	h.ReceiveFrom(start, first.Addr(), first.Validation())
	require.Equal(t, []string{"10.0.0.1:1 connected"}, h.Events())
	h.ReceiveFrom(start, last.Addr(), last.Validation())
	require.Equal(t, []string{"10.0.0.125:1 ended limit reached"}, h.Events())
	require.Equal(t, map[string]int{"session_limit": 1}, h.Dropped())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// A client whose peer ID another client has used first is booted. The Boot has the first
// sequence number after the acceptance that was not sent, so the client does not drop or buffer it.
func TestSharedPeerIDEndsTheOtherClient(t *testing.T) {
	for _, names := range []int{0, 1, 30} { // 30 do not fit into the datagram of the acceptance
		h := newHub(t, transport.HubOptions{})
		first := h.Connect(start, addrOf(1, 1), 1)
		for i := range 123 {
			h.Connect(start, addrOf(2+i, 1), 1)
		}
		addr := addrOf(200, 1)
		client := newClient(t, transport.ConnectRequest{ConnID: 7}, transport.Options{})
		toHub := func(now time.Time) {
			for d := range client.Datagrams(now) {
				h.ReceiveFrom(now, addr, d)
			}
		}
		toClient := func(now time.Time) {
			for a, d := range h.Hub.Datagrams(now) {
				require.Equal(t, addr, a)
				client.Session.Receive(now, d)
			}
		}
		toHub(start)
		sessions, _ := h.Accept()
		require.Equal(t, first.PeerID(), sessions[0].PeerID())
		for range names {
			require.NoError(t, sessions[0].SendSystem(nameChange(3, "Ann")))
		}
		toClient(start)
		require.Equal(t, "connected {2}", client.Events()[0])

		h.ReceiveFrom(after(tick), first.Addr(), first.Validation())
		toHub(after(tick))
		require.Equal(t, []string{"10.0.0.1:1 connected", "10.0.0.200:1 ended limit reached"}, h.Events())
		toClient(after(tick))
		events := client.Events()
		require.Equal(t, "ended booted {too many players 2}", events[len(events)-1])
		require.NoError(t, transport.CheckHub(h.Hub))
	}
}

// A client beyond the limit of its address is refused as soon as its address is validated.
func TestClientBeyondLimitOfItsAddressIsRefused(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 1})
	late := h.Connect(start, addrOf(1, 2), 1)
	h.Join(start, addrOf(1, 1), 1).Keep()
	h.ReceiveFrom(start, late.Addr(), late.Validation())
	require.Equal(t, []string{"10.0.0.1:2 ended limit reached"}, h.Events())
	require.Equal(t, []string{"10.0.0.1:2 01010407C001000302"}, h.Sent(start), "too many players")
	require.Equal(t, map[string]int{"address_limit": 1}, h.Dropped())
	require.Equal(t, 1, h.Hub.Len())

	// Its next Connect is refused without an event.
	h.ReceiveFrom(start, late.Addr(), connectOf(2))
	require.Nil(t, h.Events())
	require.Equal(t, []string{"10.0.0.1:2 0102010000020407C0000003FF"}, h.Sent(start))
	require.Equal(t, map[string]int{"address_limit": 2}, h.Dropped())
}

// A half-open session ends no other before its address is validated.
func TestHalfOpenSessionEndsNoOther(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for i := range 124 {
		h.Join(start, addrOf(1+i, 1), 1)
	}
	late := h.Connect(start, addrOf(200, 1), 2)
	h.ReceiveFrom(start, addrOf(200, 1), from(late.PeerID(), handshakeAck))
	require.Nil(t, h.Events())
	require.Equal(t, 124, h.Hub.Len())
	h.ReceiveFrom(start, addrOf(200, 1), late.Validation())
	require.Equal(t, []string{"10.0.0.1:1 ended limit reached", "10.0.0.200:1 connected"}, h.Events())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// More half-open sessions than the limit replace the oldest ones, which have had two seconds. A flood of Connects
// cannot shorten this time.
func TestHalfOpenSessionsHaveTwoSeconds(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	accepted := 0
	for ms := range 6000 {
		for k := range 10 {
			h.ReceiveFrom(after(time.Duration(ms)*time.Millisecond), addrOf(ms, 1+k), connectOf(uint32(k)))
		}
		for e := range h.Hub.Events() {
			switch {
			case e.Kind == transport.EventConnect:
				s, err := h.Hub.Accept(e)
				require.NoError(t, err)
				s.Value = ms
				accepted++
			case e.Kind == transport.EventEnded:
				require.GreaterOrEqual(t, ms-e.Session.Value.(int), 2000)
			}
		}
		if ms%50 == 0 {
			h.Sent(after(time.Duration(ms) * time.Millisecond))
		}
	}
	sessions, _, _ := h.Hub.TableSizes()
	require.Equal(t, 10_240, sessions)
	require.Greater(t, accepted, 20_000)
	require.Equal(t, 60_000-accepted, h.Dropped()["half_open_limit"])
	require.NoError(t, transport.CheckHub(h.Hub))
}

func TestHubSession(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	ann, ben := h.Join(start, addrOf(1, 1), 1), h.Join(start, addrOf(1, 2), 2)
	h.Connect(start, addrOf(1, 3), 3)
	require.Same(t, ann.Session, h.Hub.Session(2))
	require.Same(t, ben.Session, h.Hub.Session(3))
	require.Nil(t, h.Hub.Session(4), "half-open")
	require.Nil(t, h.Hub.Session(objectid.NoPeer))
	ann.Close()
	require.Nil(t, h.Hub.Session(2), "ended")
}

// A session that the hub has removed is flushed and over, so a loop until then ends. Its messages
// are not sent: the hub no longer serves the session.
func TestRemovedSessionIsFlushed(t *testing.T) {
	removals := map[string]func(h *harness, s *harness){
		"Close":     func(_, s *harness) { s.Close() },
		"Boot":      func(_, s *harness) { s.Boot(transport.BootRemoved) },
		"Hub.Close": func(h, _ *harness) { h.Hub.Close() },
		"timeout":   func(h, _ *harness) { h.Sent(after(time.Second)) },
		"replaced": func(h, s *harness) {
			h.ReceiveFrom(start, s.Addr(), s.Validation())
			s.Close()
			h.ReceiveFrom(start, s.Addr(), connectOf(2))
			h.Accept()
		},
	}
	for name, remove := range removals {
		t.Run(name, func(t *testing.T) {
			h := newHub(t, transport.HubOptions{Session: transport.Options{PeerTimeout: time.Second}})
			h.ReceiveFrom(start, addrOf(1, 1), connectOf(1))
			sessions, _ := h.Accept()
			s := sessions[0]
			s.Queue(reliable, "\x28")
			if name == "replaced" {
				h.Sent(start)
			}
			remove(h, s)
			require.True(t, s.Ended())
			h.Events()
			require.True(t, s.Flushed())
			require.True(t, s.NextDeadline().IsZero())
			require.True(t, transport.Released(s.Session))
			require.NoError(t, transport.CheckSession(s.Session))
			require.Equal(t, transport.ErrNotOpen, s.Send(nil, reliable))
		})
	}
}
