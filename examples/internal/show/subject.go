package show

import (
	"cmp"
	"fmt"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Player is a player of a match as a datagram shows it. The values are from the datagrams until then.
type Player struct {
	Name string        // "" if unknown
	Slot objectid.Slot // NoSlot if unknown
	Ship objectid.ID   // the living ship, or objectid.None
}

// noPlayer is an unknown player.
var noPlayer = Player{Slot: objectid.NoSlot}

// playerOf returns a player of package match, which may be nil.
func playerOf(p *match.Player) Player {
	if p == nil {
		return noPlayer
	}
	return Player{p.Name, p.Slot, p.Ship}
}

// Subject is the object that a game message is about. The messages before it tell what the object
// is.
type Subject struct {
	Object objectid.ID // a weapon, another part or a ship; or objectid.None
	Target objectid.ID // the target of a shot, or the other object of a collision; or objectid.None

	Class string // "Akira", of the ship that is the Object or has it as a part
	Owner string // the player of the ship
	part  stateupdate.Part
}

// Part returns the Object if it is a part, "Akira Torpedoes / Forward Torp 1", or "".
func (s *Subject) Part() string {
	if s.part.Subsystem == nil {
		return ""
	}
	return s.Class + " " + s.part.String()
}

// subjectOf returns the subject of a step.
func subjectOf(step *match.Step) Subject {
	s := Subject{Object: step.Object, part: step.Part}
	if ship := step.Ship; ship != nil {
		s.Owner = ship.PlayerName
		if ship.Class != nil {
			s.Class = ship.Class.Name
		}
	}
	switch m := step.Game.(type) {
	case *opcode.StateUpdate:
	case opcode.Shot:
		_, s.Target, _ = m.Fired()
	case *opcode.CollisionEffect:
		_, s.Target, _ = m.Collided()
	case *opcode.StopFiringAtTarget:
		s.Target = m.Object
	}
	return s
}

// noteSpeaker notes that a line of chat has another number than the peer ID of its speaker.
func (r *Message) noteSpeaker(step *match.Step) {
	var sender objectid.PeerID
	switch m := step.Game.(type) {
	case *opcode.ChatMessage:
		sender = m.SenderID
	case *opcode.TeamChatMessage:
		sender = m.SenderID
	default:
		return
	}
	if p := step.Sender; p != nil && p.PeerID > objectid.Host && p.PeerID != sender {
		r.dialect("said by " + cmp.Or(p.Name, fmt.Sprint("peer ", p.PeerID)))
	}
}
