package main

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// maxPayload is the longest payload that is taken from a player in the game: what it sends
// fits into a datagram, and so does what others get.
const maxPayload = 407

// oversize says whether a payload is longer than the game would send.
func oversize(code opcode.Code, n int) bool {
	limit := code.Info().MaxSize
	return n > maxPayload || limit > 0 && n > limit
}

// relayed says whether messages of an opcode are passed on as they are.
func relayed(code opcode.Code) bool {
	switch code.Info().Relay {
	case opcode.RelayForward, opcode.RelayOthers, opcode.RelayAll, opcode.RelayTeam:
		return true
	}
	return false
}

// own says whether a message is about what belongs to its sender: a client speaks for
// its own ship and in its own name.
func (m *match) own(p *player, msg opcode.Message) bool {
	switch msg := msg.(type) {
	case *opcode.ChatMessage:
		return msg.SenderID == int32(p.id())
	case *opcode.TeamChatMessage:
		return msg.SenderID == int32(p.id())
	case *opcode.TeamMessage:
		return msg.PlayerID == int32(p.id())
	case *opcode.ObjectCreateTeam:
		return int(msg.OwnerSlot) == p.slot && msg.NetPlayerID == p.id() && p.owns(msg.ObjectID)
	case *opcode.StateUpdate:
		return msg.ObjectID == p.ship.ID && msg.Flags&opcode.StateSubsystems == 0
	case *opcode.TorpedoFire:
		return p.owns(msg.TubeID)
	case *opcode.BeamFire:
		return p.owns(msg.WeaponID)
	case *opcode.CollisionEffect:
		return p.ship != nil && msg.Dest == p.ship.ID
	case opcode.EventMessage:
		return p.owns(msg.Envelope().Dest)
	}
	return true
}

// owns says whether an object ID is of the player's range.
func (p *player) owns(id objectid.ID) bool {
	slot, ok := id.Slot()
	return ok && slot == p.slot
}
