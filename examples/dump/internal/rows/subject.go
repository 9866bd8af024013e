package rows

import (
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// subject is the object that a message is about. The messages before it tell what the object is.
type subject struct {
	match  int32       // number of the match
	object objectid.ID // a weapon, another part or a ship; or objectid.None
	target objectid.ID // the target of a shot, or the other object of a collision; or objectid.None
	part   stateupdate.Part

	// Of the ship that is the object or has it as a part: the class, such as "Akira", and the player.
	class, owner string
}

// subjectOf returns the subject of a step. A malformed message has none.
func subjectOf(step *match.Step) subject {
	s := subject{match: int32(max(0, step.Link.Match))}
	if _, malformed := step.Err.(*stream.Error); malformed || step.Game == nil {
		return s
	}
	s.object, s.part = step.Object, step.Part
	if ship := step.Ship; ship != nil {
		s.owner = ship.PlayerName
		if ship.Class != nil {
			s.class = ship.Class.Name
		}
	}
	switch m := step.Game.(type) {
	case *opcode.StateUpdate:
	case opcode.Shot:
		_, s.target, _ = m.Fired()
	case *opcode.CollisionEffect:
		_, s.target, _ = m.Collided()
	case *opcode.StopFiringAtTarget:
		s.target = m.Object
	}
	return s
}

// set sets the columns of the subject.
func (s *subject) set(r *Message, names *ids) {
	r.Match = s.match
	r.Object, r.Target = names.of(s.object), names.of(s.target)
	r.Class, r.Owner = valid(s.class), valid(s.owner)
	if s.part.Subsystem != nil {
		r.Part = valid(s.class + " " + s.part.String())
	}
}

// playerOf returns the name of the player of a link, as far as it is known after a step.
func playerOf(step *match.Step) string {
	p := step.Link.Player
	if step.Link.Client == "" && !step.FromHost { // the link is of several clients
		p = step.Sender
	}
	if p == nil {
		return ""
	}
	return p.Name
}
