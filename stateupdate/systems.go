package stateupdate

import (
	"bytes"

	"github.com/bcwire/bcwire/opcode"
)

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
