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
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		w.shot("torpedo", weapon, direction(m.Direction), w.object(target))
	case *opcode.BeamFire:
		w.shot("beam", weapon, direction(m.Direction), w.object(target))
	default:
		w.shot("beam", weapon, nil, w.object(target))
	}
}

// shot reports that a weapon fires or stops.
func (w *world) shot(kind string, weapon objectid.ID, direction *Vector, target *string) {
	id, from := w.place(weapon)
	shot := &Shot{From: from, Direction: direction, Target: target}
	if _, part, ok := w.ships.Part(weapon); ok {
		shot.Weapon = part.String()
	}
	w.emit(kind, Change{ID: id, Shot: shot})
}

// hit reports an explosion or a collision. Its place is that of the ship, because the impact in an explosion is
// a point of the ship's model.
func (w *world) hit(kind string, object objectid.ID, hit Hit) {
	id, position := w.place(object)
	w.emit(kind, Change{ID: id, Motion: &Motion{Position: position}, Hit: &hit})
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
	if s := w.ships.Ship(id); s != nil {
		return s
	}
	if s, _, ok := w.ships.Part(id); ok {
		return s
	}
	if slot, ok := id.Slot(); ok {
		for s := range w.ships.Ships() {
			if s.Life != stateupdate.Unknown && s.OwnerSlot == slot {
				return s
			}
		}
	}
	return nil
}
