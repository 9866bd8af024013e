package udp

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// start is the time at which the tests of the table begin.
var start = time.Date(2002, 2, 1, 0, 0, 0, 0, time.UTC)

// address returns one of a million addresses, each with an IP address of its own.
func address(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 22102)
}

func newTable(max int, idle time.Duration) *relayClients {
	t := newRelayClients(max, idle)
	return &t
}

// arrive does what the relay does with a datagram of a player.
func (t *relayClients) arrive(now time.Time, addr netip.AddrPort) *RelayClient {
	if c := t.at(now, addr); c != nil {
		return c
	}
	c, old := t.add(now, addr)
	if old != nil {
		t.remove(old)
	}
	return c
}

// join does what the relay does with a client that the host has accepted, and reports whether the
// client is relayed.
func (t *relayClients) join(now time.Time, addr netip.AddrPort) bool {
	c := t.arrive(now, addr)
	if c == nil || c.State == RelayProven {
		return c != nil
	}
	old := t.prove(now, c)
	if old != nil {
		t.remove(old)
	}
	return old != c
}

// reply does what the relay does with a datagram of the server.
func (t *relayClients) reply(now time.Time, addr netip.AddrPort) {
	if c := t.byAddr[addr]; c != nil {
		c.lastReply = now
	}
}

// sweep does what the relay does once a second.
func (t *relayClients) sweep(now time.Time) {
	for _, c := range t.idle(now) {
		t.remove(c)
	}
}

// forger sends Connects from forged addresses, so many a second, and keeps sending for a while. The server replies to
// each datagram.
type forger struct {
	rate    float64
	lasting time.Duration
	due     time.Time
	count   int
	began   map[netip.AddrPort]time.Time
}

func (f *forger) run(t *relayClients, now time.Time) {
	for ; !f.due.After(now); f.due = f.due.Add(time.Duration(float64(time.Second) / f.rate)) {
		f.count++
		addr := address(1<<16 + f.count)
		t.arrive(now, addr)
		f.began[addr] = now
	}
	for addr, began := range f.began {
		if now.Sub(began) >= f.lasting || t.arrive(now, addr) == nil {
			delete(f.began, addr)
		} else {
			t.reply(now, addr)
		}
	}
}

// Whatever a forger sends, a player in the game keeps its place, a new player is in within ten
// seconds, and the table is bounded and becomes empty again.
func TestForgedConnectsKeepNobodyOut(t *testing.T) {
	const step, roundTrip, connectInterval, keepalive = 50 * time.Millisecond, 400 * time.Millisecond, time.Second, 5 * time.Second
	seeds := uint64(testdata.Either(60, 3)) // three kinds of attack
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		f := &forger{due: start, rate: 64.0 / 60, began: map[netip.AddrPort]time.Time{}}
		switch seed % 3 {
		case 1:
			f.lasting = time.Duration(r.Int64N(int64(5 * time.Minute)))
		case 2: // a flood
			f.rate = 1 + 450*r.Float64()
		}
		table := newTable(64, time.Minute)
		for n := range 64 { // and 64 at once
			table.arrive(start, address(1<<20+n))
		}
		players := map[netip.AddrPort]time.Time{} // and the times of their next datagrams
		var joining netip.AddrPort
		var began, proof time.Time
		for now, end := start, start.Add(4*time.Minute); now.Before(end); now = now.Add(step) {
			f.run(table, now)
			for addr, due := range players {
				if table.byAddr[addr] == nil {
					t.Fatalf("seed %d: a player has lost its place", seed)
				}
				if !due.After(now) {
					table.arrive(now, addr)
					table.reply(now, addr)
					players[addr] = now.Add(time.Duration(1 + r.Int64N(int64(keepalive))))
				}
			}
			switch sinceBegin := now.Sub(began); {
			case !joining.IsValid() && len(players) < 20 && r.IntN(100) == 0:
				joining, began, proof = address(len(players)), now, time.Time{}
				table.arrive(now, joining)
			case !joining.IsValid():
			case proof.IsZero() && table.byAddr[joining] != nil:
				proof = now.Add(2 * roundTrip) // the host acknowledges the name
			case !proof.IsZero() && !proof.After(now):
				if table.byAddr[joining] != nil && table.join(now, joining) {
					players[joining] = now
					joining = netip.AddrPort{}
				}
				proof = time.Time{}
			case proof.IsZero() && sinceBegin%connectInterval == 0:
				table.arrive(now, joining)
			}
			if joining.IsValid() {
				require.Less(t, now.Sub(began), 10*time.Second, "seed %d: a new player is kept out", seed)
			}
			if now.Sub(start)%time.Second == 0 {
				table.sweep(now)
			}
			require.LessOrEqual(t, table.proven, 64)
			require.LessOrEqual(t, len(table.byAddr), 64+maxUnproven)
		}
		require.Len(t, players, 20, "seed %d", seed)
		table.sweep(start.Add(10 * time.Minute))
		require.Empty(t, table.byAddr)
		require.Zero(t, table.proven)
	}
}

// A million addresses do not fill the table for longer than they send.
func TestMillionAddresses(t *testing.T) {
	const flood = 1_000_000
	table := newTable(64, time.Minute)
	player := address(flood)
	require.True(t, table.join(start, player))
	now, swept, most := start, start, 0
	for n := range flood {
		now = now.Add(100 * time.Microsecond)
		table.arrive(now, address(n))
		if n%1000 == 0 {
			require.True(t, table.arrive(now, player).State == RelayProven)
		}
		if now.Sub(swept) >= time.Second {
			swept = now
			table.sweep(now)
		}
		most = max(most, len(table.byAddr))
	}
	require.Equal(t, maxUnproven+1, most)
	require.Greater(t, table.refused, flood*9/10)
	require.EqualValues(t, flood+1, table.refused+int(table.count))

	now = now.Add(unprovenTimeout)
	table.sweep(now)
	require.Len(t, table.byAddr, 1)
}

// One IP address cannot take all places, and takes the unproven places from nobody else.
func TestOneAddressWithManyPorts(t *testing.T) {
	table := newTable(64, time.Minute)
	port := func(n int) netip.AddrPort { return netip.AddrPortFrom(address(0).Addr(), uint16(n)) }
	for n := range 100 {
		require.Equal(t, n < objectid.Slots, table.join(start, port(n)))
	}
	require.Equal(t, objectid.Slots, table.proven)
	require.True(t, table.join(start, address(1)))
	later := start.Add(replaceAfter)
	require.True(t, table.join(later, port(100)), "in place of a silent one")
	require.Equal(t, objectid.Slots+1, table.proven)

	table = newTable(64, time.Minute)
	other := table.arrive(start, address(1))
	now := start.Add(patience)
	for n := range 2 * maxUnproven {
		table.arrive(now, port(1+n))
		now = now.Add(10 * time.Millisecond)
	}
	require.False(t, other.State == RelayRemoved)
}

// A full table has no place for another client, unless one is silent.
func TestFullTable(t *testing.T) {
	table := newTable(2, time.Minute)
	require.True(t, table.join(start, address(1)))
	late := table.arrive(start, address(3))
	require.True(t, table.join(start.Add(time.Second), address(2)))
	require.Nil(t, table.arrive(start.Add(time.Second), address(4)))
	require.Equal(t, 1, table.refused)
	require.Same(t, late, table.prove(start.Add(time.Second), late), "it came too late")
	table.remove(late)

	require.True(t, table.join(start.Add(replaceAfter), address(4)))
	require.Nil(t, table.byAddr[address(1)], "which was silent for longest")
	require.Equal(t, 2, table.proven)
}

func TestIdle(t *testing.T) {
	table := newTable(4, time.Minute)
	unproven, player := table.arrive(start, address(1)), table.arrive(start, address(2))
	require.True(t, table.join(start, player.Addr))
	require.Equal(t, []int64{1, 2}, []int64{unproven.Number, player.Number})

	require.Empty(t, table.idle(start.Add(unprovenTimeout-1)))
	require.Equal(t, []*RelayClient{unproven}, table.idle(start.Add(unprovenTimeout)))
	table.at(start.Add(time.Minute), player.Addr)
	require.Equal(t, []*RelayClient{unproven}, table.idle(start.Add(2*time.Minute-1)))
	require.Len(t, table.idle(start.Add(2*time.Minute)), 2)

	table.remove(player)
	again := table.arrive(start, player.Addr)
	require.EqualValues(t, 3, again.Number, "a client that returns is a new client")
	require.True(t, player.State == RelayRemoved)

	short := newTable(1, time.Second)
	c := short.arrive(start, address(1))
	require.Equal(t, []*RelayClient{c}, short.idle(start.Add(time.Second)), "the shorter timeout applies")
}

// packet returns a datagram of a peer, enciphered unless plain.
func packet(t *testing.T, plain bool, peer objectid.PeerID, messages ...transport.Message) []byte {
	t.Helper()
	datagram, err := (&transport.Packet{PeerID: peer, Messages: messages}).MarshalBinary()
	require.NoError(t, err)
	if !plain {
		cipher.Encrypt(datagram)
	}
	return datagram
}

// Only an Ack of the host for a message after the Connect, and a keepalive, prove a client.
func TestProof(t *testing.T) {
	ack := func(seq uint16, flags transport.AckFlags) transport.Message {
		return transport.NewMessage(0, &transport.Ack{Seq: seq, Flags: flags})
	}
	reply := transport.NewMessage(0, &transport.ConnectReply{PeerID: 5})
	for _, plain := range []bool{false, true} {
		r := &relay{h: RelayHandler{Plain: plain}}
		proves := func(datagram []byte) bool {
			before := bytes.Clone(datagram)
			defer func() { require.Equal(t, before, datagram, "the datagram stays as it is") }()
			return r.proves(datagram)
		}
		for _, datagram := range [][]byte{nil, {1}, []byte(`\status\`), bytes.Repeat([]byte{0xFF}, 600)} {
			require.False(t, proves(datagram))
		}
		require.False(t, proves(packet(t, plain, objectid.Host, ack(0, transport.AckSystem), reply, transport.NewData(0xC2F1, nil))))
		require.True(t, proves(packet(t, plain, objectid.Host, ack(1, transport.AckSystem))))
		require.True(t, proves(packet(t, plain, objectid.Host, transport.NewUnreliable([]byte{1}), ack(0, 0))))
		require.True(t, proves(packet(t, plain, objectid.Host, transport.NewMessage(0, &transport.DoNothing{}))))
	}
}
