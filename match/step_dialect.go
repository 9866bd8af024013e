package match

import (
	"cmp"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// dialect adds to Dialect.
func (step *Step) dialect(text string) {
	if step.Dialect != "" {
		text = step.Dialect + "; " + text
	}
	step.Dialect = text
}

// systemDialect sets the Dialect of a message of the transport, whose datagram has a peer ID.
func (step *Step) systemDialect(sender objectid.PeerID) {
	o := step.Message
	step.Dialect = o.Dialect()
	if b, ok := o.Decoded.(*transport.NameChange); ok {
		switch {
		case step.FromHost && o.Reliable && !o.HighPriority && b.PeerID >= 0:
			step.dialect("has the slot of the player")
		case !step.FromHost && b.PeerID != sender:
			step.dialect("names another peer than the sender")
		}
	}
}

// gameDialect sets the Dialect of a message of the game, once its sender and its ship are known.
func (step *Step) gameDialect() {
	step.Dialect = opcode.Dialect(step.Game)
	switch g := step.Game.(type) {
	case *opcode.StateUpdate:
		step.blockDialect(g)
	case *opcode.NewPlayerInGame:
		if step.FromHost {
			step.dialect("sent by the host")
		}
	case *opcode.ObjectCreateTeam:
		if p := step.Sender; p != nil && p.PeerID != g.NetPlayerID {
			step.dialect("names another peer than the owner")
		}
	case *opcode.ChatMessage:
		step.speakerDialect(g.SenderID)
	case *opcode.TeamChatMessage:
		step.speakerDialect(g.SenderID)
	}
}

// speakerDialect adds the speaker of a line with another number than the speaker's peer ID.
func (step *Step) speakerDialect(number objectid.PeerID) {
	if p := step.Sender; p != nil && p.PeerID > objectid.Host && p.PeerID != number {
		step.dialect("said by " + cmp.Or(p.label(), labelOf(p.PeerID)))
	}
}

// blockDialect adds that a block of subsystems has the form of OpenBC. Many blocks fit both forms.
func (step *Step) blockDialect(u *opcode.StateUpdate) {
	if u.Flags&opcode.StateSubsystems == 0 || step.Ship == nil || !step.Ship.OpenBC {
		return
	}
	for s := range step.Ship.Class.Block(u) {
		if s.OpenBC {
			step.dialect("subsystems as OpenBC writes them")
			return
		}
	}
}
