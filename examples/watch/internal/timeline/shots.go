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
	c.Target = w.object(target)
	w.emit(c)
}

// shot returns the change for a weapon that fires, or of kind "beamstop" for one that stops.
func (w *world) shot(kind string, weapon objectid.ID) *Fired {
	c := &Fired{Header: w.head(kind)}
	if slot, ok := weapon.Slot(); ok {
		c.Slot = valid(slot)
	}
	if _, part, ok := w.tracker.Part(weapon); ok {
		c.Weapon = part.String()
	}
	c.ID, c.From = w.place(weapon)
	return c
}

// exploded reports an explosion that damages a ship. Its impact is a point of the ship's model.
func (w *world) exploded(m *opcode.Explosion) {
	c := &Hit{Header: w.head("explosion"), Radius: number(m.Radius.Float32()), Damage: number(m.Damage.Float32())}
	c.ID, c.Position = w.place(m.ObjectID)
	w.emit(c)
}

// collided reports a collision.
func (w *world) collided(m *opcode.CollisionEffect) {
	if id, other, ok := m.Collided(); ok {
		c := &Hit{Header: w.head("collision"), Other: w.object(other)}
		c.ID, c.Position = w.place(id)
		w.emit(c)
	}
}

// place returns the ID and the position of the ship that an object belongs to, or nil if it is unknown.
func (w *world) place(id objectid.ID) (*string, *Vector) {
	if ship := w.shipWith(id); ship != nil {
		return new(ship.ID.String()), positionOf(ship)
	}
	return nil, nil
}

// object returns the ID of the ship that an object belongs to, or else of the object, or nil for none.
func (w *world) object(id objectid.ID) *string {
	if id == objectid.None {
		return nil
	}
	if ship, _ := w.place(id); ship != nil {
		return ship
	}
	return new(id.String())
}

// shipWith returns the ship that an ID belongs to: of the ship itself, of a part, or of an object
// in the slot of a player. It returns nil if the ship is unknown.
func (w *world) shipWith(id objectid.ID) *stateupdate.Ship {
	if s := w.tracker.Ship(id); s != nil {
		return s
	}
	if s, _, ok := w.tracker.Part(id); ok {
		return s
	}
	if slot, ok := id.Slot(); ok {
		for s := range w.tracker.Ships() {
			if s.Life != stateupdate.Unknown && s.OwnerSlot == slot {
				return s
			}
		}
	}
	return nil
}
