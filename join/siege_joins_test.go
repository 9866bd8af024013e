package join_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// comers are clients without a round trip. Each joins and dies with two datagrams, and leaves with a third one, at once or
// later.
type comers struct {
	*world
	networks, n int
	replies     []func()
	leave       []func()
}

func (c *comers) hearReply(to netip.AddrPort, datagram []byte) {
	for m := range transport.Messages(datagram) {
		if m.Type != transport.TypeConnect {
			continue
		}
		id := objectid.PeerID(int8(m.Body[len(m.Body)-1]))
		all := acksOfProbes(datagram)
		said := []opcode.Message{}
		for _, r := range checksum.Rounds() {
			said = append(said, &opcode.ChecksumResponse{Index: r.Index, NoFiles: true})
		}
		for i, m := range append(said, &opcode.NewPlayerInGame{}, &opcode.HostMessage{}) {
			payload, err := opcode.Marshal(m)
			require.NoError(c.t, err)
			all = append(all, transport.NewData(uint16(i), payload))
		}
		c.replies = append(c.replies, func() {
			c.forge(to, id, all...)
			c.leave = append(c.leave, func() { c.forge(to, id, transport.NewMessage(1, &transport.Disconnect{PeerID: id})) })
		})
	}
}

// come lets clients of all networks join, and makes them leave if there are as many as may stay.
func (c *comers) come(each, stay int) {
	for i := range c.networks {
		for range each {
			c.forge(netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 16, byte(i >> 8), byte(i)}), uint16(1024+c.n%60000)), objectid.NoPeer, connectRequest(c.n))
			c.n++
		}
	}
	c.poll()
	for _, reply := range c.replies {
		for reply(); len(c.leave) > stay; c.leave = c.leave[1:] {
			c.leave[0]()
		}
	}
	c.replies = nil
}

// Clients who join and leave as fast as they can drive nobody out. The players know who is there afterwards, and hear
// each other all the time.
func TestComersAndGoers(t *testing.T) {
	for _, c := range []struct {
		networks, stay int
		delay          time.Duration
	}{{20, 0, 20 * time.Millisecond}, {30, 10, 100 * time.Millisecond}, {200, 0, 150 * time.Millisecond}, {200, 12, 20 * time.Millisecond}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			var host *join.Host
			w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Message: func(from *join.Member, m opcode.Message) {
				if host.Relay(from, m); m.Opcode() == opcode.OpHostMessage { // as a server that keeps the scores
					host.Broadcast(opcode.NewScoreChange(from.PeerID, 1, objectid.NoPeer, 0, 0))
				}
			}})
			host, w.delay = w.host, c.delay
			ann, bob, deaf := w.join("Ann"), w.join("Bob"), w.join("Deaf")
			attack := &comers{world: w, networks: c.networks}
			w.hear = attack.hearReply
			w.clients[deaf.addr] = deafened{deaf}
			for i, end := 0, w.now.Add(testdata.Either(30*time.Second, 6*time.Second)); w.now.Before(end); i++ {
				if i == 2 {
					w.clients[deaf.addr] = deaf
				}
				ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
				w.until(2*c.delay+time.Second, func() bool { attack.come(4, c.stay); return bob.count(opcode.OpChatMessage) > i })
				w.run(time.Second)
			}
			for _, leave := range attack.leave {
				leave()
			}
			w.run(30 * time.Second)
			w.requireInGame(ann, bob, deaf)
			require.Len(t, w.host.Members(), 3)
			for _, g := range []*guest{ann, bob, deaf} {
				require.Len(t, g.State().Other, 2)
			}
			require.Greater(t, ann.count(opcode.OpDeletePlayerUI), 300)
		})
	}
}

// A player comes and goes before another one can be told of it. Neither is that one told what the program says of the
// player at the end, but it is told of the next player with the slot.
func TestLeaveOfWhoIsUnknown(t *testing.T) {
	var host *join.Host
	leave := func(m *join.Member, _ transport.EndReason) {
		ship, _ := objectid.Base(m.Slot)
		death, err := opcode.NewObjectExploding(ship, objectid.None, objectid.NoPeer, 9.5)
		require.NoError(t, err)
		host.Broadcast(death)
		host.Broadcast(opcode.NewScoreChange(m.PeerID, 1, objectid.NoPeer, 0, 0))
		heir, err := host.AddPlayer("Heir")
		require.NoError(t, err)
		require.Equal(t, m.Slot, heir.Slot)
		host.Relay(heir, &opcode.TeamMessage{PlayerID: heir.PeerID, Team: 1})
	}
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Leave: leave})
	host = w.host
	ann, deaf := w.join("Ann"), w.join("Deaf")
	for range objectid.Slots - 3 {
		w.addPlayer("Extra")
	}
	hear := w.deafen(deaf)
	eve := w.join("Eve")
	w.run(time.Second)
	eve.leave()
	hear()
	for _, g := range []*guest{ann, deaf} {
		others := g.State().Other
		i := slices.IndexFunc(others, func(p join.Player) bool { return p.Name == "Heir" })
		require.GreaterOrEqual(t, i, 0)
		require.EqualValues(t, 1, others[i].Team)
	}
	for _, code := range []opcode.Code{opcode.OpPythonEvent, opcode.OpScoreChange} {
		require.Equal(t, 1, ann.count(code))
		require.Zero(t, deaf.count(code), code)
	}
}

// What other players say does not end a player for whom more of the Host waits than of each of them.
func TestManySmallAccounts(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	ann := w.join("Ann")
	var others []*guest
	for i := range objectid.Slots - 1 {
		others = append(others, w.join(fmt.Sprint("Eve ", i)))
	}
	w.run(time.Second)
	hear := w.deafen(ann)
	for range 150 {
		w.host.Send(&opcode.UICollisionSetting{}, w.member(ann.id()))
	}
	for _, g := range others {
		for range 50 {
			w.host.Relay(w.member(g.id()), &opcode.ChatMessage{SenderID: g.id(), Text: make(stream.Text, 200)})
		}
	}
	hear()
	w.run(20 * time.Second)
	w.requireInGame(ann)
	require.Equal(t, 450, ann.count(opcode.OpUICollisionSetting))
	require.Greater(t, ann.count(opcode.OpChatMessage), 300)
}

// A killer comes, kills and leaves while a client does not hear: the client need not know the killer, but knows the score
// of a helper. The next player with the peer ID has a score of its own.
func TestScoreOfAHelper(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	w.run(time.Second)
	hear := w.deafen(ann)
	eve := w.join("Eve")
	change := opcode.NewScoreChange(bob.id(), 1, eve.id(), 1, 100)
	change.Damagers = []opcode.DamagerScore{{ID: bob.id(), Score: 49}}
	w.host.Broadcast(change)
	eve.leave()
	w.run(time.Second)
	hear()
	w.run(10 * time.Second)
	w.requireInGame(ann, bob)
	require.Len(t, ann.State().Other, 1)
	require.EqualValues(t, 49, ann.State().Other[0].Points)

	w.run(2 * time.Minute) // the peer ID is free again
	next := w.join("Next")
	require.Equal(t, eve.id(), next.id())
	w.run(time.Second)
	require.Zero(t, ann.State().Other[1].Kills)
}

// Whoever hears nothing now and then, while others come, take names and ships, and leave, knows afterwards who is there
// and with which ship.
func TestRosterAfterSilence(t *testing.T) {
	for seed := range testdata.Either(uint64(30), 6) {
		w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Ships: stateupdate.Stock()})
		w.loss, w.rng = 0.02, rand.New(rand.NewPCG(seed, 1))
		var ghosts []*join.Member
		watchers := []*guest{w.join("Ann"), w.join("Bob"), w.join("Cat")}
		ships := map[*guest]map[objectid.ID]bool{}
		attack := &comers{world: w, networks: 10}
		w.hear = attack.hearReply
		for range 60 {
			g := watchers[w.rng.IntN(len(watchers))]
			switch w.rng.IntN(8) {
			case 0:
				w.clients[g.addr] = deafened{g}
			case 1, 2:
				w.clients[g.addr] = g
			case 3:
				if m, err := w.host.AddPlayer("Ghost"); err == nil {
					ghosts = append(ghosts, m)
				}
			case 4:
				if len(ghosts) > 0 {
					ghosts[0].Session.Close()
					ghosts = ghosts[1:]
				}
			case 5:
				for _, m := range w.host.Members() {
					base, _ := objectid.Base(m.Slot)
					ship := stateupdate.NewShip(base+objectid.ID(w.rng.IntN(100)), stateupdate.Stock().Named("akira"))
					ship.SetName = "Multi1"
					object, err := ship.Object()
					require.NoError(t, err)
					w.host.Relay(m, &opcode.ObjectCreateTeam{OwnerSlot: m.Slot, NetPlayerID: m.PeerID, Object: object})
				}
			default:
				attack.come(4, w.rng.IntN(8))
			}
			w.run(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
		}
		for _, leave := range attack.leave {
			leave()
		}
		for _, g := range watchers {
			w.clients[g.addr] = g
		}
		w.loss = 0
		w.run(40 * time.Second)
		w.requireInGame(watchers...)
		for _, g := range watchers {
			var others []join.Player
			want := map[objectid.ID]bool{}
			for _, m := range w.host.Members() {
				if m.PeerID == g.id() {
					continue
				}
				if others = append(others, m.Player); m.Ship != objectid.None {
					want[m.Ship] = true
				}
			}
			require.Len(t, g.State().Other, len(others), "seed %d", seed)
			for _, o := range others {
				require.Equal(t, o.Name, g.State().NameOf(o.PeerID), "seed %d", seed)
			}
			ships[g] = map[objectid.ID]bool{}
			for _, m := range g.heard {
				switch m := m.(type) {
				case *opcode.ObjectCreateTeam:
					ships[g][m.ObjectID] = true
				case *opcode.DestroyObject:
					delete(ships[g], m.ObjectID)
				}
			}
			require.Equal(t, want, ships[g], "seed %d", seed)
		}
	}
}
