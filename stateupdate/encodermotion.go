package stateupdate

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
)

// motion sets the fields for position, orientation, speed and cloak that are due.
func (e *sent) motion(m *opcode.StateUpdate, s *Ship, force, owner bool) {
	m.Forward, m.Up, m.Speed, m.Cloak = s.Forward, s.Up, s.Speed, s.Cloaked
	if force {
		m.Flags = opcode.StatePosition | opcode.StateForward | opcode.StateUp | opcode.StateSpeed
		e.started, e.forced = true, m.GameTime
	} else {
		e.changes(m, s)
	}
	if m.Flags&opcode.StatePosition != 0 {
		m.Position = s.Position
		m.HasHash, m.Hash = owner && s.HasHash, s.Hash
		e.base, m.Delta = s.Position, compress.Vector4{}
	}
	if s.Class != nil && s.Class.CanCloak() && (force || s.Cloaked != e.cloaked) {
		m.Flags |= opcode.StateCloak
	}
	e.delta, e.forward, e.up, e.speed, e.cloaked = m.Delta, m.Forward, m.Up, m.Speed, m.Cloak
}

// beyond is the length of a delta that is too long for its code.
const beyond compress.Float16 = 0x7FFF

// changes sets the flags of what has changed since it was sent.
func (e *sent) changes(m *opcode.StateUpdate, s *Ship) {
	m.Delta = compress.EncodeVector4(s.Position[0]-e.base[0], s.Position[1]-e.base[1], s.Position[2]-e.base[2])
	switch {
	case m.Delta.Mag == beyond: // the position alone; everything else is due when it was
		m.Flags |= opcode.StatePosition
	case m.Delta != e.delta:
		m.Flags |= opcode.StateDelta
	}
	if m.Forward != e.forward {
		m.Flags |= opcode.StateForward
	}
	if m.Up != e.up {
		m.Flags |= opcode.StateUp
	}
	if m.Speed != e.speed {
		m.Flags |= opcode.StateSpeed
	}
}
