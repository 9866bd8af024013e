package transport_test

import (
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// A stock client has two faults. It retransmits the fragments of a payload every two seconds for
// ever, and old Acks in bursts, each nine times. The session still works for twenty minutes, and for an hour
// in the long form.
func TestSessionWithRetransmittingPeer(t *testing.T) {
	t.Parallel()
	n := newNetwork(1)
	n.loss = 0.02
	client, host := n.connect(transport.Options{})
	var fragments, acks []string
	n.onSend = func(from *endpoint, d []byte) {
		for m, err := range transport.Messages(d) {
			require.NoError(t, err)
			if from != client {
				continue
			}
			w := wire(*m)
			if m.Fragment && !slices.Contains(fragments, w) {
				fragments = append(fragments, w)
			}
			if m.Type == transport.TypeAck {
				for range 8 {
					acks = append(acks, w)
				}
			}
		}
	}
	n.run(time.Second)
	got, seconds := [2]int{}, testdata.Either(3600, 1200)
	for i, e := range []*endpoint{client, host} {
		e.onEvent = func(e transport.Event) {
			require.Equal(t, transport.EventPayload, e.Kind)
			require.Equal(t, byte(got[i]), e.Payload[0])
			got[i]++
		}
	}
	for second := range seconds {
		payload := make([]byte, 20)
		if second%600 == 0 {
			payload = numbered(1200)
		}
		payload[0] = byte(second)
		require.NoError(t, client.session.Send(payload, reliable))
		require.NoError(t, host.session.Send(payload, reliable))
		n.serve(client)
		n.serve(host)
		if second%2 == 0 {
			for _, p := range fragments {
				n.send(client, host, from(2, p))
			}
			burst := min(len(acks), 33)
			n.send(client, host, from(2, acks[:burst]...))
			acks = acks[burst:]
		}
		n.run(time.Second)
		require.NoError(t, transport.CheckSession(host.session))
	}
	n.run(30 * time.Second)
	require.Equal(t, [2]int{seconds, seconds}, got)
	require.True(t, client.session.Flushed() && host.session.Flushed())
	require.Greater(t, host.session.Counters().Duplicates, uint64(testdata.Either(1800*9, 2500)))
	require.Greater(t, host.session.Counters().StrayAcks, uint64(testdata.Either(10_000, 2000)))
	require.Zero(t, host.session.Counters().Dropped())
	require.Zero(t, client.session.Counters().Dropped())
}

// A peer that sends the most expensive messages and acknowledges nothing takes limited memory.
func TestSessionMemory(t *testing.T) {
	before := heapBytes()
	s := openHost(t, transport.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for s.Send(make([]byte, 1+random.IntN(2000)), transport.Delivery(random.IntN(4))) == nil {
	}
	for s.Send(nil, reliable) == nil {
	}
	for i := range 5_000 {
		s.Receive(start, text(uint16(2+i%300), strings.Repeat("x", 1000)), wire(transport.NewMessage(uint16(2+i%300), &transport.NameChange{Name: make([]byte, 1000)})), fragment(uint16(1000+random.IntN(30)), uint8(1+random.IntN(254)), 0, strings.Repeat("x", random.IntN(300))))
	}
	require.NoError(t, transport.CheckSession(s.Session))
	require.False(t, s.Ended())
	require.Less(t, heapBytes()-before, int64(2<<20))
	s.Close()
	s.Events()
	require.Less(t, heapBytes()-before, int64(450<<10), "ended")
	s.Sent(after(time.Minute)) // the closing begins
	s.Sent(after(2 * time.Minute))
	require.Less(t, heapBytes()-before, int64(64<<10), "over")
	runtime.KeepAlive(s)
}

// corrupt changes a datagram at random.
func (n *network) corrupt(d []byte) []byte {
	random := n.random
	d = slices.Clone(d)
	for range 1 + random.IntN(4) {
		switch random.IntN(4) {
		case 0:
			d = d[:random.IntN(len(d)+1)]
		case 1:
			d = append(d, byte(random.Uint32()), byte(random.Uint32()))
		default:
			if len(d) > 0 {
				d[random.IntN(len(d))] ^= 1 << random.IntN(8)
			}
		}
	}
	return d
}

// While four clients play, other addresses send random bytes, corrupted datagrams, forged peer IDs and
// Connects. The game continues, memory stays bounded, and each of these datagrams causes an event
// or is counted with its reason.
func TestHubContinuesDuringAttack(t *testing.T) {
	n := newNetwork(5)
	h := newHub(t, transport.HubOptions{})
	host := &endpoint{hub: h.Hub, addr: addrOf(0, 22101)}
	n.endpoints = append(n.endpoints, host)
	players, playing := map[netip.AddrPort]bool{}, map[*transport.Session]bool{}
	connects, queries, got, ended := 0, 0, 0, 0
	host.onEvent = func(e transport.Event) {
		switch {
		case e.Kind == transport.EventQuery:
			queries++
		case e.Kind == transport.EventConnect && !players[e.Addr]:
			connects++
			if connects%2 == 0 {
				h.Hub.Refuse(e, transport.BootTooManyPlayers)
				return
			}
			fallthrough
		case e.Kind == transport.EventConnect:
			s, err := h.Hub.Accept(e)
			if err == nil && players[e.Addr] {
				require.NoError(t, s.Send([]byte("welcome"), reliable))
			}
		case e.Kind == transport.EventPayload && players[e.Addr]:
			got++
			playing[e.Session] = true
			require.NoError(t, e.Session.Send(e.Payload, e.Delivery))
		case e.Kind == transport.EventEnded:
			require.False(t, playing[e.Session])
			ended++
		}
	}
	var traffic [][]byte
	n.onSend = func(_ *endpoint, d []byte) {
		if len(traffic) < 1000 {
			traffic = append(traffic, slices.Clone(d))
		}
	}
	replies := 0
	var clients []*endpoint
	for i := range 4 {
		c := &endpoint{addr: addrOf(1, 1000+i), peer: host}
		players[c.addr] = true
		n.newClient(c, uint32(i))
		c.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventPayload && e.Delivery == reliable && len(e.Payload) == 600 {
				replies++
			}
		}
		n.endpoints = append(n.endpoints, c)
		clients = append(clients, c)
	}
	n.run(2 * time.Second)
	require.Equal(t, 4, h.Hub.Len())

	before := heapBytes()
	hostile, dropsBefore := 0, h.Hub.Counters().Dropped()
	attack := func(addr netip.AddrPort, d []byte) {
		hostile++
		h.ReceiveFrom(n.clock(host), addr, d)
	}
	const seconds = 60
	for range seconds {
		for _, c := range clients {
			require.NoError(t, c.session.Send(numbered(600), reliable))
			require.NoError(t, c.session.Send(numbered(30), unreliable))
			n.serve(c)
		}
		for range 2000 {
			unknownAddr := addrOf(2+n.between(0, 5000), n.between(1, 65535))
			switch n.between(0, 4) {
			case 0:
				d := make([]byte, n.between(0, 600))
				for i := range d {
					d[i] = byte(n.random.Uint32())
				}
				attack(unknownAddr, d)
			case 1:
				attack(unknownAddr, n.corrupt(traffic[n.between(0, len(traffic)-1)]))
			case 2:
				attack(unknownAddr, from(objectid.PeerID(n.between(1, 126)), text(uint16(n.between(0, 9)), "forged"), "06 02"))
			case 3:
				attack(unknownAddr, connectOf(n.random.Uint32()))
			case 4: // from the address of a player: what a Connect must not do
				attack(clients[n.between(0, 3)].addr, connectOf(n.random.Uint32()))
			}
			if hostile%100 == 0 {
				n.serve(host)
			}
		}
		n.run(time.Second)
		sessions, hosts, past := h.Hub.TableSizes()
		require.LessOrEqual(t, sessions, 2*124+10_240)
		require.LessOrEqual(t, hosts, 124)
		require.LessOrEqual(t, past, transport.MaxRecentConnects)
	}
	n.run(10 * time.Second)
	require.Equal(t, 4*seconds, replies)
	require.Equal(t, 2*4*seconds, got)
	require.Less(t, heapBytes()-before, int64(24<<20))

	counted := int(h.Hub.Counters().Dropped()-dropsBefore) + connects + queries
	const guessed = 10 // datagrams at most that had the right peer ID of a half-open session
	require.GreaterOrEqual(t, counted, hostile-guessed)
	t.Log(hostile, "datagrams:", connects, "Connects,", queries, "queries,", h.Dropped())
	for _, reason := range []string{"malformed", "unknown_address", "no_connect", "busy_connect"} {
		require.NotZero(t, h.Dropped()[reason], reason)
	}
	require.NotZero(t, ended)
}

// Damaged copies of a session's own traffic may end the session, and have no other effect.
func TestSessionSurvivesDamagedTraffic(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		n := newNetwork(seed)
		client, host := n.connect(transport.Options{})
		n.onSend = func(from *endpoint, d []byte) {
			if n.chance(0.3) {
				from.peer.session.Receive(n.clock(from.peer), n.corrupt(d))
			}
		}
		n.onReturn = func(e *endpoint) {
			require.NoError(t, transport.CheckSession(e.session))
			require.False(t, transport.Overdue(e.session))
		}
		for range 30 {
			n.run(time.Second)
			_ = client.session.Send(numbered(n.between(0, 1500)), reliable)
			_ = host.session.Send(numbered(n.between(0, 1500)), reliable)
			_ = host.session.SendSystem(nameChange(3, "x"))
			n.serve(client)
			n.serve(host)
		}
		n.run(10 * time.Minute)
	}
}
