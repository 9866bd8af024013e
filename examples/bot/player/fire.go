package player

import (
	"math"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

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
