package transport_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
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
	h.ReceiveFrom(after(time.Second), a, from(3, handshakeAck))
	require.Equal(t, []string{"10.0.0.1:1000 connected"}, h.Events())
}

// The reply is sent three times to an address that sends nothing, and once more for each Connect
// from there. Another Connect replaces the ConnID of the session.
func TestReplyIsSentThreeTimes(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	h.Connect(start, addrOf(1, 1000), 1)
	n := 0
	for now := start; now.Before(after(29 * time.Second)); now = now.Add(tick) {
		n += len(h.Sent(now))
	}
	require.Equal(t, 2, n)
	h.ReceiveFrom(after(29*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, h.Events())
	require.Len(t, h.Sent(after(29*time.Second)), 1)
	h.ReceiveFrom(after(29*time.Second), addrOf(1, 1000), from(2, "02"))
	require.Equal(t, []string{"10.0.0.1:1000 connected"}, h.Events())
	h.ReceiveFrom(after(33*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, h.Events(), "a late copy of the second Connect, which counts")
	require.Equal(t, 1, h.Hub.Len())
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
		flood(4) // the table is full
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
		require.LessOrEqual(t, sessions, 1024+1)
		require.NoError(t, transport.CheckHub(h.Hub))
	}
}

// One address can prove 32 sessions at once, and then one a second. Beyond this, its Connects have
// no effect, and a client that repeats its Connect is accepted. Sessions that are not proven do not
// count, because their addresses may be forged.
func TestProvenSessionsAreRateLimited(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	proven := 0
	churn := func(seconds int, acks ...string) {
		for i := range 450 * seconds {
			now := after(time.Duration(i) * time.Second / 450)
			h.ReceiveFrom(now, addrOf(1, 1+i%60000), connectOf(uint32(i)))
			sessions, _ := h.Accept()
			if len(sessions) == 0 {
				continue
			}
			s := sessions[0]
			s.Queue(reliable, "\x20")
			h.Sent(now)
			leave := wire(transport.NewMessage(1, &transport.Disconnect{PeerID: s.PeerID()}))
			h.ReceiveFrom(now, s.Addr(), from(s.PeerID(), append(acks, leave)...))
			for e := range h.Hub.Events() {
				if e.Kind == transport.EventProven {
					proven++
				}
			}
		}
	}
	churn(10, "01 0000 00")
	require.InDelta(t, 32+10, proven, 1)
	require.NoError(t, transport.CheckHub(h.Hub))
	require.NotZero(t, h.Dropped()["rate_limit"])
	require.Eventually(t, func() bool { // its next Connects
		h.ReceiveFrom(after(11*time.Second), addrOf(1, 61000), connectOf(1))
		sessions, _ := h.Accept()
		return len(sessions) == 1
	}, time.Second, time.Millisecond)
	other := h.JoinProven(after(11*time.Second), addrOf(2, 1), 1)
	require.True(t, other.Proven(), "other addresses have their own limit")

	h = newHub(t, transport.HubOptions{})
	for i := range 32 {
		h.JoinProven(start, addrOf(1, 1+i), 1).Close()
		h.Events()
	}
	for _, now := range []time.Duration{0, time.Second - 1} {
		h.ReceiveFrom(after(now), addrOf(1, 99), connectOf(1))
		require.Nil(t, h.Events())
	}
	require.Equal(t, 2, h.Dropped()["rate_limit"])
	h.JoinProven(after(time.Second), addrOf(1, 99), 1)
	h.ReceiveFrom(after(2*time.Second-1), addrOf(1, 100), connectOf(1))
	require.Equal(t, 3, h.Dropped()["rate_limit"])

	h = newHub(t, transport.HubOptions{})
	proven = 0
	churn(1)
	require.Zero(t, proven)
	require.Zero(t, h.Dropped()["rate_limit"])
	require.True(t, h.JoinProven(after(time.Second), addrOf(1, 61000), 1).Proven())
}

// An Ack of a message that was never sent ends an unproven session. It has no effect on a proven
// one.
func TestForgedAck(t *testing.T) {
	for _, forged := range []string{"01 0100 00", "01 0500 00", "01 FFFF 00", "01 0100 02", "01 0000 01 00"} {
		h := newHub(t, transport.HubOptions{})
		s := h.Connect(start, addrOf(1, 1), 1)
		h.ReceiveFrom(start, s.Addr(), from(s.PeerID(), "02"))
		require.NoError(t, s.Send([]byte{0x20}, reliable))
		h.Sent(after(tick))
		h.ReceiveFrom(after(tick), s.Addr(), from(s.PeerID(), "01 0000 02", forged))
		if forged == "01 0000 01 00" { // the message is no fragment: a stray Ack, and a number that was sent
			require.Equal(t, []string{"10.0.0.1:1 connected"}, h.Events(), forged)
			continue
		}
		require.Equal(t, []string{"10.0.0.1:1 connected", "10.0.0.1:1 ended forged Ack"}, h.Events(), forged)
		require.Empty(t, h.Sent(after(time.Minute)), "nothing more is sent there")

		s = h.JoinProven(after(2*time.Minute), addrOf(2, 2), 1)
		h.ReceiveFrom(after(2*time.Minute), s.Addr(), from(s.PeerID(), forged))
		require.Nil(t, h.Events())
	}
	// A queued message has not been sent either.
	h := newHub(t, transport.HubOptions{})
	s := h.Join(start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20}, reliable))
	h.ReceiveFrom(start, s.Addr(), from(s.PeerID(), "01 0000 00"))
	require.Equal(t, []string{"10.0.0.1:1 ended forged Ack"}, h.Events())
}

// After a challenge only the Ack of a later payload counts.
func TestChallenge(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.JoinProven(start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20}, reliable))
	h.Sent(after(tick))
	s.Challenge()
	require.False(t, s.Proven())
	require.Empty(t, h.Sent(after(2*tick)), "the next payload is the test")
	h.ReceiveFrom(after(2*tick), s.Addr(), from(s.PeerID(), "01 0000 00", "01 0100 00", "01 0000 02"))
	require.Nil(t, h.Events())
	require.NoError(t, s.Send([]byte{0x35}, reliable))
	h.Sent(after(3 * tick))
	h.ReceiveFrom(after(3*tick), s.Addr(), from(s.PeerID(), "01 0200 00"))
	require.Equal(t, []string{"10.0.0.1:1 proven"}, h.Events())
	require.True(t, s.Proven())

	// An earlier payload that is not acknowledged is not retransmitted for SendTimeout.
	s.Queue(reliable, "\x28")
	s.Challenge()
	s.Queue(reliable, "\x00")
	h.Sent(after(4 * tick))
	h.ReceiveFrom(after(4*tick), s.Addr(), from(s.PeerID(), "01 0400 00"))
	require.False(t, s.Proven())
	h.ReceiveFrom(after(4*tick), s.Addr(), from(s.PeerID(), "01 0300 00"))
	require.Equal(t, []string{"10.0.0.1:1 proven"}, h.Events())

	// The session of a client is always proven.
	client := newClient(t, transport.ConnectRequest{}, transport.Options{})
	client.Challenge()
	require.True(t, client.Proven())
}

// The first reliable payload after a challenge is sent whole up to 40 bytes. The first fragment of a
// longer one is short, and its Ack is enough. It is longer if there would be more than 255 fragments.
func TestChallengeWithLongPayload(t *testing.T) {
	for size, want := range map[int]string{
		40: "32 2D80 0000", 41: "32 17A0 0000 00 02", 103_140: "32 17A0 0000 00 FF", 103_141: "32 18A0 0000 00 FF",
	} {
		h := newHub(t, transport.HubOptions{})
		s := h.Join(start, addrOf(1, 1), 1)
		require.NoError(t, s.Send(make([]byte, size), reliable))
		require.Contains(t, strings.Join(h.Sent(after(tick)), " "), hexStrings(want)[0], size)
		ack := "01 0000 00"
		if size > 40 {
			ack = "01 0000 01 00"
		}
		h.ReceiveFrom(after(tick), s.Addr(), from(s.PeerID(), ack))
		require.Equal(t, []string{"10.0.0.1:1 proven"}, h.Events(), size)
	}
}

// A client that acknowledges nothing is disconnected after 20 seconds, and gets each message at
// most once a second: more often than every three seconds, because it sends payloads.
func TestProofTimeout(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Join(start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20, 1, 2, 3}, reliable))
	copies := 0
	for now := start; now.Before(after(time.Minute)); now = now.Add(tick) {
		h.ReceiveFrom(now, s.Addr(), from(s.PeerID(), text(0, "still here")))
		for _, d := range h.Hub.Datagrams(now) {
			copies += bytes.Count(d, []byte{0x20, 1, 2, 3})
		}
		if _, ended := s.Ended(); ended {
			require.InDelta(t, 20, now.Sub(start).Seconds(), 0.2)
			break
		}
	}
	require.Equal(t, transport.EndUnacknowledged, s.EndReason())
	require.InDelta(t, 18, copies, 2)

	// A SendTimeout below 20 seconds counts, too.
	h = newHub(t, transport.HubOptions{Session: transport.Options{SendTimeout: 5 * time.Second}})
	s = h.Join(start, addrOf(1, 1), 1)
	s.Queue(reliable, "\x20")
	h.Sent(after(tick))
	for now := after(tick); now.Before(after(10 * time.Second)); now = now.Add(tick) {
		h.ReceiveFrom(now, s.Addr(), from(s.PeerID(), "02"))
		h.Sent(now)
		if _, ended := s.Ended(); ended {
			require.InDelta(t, 5, now.Sub(after(tick)).Seconds(), 1.1, "with the next retransmission")
			break
		}
	}
	require.Equal(t, transport.EndUnacknowledged, s.EndReason())
}

// After the timeout, a client gets only unacknowledged system messages and the Boot.
func TestProofTimeoutEndsRetransmission(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Join(start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20, 1, 2, 3}, reliable))
	require.NoError(t, s.SendSystem(&transport.NameChange{PeerID: s.PeerID()}))
	n, after20 := 0, 0
	for now := start; now.Before(after(time.Minute)); now = now.Add(10 * time.Millisecond) {
		sent := len(h.Sent(now))
		if n += sent; !now.Before(after(20 * time.Second)) {
			after20 += sent
		}
	}
	require.Equal(t, transport.EndUnacknowledged, s.EndReason())
	require.Equal(t, 14, n)
	require.Equal(t, 0, after20, "128 bytes and three times what has arrived are sent")
}

// A half-open session does not keep the lowest free peer ID.
func TestHalfOpenReservesNothing(t *testing.T) {
	h := newHub(t, transport.HubOptions{}.With(transport.HubLimits{MaxHalfOpen: 3}))
	for i := range 10 {
		s := h.Connect(start, addrOf(1+i, 1), 1)
		require.Equal(t, objectid.PeerID(2+i%4), s.PeerID(), fmt.Sprint(i))
	}
	for range h.Hub.Events() {
	}
	h.Sent(after(time.Minute))
	require.Equal(t, objectid.PeerID(2), h.Connect(after(time.Minute), addrOf(99, 1), 1).PeerID())
}

// More clients can be half-open than there are peer IDs. The first client that uses a shared ID
// gets it, and the host refuses the others.
func TestSharedPeerIDGoesToTheFirstUser(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	var sessions []*harness
	for i := range 125 {
		sessions = append(sessions, h.Connect(start, addrOf(1+i, 1), 1))
	}
	first, last := sessions[0], sessions[124]
	require.Equal(t, first.PeerID(), last.PeerID())
	h.ReceiveFrom(start, first.Addr(), from(first.PeerID(), handshakeAck))
	require.Equal(t, []string{"10.0.0.1:1 connected"}, h.Events())
	h.ReceiveFrom(start, last.Addr(), from(last.PeerID(), handshakeAck))
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

		h.ReceiveFrom(after(tick), first.Addr(), from(first.PeerID(), handshakeAck))
		toHub(after(tick))
		require.Equal(t, []string{"10.0.0.1:1 connected", "10.0.0.200:1 ended limit reached"}, h.Events())
		toClient(after(tick))
		events := client.Events()
		require.Equal(t, "ended booted {too many players 2}", events[len(events)-1])
		require.NoError(t, transport.CheckHub(h.Hub))
	}
}

// A datagram with a guessed peer ID and a forged address does not end the client of the address,
// if the client has no reply yet.
func TestForgedUseOfSharedPeerIDSparesTheClient(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	first := h.Connect(start, addrOf(1, 1), 1)
	for i := range 123 {
		h.Connect(start, addrOf(2+i, 1), 1)
	}
	h.ReceiveFrom(start, first.Addr(), from(first.PeerID(), handshakeAck))
	addr := addrOf(200, 1)
	client := newClient(t, transport.ConnectRequest{ConnID: 7}, transport.Options{})
	for d := range client.Datagrams(start) {
		h.ReceiveFrom(start, addr, d)
	}
	sessions, _ := h.Accept()
	other := sessions[0].PeerID()
	h.ReceiveFrom(start, addrOf(2, 1), from(other, handshakeAck)) // the first user of this ID
	h.ReceiveFrom(start, addr, from(other, handshakeAck))
	for a, d := range h.Hub.Datagrams(start) {
		if a == addr {
			client.Session.Receive(start, d)
		}
	}
	require.Nil(t, client.Events())
	require.Equal(t, 1, client.Dropped()["early"])
	for d := range client.Datagrams(after(time.Second)) {
		h.ReceiveFrom(after(time.Second), addr, d)
	}
	_, errs := h.Accept()
	require.Equal(t, []error{nil}, errs, "its next Connect is a new one")
}

// A client beyond the limit of its address is refused as soon as it uses its peer ID.
func TestClientBeyondLimitOfItsAddressIsRefused(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxPerIP: 1})
	late := h.Connect(start, addrOf(1, 2), 1)
	h.JoinProven(start, addrOf(1, 1), 1).Keep()
	h.ReceiveFrom(start, late.Addr(), from(late.PeerID(), handshakeAck))
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

// A half-open session that cannot open ends no other session: its datagram holds no message.
func TestHalfOpenSessionEndsNoOther(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for i := range 124 {
		h.Join(start, addrOf(1+i, 1), 1)
	}
	empty := h.Connect(start, addrOf(200, 1), 2)
	require.Equal(t, 124, h.Hub.Len())
	for _, d := range [][]byte{{byte(empty.PeerID()), 0}, from(empty.PeerID(), "FE 00"), from(empty.PeerID(), "32 01")} {
		h.ReceiveFrom(start, addrOf(200, 1), d)
		require.Nil(t, h.Events(), "no message opens the session")
	}
	require.Equal(t, 124, h.Hub.Len())
	require.Equal(t, map[string]int{"malformed": 2}, h.Dropped())

	h.ReceiveFrom(start, addrOf(200, 1), from(empty.PeerID(), handshakeAck))
	require.Equal(t, []string{"10.0.0.1:1 ended limit reached", "10.0.0.200:1 connected"}, h.Events())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// While a reliable payload of the host is unacknowledged, an unproven client delivers no payload.
// No payload is lost: the client retransmits the payloads. If the host has sent nothing, there is
// nothing to wait for.
func TestPayloadsWaitForProof(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	s := h.Join(start, addrOf(1, 1), 1)
	receive := func(messages ...string) []string {
		h.ReceiveFrom(after(tick), addrOf(1, 1), from(2, messages...))
		return h.Events()
	}
	require.Equal(t, []string{"10.0.0.1:1 payload reliable hello"}, receive(text(0, "hello")))
	h.Sent(after(tick))

	s.Queue(reliable, "question")
	h.Sent(after(2 * tick))
	fragments := []string{fragment(2, 0, 2, strings.Repeat("x", 405)), fragment(2, 1, 2, "y")}
	require.Nil(t, receive(text(1, "first"), "32 05 00 2C 00"))
	require.Nil(t, receive(fragments...))
	require.Empty(t, h.Sent(after(3*tick)), "nothing is acknowledged")
	require.Equal(t, map[string]int{"unproven": 4}, h.Dropped())

	require.Equal(t, []string{"10.0.0.1:1 proven", "10.0.0.1:1 payload reliable first"}, receive("01 0000 00", text(1, "first")))
	require.Len(t, receive(fragments...), 1)

	s.Challenge()
	s.Queue(reliable, "another question")
	h.Sent(after(4 * tick))
	require.Nil(t, receive(text(3, "second")))
	require.Equal(t, []string{"10.0.0.1:1 proven", "10.0.0.1:1 payload reliable second"},
		receive("01 0100 00", text(3, "second")))
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
			h.ReceiveFrom(start, s.Addr(), from(s.PeerID(), handshakeAck))
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
			_, ended := s.Ended()
			require.True(t, ended)
			h.Events()
			require.True(t, s.Flushed())
			require.True(t, s.NextDeadline().IsZero())
			require.True(t, transport.Released(s.Session))
			require.NoError(t, transport.CheckSession(s.Session))
			require.Equal(t, transport.ErrNotOpen, s.Send(nil, reliable))
		})
	}
}
