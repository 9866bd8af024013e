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

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

const (
	interval = 100 * time.Millisecond // between two updates of the ship, as in the game
	distance = 20                     // from the leader, in game units of 175 m
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
	for err == nil {
		if err = play(ctx, player, *leader); errors.Is(err, join.ErrTimeout) {
			log.Print(err)
			player, err = player.Rejoin(ctx)
		}
	}
	log.Print(err)
}

// play flies the ship of a player until the context or the session ends, and returns the reason.
func play(ctx context.Context, player *udp.Conn, leader string) error {
	defer player.Close() // tells the server, which tells the other players
	return newWingman(player, leader).run(ctx)
}

// wingman flies the ships of a player.
type wingman struct {
	player *udp.Conn
	leader string
	*stateupdate.Flight
}

func newWingman(player *udp.Conn, leader string) *wingman {
	self := player.State().Self
	return &wingman{player, leader, &stateupdate.Flight{
		Class: stateupdate.Stock().Named("akira"), PeerID: self.PeerID, Slot: self.Slot, Name: self.Name,
		Place: func(m *stateupdate.Motion) {
			m.Position = [3]float32{100 * rand.Float32(), 100 * rand.Float32(), 100 * rand.Float32()}
		},
	}}
}

// run flies until the context or the session ends, and returns the reason.
func (w *wingman) run(ctx context.Context) error {
	for {
		tick, cancel := context.WithTimeout(ctx, interval)
		var err error
		for m, e := range w.player.Messages(tick) {
			if err = e; err == nil { // not a malformed message
				_, _ = w.Apply(m) // applies what fits the ships
			}
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) { // the tick has not passed
			return cmp.Or(context.Cause(ctx), err)
		}
		w.steer()
		messages, err := w.Advance(time.Since(w.player.State().Began))
		if err != nil {
			return err
		}
		for _, m := range messages {
			_ = w.player.Send(m) // if the session has ended, Messages returns the reason
		}
	}
}

// target returns the ship to follow, or nil.
func (w *wingman) target() *stateupdate.Ship {
	own := w.Ship()
	for s := range w.Tracker.Ships() {
		if own != nil && s.Life == stateupdate.Alive && s.PeerID.Valid() && s.PeerID != own.PeerID && s.SetName == own.SetName &&
			(w.leader == "" || w.leader == s.PlayerName) {
			return s
		}
	}
	return nil
}

// steer sets the helm, so that the ship flies as its leader does, and corrects the distance in about 3 s. Without a
// leader it stops.
func (w *wingman) steer() {
	w.Helm = new(stateupdate.Helm)
	leader := w.target()
	if leader == nil {
		return
	}
	ahead := leader.Motion.Course()
	away := vector(ahead.Position).plus(vector(w.Course.Position).times(-1))
	velocity := vector(ahead.Velocity).plus(away.times((1 - distance/max(away.length(), 1)) / 3))
	if velocity.length() > 0.1 { // less is not worth a turn
		limits := w.Ship().Class.Physics
		*w.Helm = w.Course.Toward(limits, velocity, [3]float64{}, velocity.dot(w.Course.Forward)/limits.MaxSpeed)
	}
}

type vector [3]float64

func (a vector) times(f float64) vector { return vector{f * a[0], f * a[1], f * a[2]} }
func (a vector) plus(b vector) vector   { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vector) dot(b vector) float64   { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vector) length() float64        { return math.Sqrt(a.dot(a)) }
