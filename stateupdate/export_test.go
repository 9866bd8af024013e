package stateupdate

import "github.com/bcwire/bcwire/opcode"

// SendMotion makes the encoder believe that it has sent a ship's motion, so that its next
// update has subsystems alone.
func (e *Encoder) SendMotion(s *Ship) {
	e.prepare(s)
	e.motion(&opcode.StateUpdate{}, s, true, true, false)
	e.started = true
}
