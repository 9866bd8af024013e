package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const hostAddr = "10.0.0.1:22101"

// game is a tournament in a bubble.
type game struct {
	t       *testing.T
	network simulated.Network
	results bytes.Buffer
	clients int
}

// bubble runs a test with a tournament in virtual time.
func bubble(t *testing.T, test func(*testing.T, *game)) {
	synctest.Test(t, func(t *testing.T) {
		g := &game{t: t}
		server := newTournament(json.NewEncoder(&g.results), join.HostOptions{Hub: transport.HubOptions{Rand: testdata.LowestIDs}})
		ctx, stop := context.WithCancel(context.Background())
		served := make(chan error, 1)
		socket := g.network.Listen(hostAddr)
		go func() {
			served <- udp.Serve(ctx, socket, server.Hub(), udp.Handler{Event: server.Handle, Tick: server.tick})
		}()
		t.Cleanup(func() {
			stop()
			require.NoError(t, <-served)
		})
		test(t, g)
	})
}

// player is a client of a test.
type player struct {
	*udp.Conn
	g     *game
	ships objectid.ID
	ship  objectid.ID
}

// join lets a player join and choose a team.
func (g *game) join(name string, team opcode.Team) *player {
	g.t.Helper()
	g.clients++
	conn, err := udp.Dial(g.t.Context(), hostAddr, udp.Options{Conn: g.network.Listen(fmt.Sprintf("10.0.1.%d:22101", g.clients))})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(g.t, conn.Join(g.t.Context(), join.Options{Name: name}))
	p := &player{Conn: conn, g: g}
	p.say(&opcode.TeamMessage{PlayerID: p.PeerID(), Team: team})
	return p
}

func (p *player) say(m opcode.Message) {
	p.g.t.Helper()
	require.NoError(p.g.t, p.Send(m))
	time.Sleep(50 * time.Millisecond) // in order with what other players say, and below the limits
}

func (p *player) ready() {
	p.say(&opcode.ChatMessage{SenderID: p.PeerID(), Text: stream.Text("!ready")})
}

// launch creates the next ship.
func (p *player) launch() {
	self := p.State().Self
	base, _ := objectid.Base(self.Slot)
	p.ships++
	p.ship = base + 100*p.ships
	ship := stateupdate.NewShip(p.ship, stateupdate.Stock().Named("akira"))
	ship.PlayerName, ship.SetName = self.Name, "Multi1"
	object, err := ship.Object()
	require.NoError(p.g.t, err)
	time.Sleep(2 * time.Second) // the limit of ships
	p.say(&opcode.ObjectCreateTeam{OwnerSlot: self.Slot, NetPlayerID: self.PeerID, Object: object})
}

// shoot fires some torpedoes.
func (p *player) shoot(target objectid.ID, n int) {
	base, _ := objectid.Base(p.State().Self.Slot)
	for range n {
		p.say(opcode.NewTorpedoFire(base+1, p.PeerID(), compress.Vector3{}, target, compress.Contact{}))
	}
	time.Sleep(2 * time.Second)
}

// hear returns the scores, and what begins and ends, that a player has heard since the last call.
func (p *player) hear() (lines []string) {
	ctx, cancel := context.WithTimeout(p.g.t.Context(), time.Second)
	defer cancel()
	for m, err := range p.Messages(ctx) {
		switch m := m.(type) {
		case nil:
			if ctx.Err() == nil {
				lines = append(lines, err.Error())
			}
		case *opcode.ScoreChange:
			s := p.State()
			lines = append(lines, fmt.Sprintf("%s %d: %s dies", s.NameOf(m.KillerID), m.KillerKills, s.NameOf(m.VictimID)))
		case *opcode.RestartGame, *opcode.EndGame:
			lines = append(lines, m.Opcode().String())
		}
	}
	return lines
}

// result is a line of the program's output.
type result struct {
	System  string
	Winner  opcode.Team
	Players []join.Player
}

func (g *game) result() (r result) {
	require.NoError(g.t, json.NewDecoder(&g.results).Decode(&r))
	return r
}

// Two teams get ready and fight until one has five kills. Friendly fire costs the shooter. The next match is in the next
// system.
func TestTournament(t *testing.T) {
	bubble(t, func(t *testing.T, g *game) {
		ann, abe := g.join("Ann", opcode.TeamOne), g.join("Abe", opcode.TeamOne)
		ann.ready()
		abe.ready()
		require.NoError(t, abe.Close())
		bob := g.join("Bob", opcode.TeamTwo)
		abe = g.join("Abe", opcode.TeamOne)
		ann.launch()
		bob.launch()
		ann.shoot(bob.ship, 12)
		ann.ready()
		ann.ready()
		bob.ready()
		require.Empty(t, ann.hear(), "the match has not begun")
		abe.ready()
		require.Equal(t, []string{"RestartGame"}, ann.hear())
		require.Equal(t, []string{"RestartGame"}, bob.hear())

		for _, p := range []*player{ann, abe, bob} {
			p.launch()
		}
		bob.say(&opcode.TeamMessage{PlayerID: bob.PeerID(), Team: opcode.TeamOne})
		ann.shoot(bob.ship, 9)
		require.Empty(t, ann.hear())
		require.Equal(t, opcode.TeamTwo, bob.State().Self.Team)
		bob.launch() // which changes nothing, since bob has a ship
		bob.ship -= 100
		abe.shoot(bob.ship, 1)
		require.Equal(t, []string{"Abe 1: Bob dies"}, ann.hear())
		ann.shoot(bob.ship, 20) // at the wreck
		ann.shoot(abe.ship, 10)
		require.Equal(t, []string{"Ann -1: Ann dies"}, ann.hear())
		ann.launch()
		bob.launch()
		ann.shoot(bob.ship, 9)
		require.Empty(t, ann.hear())
		ann.shoot(bob.ship, 1)
		for kill := range 4 {
			bob.launch()
			if kill == 1 {
				bob.shoot(ann.ship, 10)
				ann.launch()
			}
			ann.shoot(bob.ship, 10)
		}
		require.Equal(t, []string{
			"Ann 0: Bob dies", "Ann 1: Bob dies", "Bob 1: Ann dies", "Ann 2: Bob dies", "Ann 3: Bob dies", "Ann 4: Bob dies", "EndGame",
		}, ann.hear())
		require.Equal(t, result{"Multi1", opcode.TeamOne, []join.Player{
			{PeerID: 2, Slot: 0, Name: "Ann", Team: opcode.TeamOne, Kills: 4, Deaths: 2},
			{PeerID: 4, Slot: 2, Name: "Bob", Team: opcode.TeamTwo, Kills: 1, Deaths: 6},
			{PeerID: 5, Slot: 3, Name: "Abe", Team: opcode.TeamOne, Kills: 1},
		}}, g.result())
		bob.launch()
		ann.shoot(bob.ship, 10)
		require.NoError(t, bob.Close())
		require.Empty(t, ann.hear(), "the match has ended")
		require.Zero(t, g.results.Len())

		// The host changes the system, for which all must join again. Cat has waited for it.
		time.Sleep(4 * time.Second)
		require.Empty(t, ann.hear())
		cat, dan := g.join("Cat", opcode.TeamOne), g.join("Dan", opcode.TeamTwo)
		require.Contains(t, ann.hear()[0], join.ErrLeft.Error())
		require.Equal(t, opcode.SystemMulti2, cat.State().Mission.System)
		require.Equal(t, "Multiplayer.Episode.Mission2.Mission2", cat.State().Settings.Map.String())
		cat.ready()
		dan.ready()
		require.Equal(t, []string{"RestartGame"}, cat.hear())
		require.NoError(t, dan.Close())
		require.Equal(t, []string{"EndGame"}, cat.hear())
		require.Equal(t, result{"Multi2", opcode.TeamOne, []join.Player{{PeerID: cat.PeerID(), Slot: cat.State().Self.Slot, Name: "Cat"}}}, g.result())
	})
}

// Players without a team take part in nothing, and shots without a target, or of a player without a ship, do nothing.
func TestWithoutTeam(t *testing.T) {
	bubble(t, func(t *testing.T, g *game) {
		ann, bob, eve := g.join("Ann", opcode.TeamOne), g.join("Bob", opcode.TeamTwo), g.join("Eve", opcode.TeamNone)
		for _, p := range []*player{eve, ann, bob} {
			p.ready()
		}
		require.Empty(t, ann.hear())
		require.NoError(t, eve.Close())
		ann.ready()
		require.Equal(t, []string{"RestartGame"}, ann.hear())
		late := g.join("Late", opcode.TeamNone)
		ann.launch()
		late.shoot(ann.ship, 10)
		late.launch()
		ann.shoot(objectid.None, 10)
		ann.shoot(1, 10)
		for range 6 {
			late.shoot(ann.ship, 10)
			late.launch()
		}
		lines := ann.hear()
		require.Len(t, lines, 6)
		require.Equal(t, "Late -6: Late dies", lines[5])
		require.NoError(t, late.Close())
		require.NoError(t, g.join("Latest", opcode.TeamNone).Close())
		require.Empty(t, ann.hear())
		require.Zero(t, g.results.Len())
	})
}
