package player

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

const (
	// updateInterval is the time between two updates, as in the game.
	updateInterval = 100 * time.Millisecond
	// maxStep is the longest time that the ship flies in one step, after a pause.
	maxStep = time.Second
	// powerRefresh is the time after which the power settings are sent again, in case an
	// update was lost. The game does not send them again.
	powerRefresh = 5 * time.Second

	fireInterval = 3 * time.Second
	beamDuration = time.Second
)

// flight is the player's own ship.
type flight struct {
	ship    *stateupdate.Ship // nil: none
	mover   *mover
	encoder stateupdate.Encoder
	course  course
	guns    guns
	at      time.Duration // of the last update
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
	if f.course.rand == nil {
		f.course.rand = rand.New(rand.NewPCG(p.options.Seed, uint64(slot)))
	}
	ship := stateupdate.NewShip(id, class)
	ship.PlayerName, ship.SetName = p.shipName(), p.match.system.String()
	ship.Position = f.course.start()
	object, err := ship.Object()
	if err == nil {
		err = p.Send(&opcode.ObjectCreateTeam{OwnerSlot: slot, NetPlayerID: p.id, Object: object})
	}
	if err != nil {
		p.choose(p.options.Choose)
		return
	}
	now := p.clock.now
	p.state = InGame
	f.ship, f.mover, f.encoder = ship, newMover(ship), stateupdate.Encoder{PowerRefresh: powerRefresh}
	f.guns, f.at = guns{next: now + fireInterval}, now
	p.report("%s has %v %v", p.name(p.id), class.Species, id)
	p.greet()
	p.fly()
}

// shipName returns the name that the host has given the player, if a ship can have it.
func (p *Player) shipName() string {
	name := p.name(p.id)
	if t, err := stream.NewText(name); err != nil || len(t) > MaxName {
		return p.options.Name
	}
	return name
}

// fly moves the ship and sends an update.
func (p *Player) fly() {
	f, now := &p.flight, p.clock.now
	step := min(now-f.at, maxStep)
	f.mover.step(float32(step.Seconds()), f.course.helm(now))
	f.at, p.due = now, now+updateInterval
	payload, err := f.encoder.Append(p.buf[:0], p.gameTime(), f.ship)
	p.buf = payload
	if err == nil && len(payload) > 0 {
		err = p.link.SendPayload(payload, transport.Unreliable)
	}
	_ = p.sent(opcode.OpStateUpdate, err) // the next update follows
	if p.options.Fire {
		p.fire()
	}
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

// guns are the weapon systems of a ship, which fire in turn.
type guns struct {
	next   time.Duration
	shots  int
	target objectid.ID
	beam   objectid.ID // a phaser system that is firing
	stopAt time.Duration
}

// fire fires the next weapon system at the nearest ship of another player.
func (p *Player) fire() {
	g, now := &p.flight.guns, p.clock.now
	if g.beam != objectid.None && now >= g.stopAt {
		_ = p.Send(opcode.NewStopFiring(g.beam))
		g.beam = objectid.None
	}
	if now < g.next {
		return
	}
	g.next = now + fireInterval
	target := p.nearest()
	if target == nil {
		return
	}
	if target.ID != g.target {
		_ = p.Send(opcode.NewTargetChanged(p.flight.ship.ID, g.target))
		g.target = target.ID
	}
	if m := p.flight.shot(target, p.id, now); m != nil {
		_ = p.Send(m) // a shot that the link refuses is counted, and lost
	}
	g.shots++
}

// shot returns the message of the next weapon system, or nil if the ship has none whose object
// ID is known.
func (f *flight) shot(target *stateupdate.Ship, player objectid.PeerID, now time.Duration) opcode.Message {
	g, class := &f.guns, f.ship.Class
	var weapons []int
	for i := range class.Subsystems {
		switch class.Subsystems[i].Kind {
		case stateupdate.KindTorpedo, stateupdate.KindPulse, stateupdate.KindPhaser:
			weapons = append(weapons, i)
		}
	}
	if len(weapons) == 0 {
		return nil
	}
	i := weapons[g.shots%len(weapons)]
	system, child := &class.Subsystems[i], -1 // phasers fire as a system
	if n := len(system.Children); n > 0 && system.Kind != stateupdate.KindPhaser {
		child = g.shots % n
	}
	gun, ok := class.PartID(f.ship.ID, i, child)
	if !ok {
		return nil
	}
	from, to := f.ship.Position, target.Position
	direction := compress.EncodeVector3(to[0]-from[0], to[1]-from[1], to[2]-from[2])
	switch system.Kind {
	case stateupdate.KindTorpedo:
		return opcode.NewTorpedoFire(gun, player, direction, target.ID, compress.Contact{})
	case stateupdate.KindPulse:
		return opcode.NewBeamFire(gun, player, direction, target.ID)
	}
	g.beam, g.stopAt = gun, now+beamDuration
	return opcode.NewStartFiring(gun, target.ID)
}

// nearest returns the nearest ship of another player, or nil if there is none.
func (p *Player) nearest() (nearest *stateupdate.Ship) {
	least := math.Inf(1)
	for owner, s := range p.Ships() {
		if d := distance(&p.flight.ship.Position, &s.Position); owner.Valid() && owner != p.id && d < least {
			nearest, least = s, d
		}
	}
	return nearest
}

// distance returns the square of the distance of two positions.
func distance(a, b *[3]float32) (sum float64) {
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return sum
}
