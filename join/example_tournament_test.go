package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// tournament is a server whose rounds end at a number of kills. It writes each result as JSON.
type tournament struct {
	*join.Host
	kills   int32
	pause   float32 // seconds between two rounds
	restart float32 // game time of the next round, or 0
	ships   stateupdate.Broadcaster
	results *json.Encoder
}

// pilot is the Value of a player. It follows the ship of the player.
type pilot struct {
	stateupdate.Tracker
	rammed objectid.ID // the ship with which it has collided
}

func (t *tournament) enter(p *join.Member) {
	t.ships.AddReceiver(p.PeerID)
	for _, other := range t.Members() {
		if pilot, ok := other.Value.(*pilot); ok {
			if creation, err := pilot.Ship(other.Ship).Creation(); err == nil {
				t.Send(creation, p)
			}
		}
	}
	p.Value = &pilot{Tracker: stateupdate.Tracker{MaxShips: 1}}
}

func (t *tournament) leave(p *join.Member, _ transport.EndReason) {
	t.ships.RemoveReceiver(p.PeerID)
	t.remove(p)
}

// message acts on a message. Package join has checked that the player may send it.
func (t *tournament) message(p *join.Member, m opcode.Message) {
	change, _ := p.Value.(*pilot).Apply(m)
	if change.Created {
		t.remove(p)
		p.Ship = change.ObjectID
		_ = t.ships.AddShip(change.Ship)
	}
	if hit, ok := m.(*opcode.CollisionEffect); ok {
		_, other, _ := hit.Collided()
		p.Value.(*pilot).rammed = other
		if hit.Force >= 1000 && p.Ship != objectid.None {
			t.destroy(p, other)
		}
	}
	t.Relay(p, m)
}

// destroy gives the kill to the player of a ship, if that player has reported the collision, too.
func (t *tournament) destroy(victim *join.Member, by objectid.ID) {
	winner := &join.Member{Player: join.Player{PeerID: objectid.NoPeer}}
	for _, p := range t.Members() {
		if p.Ship == by && p != victim && p.Value.(*pilot).rammed == victim.Ship {
			winner = p
		}
	}
	victim.Deaths++
	winner.Kills++
	if exploding, err := opcode.NewObjectExploding(victim.Ship, winner.Ship, winner.PeerID, 9.5); err == nil {
		t.Broadcast(exploding)
	}
	t.Broadcast(opcode.NewScoreChange(victim.PeerID, victim.Deaths, winner.PeerID, winner.Kills, 0))
	t.forget(victim)
	if winner.Name != "" && winner.Kills == t.kills && t.restart == 0 {
		t.end(winner)
	}
}

// end ends a round and writes the result.
func (t *tournament) end(winner *join.Member) {
	t.restart = t.GameTime() + t.pause
	t.End(opcode.EndFragLimit)
	kills := map[string]int32{}
	for _, p := range t.Members() {
		kills[p.Name] = p.Kills
	}
	result := map[string]any{"winner": winner.Name, "kills": kills}
	if err := t.results.Encode(result); err != nil {
		log.Print(err)
	}
}

// tick sends the updates of the ships, and begins the next round.
func (t *tournament) tick(now time.Time) {
	t.Tick(now)
	if t.restart > 0 && t.GameTime() >= t.restart {
		for _, p := range t.Members() {
			t.forget(p)
		}
		t.restart = 0
		t.Restart()
	}
	for id, payload := range t.ships.Updates(t.GameTime()) {
		if session := t.Hub().Session(id); session != nil {
			_ = session.Send(payload, transport.Unreliable)
		}
	}
}

// remove removes the ship of a player who leaves or takes another one.
func (t *tournament) remove(p *join.Member) {
	if p.Ship != objectid.None {
		t.Broadcast(&opcode.DestroyObject{ObjectID: p.Ship})
		t.forget(p)
	}
}

// forget forgets a ship that the clients remove, because it explodes or the round is over.
func (t *tournament) forget(p *join.Member) {
	t.ships.RemoveShip(p.Ship)
	p.Ship = objectid.None
}

// A tournament server has a password, a limit of players, and rounds that end at a number of kills. Two
// clients play a round. The server writes the result as JSON.
func Example_tournament() {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	t := &tournament{kills: 2, pause: 0.1, results: json.NewEncoder(os.Stdout)}
	t.Host = join.NewHost(time.Now(), join.HostOptions{
		Password: "engage", Mission: opcode.MissionInit{PlayerLimit: 2},
		Enter: t.enter, Message: t.message, Leave: t.leave,
	})
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	go func() {
		_ = udp.Serve(ctx, conn, t.Hub(), udp.Handler{Event: t.Handle, Tick: t.tick, Interval: 20 * time.Millisecond})
	}()
	address := conn.LocalAddr().String()

	_, err = udp.Join(ctx, address, join.Options{Name: "Eve", Password: "guess"})
	fmt.Println("Eve:", errors.Is(err, join.ErrPassword))
	ann, bob := fly(ctx, address, "Ann"), fly(ctx, address, "Bob")
	_, err = udp.Join(ctx, address, join.Options{Name: "Cat", Password: "engage"})
	fmt.Println("Cat:", errors.Is(err, join.ErrFull))
	playRound(ctx, ann, bob, int(t.kills)) // until RestartGame
	fmt.Println("the next round begins")
	// Output:
	// Eve: true
	// Cat: true
	// {"kills":{"Ann":2,"Bob":0},"winner":"Ann"}
	// the next round begins
}
