package objectid

import "strconv"

// PeerID is the number that the transport assigns to a participant of a session. The host
// has 1, and clients have 2 and above. Use [PeerIDFrom] to convert the fields of messages.
type PeerID int8

// Special peer IDs.
const (
	NoPeer PeerID = -1 // no peer, or not yet assigned
	Host   PeerID = 1
)

// PeerIDFrom returns the peer ID n, or NoPeer if n is not from 1 to 127. In messages, 0 or -1
// means no player.
func PeerIDFrom(n int) PeerID {
	if p := PeerID(n); int(p) == n && p.Valid() {
		return p
	}
	return NoPeer
}

// Valid reports whether p is from 1 to 127.
func (p PeerID) Valid() bool { return p >= Host }

// String returns the number, or "none" for NoPeer.
func (p PeerID) String() string {
	if p == NoPeer {
		return "none"
	}
	return strconv.Itoa(int(p))
}

// Slot is the place of a player in the host's list, from 0 to 15. It determines the object
// IDs that the player allocates.
type Slot int8

// NoSlot is the slot of an object that belongs to no player.
const NoSlot Slot = -1

// SlotFrom returns the slot n, or NoSlot if n is not from 0 to 15.
func SlotFrom(n int) Slot {
	if n < 0 || n >= Slots {
		return NoSlot
	}
	return Slot(n)
}

// Valid reports whether s is from 0 to 15.
func (s Slot) Valid() bool { return s >= 0 && s < Slots }

// String returns the number, or "none" for NoSlot.
func (s Slot) String() string {
	if s == NoSlot {
		return "none"
	}
	return strconv.Itoa(int(s))
}
