package stateupdate

// Counts returns how many ships a tracker keeps, how many of them were created, and how
// many it has listed as unknown.
func (t *Tracker) Counts() (ships, created, unknown int) {
	return len(t.ships), t.created, len(t.unknown)
}

// Pending returns how many updates are kept for a ship until its class is known, and the
// most bytes in one of them.
func (s *Ship) Pending() (updates, most int) {
	for i := range s.memory.pending {
		m := &s.memory.pending[i]
		most = max(most, len(m.Data)+2*len(m.Power))
	}
	return len(s.memory.pending), most
}
