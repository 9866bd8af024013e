package show

import (
	"cmp"
	"fmt"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
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
