package stateupdate

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
)

// update applies a StateUpdate.
func (s *Ship) update(m *opcode.StateUpdate, change *Change) error {
	if !finite(m.GameTime) {
		return s.fail("game time", ErrNotFinite)
	}
	err := s.motion(m, change)
	switch {
	case m.Flags&opcode.StateSubsystems != 0:
		return errors.Join(err, s.systems(m, change))
	case m.Flags&opcode.StatePower != 0:
		return errors.Join(err, s.settings(m, change))
	}
	return err
}

// motionFlags are those of fields that tell of motion.
const motionFlags = opcode.StatePosition | opcode.StateDelta | opcode.StateForward |
	opcode.StateUp | opcode.StateSpeed | opcode.StateCloak

// motion applies what is newer than all before. Of an older update only the position
// counts, as the base of newer deltas. An update that tells of no motion may be from the
// other side, with another clock.
func (s *Ship) motion(m *opcode.StateUpdate, change *Change) error {
	if m.Flags&motionFlags == 0 {
		return nil
	}
	before := s.Motion
	newer := !s.memory.timed || m.GameTime > s.GameTime
	err := s.move(m, newer)
	change.Stale = !newer
	if newer {
		s.GameTime, s.memory.timed = m.GameTime, true
		s.turn(m)
	}
	change.Motion = s.Motion.differs(&before)
	return err
}

// move applies the position.
func (s *Ship) move(m *opcode.StateUpdate, newer bool) error {
	if m.Flags&opcode.StatePosition != 0 && m.GameTime > s.memory.baseAt {
		if !finite(m.Position[:]...) {
			return s.fail("position", ErrNotFinite)
		}
		s.memory.base, s.memory.baseAt = m.Position, m.GameTime
	}
	if m.Flags&opcode.StateDelta != 0 && newer {
		s.memory.delta, s.memory.deltaAt = m.Delta, m.GameTime
	}
	s.settle()
	return nil
}

// settle computes the position. A message that has both, which the game never sends,
// means the delta from its own position.
func (s *Ship) settle() {
	s.Position = s.memory.base
	if s.memory.deltaAt >= s.memory.baseAt && s.memory.deltaAt != never() {
		x, y, z := s.memory.delta.Float32()
		s.Position[0] += x
		s.Position[1] += y
		s.Position[2] += z
	}
}

// turn applies the other fields of motion.
func (s *Ship) turn(m *opcode.StateUpdate) {
	s.memory.told |= m.Flags
	if m.HasHash && m.Flags&opcode.StatePosition != 0 {
		s.HasHash, s.Hash = true, m.Hash
	}
	if m.Flags&opcode.StateForward != 0 {
		s.Forward = m.Forward
	}
	if m.Flags&opcode.StateUp != 0 {
		s.Up = m.Up
	}
	if m.Flags&opcode.StateSpeed != 0 {
		s.Speed = m.Speed
	}
	if m.Flags&opcode.StateCloak != 0 {
		s.Cloaked = m.Cloak
	}
}

// differs tells which motion is another than before.
func (m *Motion) differs(before *Motion) (flags opcode.StateFlags) {
	set := func(flag opcode.StateFlags, differs bool) {
		if differs {
			flags |= flag
		}
	}
	set(opcode.StatePosition, m.Position != before.Position)
	set(opcode.StateForward, m.Forward != before.Forward)
	set(opcode.StateUp, m.Up != before.Up)
	set(opcode.StateSpeed, m.Speed != before.Speed)
	set(opcode.StateCloak, m.Cloaked != before.Cloaked)
	return flags
}
