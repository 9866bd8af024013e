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

const (
	fireEvery = 3 * time.Second
	beamFor   = time.Second
)

// guns are the weapons of a ship, which are fired in turn.
type guns struct {
	next   time.Duration
	shots  int
	target objectid.ID
	beam   objectid.ID // a phaser system that is firing
	stopAt time.Duration
}

// fire fires the weapon whose turn it is at the nearest ship of another player.
func (p *Player) fire() {
	g, now := &p.flight.guns, p.clock.now
	if g.beam != objectid.None && now >= g.stopAt {
		p.shoot(opcode.NewStopFiring(g.beam))
		g.beam = objectid.None
	}
	if now < g.next {
		return
	}
	g.next = now + fireEvery
	target := p.nearest()
	if target == nil {
		return
	}
	if target.ID != g.target {
		p.shoot(opcode.NewTargetChanged(p.flight.ship.ID, g.target))
		g.target = target.ID
	}
	if i, ok := p.flight.weapon(); ok {
		p.fireWeapon(i, target)
	}
	g.shots++
}

// weapon returns the index of the weapon system whose turn it is.
func (f *flight) weapon() (int, bool) {
	var weapons []int
	for i := range f.ship.Class.Subsystems {
		switch f.ship.Class.Subsystems[i].Kind {
		case stateupdate.KindTorpedo, stateupdate.KindPulse, stateupdate.KindPhaser:
			weapons = append(weapons, i)
		}
	}
	if len(weapons) == 0 {
		return 0, false
	}
	return weapons[f.guns.shots%len(weapons)], true
}

func (p *Player) fireWeapon(i int, target *stateupdate.Ship) {
	f := &p.flight
	kind, child := f.ship.Class.Subsystems[i].Kind, f.guns.shots
	if kind == stateupdate.KindPhaser {
		child = -1
	}
	gun, ok := f.gun(i, child)
	if !ok {
		return
	}
	direction := f.toward(target)
	switch kind {
	case stateupdate.KindTorpedo:
		p.shoot(opcode.NewTorpedoFire(gun, objectid.PeerID(p.ID()), direction, target.ID, compress.Contact{}))
	case stateupdate.KindPulse:
		p.shoot(opcode.NewBeamFire(gun, objectid.PeerID(p.ID()), direction, target.ID))
	case stateupdate.KindPhaser:
		f.guns.beam, f.guns.stopAt = gun, p.clock.now+beamFor
		p.shoot(opcode.NewStartFiring(gun, target.ID))
	}
}

// shoot sends a message about weapons. One for which there is no room is counted, and lost.
func (p *Player) shoot(m opcode.Message) { _ = p.send(m) }

// gun returns the object ID of a weapon of a system, counted around, or of the system itself
// if child is -1. It reports false if the class has no part IDs.
func (f *flight) gun(system, child int) (objectid.ID, bool) {
	if n := len(f.ship.Class.Subsystems[system].Children); child >= 0 && n > 0 {
		child %= n
	} else {
		child = -1
	}
	return f.ship.Class.PartID(f.ship.ID, system, child)
}

// nearest returns the nearest ship of another player, nil if there is none.
func (p *Player) nearest() (nearest *stateupdate.Ship) {
	least := math.Inf(1)
	for owner, s := range p.Ships() {
		if owner == 0 || owner == p.ID() {
			continue
		}
		if d := distance(&p.flight.ship.Position, &s.Position); d < least {
			nearest, least = s, d
		}
	}
	return nearest
}

// distance returns the square of the distance of two places.
func distance(a, b *[3]float32) (sum float64) {
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return sum
}

func (f *flight) toward(s *stateupdate.Ship) compress.Vector3 {
	from, to := f.ship.Position, s.Position
	return compress.EncodeVector3(to[0]-from[0], to[1]-from[1], to[2]-from[2])
}
