package stateupdate

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// SendMotion puts the encoder into the state after an update with all motion of a ship, so
// that the next update has subsystems or power settings alone.
func (e *Encoder) SendMotion(s *Ship, now float32) {
	e.prepare(s)
	e.motion(&opcode.StateUpdate{GameTime: now}, s, true, true, false)
	e.started, e.forced = true, now
}

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

// Destroyed returns how many destroyed ships a tracker remembers.
func (t *Tracker) Destroyed() int { return len(t.destroyed) }
