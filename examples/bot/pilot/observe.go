package pilot

import (
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/stateupdate"
)

// Observe adds a ship to a World, or moves it there, as messages of the network describe it. It returns nil if
// the class of the ship has no physics, or if its motion makes no sense.
func Observe(w *model.World, s *stateupdate.Ship) *model.Ship {
	motion := model.MotionOf(&s.Motion)
	ship := w.Ship(s.ID)
	if ship != nil && (ship.Class != s.Class || !ship.Alive()) { // only the host decides about deaths
		w.Remove(s.ID)
		ship = nil
	}
	if ship == nil && w.Add(s.ID, s.Class, s.SetName, motion) != nil || ship != nil && w.Report(s.ID, s.SetName, motion, true) != nil {
		return nil
	}
	ship = w.Ship(s.ID)
	Take(ship, s)
	return ship
}

// Take sets the conditions of a ship to those of its state on the network, which the host decides.
func Take(ship *model.Ship, from *stateupdate.Ship) {
	part := 0
	set := func(level stateupdate.Level, most float32) {
		if most > 0 {
			ship.Condition[part] = float64(level.Fraction() * most)
		}
		part++
	}
	for i := range from.Subsystems {
		status := &from.Subsystems[i]
		set(status.Condition, status.Subsystem.MaxCondition)
		for k, child := range status.Subsystem.Children {
			set(stateupdate.Level(status.Parts[k]), child.MaxCondition)
		}
		if status.Subsystem.Kind == stateupdate.KindShield {
			for f, level := range status.Parts[:len(ship.Shields)] {
				ship.Shields[f] = float64(stateupdate.Level(level).Fraction() * status.Subsystem.Facings[f])
			}
		}
	}
}
