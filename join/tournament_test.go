package join_test

import (
	"context"
	"log"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// flyer is a player of the tournament.
type flyer struct {
	*udp.Conn
	ships int
	ship  objectid.ID
}

// fly joins, and launches a ship.
func fly(ctx context.Context, address, name string) *flyer {
	quick := transport.Options{Tick: 5 * time.Millisecond}
	conn, err := udp.Dial(ctx, address, udp.Options{Password: "engage", Session: quick})
	if err != nil {
		log.Fatal(err)
	}
	if err := conn.Join(ctx, join.Options{Name: name}); err != nil {
		log.Fatal(err)
	}
	f := &flyer{Conn: conn}
	f.launch()
	return f
}

// launch creates the next ship.
func (f *flyer) launch() objectid.ID {
	self := f.State().Self
	base, _ := objectid.Base(self.Slot)
	f.ships++
	f.ship = base + objectid.ID(100*f.ships)
	ship := stateupdate.NewShip(f.ship, stateupdate.Stock().Named("akira"))
	ship.PlayerName, ship.SetName = self.Name, "Multi1"
	object, err := ship.Object()
	if err != nil {
		log.Fatal(err)
	}
	_ = f.Send(&opcode.ObjectCreateTeam{OwnerSlot: self.Slot, NetPlayerID: self.PeerID, Object: object})
	return f.ship
}

// collide reports a collision of its ship.
func (f *flyer) collide(with objectid.ID, force float32) {
	m, err := opcode.NewCollisionEffect(f.ship, with, nil, force)
	if err != nil {
		log.Fatal(err)
	}
	_ = f.Send(m)
}

// playRound lets Ann ram Bob's ships until the round ends and the next one begins.
func playRound(ctx context.Context, ann, bob *flyer, kills int) {
	for range kills {
		hit := bob.launch()
		await[*opcode.ObjectCreateTeam](ctx, ann)
		ann.collide(hit, 1)
		_ = ann.Send(&opcode.ChatMessage{Text: stream.Lossy("got you")}) // the server has the report
		await[*opcode.ChatMessage](ctx, bob)
		bob.collide(ann.ship, 5000)
		await[*opcode.ScoreChange](ctx, ann)
	}
	await[*opcode.EndGame](ctx, ann)
	await[*opcode.RestartGame](ctx, bob)
}

// await waits for a message of a type.
func await[M opcode.Message](ctx context.Context, f *flyer) {
	for m, err := range f.Messages(ctx) {
		if _, ok := m.(M); ok {
			return
		}
		if ctx.Err() != nil {
			log.Fatal(err)
		}
	}
}
