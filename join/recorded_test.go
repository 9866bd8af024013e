package join_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// payloads follows a link, and collects the complete payloads of one side.
type payloads struct {
	observer transport.Observer
	fromHost bool
	all      [][]byte
}

func (p *payloads) receive(t testing.TB, now time.Time, fromHost bool, datagram []byte) {
	for o, err := range p.observer.Receive(now, fromHost, slices.Clone(datagram)) {
		require.NoError(t, err)
		if fromHost == p.fromHost && o.Payload != nil && (o.Verdict == transport.VerdictComplete || !o.Reliable) {
			p.all = append(p.all, slices.Clone(o.Payload))
		}
	}
}

// until returns the payloads up to the first one of an opcode.
func (p *payloads) until(t testing.TB, code opcode.Code) [][]byte {
	i := slices.IndexFunc(p.all, func(b []byte) bool { return opcode.Code(b[0]) == code })
	require.GreaterOrEqual(t, i, 0, "no %v", code)
	return p.all[:i+1]
}

// matchOf returns the deciphered datagrams of a recorded match with their times.
func matchOf(t testing.TB) []recording.Datagram {
	all := testdata.Match(t)
	for _, d := range all {
		cipher.Decrypt(d.Data)
	}
	return all
}

// A Client that receives the datagrams of a recorded host sends the payloads of the recorded client,
// byte by byte, until it is in the game.
func TestClientOfARecordedHost(t *testing.T) {
	for client := range int64(3) {
		client++
		var session *transport.Session
		var c *join.Client
		sent, wanted := payloads{}, payloads{}
		inGame := false
		for _, d := range matchOf(t) {
			if d.Client != client || inGame {
				continue
			}
			now := epoch.Add(d.Time())
			if session == nil {
				var err error
				session, err = transport.NewClient(now, transport.ConnectRequest{ConnID: 1}, transport.Options{})
				require.NoError(t, err)
				c, err = join.NewClient(now, session, join.Options{Name: nameOfRecorded(t, client), Manifest: checksum.Vanilla()})
				require.NoError(t, err)
			}
			toHost := d.Direction == recording.ToServer
			wanted.receive(t, now, !toHost, d.Data)
			if toHost {
				for b := range session.Datagrams(now) {
					sent.receive(t, now, false, b)
				}
				continue
			}
			sent.receive(t, now, true, d.Data)
			session.Receive(now, slices.Clone(d.Data))
			for e := range session.Events() {
				_, err := c.Handle(now, e)
				require.NoError(t, err)
			}
			inGame = c.State().Stage == join.StageInGame
		}
		require.True(t, inGame, "client %d: %v", client, c.State())
		want, got := wanted.until(t, opcode.OpNewPlayerInGame), sent.until(t, opcode.OpNewPlayerInGame)
		require.Equal(t, want, got, "client %d", client)
		require.Len(t, got, 6)
		s := c.State()
		require.Equal(t, objectid.Slot(s.Self.PeerID-2), s.Self.Slot)
	}
}

// nameOfRecorded returns the name that a recorded client sends.
func nameOfRecorded(t testing.TB, client int64) string {
	for _, d := range matchOf(t) {
		if d.Client != client || d.Direction != recording.ToServer {
			continue
		}
		for m, err := range transport.Messages(d.Data) {
			require.NoError(t, err)
			if m.Type == transport.TypeNameChange {
				body, err := m.Decode()
				require.NoError(t, err)
				return body.(*transport.NameChange).Name.String()
			}
		}
	}
	t.Fatal("no name")
	return ""
}

// A Host that receives the datagrams of recorded clients sends the payloads of the recorded host, byte
// by byte but for the game time, until the clients are in the game.
func TestHostOfRecordedClients(t *testing.T) {
	const clients = 3
	h := join.NewHost(epoch, join.HostOptions{
		Hub: transport.HubOptions{Rand: testdata.LowestIDs}, Settings: opcode.Settings{CollisionDamage: true},
	})
	sent, wanted := map[int64]*payloads{}, map[int64]*payloads{}
	for i := range int64(clients + 1) {
		sent[i], wanted[i] = &payloads{fromHost: true}, &payloads{fromHost: true}
	}
	from := func(client int64) netip.AddrPort { return addr(int(client), 5) }
	poll := func(now time.Time) {
		for e := range h.Hub().Events() {
			h.Handle(now, e)
		}
		h.Tick(now)
		for to, b := range h.Hub().Datagrams(now) {
			for i := range int64(clients + 1) {
				if to == from(i) {
					sent[i].receive(t, now, true, b)
					if acks := acksOfProbes(b); len(acks) > 0 {
						validation := transport.Packet{PeerID: objectid.PeerID(1 + i), Messages: acks}
						d, err := validation.MarshalBinary()
						require.NoError(t, err)
						h.Hub().Receive(now, from(i), d)
					}
				}
			}
		}
	}
	for _, d := range matchOf(t) {
		now := epoch.Add(d.Time())
		if d.Time() > 9*time.Second {
			break
		}
		if d.Client == 3 && d.Time() < 2*time.Second { // a Connect that the recorded host has not received
			continue
		}
		toHost := d.Direction == recording.ToServer
		wanted[d.Client].receive(t, now, !toHost, d.Data)
		poll(now)
		if toHost {
			sent[d.Client].receive(t, now, false, d.Data)
			h.Hub().Receive(now, from(d.Client), withoutAcksOfNames(t, d.Data))
		}
		poll(now)
	}
	for client := range int64(clients) {
		client++
		want, got := wanted[client].until(t, opcode.OpMissionInit), sent[client].until(t, opcode.OpMissionInit)
		withoutTime(want)
		withoutTime(got)
		require.Equal(t, want, got, "client %d", client)
	}
	require.Len(t, h.Members(), clients)
	for _, m := range h.Members() {
		require.Equal(t, nameOfRecorded(t, int64(m.PeerID)-1), m.Name)
	}
}

// withoutAcksOfNames removes the Acks of the names of other players, which the recorded host has sent
// earlier in the join.
func withoutAcksOfNames(t testing.TB, datagram []byte) []byte {
	var p transport.Packet
	require.NoError(t, p.UnmarshalBinary(slices.Clone(datagram)))
	p.Messages = slices.DeleteFunc(p.Messages, func(m transport.Message) bool {
		a, ok := m.Ack()
		return ok && a.Flags&transport.AckSystem != 0 && a.Seq > 1
	})
	b, err := p.MarshalBinary()
	require.NoError(t, err)
	return b
}

// withoutTime sets the game time of Settings to 0.
func withoutTime(all [][]byte) {
	for _, b := range all {
		if opcode.Code(b[0]) == opcode.OpSettings {
			clear(b[1:5])
		}
	}
}
