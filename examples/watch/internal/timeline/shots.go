package timeline

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// fired reports a shot.
func (w *world) fired(m opcode.Shot) {
	weapon, target, ok := m.Fired()
	if !ok {
		return
	}
	c := w.shot("beam", weapon)
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		c.Kind, c.Direction = "torpedo", direction(m.Direction)
	case *opcode.BeamFire:
		c.Direction = direction(m.Direction)
	}
	if ship := w.shipWith(target); ship != nil && target != objectid.None {
		c.Target = idOf(ship)
	} else if target != objectid.None {
		id := target.String()
		c.Target = &id
	}
	w.emit(c)
}

// stopped reports that a weapon stops.
func (w *world) stopped(weapon objectid.ID) { w.emit(w.shot("beamstop", weapon)) }

// shot returns the change for a weapon.
func (w *world) shot(kind string, weapon objectid.ID) *Fired {
	c := &Fired{Header: w.head(kind)}
	if slot, ok := weapon.Slot(); ok {
		c.Slot = slotOf(slot)
	}
	if _, part, ok := w.tracker.Part(weapon); ok {
		c.Weapon = part.String()
	}
	if ship := w.shipWith(weapon); ship != nil {
		c.ID, c.From = idOf(ship), positionOf(ship)
	}
	return c
}

// exploded reports an explosion that damages a ship. Its impact is a point of the ship's model.
func (w *world) exploded(m *opcode.Explosion) {
	c := w.hit("explosion", m.ObjectID)
	c.Radius, c.Damage = number(m.Radius.Float32()), number(m.Damage.Float32())
	w.emit(c)
}

// collided reports a collision.
func (w *world) collided(m *opcode.CollisionEffect) {
	id, other, ok := m.Collided()
	if !ok {
		return
	}
	c := w.hit("collision", id)
	if other != objectid.None {
		text := other.String()
		c.Other = &text
		if ship := w.shipWith(other); ship != nil {
			c.Other = idOf(ship)
		}
	}
	w.emit(c)
}

func (w *world) hit(kind string, id objectid.ID) *Hit {
	c := &Hit{Header: w.head(kind)}
	if ship := w.shipWith(id); ship != nil {
		c.ID, c.Position = idOf(ship), positionOf(ship)
	}
	return c
}

func idOf(s *stateupdate.Ship) *string {
	id := s.ID.String()
	return &id
}

func positionOf(s *stateupdate.Ship) *Vector {
	return vector(s.Position[0], s.Position[1], s.Position[2])
}
