// Package objectid computes and allocates the object IDs of Bridge Commander multiplayer:
//
//	a := objectid.Allocator{Slot: 1}
//	ship, err := a.Reserve(34) // a ship and its 33 subsystems
//	fmt.Println(ship, err)     // 0x4003ffff <nil>
//
// # Slots
//
// Every ship, subsystem and torpedo has an ID of four bytes. The IDs of players are divided
// into 16 slots of 262,144 IDs. Each peer counts upward in its own slot, so that no two
// peers use the same ID:
//
//	slot  first       last
//	0     0x3FFFFFFF  0x4003FFFE
//	1     0x4003FFFF  0x4007FFFE
//	...
//	15    0x403BFFFF  0x403FFFFE
//
// Masking bits out of an ID gives a wrong slot at every boundary; use [ID.Slot]. A peer can
// name objects of any slot. Other IDs are valid on the wire: they belong to the host or are
// local.
//
// A player has a [Slot], its place in the host's list, and a [PeerID] from the transport.
// Never compute one from the other, because the host reuses the slot of a player who
// leaves.
//
// # Evidence
//
// Observed: a Sovereign at 0x3FFFFFFF has 33 subsystems, and the next ship has 0x40000021.
package objectid
