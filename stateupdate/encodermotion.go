package stateupdate

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
)

// beyond is the length of a delta that is too long for its code.
const beyond compress.Float16 = 0x7FFF

// motion sets the fields for position, orientation, speed and cloak that are due.
func (e *sent) motion(m *opcode.StateUpdate, s *Ship, position, force, owner bool) {
	m.Forward, m.Up, m.Speed, m.Cloak = s.Forward, s.Up, s.Speed, s.Cloaked
	m.Delta = compress.EncodeVector4(s.Position[0]-e.base[0], s.Position[1]-e.base[1], s.Position[2]-e.base[2])
	set := func(flag opcode.StateFlags, changed bool) {
		if changed || force {
			m.Flags |= flag
		}
	}
	if position || m.Delta.Mag == beyond {
		m.Flags |= opcode.StatePosition
		m.Position, m.Delta = s.Position, compress.Vector4{}
		m.HasHash, m.Hash = owner && s.HasHash, s.Hash
		e.base, e.positioned = s.Position, m.GameTime
	} else {
		set(opcode.StateDelta, m.Delta != e.delta)
	}
	set(opcode.StateForward, m.Forward != e.forward)
	set(opcode.StateUp, m.Up != e.up)
	set(opcode.StateSpeed, m.Speed != e.speed)
	if s.Class != nil && s.Class.CanCloak() {
		set(opcode.StateCloak, m.Cloak != e.cloaked)
	}
	e.delta, e.forward, e.up, e.speed, e.cloaked = m.Delta, m.Forward, m.Up, m.Speed, m.Cloak
}

// hasAllMotion reports whether an update has all that a forced one has. Such an update
// starts the force timer, too. Only a ship with a cloaking device can have it unforced.
func hasAllMotion(flags opcode.StateFlags) bool {
	const rest = opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak
	return flags&rest == rest && flags&(opcode.StatePosition|opcode.StateDelta) != 0
}
