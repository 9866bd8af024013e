// Tournament is a server for matches of two teams in one file. Players choose a team and say !ready. When all are ready,
// they fight until a team has five kills. The server prints the result as JSON, and goes on in the next star system.
// The law of damage is simple: ten shots at a ship destroy it. A shot at the own team hits the shooter, and costs a kill
// if it destroys the shooter's ship. A team without players has lost.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A team wins with a number of kills, and shots destroy a ship. The pause is between two matches.
const kills, shots, pause, mission = 5, 10, 15 * time.Second, "Multiplayer.Episode.Mission2.Mission2"

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`IP:PORT` to listen at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := net.ListenPacket("udp4", *addr)
	if err != nil {
		log.Fatal(err)
	}
	t := newTournament(json.NewEncoder(os.Stdout), join.HostOptions{})
	if err := udp.Serve(ctx, conn.(*net.UDPConn), t.Hub(), udp.Handler{Event: t.Handle, Tick: t.tick}); err != nil {
		log.Fatal(err)
	}
}

// tournament is the state of the game. It belongs to the goroutine of udp.Serve.
type tournament struct {
	*join.Host
	results *json.Encoder
	system  opcode.System
	score   map[opcode.Team]int32 // nil before the match
	next    time.Duration         // game time of the next match, or 0
}

type pilot struct { // the Value of a player
	ready bool
	hits  int
}

func newTournament(results *json.Encoder, o join.HostOptions) *tournament {
	t := &tournament{results: results, system: opcode.SystemMulti1}
	o.Settings.Map, o.Ships, o.Enter, o.Message, o.Leave = stream.Text(mission), stateupdate.Stock(), t.enter, t.message, t.leave
	t.Host = join.NewHost(time.Now(), o)
	return t
}

func (t *tournament) enter(p *join.Member) {
	p.Value = &pilot{}
	t.Send(&opcode.ChatMessage{SenderID: objectid.Host, Text: stream.Lossy("Choose a team, and say !ready.")}, p)
}

func (t *tournament) message(p *join.Member, m opcode.Message) {
	own := p.Value.(*pilot)
	if _, ok := m.(*opcode.TeamMessage); ok && t.score != nil {
		return // the teams stay during a match; the Host tells the player
	}
	switch m := m.(type) {
	case *opcode.ObjectCreateTeam:
		if p.Ship != objectid.None {
			return // nobody repairs a ship by another one
		}
		own.hits = 0
	case *opcode.ChatMessage:
		own.ready = own.ready || m.Text.String() == "!ready"
		ready := map[opcode.Team]int{}
		for _, p := range t.Members() {
			if p.Value.(*pilot).ready {
				ready[p.Team]++
			}
		}
		if one, two := ready[opcode.TeamOne], ready[opcode.TeamTwo]; t.score == nil && one*two > 0 && one+two == len(t.Members()) {
			t.score = map[opcode.Team]int32{}
			t.Restart()
		}
	case opcode.Shot:
		_, target, _ := m.Fired()
		t.hit(target, p)
	}
	t.Relay(p, m)
}

// hit counts a shot at a ship.
func (t *tournament) hit(target objectid.ID, by *join.Member) {
	i := slices.IndexFunc(t.Members(), func(p *join.Member) bool { return p.Ship == target })
	if i < 0 || target == objectid.None || by.Ship == objectid.None || t.score == nil || t.next > 0 {
		return
	}
	victim, points := t.Members()[i], int32(1)
	if by.Team == victim.Team || by.Team == opcode.TeamNone {
		victim, points = by, -1
	}
	if victim.Value.(*pilot).hits++; victim.Value.(*pilot).hits < shots {
		return
	}
	victim.Deaths++
	by.Kills += points
	t.score[by.Team] += points
	exploding, _ := opcode.NewObjectExploding(victim.Ship, by.Ship, by.PeerID, 9.5) // the values are valid
	t.Broadcast(exploding)
	t.Broadcast(opcode.NewScoreChange(victim.PeerID, victim.Deaths, by.PeerID, by.Kills, by.Points))
	if t.score[by.Team] == kills {
		t.end(by.Team)
	}
}

func (t *tournament) leave(p *join.Member, _ transport.EndReason) {
	left := slices.ContainsFunc(t.Members(), func(mate *join.Member) bool { return mate.Team == p.Team })
	if t.score != nil && t.next == 0 && p.Team != opcode.TeamNone && !left {
		t.end(opcode.TeamOne + opcode.TeamTwo - p.Team)
	}
}

// end ends the match and writes the result.
func (t *tournament) end(winner opcode.Team) {
	t.next = t.GameTime() + pause
	t.End(opcode.EndScoreLimit)
	var players []join.Player
	for _, p := range t.Members() {
		players = append(players, p.Player)
	}
	_ = t.results.Encode(map[string]any{"system": t.system.String(), "winner": winner, "players": players})
}

// tick begins the next match in another system, for which the players join again.
func (t *tournament) tick(now time.Time) {
	t.Tick(now)
	if t.next > 0 && t.GameTime() >= t.next {
		t.system, t.score, t.next = t.system%opcode.SystemPoseidon+1, nil, 0
		t.NextMission(opcode.Settings{Map: stream.Text(mission)}, opcode.MissionInit{System: t.system})
	}
}
