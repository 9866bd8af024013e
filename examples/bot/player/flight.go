package player

import (
	"time"

	"github.com/bcwire/bcwire/examples/bot/pilot"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

const (
	// updateInterval is the time between two updates, as in the game.
	updateInterval = 100 * time.Millisecond
	// powerRefresh is the time after which the power settings are sent again, in case an
	// update was lost. The game does not send them again.
	powerRefresh = 5 * time.Second
)

// flight is the player's own ship.
type flight struct {
	ship    *stateupdate.Ship // nil: none
	pilot   *pilot.Pilot
	world   *model.World  // the ship, and copies of the others
	others  []*model.Ship // in the world
	began   time.Duration // of the world
	encoder stateupdate.Encoder
	update  opcode.Unknown // the last update
	payload []byte         // of the last update
}

func (f *flight) is(id objectid.ID) bool { return f.ship != nil && f.ship.ID == id }

// Ship returns the player's own ship, or nil if it has none. The caller may change what the
// owner of a ship decides: the cloaking device and the power of subsystems.
func (p *Player) Ship() *stateupdate.Ship { return p.flight.ship }

// launch creates a ship of the player.
func (p *Player) launch() {
	class, slot := p.options.Ship, p.match.slot
	id, err := p.ids.Reserve(class.Objects())
	if err != nil { // all IDs of the slot have been used: start again
		p.ids = objectid.Allocator{Slot: slot}
		id, _ = p.ids.Reserve(class.Objects())
	}
	f := &p.flight
	ship := stateupdate.NewShip(id, class)
	ship.PlayerName, ship.SetName = stream.Lossy(p.players.Self.Name).String(), p.system().String()
	var taken [][3]float64
	for _, other := range p.Ships() {
		taken = append(taken, model.MotionOf(&other.Motion).Position)
	}
	f.pilot.Place(&ship.Motion, taken...)
	object, err := ship.Object()
	if err == nil {
		err = p.Send(&opcode.ObjectCreateTeam{OwnerSlot: slot, NetPlayerID: p.ID(), Object: object})
	}
	if err != nil {
		p.choose()
		return
	}
	p.state = InGame
	f.ship, f.encoder = ship, stateupdate.Encoder{PowerRefresh: powerRefresh}
	f.world, f.began = new(model.World), p.clock.now
	p.report("%s has %v %v", p.name(p.ID()), class.Species, id)
	p.greet()
	p.fly()
}

// system returns the star system of the match.
func (p *Player) system() opcode.System {
	if m := p.players.Mission; m != nil {
		return m.System
	}
	return opcode.SystemMulti1
}

// fly lets the pilot act, and sends an update.
func (p *Player) fly() {
	f := &p.flight
	p.due = p.clock.now + updateInterval
	p.act()
	payload, err := f.encoder.Append(f.payload[:0], p.gameTime(), f.ship)
	f.payload = payload
	if err == nil && len(payload) > 0 {
		f.update = opcode.Unknown{Op: opcode.OpStateUpdate, Data: payload[1:]}
		_ = p.Send(&f.update) // the next update follows
	}
}

// act moves the ship and sends messages about its shots and collisions. A message that the link refuses is
// counted, and lost. A ship without physics does not move.
func (p *Player) act() {
	f, now := &p.flight, p.clock.now-p.flight.began
	own := f.world.Ship(f.ship.ID)
	if own == nil {
		if own = pilot.Observe(f.world, f.ship); own == nil {
			return
		}
	}
	pilot.Take(own, f.ship)
	own.Cloaked = f.ship.Cloaked
	others := f.others[:0]
	for owner, s := range p.Ships() {
		if other := pilot.Observe(f.world, s); other != nil && owner.Valid() && owner != p.ID() {
			others = append(others, other)
		}
	}
	f.others = others
	for _, m := range f.pilot.Act(f.world, now, own, others) {
		_ = p.Send(m)
	}
	for _, e := range f.world.Advance(now) {
		if m := f.pilot.Message(f.world, own, e, p.ID()); m != nil {
			_ = p.Send(m)
		}
	}
	f.ship.Motion = pilot.Motion(own)
}

// applyCondition applies the condition of subsystems in an update of the host. The owner decides
// the motion and the power.
func (f *flight) applyCondition(m *opcode.StateUpdate) error {
	for status, err := range f.ship.Class.Block(m) {
		if err != nil {
			return err
		}
		own := &f.ship.Subsystems[status.Index]
		own.Condition = status.Condition
		own.MainBattery, own.BackupBattery = status.MainBattery, status.BackupBattery
		copy(own.Parts, status.Parts)
	}
	return nil
}
