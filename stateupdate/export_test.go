package stateupdate

import "github.com/bcwire/bcwire/opcode"

// SendMotion puts the encoder into the state after an update with all motion of a ship, so
// that the next update has subsystems or power settings alone.
func (e *Encoder) SendMotion(s *Ship, now float32) {
	e.prepare(s)
	e.motion(&opcode.StateUpdate{GameTime: now}, s, true, true, false)
	e.started, e.forced = true, now
}
