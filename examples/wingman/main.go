// Wingman is a player whose ship follows the ship of another player and keeps its distance.
//
//	go run ./examples/wingman -addr 127.0.0.1:22101 -leader Ann
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const (
	interval = 100 * time.Millisecond // between two updates of the ship, as in the game
	distance = 20                     // from the leader, in game units of 175 m
	pause    = 5 * time.Second        // before the next ship; servers limit the number of new ships
)

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`HOST:PORT` of the server")
	name := flag.String("name", "Wingman", "name of the player")
	leader := flag.String("leader", "", "`NAME` of the player to follow; the default is the first other player")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	player, err := udp.Join(ctx, *addr, join.Options{Name: *name})
	if err != nil {
		log.Fatal(err)
	}
	defer player.Close() // tells the server, which tells the other players
	w := wingman{player: player, leader: *leader, ids: objectid.Allocator{Slot: player.State().Self.Slot}}
	log.Print(w.run(ctx))
}

// wingman flies the ship of a player.
type wingman struct {
	player  *udp.Conn
	leader  string
	tracker stateupdate.Tracker // follows all ships, also the wingman's own
	ids     objectid.Allocator  // each ship needs new object IDs
	ship    *stateupdate.Ship   // nil before the first one
	encoder stateupdate.Encoder // encodes what has changed since the last update
}

// run flies until the context or the session ends, and returns the reason.
func (w *wingman) run(ctx context.Context) error {
	var alive time.Time // when the ship was last alive
	for {
		tick, cancel := context.WithTimeout(ctx, interval)
		var err error
		for m, e := range w.player.Messages(tick) {
			if err = e; err == nil { // not a malformed message
				_, _ = w.tracker.Apply(m) // applies what fits the ships
			}
		}
		cancel()
		switch {
		case !errors.Is(err, context.DeadlineExceeded): // the tick has not passed
			return cmp.Or(context.Cause(ctx), err)
		case w.ship != nil && w.tracker.Life(w.ship.ID) == stateupdate.Alive:
			alive = time.Now()
			w.fly(interval.Seconds())
		case time.Since(alive) >= pause:
			if err := w.launch(); err != nil {
				return err
			}
		}
	}
}

// launch creates a ship at a random place.
func (w *wingman) launch() error {
	state, class := w.player.State(), stateupdate.Stock().Named("akira")
	id, err := w.ids.Reserve(class.Objects()) // the ship and its parts
	if err != nil {
		return err
	}
	w.ship = stateupdate.NewShip(id, class)
	w.ship.PeerID, w.ship.OwnerSlot, w.ship.PlayerName = state.Self.PeerID, state.Self.Slot, state.Self.Name
	w.ship.SetName = cmp.Or(state.Mission, &opcode.MissionInit{System: opcode.SystemMulti1}).System.String()
	w.ship.Position = [3]float32{100 * rand.Float32(), 100 * rand.Float32(), 100 * rand.Float32()}
	creation, err := w.ship.Creation()
	if err != nil {
		return err
	}
	log.Printf("flies %v", w.ship)
	_, _ = w.tracker.Apply(creation)
	return w.player.Send(creation)
}

// target returns the ship to follow, or nil.
func (w *wingman) target() *stateupdate.Ship {
	for s := range w.tracker.Ships() {
		if s.Life == stateupdate.Alive && s.PeerID.Valid() && s.PeerID != w.ship.PeerID && s.SetName == w.ship.SetName &&
			(w.leader == "" || w.leader == s.PlayerName) {
			return s
		}
	}
	return nil
}

// fly moves the ship for some seconds and sends its state.
func (w *wingman) fly(seconds float64) {
	w.move(seconds)
	gameTime := float32(time.Since(w.player.State().Began).Seconds())
	if payload, err := w.encoder.Append(nil, gameTime, w.ship); err == nil && len(payload) > 0 { // it is empty if nothing has changed
		_ = w.player.SendPayload(payload, transport.Unreliable) // if it is lost, the next one follows
	}
}

// move moves the ship for some seconds. Its class limits its speed, its acceleration and its turn.
func (w *wingman) move(seconds float64) {
	s, limits := w.ship, w.ship.Class.Physics
	nose, speed := toVector(s.Forward.Float32()).unit(), float64(s.Speed.Float32())
	var course vector // the velocity to approach; without a leader the ship stops
	if leader := w.target(); leader != nil {
		away := toVector(s.Position[0]-leader.Position[0], s.Position[1]-leader.Position[1], s.Position[2]-leader.Position[2])
		course = toVector(leader.Forward.Float32()).times(float64(leader.Speed.Float32()))
		course = course.plus(away.unit().times((distance - away.length()) / 3)) // corrects the distance in about 3 s
	}
	if want, up := course.unit(), toVector(s.Up.Float32()); course.length() > 0.1 { // less is not worth a turn
		side := want.plus(nose.times(-want.dot(nose))).plus(up.times(0.01 - 0.01*want.dot(nose))) // up, to turn around
		nose = nose.plus(side.times(min(1, limits.MaxTurn*seconds/side.length()))).unit()
		s.SetHeading(float32(nose[0]), float32(nose[1]), float32(nose[2]))
	}
	change := limits.MaxAcceleration * seconds
	speed = min(max(course.dot(nose), 0, speed-change), limits.MaxSpeed, speed+change)
	s.Speed = compress.EncodeFloat16(float32(speed))
	for i := range s.Position {
		s.Position[i] += float32(nose[i] * speed * seconds)
	}
}

type vector [3]float64

func toVector(x, y, z float32) vector   { return vector{float64(x), float64(y), float64(z)} }
func (a vector) times(f float64) vector { return vector{f * a[0], f * a[1], f * a[2]} }
func (a vector) plus(b vector) vector   { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vector) dot(b vector) float64   { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vector) length() float64        { return math.Sqrt(a.dot(a)) }
func (a vector) unit() vector           { return a.times(1 / max(a.length(), 1e-9)) } // zero stays zero
