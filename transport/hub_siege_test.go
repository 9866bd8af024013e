package transport_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about strangers who forge the address of a client, and about what a
// hub sends to a forged address.

// A new session of an address stands beside the open one. Its first datagram has no payload, and it replaces the
// open one when its address is validated.
func TestSessionBesideAnother(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1)
	old := h.Join(start, a, 1)
	now := after(4 * time.Second)
	h.ReceiveFrom(now, a, connectOf(2))
	sessions, _ := h.Accept()
	s := sessions[0]
	s.Queue(reliable, "\x20")
	first := h.Sent(now)
	require.Len(t, first, 1)
	require.Contains(t, first[0], "10.0.0.1:1 01070100000203"+"06C000000"+"3")
	require.NotContains(t, first[0], "320680000020", "no payload")

	// Datagrams of the earlier session have its peer ID.
	h.ReceiveFrom(now, a, from(2, text(0, "alive")))
	require.Equal(t, []string{"10.0.0.1:1 payload reliable alive"}, h.Events())
	old.Queue(reliable, "\x21")
	require.Len(t, h.Sent(now.Add(tick)), 1, "the earlier session is served")

	h.ReceiveFrom(now.Add(tick), a, from(3, handshakeAck))
	require.Nil(t, h.Events())
	h.ReceiveFrom(now.Add(tick), a, s.Validation())
	require.Equal(t, []string{"10.0.0.1:1 ended replaced", "10.0.0.1:1 connected"}, h.Events())
	require.Equal(t, transport.EndReplaced, old.EndReason())
	require.Equal(t, 1, h.Hub.Len())
	require.Equal(t, []string{"10.0.0.1:1 0101320680000020"}, h.Sent(now.Add(2*tick)))
	h.ReceiveFrom(now.Add(4*tick), a, from(2, text(1, "late")))
	require.Nil(t, h.Events())
	require.Equal(t, 1, h.Dropped()["wrong_peer"])
	require.NoError(t, transport.CheckHub(h.Hub))
}

// A client that has restarted must not get messages of its earlier session, whose numbers it would
// take for the ones of its new session. The earlier session is quiet for four seconds after the
// new Connect, in which the reply may be lost. It continues at once if its client is alive.
func TestEarlierSessionIsQuiet(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1)
	old := h.Join(start, a, 1)
	now := after(4 * time.Second)
	h.Sent(now)
	h.ReceiveFrom(now, a, connectOf(2))
	h.Accept()
	h.Sent(now)
	old.Queue(reliable, "of the earlier session")
	silent := func(d time.Duration) {
		t.Helper()
		for end := now.Add(d); now.Before(end); now = now.Add(tick) {
			for _, sent := range h.Sent(now) {
				require.NotContains(t, sent, fmt.Sprintf("%X", "earlier"))
			}
		}
	}
	silent(4 * time.Second)
	require.Contains(t, fmt.Sprint(h.Sent(now)), fmt.Sprintf("%X", "earlier"))

	h = newHub(t, transport.HubOptions{})
	old = h.Join(start, a, 1)
	now = after(4 * time.Second)
	h.ReceiveFrom(now, a, connectOf(2))
	h.Accept()
	h.ReceiveFrom(now, a, from(2, "02"))
	old.Queue(reliable, "of the earlier session")
	require.Contains(t, fmt.Sprint(h.Sent(now)), fmt.Sprintf("%X", "earlier"), "its client is alive")
}

// OpenBC's Connect that is forged in the name of a client makes no OpenBC of it, although the client takes the first
// reply that it gets: it acknowledges whole numbers. The half-open session of its own Connect ends.
func TestForgedConnectOfOpenBC(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	a := addrOf(1, 1)
	client := newClient(t, transport.ConnectRequest{ConnID: 7}, transport.Options{})
	var replies [][]byte
	for _, connect := range [][]byte{from(objectid.NoPeer, openBCConnect), connectOf(7)} {
		h.ReceiveFrom(start, a, connect)
		sessions, _ := h.Accept()
		sessions[0].Queue(reliable, string([]byte{0x20, byte(sessions[0].PeerID())}))
		for _, d := range h.Hub.Datagrams(start) {
			replies = append(replies, bytes.Clone(d))
		}
	}
	client.Sent(start)
	for _, d := range replies {
		client.Session.Receive(start, d)
	}
	require.Equal(t, []string{"connected {2}", "payload reliable \x20\x02"}, client.Events())
	require.NoError(t, client.SendSystem(nameChange(2, "Vic")))
	for d := range client.Datagrams(after(tick)) {
		h.ReceiveFrom(after(tick), a, d)
	}
	events := h.Events()
	require.Equal(t, []string{"10.0.0.1:1 ended handshake not completed", "10.0.0.1:1 connected"}, events[:2])
	require.Len(t, events, 3, "the name")
	require.False(t, h.Hub.Session(2).OpenBC())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// A player hears the host, although forged Connects follow each of its datagrams before the program loops over Datagrams.
func TestForgedConnectsDoNotMute(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	player := h.Join(start, addrOf(1, 1), 1)
	for i := range 100 {
		now := after(time.Second + time.Duration(i)*tick)
		player.Queue(unreliable, "state")
		h.ReceiveFrom(now, player.Addr(), from(player.PeerID(), "02"))
		for j := range 20 { // 400 a second
			h.ReceiveFrom(now, player.Addr(), connectOf(uint32(2+20*i+j)))
		}
		require.Len(t, h.Sent(now), 1, i)
		h.ReceiveFrom(now, player.Addr(), connectOf(1_000_000))
	}
	require.Equal(t, map[string]int{"busy_connect": 2100}, h.Dropped())
}

// A stranger who forges the address of a client, but does not know its peer ID, cannot end or
// replace its session, whatever the stranger sends. All payloads of both sides arrive once.
func TestStrangersEndNoSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHub(&quietT{}, transport.HubOptions{Rand: rand.NewChaCha8([32]byte{byte(rapid.IntRange(0, 255).Draw(t, "seed"))})})
		a := addrOf(1, 1)
		h.Hub.Receive(start, a, connectOf(1))
		var host *transport.Session
		for e := range h.Hub.Events() {
			host, _ = h.Hub.Accept(e)
		}
		require.NoError(t, host.Send([]byte{0x20}, reliable))
		client, err := transport.NewClient(start, transport.ConnectRequest{ConnID: 1}, transport.Options{})
		require.NoError(t, err)
		for range client.Datagrams(start) {
		}
		now, toHost, toClient, want := start, 0, 0, 1
		exchange := func() {
			for e := range h.Hub.Events() {
				switch {
				case e.Kind == transport.EventConnect:
					if s, err := h.Hub.Accept(e); err == nil {
						_ = s.Send(make([]byte, 300), reliable)
					}
				case e.Session == host:
					require.NotEqual(t, transport.EventEnded, e.Kind, "%v", e.End)
					if e.Kind == transport.EventPayload {
						require.EqualValues(t, toHost, e.Payload[0])
						toHost++
					}
				}
			}
			for addr, d := range h.Hub.Datagrams(now) {
				if addr == a {
					client.Receive(now, append([]byte{}, d...))
				}
			}
			for e := range client.Events() {
				require.NotEqual(t, transport.EventEnded, e.Kind, "%v", e.End)
				if e.Kind == transport.EventPayload {
					toClient++
				}
			}
			for d := range client.Datagrams(now) {
				h.Hub.Receive(now, a, append([]byte{}, d...))
			}
		}
		for range 10 {
			exchange()
			now = now.Add(tick)
		}
		sent := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := objectid.PeerID(rapid.IntRange(-1, 126).Draw(t, "peer ID"))
			if id == host.PeerID() {
				id++
			}
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0, 1:
				h.Hub.Receive(now, a, connectOf(rapid.Uint32().Draw(t, "ConnID")))
			case 2:
				h.Hub.Receive(now, a, from(id, "02", "01 0000 00", "01 0000 02"))
			case 3:
				h.Hub.Receive(now, a, from(id, wire(transport.NewMessage(uint16(rapid.IntRange(0, 3).Draw(t, "seq")), &transport.Disconnect{PeerID: host.PeerID()}))))
			case 4:
				h.Hub.Receive(now, a, from(objectid.NoPeer, "03 08 01 00 00 00 7F 00"))
			case 5: // as the host, with the number of an earlier message
				client.Receive(now, from(objectid.Host, wire(transport.NewMessage(0, &transport.Disconnect{PeerID: objectid.Host}))))
			case 6:
				if sent < 200 {
					require.NoError(t, client.Send([]byte{byte(sent)}, reliable))
					require.NoError(t, host.Send([]byte{byte(sent)}, reliable))
					sent++
					want++
				}
			}
			exchange()
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond)
			exchange()
		}
		for range 200 { // the stranger stops
			exchange()
			now = now.Add(tick)
		}
		require.Equal(t, sent, toHost)
		require.Equal(t, want, toClient)
		require.NoError(t, transport.CheckHub(h.Hub))
	})
}

// quietT is a testing.TB for harnesses inside of a property.
type quietT struct{ testing.TB }

// A program that does nothing for it sends a forged address at most three times what came from
// there, and 128 bytes: with broadcasts of any delivery, and with a large greeting.
func TestForgedAddressesGetLittle(t *testing.T) {
	type naive struct {
		name     string
		accepted func(s *transport.Session)
		tick     func(h *transport.Hub)
	}
	broadcast := func(d transport.Delivery) func(h *transport.Hub) {
		return func(h *transport.Hub) {
			for s := range h.Sessions() {
				for range 8 {
					_ = s.Send(make([]byte, 40), d)
				}
			}
		}
	}
	greet := func(n int) func(s *transport.Session) {
		return func(s *transport.Session) { _ = s.Send(make([]byte, n), reliable) }
	}
	for _, p := range []naive{
		{name: "nothing"},
		{name: "broadcast of unreliable updates", tick: broadcast(unreliable)},
		{name: "broadcast of reliable messages", tick: broadcast(reliable)},
		{name: "greeting, and a broadcast", accepted: greet(5), tick: broadcast(unreliable)},
		{name: "greeting of 300 bytes", accepted: greet(300)},
		{name: "greeting of 40 kB", accepted: greet(40_000)},
		{name: "names", accepted: func(s *transport.Session) {
			for i := range 50 {
				_ = s.SendSystem(nameChange(objectid.PeerID(3+i), "a long name of a player"))
			}
		}},
		{name: "boot", accepted: func(s *transport.Session) { s.Boot(transport.BootRemoved) }},
		{name: "close", accepted: func(s *transport.Session) { s.Close() }},
	} {
		for _, o := range []transport.Options{{}, transport.StockOptions()} {
			h := newHub(t, transport.HubOptions{Session: o})
			in, out, a := 0, 0, addrOf(1, 1)
			receive := func(now time.Time, d []byte) {
				in += len(d)
				h.Hub.Receive(now, a, d)
				for e := range h.Hub.Events() {
					switch {
					case e.Kind == transport.EventConnect:
						s, err := h.Hub.Accept(e)
						require.NoError(t, err)
						if p.accepted != nil {
							p.accepted(s)
						}
					case e.Kind == transport.EventPayload || e.Kind == transport.EventConnected:
						require.Fail(t, "an address that is not validated has an effect")
					}
				}
			}
			receive(start, connectOf(5))
			wakeups := 0
			for now := start; now.Before(after(2 * time.Minute)); now = now.Add(tick) {
				for _, d := range h.Hub.Datagrams(now) {
					out += len(d)
				}
				require.LessOrEqual(t, out, 3*in+128, "%s after %v", p.name, now.Sub(start))
				h.Events()
				if due := h.Hub.NextDeadline(); !due.IsZero() && !due.After(now) {
					wakeups++
				}
				if p.tick != nil {
					p.tick(h.Hub)
				}
				switch at := now.Sub(start); {
				case at == tick:
					receive(now, from(2, "02"))
				case at%(10*time.Second) == 0:
					receive(now, from(2, text(uint16(at/(10*time.Second)), "ask")))
				case at%(500*time.Millisecond) == 0:
					receive(now, from(2)) // for which less may be sent than a first datagram
				}
			}
			t.Logf("%s: %d bytes in, %d out", p.name, in, out)
			require.LessOrEqual(t, wakeups, 2, "%s: no busy loop", p.name)
			require.NoError(t, transport.CheckHub(h.Hub))
		}
	}
}

// A real client gets all of this all the same, over a network that loses datagrams, and hardly
// later: what does not fit into the first datagram needs one round trip more.
func TestClientsGetEverything(t *testing.T) {
	for _, size := range []int{1, 40, 41, 300, 407, 408, 1000, 40_000, transport.MaxPayload - 400} {
		for try := range 20 {
			n := newNetwork(uint64(try))
			n.delay = func() time.Duration { return 50 * time.Millisecond }
			if try > 0 {
				n.loss = 0.1
			}
			h := newHub(t, transport.HubOptions{})
			host := &endpoint{hub: h.Hub, addr: addrOf(0, 22101)}
			sent := time.Duration(0)
			host.onEvent = func(e transport.Event) {
				if e.Kind == transport.EventConnect {
					s, err := h.Hub.Accept(e)
					require.NoError(t, err)
					require.NoError(t, s.Send(numbered(size), reliable))
					sent = n.now
				}
			}
			client := &endpoint{addr: addrOf(1, 7), peer: host}
			n.newClient(client, 7)
			got := time.Duration(0)
			client.onEvent = func(e transport.Event) {
				if e.Kind == transport.EventPayload {
					require.Equal(t, numbered(size), e.Payload)
					got = n.now
				}
			}
			n.endpoints = append(n.endpoints, host, client)
			n.serve(client)
			n.run(2 * time.Minute)
			require.NotZero(t, got, "%d bytes, try %d", size, try)
			if try == 0 && size <= 40_000 {
				extra := time.Duration((size/400)/4) * tick // four datagrams in a tick
				require.LessOrEqual(t, got-sent, 350*time.Millisecond+extra, "%d bytes", size)
			}
		}
	}
}

// Forty clients of one address dial a hub with the default limits, whose program does nothing but
// echo. Those beyond the limit are told at once.
func TestClientsBeyondTheLimitAreTold(t *testing.T) {
	for _, keep := range []bool{false, true} {
		n := newNetwork(1)
		n.delay = func() time.Duration { return 10 * time.Millisecond }
		h := newHub(t, transport.HubOptions{})
		host := &endpoint{hub: h.Hub, addr: addrOf(0, 22101)}
		host.onEvent = func(e transport.Event) {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = h.Hub.Accept(e)
			case transport.EventConnected:
				if keep {
					e.Session.Keep()
				}
			case transport.EventPayload:
				_ = e.Session.Send(e.Payload, reliable)
			}
		}
		n.endpoints = append(n.endpoints, host)
		served, told := map[netip.AddrPort]bool{}, map[netip.AddrPort]bool{}
		for i := range 40 {
			c := &endpoint{addr: addrOf(1, 1000+i), peer: host}
			n.newClient(c, uint32(i))
			c.onEvent = func(e transport.Event) {
				switch e.Kind {
				case transport.EventConnected:
					require.NoError(t, c.session.Send([]byte("hello"), reliable))
				case transport.EventPayload:
					served[c.addr] = true
				case transport.EventEnded:
					require.Equal(t, transport.BootTooManyPlayers, e.Body.(*transport.Boot).Reason)
					told[c.addr] = true
				}
			}
			n.endpoints = append(n.endpoints, c)
			n.serve(c)
		}
		n.run(10 * time.Second)
		require.Equal(t, 32, h.Hub.Len())
		require.Len(t, told, 8)
		for _, c := range n.endpoints[1:] {
			require.True(t, served[c.addr] || told[c.addr], c.addr)
		}
		if keep {
			require.Equal(t, 8, h.Dropped()["address_limit"])
		}
	}
}

// A session that stands beside the one of a player takes no room, and the player keeps its session. The probes for the
// new one are no messages for the client of the earlier one, which would be so after half of the numbers: then the
// Connect is dropped.
func TestSessionBesideIsNoRoom(t *testing.T) {
	h := newHub(t, transport.HubOptions{MaxSessions: 3, Rand: rand.NewChaCha8([32]byte{3})})
	player := h.Join(start, addrOf(1, 1), 1)
	now := after(4 * time.Second)
	client := newClient(t, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	client.Sent(start)
	client.Receive(start, handshakeAck, wire(transport.NewMessage(0, &transport.ConnectReply{PeerID: player.PeerID()})))
	client.Events()
	for _, numbers := range []uint16{0, 100, 0x4000, 0x8000, 0x8200} {
		transport.SetExpected(player.Session, client.Session, false, numbers)
		h.ReceiveFrom(now, addrOf(1, 1), connectOf(100+uint32(numbers)))
		h.Accept()
		for _, d := range h.Hub.Datagrams(now) {
			client.Session.Receive(now, d)
		}
		require.Nil(t, client.Events())
		require.Equal(t, 1, h.Hub.Len())
		player.Queue(reliable, "still here")
		now = now.Add(10 * time.Second)
		for range h.Hub.Events() {
		}
		for _, d := range h.Hub.Datagrams(now) {
			client.Session.Receive(now, d)
		}
		require.Equal(t, []string{"payload reliable still here"}, client.Events(), numbers)
		for d := range client.Datagrams(now.Add(tick)) {
			h.ReceiveFrom(now.Add(tick), addrOf(1, 1), d)
		}
		now = now.Add(4 * time.Second)
	}
	now = now.Add(20 * time.Second) // the half-open session is over
	h.ReceiveFrom(now, addrOf(1, 1), from(player.PeerID(), "02"))
	h.Sent(now)
	h.Events()
	now = now.Add(11 * time.Second)
	h.Sent(now)
	for _, numbers := range []uint16{0x8202, 0xC000, 0xFFFF} {
		transport.SetExpected(player.Session, client.Session, false, numbers)
		h.ReceiveFrom(now, addrOf(1, 1), connectOf(uint32(numbers)))
		for e := range h.Hub.Events() {
			require.NotEqual(t, transport.EventConnect, e.Kind, numbers)
		}
	}
	require.Equal(t, 3, h.Dropped()["busy_connect"])
	require.NoError(t, transport.CheckHub(h.Hub))
}

// A client that restarts while all peer IDs are in use gets the one of another session, which is not kept. It replaces
// this session and its own earlier one.
func TestRestartInFullHub(t *testing.T) {
	h := newHub(t, transport.HubOptions{})
	for i := range 124 {
		h.Join(start, addrOf(1+i, 1), 1)
	}
	again := h.Connect(after(5*time.Second), addrOf(50, 1), 2)
	h.ReceiveFrom(after(5*time.Second), again.Addr(), again.Validation())
	require.Equal(t, []string{"10.0.0.1:1 ended limit reached", "10.0.0.50:1 ended replaced", "10.0.0.50:1 connected"}, h.Events())
	require.Equal(t, 123, h.Hub.Len())
	require.NoError(t, transport.CheckHub(h.Hub))
}

// Somebody with an address learns which peer IDs are in use: the hub gives the other ones to 1,500 Connects.
func TestPeerIDsInUseCanBeLearned(t *testing.T) {
	for _, random := range []bool{false, true} {
		h := newHub(t, transport.HubOptions{Rand: rand.NewChaCha8([32]byte{7}), RandomPeerIDs: random})
		player := h.Join(start, addrOf(1, 1), 1)
		seen := map[objectid.PeerID]bool{}
		for i := range 1500 {
			seen[h.Connect(start, addrOf(99, 1+i), 1).PeerID()] = true
		}
		require.Len(t, seen, 123)
		require.NotContains(t, seen, player.PeerID())
	}
}
