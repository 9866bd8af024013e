package main

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

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
		return int(msg.OwnerSlot) == p.slot && msg.NetPlayerID == int8(p.id()) && p.owns(msg.ObjectID)
	case *opcode.StateUpdate:
		return p.ship != nil && msg.ObjectID == p.ship.ID && msg.Flags&opcode.StateSubsystems == 0
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
	return ok && int(slot) == p.slot
}
