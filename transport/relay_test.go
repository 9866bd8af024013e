package transport_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// relayed are two sessions with a relay between them, and loss on both sides of it.
type relayed struct {
	t            *testing.T
	relay        transport.Relay
	client, host *harness
	now          time.Time
	lost         float64
	random       *rand.Rand
	got          map[*harness][]string
	ends         []string
}

// newRelayed returns a connected client and host. The relay edits payloads by their first letter: D is dropped, S
// becomes short, and L long.
func newRelayed(t *testing.T, lost float64) *relayed {
	r := &relayed{
		t: t, client: newClient(t, transport.ConnectRequest{ConnID: 1}, transport.Options{}), host: newHost(t, transport.Options{}),
		now: start, lost: lost, random: rand.New(rand.NewPCG(21, 2)), got: map[*harness][]string{},
	}
	r.relay.Edit = func(_ time.Time, _ bool, payload []byte) []byte { return edited(payload) }
	r.run(time.Minute, func() bool { return r.client.PeerID() > 0 && r.host.Flushed() })
	return r
}

func edited(payload []byte) []byte {
	switch {
	case bytes.HasPrefix(payload, []byte("D")):
		return nil
	case bytes.HasPrefix(payload, []byte("S")):
		return payload[:min(3, len(payload))]
	case bytes.HasPrefix(payload, []byte("L")):
		return slices.Concat(payload, bytes.Repeat([]byte("l"), 1500))
	}
	return payload
}

// greet relays a Connect, and the reply of the host, which assigns a peer ID.
func greet(t *testing.T, relay *transport.Relay, connID uint32, peer objectid.PeerID) {
	for _, p := range []transport.Packet{
		{PeerID: objectid.NoPeer, Messages: []transport.Message{transport.NewMessage(0, &transport.ConnectRequest{ConnID: connID})}},
		{PeerID: objectid.Host, Messages: []transport.Message{transport.NewMessage(0, &transport.ConnectReply{PeerID: peer})}},
	} {
		d, err := p.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, [][]byte{d}, relay.Receive(start, p.PeerID == objectid.Host, d))
	}
}

// run lets time pass until a condition holds, at most for a while.
func (r *relayed) run(most time.Duration, done func() bool) {
	for end := r.now.Add(most); r.now.Before(end) && !done(); r.now = r.now.Add(tick) {
		r.pass(r.client, r.host)
		r.pass(r.host, r.client)
	}
}

// pass brings the datagrams of a session to the other one.
func (r *relayed) pass(from, to *harness) {
	for d := range from.Datagrams(r.now) {
		if r.random.Float64() < r.lost {
			continue
		}
		for _, d := range r.relay.Receive(r.now, from == r.host, slices.Clone(d)) {
			require.LessOrEqual(r.t, len(d), transport.MaxDatagram)
			if r.random.Float64() >= r.lost {
				to.Session.Receive(r.now, slices.Clone(d))
			}
			for e := range to.Session.Events() {
				switch e.Kind {
				case transport.EventPayload:
					r.got[to] = append(r.got[to], string(e.Payload))
				case transport.EventEnded:
					r.ends = append(r.ends, e.End.String())
				}
			}
		}
	}
	for range from.Session.Events() {
	}
}

// talk queues a payload at both sides, and adds what the others must receive.
func (r *relayed) talk(i int, want map[*harness][]string) {
	for _, from := range []*harness{r.client, r.host} {
		payload := fmt.Sprintf("%c %d", "PPPPPPDSL"[r.random.IntN(9)], i)
		if r.random.IntN(50) == 0 {
			payload += strings.Repeat("!", 400+r.random.IntN(3000))
		}
		from.Queue(reliable, payload)
		out := string(edited([]byte(payload)))
		if out == "" {
			out = "\x24"
		}
		to := r.client
		if from == r.client {
			to = r.host
		}
		want[to] = append(want[to], out)
	}
	r.run(200*time.Millisecond, func() bool { return false })
}

// check checks that both sides have received the others, and have everything acknowledged.
func (r *relayed) check(want map[*harness][]string) {
	r.run(5*time.Minute, func() bool { return r.client.Flushed() && r.host.Flushed() })
	require.Empty(r.t, r.ends)
	for _, side := range []*harness{r.client, r.host} {
		require.True(r.t, side.Flushed(), "everything is acknowledged")
		require.Equal(r.t, want[side], r.got[side])
		require.False(r.t, side.OpenBC())
		require.Zero(r.t, side.Dropped()["bad_fragment"])
	}
}

// A relay drops, shortens and lengthens payloads of both sides, whole and in fragments. At 10 % loss on each side of the
// relay, both sides receive the others in order, and have everything acknowledged.
func TestRelayKeepsNumbersAndAcks(t *testing.T) {
	r := newRelayed(t, 0.1)
	want := map[*harness][]string{}
	for i := range 1200 {
		r.talk(i, want)
	}
	r.check(want)
}

// The same holds while somebody forges the address of the client, but does not know the peer ID: Connects, and messages,
// fragments and Acks with the numbers that are due.
func TestForgedDatagramsDoNotConcernRelay(t *testing.T) {
	for _, attack := range []string{"connects", "messages", "fragments", "acks", "openbc"} {
		t.Run(attack, func(t *testing.T) {
			r := newRelayed(t, 0.1)
			want := map[*harness][]string{}
			for i := range 600 {
				for range 20 {
					p := transport.Packet{PeerID: objectid.PeerID(r.random.IntN(60) - 1)}
					m := transport.NewData(uint16(i-20+r.random.IntN(40)), []byte("forged"))
					switch attack {
					case "connects":
						p.PeerID, m = objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: r.random.Uint32()})
					case "fragments":
						m.Fragment, m.FragIndex = true, uint8(r.random.IntN(3))
						m.FragTotal = []uint8{3, 0, 0}[m.FragIndex]
					case "acks":
						m = transport.NewMessage(0, &transport.Ack{Seq: m.Seq, Flags: transport.AckFlags(r.random.IntN(2)), FragIndex: uint8(r.random.IntN(3))})
					case "openbc":
						m = transport.Message{Type: transport.TypeOpenBCDisconnect, Short: true}
					}
					p.Messages = append(p.Messages, m)
					d, err := p.MarshalBinary()
					require.NoError(t, err)
					if p.PeerID != r.client.PeerID() {
						for _, d := range r.relay.Receive(r.now, false, d) {
							r.host.Session.Receive(r.now, slices.Clone(d))
						}
					}
				}
				r.talk(i, want)
			}
			r.check(want)
		})
	}
}

// A client comes through a relay to a hub, talks, and comes again from the same port. Meanwhile somebody forges its
// address, with Connects of both forms and with the peer IDs of the sessions that these open. Everything arrives in
// order.
func TestForgedDatagramsDoNotConcernRelayOfHub(t *testing.T) {
	for seed := range testdata.Either[uint64](200, 10) {
		r := &hubRelayed{t: t, random: rand.New(rand.NewPCG(seed, 3)), now: start}
		r.hub = transport.NewHub(start, transport.HubOptions{Rand: rand.NewChaCha8([32]byte{byte(seed)})})
		r.relay.Edit = func(_ time.Time, _ bool, payload []byte) []byte { return edited(payload) }
		for round := range 3 {
			var err error
			r.client, err = transport.NewClient(r.now, transport.ConnectRequest{ConnID: uint32(round)}, transport.Options{})
			require.NoError(t, err)
			r.host, r.got = nil, nil
			r.until(time.Minute, func() bool { return r.host != nil })
			want := []string(nil)
			for i := range 60 {
				payload := fmt.Sprintf("%c %d.%d", "PPPDSL"[r.random.IntN(6)], round, i)
				if r.random.IntN(6) == 0 {
					payload += strings.Repeat("!", 300+r.random.IntN(3000))
				}
				require.NoError(t, r.client.Send([]byte(payload), reliable))
				want = append(want, cmp.Or(string(edited([]byte(payload))), "\x24"))
				pause := 300 * time.Millisecond
				if r.random.IntN(20) == 0 {
					pause = 4 * time.Second // in which the hub replies to other Connects
				}
				end := r.now.Add(pause)
				r.until(time.Minute, func() bool { return !r.now.Before(end) })
			}
			r.until(3*time.Minute, r.client.Flushed)
			require.Equal(t, want, r.got, "seed %d, round %d", seed, round)
			r.now = r.now.Add(5 * time.Second) // the client has crashed
		}
	}
}

// hubRelayed is a client and a hub with a relay between them, at 5 % loss on both sides of it.
type hubRelayed struct {
	t      *testing.T
	random *rand.Rand
	now    time.Time
	relay  transport.Relay
	hub    *transport.Hub
	client *transport.Session
	host   *transport.Session // of the client at the hub
	got    []string
}

// until lets time pass until a condition holds.
func (r *hubRelayed) until(most time.Duration, done func() bool) {
	r.t.Helper()
	for began := r.now; !done(); r.now = r.now.Add(25 * time.Millisecond) {
		require.Less(r.t, r.now.Sub(began), most)
		for range r.random.IntN(3) {
			r.forge()
		}
		for _, d := range r.hub.Datagrams(r.now) {
			if r.lost() {
				continue
			}
			for _, d := range r.relay.Receive(r.now, true, slices.Clone(d)) {
				if !r.lost() {
					r.client.Receive(r.now, slices.Clone(d))
				}
				for e := range r.client.Events() {
					require.NotEqual(r.t, transport.EventEnded, e.Kind, "%v", e.End)
				}
			}
		}
		for d := range r.client.Datagrams(r.now) {
			if !r.lost() {
				r.toHub(d)
			}
		}
	}
}

func (r *hubRelayed) lost() bool { return r.random.Float64() < 0.05 }

func (r *hubRelayed) toHub(datagram []byte) {
	for _, d := range r.relay.Receive(r.now, false, slices.Clone(datagram)) {
		if r.lost() {
			continue
		}
		r.hub.Receive(r.now, netip.MustParseAddrPort("10.0.0.1:5000"), slices.Clone(d))
		for e := range r.hub.Events() {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = r.hub.Accept(e)
			case transport.EventConnected:
				r.host = e.Session
				r.host.Keep()
			case transport.EventPayload:
				r.got = append(r.got, string(e.Payload))
				_ = e.Session.Send([]byte("P"+strings.Repeat("z", r.random.IntN(1500))), reliable)
			}
		}
	}
}

// forge sends a datagram in the name of the client, with any peer ID but its own.
func (r *hubRelayed) forge() {
	p := transport.Packet{PeerID: objectid.NoPeer}
	switch r.random.IntN(4) {
	case 0:
		p.Messages = []transport.Message{transport.NewMessage(0, &transport.ConnectRequest{ConnID: r.random.Uint32()})}
	case 1:
		p.Messages = []transport.Message{{Type: transport.TypeConnect, Short: true, Body: []byte{0, 0, 0, 0x7F, 0}}}
	default:
		p.PeerID = objectid.PeerID(2 + r.random.IntN(16))
		m := transport.NewData(uint16(r.random.IntN(60)), []byte("forged"))
		if m.Fragment = r.random.IntN(2) == 0; m.Fragment {
			m.FragIndex = uint8(r.random.IntN(3))
			m.FragTotal = []uint8{3, 0, 0}[m.FragIndex]
		}
		p.Messages = []transport.Message{m}
	}
	d, err := p.MarshalBinary()
	require.NoError(r.t, err)
	if r.hub.Session(p.PeerID) == nil && p.PeerID != max(r.client.PeerID(), 0) {
		r.toHub(d)
	}
}

// A host that has given up a client replies to the next retransmission of the Connect with another peer ID. The
// client then has this one, and the numbers begin again.
func TestRelayFollowsTheLastReply(t *testing.T) {
	relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte { return payload }}
	passes := func(fromHost bool, datagram []byte) {
		t.Helper()
		require.Equal(t, [][]byte{datagram}, relay.Receive(start, fromHost, datagram))
	}
	for _, peer := range []objectid.PeerID{2, 5} {
		greet(t, &relay, 1, peer)
		passes(false, from(peer, fmt.Sprintf("32 06 80 00 00 %02x", int(peer))))
		passes(true, from(1, fmt.Sprintf("32 06 80 00 00 %02x", int(peer))))
	}
	require.Empty(t, relay.Receive(start, false, from(6, "32 06 80 00 00 01")))
}

// A payload of a connection is judged once: also one that the host sends before the client, and one without a peer ID
// after many other connections.
func TestRelayJudgesOnce(t *testing.T) {
	judged := 0
	relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte {
		judged++
		return payload
	}}
	for peer := objectid.PeerID(2); peer < 9; peer++ {
		judged = 0
		greet(t, &relay, uint32(peer), peer)
		for range 2 {
			relay.Receive(start, true, from(1, text(0, "x")))
			relay.Receive(start, false, from(peer, text(0, "y")))
		}
		require.Equal(t, 2, judged)
	}
	relay.Receive(start, false, from(objectid.NoPeer, text(0, "z")))
	require.Equal(t, 3, judged)
	require.Empty(t, relay.Receive(start, false, from(4, text(1, "y"))), "the oldest connection but four is forgotten")
	require.Len(t, relay.Receive(start, false, from(5, text(1, "y"))), 1)
}

// Unreliable payloads are edited, too, and what is edited keeps its priority.
func TestRelayEdits(t *testing.T) {
	r := newRelayed(t, 0)
	for _, payload := range []string{"P", "D", "Short", "Long"} {
		r.client.Queue(unreliable, payload)
	}
	r.run(time.Second, func() bool { return false })
	require.Equal(t, []string{"P", "Sho"}, r.got[r.host])

	relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte { return payload[:1] }}
	greet(t, &relay, 1, 2)
	for seq, high := range []bool{false, true} {
		m := transport.NewData(uint16(seq), []byte("xyz"))
		m.HighPriority = high
		d, err := (&transport.Packet{PeerID: 2, Messages: []transport.Message{m}}).MarshalBinary()
		require.NoError(t, err)
		out := relay.Receive(start, false, d)
		require.Len(t, out, 1)
		for m := range transport.Messages(out[0]) {
			require.Equal(t, []any{high, []byte("x")}, []any{m.HighPriority, m.Body})
		}
	}
}

// What Edit makes too long for the game is dropped.
func TestRelayDropsWhatIsTooLong(t *testing.T) {
	for n, want := range map[int]bool{transport.MaxPayload: true, transport.MaxPayload + 1: false} {
		relay := transport.Relay{Edit: func(time.Time, bool, []byte) []byte { return make([]byte, n) }}
		greet(t, &relay, 1, 2)
		out := relay.Receive(start, false, from(2, text(0, "xyz")))
		fragmented := false
		for _, d := range out {
			for m := range transport.Messages(d) {
				fragmented = m.Fragment
				require.True(t, fragmented || string(m.Body) == "\x24", "%x", m.Body)
			}
		}
		require.NotEmpty(t, out)
		require.Equal(t, want, fragmented)
	}
}

// A relay whose Edit changes nothing relays datagrams byte for byte, except malformed ones.
func TestRelayChangesNothing(t *testing.T) {
	payloads := 0
	relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte {
		payloads++
		return payload
	}}
	r := newRelayed(t, 0)
	greet(t, &relay, 1, r.client.PeerID())
	for i := range 100 {
		r.client.Queue(reliable, fmt.Sprint("payload ", i)+strings.Repeat("!", i*20))
		r.client.Queue(unreliable, "state")
		var in, out [][]byte
		for range 40 {
			r.now = r.now.Add(tick)
			for d := range r.client.Datagrams(r.now) {
				in = append(in, slices.Clone(d))
				for _, d := range relay.Receive(r.now, false, slices.Clone(d)) {
					out = append(out, slices.Clone(d))
					r.host.Session.Receive(r.now, d)
				}
			}
			for d := range r.host.Datagrams(r.now) {
				require.Equal(t, [][]byte{d}, relay.Receive(r.now, true, d))
				r.client.Session.Receive(r.now, d)
			}
			for range r.host.Session.Events() {
			}
			for range r.client.Session.Events() {
			}
		}
		require.Equal(t, in, out)
	}
	require.Equal(t, 200, payloads)
	for _, d := range []string{"\x01\x00", `\status\`} {
		require.Equal(t, [][]byte{[]byte(d)}, relay.Receive(r.now, true, []byte(d)))
	}
	for _, pass := range []bool{false, true} {
		relay.PassMalformed = pass
		for _, d := range []string{"", "\x01", "\x01\x02\x02", "\x01\x01\x99", "\x02\x02\x32\x04\x00D\x99"} {
			out := relay.Receive(r.now, false, []byte(d))
			if !pass {
				require.Empty(t, out, "nothing of a malformed datagram")
				continue
			}
			require.Equal(t, [][]byte{[]byte(d)}, out)
		}
	}
}

// A relay needs no memory for messages that it does not change.
func TestRelayAllocatesNothing(t *testing.T) {
	relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte { return payload }}
	greet(t, &relay, 1, 2)
	datagram := from(2, "32 07 80 00 00 2C 00", "32 05 00 1C 01", "01 00 00 00")
	seq := uint16(0)
	relayOne := func() {
		binary.LittleEndian.PutUint16(datagram[5:], seq)
		seq++
		if out := relay.Receive(start, false, datagram); len(out) != 1 || &out[0][0] != &datagram[0] {
			t.Fatal("not the same datagram")
		}
	}
	for range 1 << 16 {
		relayOne()
	}
	require.Zero(t, testing.AllocsPerRun(1000, relayOne))
}

// An attacker retransmits other payloads and fragments under the numbers of harmless ones, forges Acks and connects
// again. A receiver joins nothing that Edit has not returned.
func TestRelayCannotBeEvaded(t *testing.T) {
	for seed := range testdata.Either[uint64](2000, 200) {
		random := rand.New(rand.NewPCG(seed, 1))
		approved := map[string]bool{"\x24": true}
		relay := transport.Relay{Edit: func(_ time.Time, _ bool, payload []byte) []byte {
			out := edited(payload)
			approved[string(out)] = true
			return out
		}}
		greet(t, &relay, 1000, 2)
		var receiver transport.Reassembler
		datagrams := [][]byte{}
		for i := range 200 {
			p := transport.Packet{PeerID: 2}
			for range 1 + random.IntN(3) {
				m := transport.Message{Type: transport.TypeData, Reliable: random.IntN(8) > 0, Seq: uint16(random.IntN(6))}
				m.Body = fmt.Appendf(nil, "%c%d..", "PDSL"[random.IntN(4)], random.IntN(3))
				if m.Fragment = m.Reliable && random.IntN(3) > 0; m.Fragment {
					if m.FragIndex = []uint8{0, 1, 2, 0, 1, 2, 255}[random.IntN(7)]; m.FragIndex == 0 {
						m.FragTotal = uint8(1 + random.IntN(3))
					}
				}
				switch random.IntN(20) {
				case 0:
					greet(t, &relay, uint32(i), 2)
					receiver = transport.Reassembler{} // of the new session
				case 1:
					m = transport.NewMessage(0, &transport.Ack{Seq: m.Seq, Flags: 1, FragIndex: m.FragIndex})
				}
				p.Messages = append(p.Messages, m)
			}
			d, err := p.MarshalBinary()
			require.NoError(t, err)
			if datagrams = append(datagrams, d); random.IntN(3) == 0 {
				d = datagrams[random.IntN(len(datagrams))]
			}
			for _, d := range relay.Receive(start, false, slices.Clone(d)) {
				for m := range transport.Messages(d) {
					if payload, v, _ := receiver.Add(start, m); m.Type == transport.TypeData && v == transport.VerdictComplete {
						require.True(t, approved[string(payload)], "seed %d: %q", seed, payload)
					}
				}
			}
		}
	}
}
