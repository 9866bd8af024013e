package objectid

import "strconv"

// PeerID is the number that the transport gives to a participant of a session: 1 is the
// host, and 2 and above are clients. Messages name a player by its peer ID, in fields of one
// to four bytes; [PeerIDFrom] converts them.
type PeerID int8

// The peer IDs with a meaning of their own.
const (
	NoPeer PeerID = -1 // no peer, or none assigned yet
	Host   PeerID = 1
)

// PeerIDFrom returns the peer ID n. It returns NoPeer if n is not from 1 to 127: messages
// have 0 or -1 for no player.
func PeerIDFrom(n int) PeerID {
	if p := PeerID(n); int(p) == n && p.Valid() {
		return p
	}
	return NoPeer
}

// Valid reports whether p is the ID of a peer, from 1 to 127.
func (p PeerID) Valid() bool { return p >= Host }

// String returns the number, or "none" for NoPeer.
func (p PeerID) String() string {
	if p == NoPeer {
		return "none"
	}
	return strconv.Itoa(int(p))
}

// Slot is the place of a player in the host's list, from 0 to 15. It decides which object
// IDs the player allots. A slot does not follow from a peer ID.
type Slot int8

// NoSlot is the slot of an object that belongs to no player.
const NoSlot Slot = -1

// SlotFrom returns the slot n. It returns NoSlot if n is not from 0 to 15.
func SlotFrom(n int) Slot {
	if n < 0 || n >= Slots {
		return NoSlot
	}
	return Slot(n)
}

// Valid reports whether s is a slot of a player, from 0 to 15.
func (s Slot) Valid() bool { return s >= 0 && s < Slots }

// String returns the number, or "none" for NoSlot.
func (s Slot) String() string {
	if s == NoSlot {
		return "none"
	}
	return strconv.Itoa(int(s))
}
