package stateupdate

import (
	"bytes"
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

// systems applies a block, or keeps it for the time when the class is known.
func (s *Ship) systems(m *opcode.StateUpdate, change *Change) error {
	if s.memory.created {
		return s.blocks(m, change)
	}
	return s.keep(m)
}

func (s *Ship) keep(m *opcode.StateUpdate) error {
	if len(m.Data) > MaxBlock {
		return s.fail("subsystems", ErrLimit)
	}
	if len(s.memory.pending) == MaxPending {
		copy(s.memory.pending, s.memory.pending[1:])
		s.memory.pending = s.memory.pending[:MaxPending-1]
	}
	own := *m
	own.Data, own.Power = bytes.Clone(m.Data), append([]opcode.PowerEntry(nil), m.Power...)
	s.memory.pending = append(s.memory.pending, own)
	return nil
}

// blocks applies a block, or the power settings that were kept.
func (s *Ship) blocks(m *opcode.StateUpdate, change *Change) error {
	if m.Flags&opcode.StateSubsystems == 0 {
		return s.settings(m, change)
	}
	if s.Class == nil {
		return s.fail("subsystems", ErrNoClass)
	}
	for status, err := range s.Class.Block(m) {
		if err != nil {
			return s.fail("subsystems", err)
		}
		if s.apply(&status, m.GameTime) {
			change.Subsystems.add(int(status.Index))
		}
	}
	return nil
}

// apply brings a subsystem up to date, and says whether that changes it. Only its power is
// protected against older updates: that is what the game does.
func (s *Ship) apply(status *Status, at float32) (changed bool) {
	own := &s.Subsystems[status.Index]
	changed = own.Condition != status.Condition || own.MainBattery != status.MainBattery ||
		own.BackupBattery != status.BackupBattery || !bytes.Equal(own.Parts, status.Parts)
	own.Condition = status.Condition
	own.MainBattery, own.BackupBattery = status.MainBattery, status.BackupBattery
	copy(own.Parts, status.Parts)
	if status.HasPower {
		changed = s.power(int(status.Index), status.Power, at) || changed
	}
	return changed
}

// power applies a power setting, if it is newer, and says whether that changes it.
func (s *Ship) power(i int, p Power, at float32) bool {
	if at <= s.memory.powerAt[i] {
		return false
	}
	s.memory.powerAt[i] = at
	changed := s.Subsystems[i].Power != p
	s.Subsystems[i].Power = p
	return changed
}

// settings applies power settings, or keeps them for the time when the class is known.
func (s *Ship) settings(m *opcode.StateUpdate, change *Change) (err error) {
	switch {
	case len(m.Power) == 0:
		return nil
	case !s.memory.created && len(m.Power) <= MaxBlock/2:
		return s.keep(m)
	case !s.memory.created:
		return s.fail("power", ErrLimit)
	case s.Class == nil:
		return s.fail("power", ErrNoClass)
	}
	for _, p := range m.Power {
		switch {
		case s.Class.powered(p.Index) == nil:
			if err == nil { // one is enough
				err = s.fail("power", ErrPowerIndex)
			}
		case s.power(int(p.Index), PowerSetting(p.Value), m.GameTime):
			change.Subsystems.add(int(p.Index))
		}
	}
	return err
}
