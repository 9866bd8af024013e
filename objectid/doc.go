// Package objectid divides and allots the object IDs of Bridge Commander multiplayer.
//
// # Slots
//
// Every object of a game, ship, subsystem or torpedo, has an ID of four bytes. Those of
// players lie in 16 slots of 262,144 IDs; each peer counts upward in its own slot, so
// that no two allot the same:
//
//	slot  first       last
//	0     0x3FFFFFFF  0x4003FFFE
//	1     0x4003FFFF  0x4007FFFE
//	...
//	15    0x403BFFFF  0x403FFFFE
//
// The first ID of a slot is 0x3FFFFFFF + slot*0x40000. Because the slots begin one below
// a round number, masking bits out of an ID finds the wrong slot at every boundary; use
// [ID.Slot].
//
// A player has two numbers. The [Slot] is its place in the host's list, and the [PeerID] is
// the number that the transport assigned. Never compute one from the other: in captures of a
// dedicated host the peer ID is the slot plus 2, but a slot is reused when a player leaves.
//
// # Other IDs
//
// 0 is no object and -1 all objects. IDs below the first slot or above the last belong
// to no player: they are local objects or those of the host, and legal on the wire.
//
// # Allotting
//
// An [Allocator] counts through the IDs of a slot for whoever creates the objects of its
// player. [ID.Slot] tells whose objects a peer speaks of: the wire does not stop it from
// naming those of others.
//
// # Evidence
//
// Observed: a Sovereign at 0x3FFFFFFF and its 33 subsystems put the next ship at
// 0x40000021.
package objectid
