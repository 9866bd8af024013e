package show

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Subject is the object that a game message is about. The messages before it tell what the object
// is.
type Subject struct {
	Object objectid.ID // a weapon, another part or a ship; or objectid.None
	Target objectid.ID // the target of a shot, or the other object of a collision; or objectid.None

	Ship  objectid.ID // the ship that is the Object, or has it as a part; or objectid.None if unknown
	Class string      // of the ship, "Akira"
	Owner string      // the player of the ship
	Part  string      // the Object if it is a part, "Akira Torpedoes / Forward Torp 1"

	Speaker string // of a line of chat: the name of the player who said it, or "peer 5"

	Death  bool   // the ship explodes
	Killer string // of a Death: the name of the player who gets the kill, or "peer 5"; "" for nobody
	killer objectid.PeerID
}

// subjectOf returns the objects in a message by their roles.
func subjectOf(m opcode.Message) (s Subject) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		s.Object = m.ObjectID
	case *opcode.ObjectCreateTeam:
		s.Object = m.ObjectID
	case *opcode.ObjectCreate:
		s.Object = m.ObjectID
	case *opcode.DestroyObject:
		s.Object = m.ObjectID
	case *opcode.ObjectNotFound:
		s.Object = m.ObjectID
	case *opcode.RequestObject:
		s.Object = m.ObjectID
	case *opcode.EnterSet:
		s.Object = m.ObjectID
	case *opcode.Explosion:
		s.Object = m.ObjectID
	case opcode.EventMessage:
		s.Object = m.Envelope().Dest
		if m, ok := m.(*opcode.StopFiringAtTarget); ok {
			s.Target = m.Object
		}
	}
	switch m := m.(type) {
	case opcode.Shot:
		if weapon, target, ok := m.Fired(); ok {
			s.Object, s.Target = weapon, target
		}
	case *opcode.CollisionEffect:
		if ship, other, ok := m.Collided(); ok {
			s.Object, s.Target = ship, other
		}
	case *opcode.PythonEvent:
		_, _, s.killer, s.Death = m.Killed()
	}
	return s
}

// locate adds the ship of the object if it is tracked, and otherwise changes nothing.
func (s *Subject) locate(all *ships) {
	ship := all.tracker.Ship(s.Object)
	if ship == nil {
		owner, part, ok := all.tracker.Part(s.Object)
		if !ok {
			return
		}
		ship, s.Part = owner, owner.Class.Name+" "+part.String()
	}
	s.Ship, s.Owner = ship.ID, ship.PlayerName
	if ship.Class != nil {
		s.Class = ship.Class.Name
	}
}
