package objectid

import (
	"math"
	"strconv"
)

// PeerID is the number that the transport assigns to a participant of a session. The host has 1,
// and clients have 2 and above. Fields of messages have this type whatever their width on the wire.
// A field of one byte is signed, so that 0xFF is NoPeer. In messages, 0 or -1 means no player. A
// field may hold any other number that a peer wrote; use Valid.
type PeerID int32

// Special peer IDs.
const (
	NoPeer PeerID = -1 // no peer, or not yet assigned
	Host   PeerID = 1

	firstClient = Host + 1
)

// Valid reports whether p is from 1 to 127.
func (p PeerID) Valid() bool { return p >= Host && p <= math.MaxInt8 }

// String returns the number, or "none" for NoPeer.
func (p PeerID) String() string { return number(int32(p)) }

// Slot is the place of a player in the host's list, from 0 to 15. It determines the object IDs that
// the player allocates. Like a [PeerID], it is a signed byte on the wire, and may be any number.
type Slot int32

// NoSlot is the slot of an object that belongs to no player.
const NoSlot Slot = -1

// Valid reports whether s is from 0 to 15.
func (s Slot) Valid() bool { return s >= 0 && s < Slots }

// PeerID returns s + 2, or NoPeer if s is not valid. A dedicated host has the peer ID 1 and no slot, and
// gives the lowest numbers: the first client has the slot 0 and the peer ID 2. This holds for every player
// of OpenBC's server. On other hosts it ends when a player leaves and another one joins.
func (s Slot) PeerID() PeerID {
	if !s.Valid() {
		return NoPeer
	}
	return PeerID(s) + firstClient
}

// String returns the number, or "none" for NoSlot.
func (s Slot) String() string { return number(int32(s)) }

func number(n int32) string {
	if n == -1 {
		return "none"
	}
	return strconv.Itoa(int(n))
}
