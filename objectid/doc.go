// Package objectid computes the object IDs of Bridge Commander multiplayer:
//
//	ship, ok := objectid.Base(1) // 0x4003ffff, the first ship of the player in slot 1
//	slot, ok := ship.Slot()      // 1
//
// # Slots
//
// Every ship, ship part and torpedo has an ID of four bytes. The IDs that players allocate
// are divided into 16 slots of 262,144 IDs. Each player allocates IDs upward in the player's
// own slot, so no two players use the same ID:
//
//	slot  first       last
//	0     0x3FFFFFFF  0x4003FFFE
//	1     0x4003FFFF  0x4007FFFE
//	...
//	15    0x403BFFFF  0x403FFFFE
//
// The slots begin at 0x3FFFFFFF, not at a multiple of 0x40000. Shifting or masking an ID
// therefore gives a wrong slot for the first ID of each slot; use [ID.Slot]. IDs outside the
// slots are also valid on the wire. They are objects of the host, or exist on one machine
// only. An ID does not prove who sent a message, because a peer can write any ID.
//
// Never compute a [Slot] from a [PeerID] or a PeerID from a Slot, because the host reuses the slot
// of a player who leaves. OpenBC's server is the exception; see [Slot.PeerID].
//
// # Evidence
//
// Observed: a ship of class Sovereign has the ID 0x3FFFFFFF and 33 parts. The next ship has
// the ID 0x40000021. Documented: the owners of IDs outside the slots, and All. Inferred: the host
// reuses slots.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package objectid
