package join_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file attack the players of the program. The property is that nobody but the program renames them,
// speaks for them, kills them or makes them leave, and that no stranger takes their places.

// A client in the game speaks for a player of the program, in every message that names a player or a ship.
func TestForgedDeedsOfAddedPlayers(t *testing.T) {
	var host *join.Host
	w := newWorld(t, join.HostOptions{Message: func(from *join.Member, m opcode.Message) { host.Relay(from, m) }})
	host = w.host
	ann, eve := w.join("Ann"), w.join("Eve")
	ghost := w.addPlayer("Ghost")
	base, _ := objectid.Base(ghost.Slot)
	own, _ := objectid.Base(w.member(eve.id()).Slot)
	ghost.Ship, w.member(eve.id()).Ship = base, own
	host.Relay(ghost, &opcode.TeamMessage{PlayerID: ghost.PeerID, Team: opcode.TeamTwo})
	host.Relay(ghost, &opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot, NetPlayerID: ghost.PeerID, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}})
	w.run(time.Second)
	was, before := ann.State().Other, len(ann.lines)

	exploding, err := opcode.NewObjectExploding(base, own, eve.id(), 9.5)
	require.NoError(t, err)
	collision, err := opcode.NewCollisionEffect(base, own, nil, 5000)
	require.NoError(t, err)
	object := opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}
	forged := []opcode.Message{
		&opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot, NetPlayerID: ghost.PeerID, Object: object},
		&opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot, NetPlayerID: eve.id(), Object: object},
		&opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot - 1, NetPlayerID: ghost.PeerID, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: own + 1}},
		&opcode.DestroyObject{ObjectID: base}, exploding, collision,
		opcode.NewScoreChange(ghost.PeerID, 9, eve.id(), 9, 9),
		&opcode.Score{PlayerID: ghost.PeerID, Deaths: 9}, &opcode.ScoreInit{PlayerID: ghost.PeerID, Deaths: 9},
		&opcode.TeamMessage{PlayerID: ghost.PeerID, Team: opcode.TeamOne},
		opcode.NewPlayerLeft(ghost.PeerID), opcode.NewPlayerJoined(ghost.PeerID), &opcode.DeletePlayerAnim{Name: stream.Text("Ghost")},
		&opcode.StateUpdate{ObjectID: base}, opcode.NewStartFiring(base+1, own), opcode.NewStopFiring(base + 1),
		&opcode.EndGame{}, &opcode.RestartGame{},
	}
	for _, m := range forged {
		eve.say(m)
		w.run(100 * time.Millisecond)
	}
	for _, body := range []transport.Body{
		&transport.NameChange{PeerID: ghost.PeerID, Name: name16("Toast")},
		&transport.Disconnect{PeerID: ghost.PeerID}, &transport.Boot{PeerID: ghost.PeerID}, &transport.Boot{PeerID: ann.id()},
	} {
		require.NoError(t, eve.session.SendSystem(body))
		w.run(100 * time.Millisecond)
	}
	for _, from := range []netip.AddrPort{eve.addr, ann.addr, addr(70, 5), {}} { // the session of the ghost has no address
		for seq := range uint16(4) {
			w.forge(from, ghost.PeerID, transport.NewMessage(seq, &transport.Disconnect{PeerID: ghost.PeerID}))
			w.forge(from, ghost.PeerID, transport.NewData(seq, []byte{byte(opcode.OpHostMessage)}))
		}
	}
	w.run(time.Second)
	require.Empty(t, ann.lines[before:])
	require.Equal(t, was, ann.State().Other)
	require.Equal(t, join.Player{PeerID: 4, Slot: 2, Name: "Ghost", Team: opcode.TeamTwo}, ghost.Player)
	require.Equal(t, base, ghost.Ship)
	require.Contains(t, w.host.Members(), ghost)
	require.Equal(t, len(forged), w.drops["forged"]+w.drops["direction"])

	// What Eve says under the ghost's ID or name is under her own.
	eve.say(&opcode.ChatMessage{SenderID: ghost.PeerID, Text: stream.Text("I am the ghost")})
	w.run(time.Second)
	require.Equal(t, eve.id(), last[*opcode.ChatMessage](ann).SenderID)
	require.Equal(t, "gHOST (2)", w.join("gHOST").State().Self.Name)
	eve.sendName("Ghost")
	w.run(time.Second)
	require.Equal(t, "Eve", ann.State().NameOf(eve.id()))
	w.requireInGame(ann, eve)
}

// squatters take slots, never load the mission, and come again at once when they lose their slots.
type squatters struct {
	*world
	networks, each, port int
	all                  []*guest
}

// come lets squatters come again whose sessions have ended.
func (s *squatters) come() {
	have := make([]int, s.networks)
	left := s.all[:0]
	for _, g := range s.all {
		if g.stage() == join.StageEnded {
			s.drop(g)
			continue
		}
		have[int(g.addr.Addr().As4()[3])]++
		left = append(left, g)
	}
	s.all = left
	for i, n := range have {
		for ; n < s.each; n++ {
			s.port++
			s.all = append(s.all, s.connectSlow("", time.Hour, netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 16, 0, byte(i)}), uint16(s.port))))
		}
	}
}

// opener opens sessions and leaves them open. It uses its peer IDs, and acknowledges the probes if it
// validates.
type opener struct {
	*world
	networks, n int
	due         float64 // Connects
	validates   bool
	joined      map[netip.AddrPort]bool
	replies     []func()
}

func (o *opener) hearReply(to netip.AddrPort, datagram []byte) {
	for m := range transport.Messages(datagram) {
		if m.Type == transport.TypeConnect && !o.joined[to] {
			id := objectid.PeerID(int8(m.Body[len(m.Body)-1]))
			o.joined[to] = true
			o.replies = append(o.replies, func() {
				if o.validates {
					o.forge(to, id, acksOfProbes(datagram)...)
				} else {
					o.forge(to, id, doNothing())
				}
			})
		}
	}
}

// flood opens some sessions a second for a while.
func (o *opener) flood(d time.Duration, perSecond int) {
	for end := o.now.Add(d); o.now.Before(end); o.run(step) {
		for o.due += float64(perSecond) * step.Seconds(); o.due >= 1; o.due-- {
			o.forge(addr(70000+o.n%o.networks, 1000+o.n/o.networks%60000), objectid.NoPeer, connectRequest(o.n))
			o.n++
		}
		for _, reply := range o.replies {
			reply()
		}
		o.replies = nil
	}
}

// Squatters, and strangers who open sessions with all peer IDs, take no reserved place: a player of the program can be
// added at any time, and honest clients still get in.
func TestReservedPlacesUnderFlood(t *testing.T) {
	w := newWorld(t, join.HostOptions{Reserved: 2})
	ann := w.join("Ann")
	s := squatters{world: w, networks: 3, each: 4, port: 30000}
	o := &opener{world: w, networks: 200, joined: map[netip.AddrPort]bool{}}
	w.hear = o.hearReply
	var ghosts []*join.Member
	entered := 0
	for i := range testdata.Either(20, 6) {
		s.come()
		for range 2 - len(ghosts) {
			ghosts = append(ghosts, w.addPlayer("Ghost"))
		}
		_, err := w.host.AddPlayer("Too many")
		full := err != nil
		if !full {
			require.LessOrEqual(t, len(w.host.Members()), 8)
			w.host.Members()[slices.IndexFunc(w.host.Members(), func(m *join.Member) bool { return m.Name == "Too many" })].Session.Close()
		}
		g := w.connectSlow(fmt.Sprint("Guest ", i), 2*time.Second)
		for end := w.now.Add(15 * time.Second); g.stage() != join.StageInGame && w.now.Before(end); o.flood(2*step, 200) {
			s.come()
			if g.stage() == join.StageEnded { // comes again from a new port
				w.drop(g)
				g = w.connectSlow(fmt.Sprint("Guest ", i), 2*time.Second)
			}
		}
		if g.stage() == join.StageInGame {
			entered++
		}
		ids := map[objectid.PeerID]bool{}
		for _, m := range w.host.Members() {
			ids[m.PeerID] = true
		}
		require.Len(t, ids, len(w.host.Members()))
		require.LessOrEqual(t, len(ids), 8)
		ghosts[0].Session.Close()
		ghosts = ghosts[1:]
		g.leave()
		for range 20 {
			s.come()
			o.flood(50*time.Millisecond, 200)
		}
		w.drop(g)
		require.Contains(t, w.host.Members(), ghosts[0])
	}
	require.GreaterOrEqual(t, entered, testdata.Either(18, 5))
	w.requireInGame(ann)
}

// A full game stays full of its players, also of those of the program, whatever is forged and whoever knocks.
func TestFullGameWithAddedPlayers(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Reserved: 8})
	var players []*guest
	var ghosts []*join.Member
	for i := range 8 {
		players = append(players, w.join(fmt.Sprint("Player ", i)))
		ghosts = append(ghosts, w.addPlayer("Ghost"))
	}
	o := &opener{world: w, networks: 4000, validates: true, joined: map[netip.AddrPort]bool{}}
	w.hear = o.hearReply
	o.flood(testdata.Either(60*time.Second, 10*time.Second), 500)
	require.Greater(t, o.n, 4000)
	late := w.connect(join.Options{Name: "Late"})
	w.run(2 * time.Second)
	require.ErrorIs(t, late.err(), join.ErrFull)
	w.requireInGame(players...)
	require.Len(t, w.host.Members(), objectid.Slots)
	for _, g := range ghosts {
		require.Contains(t, w.host.Members(), g)
	}
}

// Squatters keep nobody out of the next mission, and nothing is left of them after many missions.
func TestNextMissionUnderAttack(t *testing.T) {
	w := newWorld(t, join.HostOptions{Settings: opcode.Settings{Map: stream.Text("Mission -1")}})
	s := squatters{world: w, networks: 2, each: 4, port: 30000}
	for i := range testdata.Either(40, 10) {
		s.come()
		ann := w.connect(join.Options{Name: "Ann"})
		w.until(10*time.Second, func() bool { s.come(); return ann.stage() == join.StageInGame })
		require.Equal(t, fmt.Sprint("Mission ", i-1), ann.State().Settings.Map.String())
		w.host.End(opcode.EndOver)
		w.run(500 * time.Millisecond)
		w.host.NextMission(opcode.Settings{Map: stream.Text(fmt.Sprint("Mission ", i))}, opcode.MissionInit{})
		w.run(time.Second)
		require.ErrorIs(t, ann.err(), join.ErrLeft)
		w.drop(ann)
		require.Empty(t, w.host.Members())
	}
	for _, g := range s.all {
		w.drop(g)
	}
	w.run(time.Minute)
	require.Zero(t, w.host.Hub().Len())
}
