package player

import (
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// tickEvery is the time between two updates, as in the game.
const tickEvery = 100 * time.Millisecond

// flight is the player's own ship.
type flight struct {
	ship    *stateupdate.Ship // nil: none
	mover   *mover
	encoder stateupdate.Encoder
	course  course
	guns    guns
	due     time.Duration
	at      time.Duration // of the last update
}

func (f *flight) is(id objectid.ID) bool { return f.ship != nil && f.ship.ID == id }

// Ship returns the player's own ship, nil if it has none.
func (p *Player) Ship() *stateupdate.Ship { return p.flight.ship }

// launch gives the player a ship, and tells the host.
func (p *Player) launch() {
	class := p.options.Ship
	id, err := p.ids.Reserve(class.Objects())
	if err != nil { // the first ones are free again
		p.ids = objectid.Allocator{Slot: objectid.Slot(p.slot)}
		id, _ = p.ids.Reserve(class.Objects())
	}
	if p.flight.course.rand == nil {
		p.flight.course.rand = rand.New(rand.NewPCG(p.options.Seed, uint64(p.slot)))
	}
	ship := stateupdate.NewShip(id, class)
	ship.PlayerName, ship.SetName = p.shipName(), p.system()
	ship.Position = p.flight.course.place()
	object, err := ship.Object()
	if err == nil {
		err = p.send(&opcode.ObjectCreateTeam{
			OwnerSlot: int8(p.slot), NetPlayerID: int8(p.session.PeerID()), Object: object,
		})
	}
	if err != nil {
		p.pickAt = p.clock.now + p.options.Choose
		return
	}
	p.state, p.pickAt = InGame, never
	f := &p.flight
	f.ship, f.mover, f.encoder = ship, newMover(ship), stateupdate.Encoder{PowerRefresh: powerRefresh}
	f.guns, f.due, f.at = guns{next: p.clock.now + fireEvery}, p.clock.now, p.clock.now
	p.event(ShipCreated{Owner: p.peer(p.ID()), ID: id, Species: class.Species})
	p.greet()
}

// shipName returns the name that the host has given the player, if a ship can have it.
func (p *Player) shipName() string {
	name := p.peer(p.ID()).Name
	if t, err := stream.NewText(name); err != nil || len(t) > MaxName {
		return p.options.Name
	}
	return name
}

// system returns where the game is.
func (p *Player) system() string {
	if p.mission == nil {
		return opcode.SystemMulti1.String()
	}
	return p.mission.System.String()
}

// powerRefresh is after how long the power settings are sent again, so that lost ones heal.
// The game does not do so.
const powerRefresh = 5 * time.Second

// longestStep is what the ship flies at once, after a pause.
const longestStep = time.Second

// tick flies the ship and tells the host.
func (p *Player) tick() {
	f, now := &p.flight, p.clock.now
	step := min(now-f.at, longestStep)
	f.mover.step(float32(step.Seconds()), f.course.helm(now))
	f.at, f.due = now, now+tickEvery
	payload, err := f.encoder.Append(p.buf[:0], p.gameTime(), f.ship)
	p.buf = payload
	if err == nil && len(payload) > 0 {
		err = p.session.Send(payload, transport.Unreliable)
	}
	p.counters.sent(opcode.OpStateUpdate, err)
	if p.options.Fire {
		p.fire()
	}
}

// applyCondition takes the condition of the ship from an update of the host. Where it is and where its
// power goes, the player says.
func (f *flight) applyCondition(m *opcode.StateUpdate, c *Counters) {
	for status, err := range f.ship.Class.Block(m) {
		if err != nil {
			c.Inapplicable++
			return
		}
		own := &f.ship.Subsystems[status.Index]
		own.Condition = status.Condition
		own.MainBattery, own.BackupBattery = status.MainBattery, status.BackupBattery
		copy(own.Parts, status.Parts)
	}
}
