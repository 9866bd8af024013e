package objectid

// A Map replaces IDs, such as those of a recorded player by those of a player in another match. Its functions are
// called for valid IDs only, in any order and perhaps more than once for an ID. A nil function replaces nothing.
//
// A function returns None, NoPeer or NoSlot for an ID without a replacement.
type Map struct {
	Object func(ID) ID
	Peer   func(PeerID) PeerID
	Slot   func(Slot) Slot
}
