package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Rebase replaces the object IDs, peer IDs and slots in a message, such as a recorded message that is sent again
// in another match. It reaches each ID that the walk of the message visits, also in messages of mods. All other
// bytes of the payload stay as they are. So do names, numbers that are no valid ID, and bytes of unknown layout, such
// as Event.Raw and [Unknown].
//
// Rebase returns a [*stream.Error] wrapping [stream.ErrRange] if an ID has no valid replacement. The message
// then refers to an object or a player that the other match does not have, and is unchanged.
//
// Rebase encodes the message and decodes it again. Texts and bytes in the message then alias a new payload, and
// fields that are not on the wire are zero.
//
// OpenBC's programs write slots into some fields for peer IDs. Replace these before; see [Speaker].
func Rebase(m Message, ids objectid.Map) error {
	if m == nil {
		return errEmpty()
	}
	c := stream.Codec{IDs: &ids}
	payload, err := c.Append(nil, int(m.Opcode()), "", m.Walk)
	if err != nil {
		return named(err, m)
	}
	return unmarshal(&c, payload, m)
}

// MapPlayer returns the Map for [Rebase] that makes the messages of one player those of another. It replaces the
// peer ID, the slot and the object IDs of the slot. Each object keeps its index in the slot or, if both ships are
// known, its distance from the ship.
//
// The IDs of other players stay. The IDs that belong to the second player before have no replacement, because they
// would name two players. The same holds for objects that would leave the slot.
func MapPlayer(from, to Sender) objectid.Map {
	base, _ := objectid.Base(from.Slot)
	first, _ := objectid.Base(to.Slot)
	shift := first - base
	if from.Ship != objectid.None && to.Ship != objectid.None {
		shift = to.Ship - from.Ship
	}
	return objectid.Map{
		Object: func(id objectid.ID) objectid.ID {
			switch slot, _ := id.Slot(); slot {
			case objectid.NoSlot:
				return id
			case from.Slot:
				if slot, _ := (id + shift).Slot(); slot == to.Slot {
					return id + shift
				}
				return objectid.None
			case to.Slot:
				return objectid.None
			}
			return id
		},
		Peer: func(id objectid.PeerID) objectid.PeerID { return moved(id, from.PeerID, to.PeerID, objectid.NoPeer) },
		Slot: func(slot objectid.Slot) objectid.Slot { return moved(slot, from.Slot, to.Slot, objectid.NoSlot) },
	}
}

// moved returns the replacement of an ID if from becomes to.
func moved[T comparable](id, from, to, none T) T {
	switch id {
	case from:
		return to
	case to:
		return none
	}
	return id
}
