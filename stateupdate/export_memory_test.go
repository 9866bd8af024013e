package stateupdate

import "github.com/bcwire/bcwire/objectid"

// Counts returns how many ships a tracker keeps, how many of them were created, and how
// many it has listed as unknown.
func (t *Tracker) Counts() (ships, created, unknown int) {
	return len(t.ships), t.created, len(t.unknown)
}

// Buffered returns how many updates are buffered for a ship, and the most bytes in one of them.
func (t *Tracker) Buffered(id objectid.ID) (updates, most int) {
	s := t.ships[id]
	for i := range s.buffered {
		m := &s.buffered[i]
		most = max(most, len(m.Data)+2*len(m.Power))
	}
	return len(s.buffered), most
}
