package stateupdate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// update applies a StateUpdate.
func (s *trackedShip) update(m *opcode.StateUpdate, change *Change) error {
	if !finite(m.GameTime) {
		return s.fail("game time", ErrNotFinite)
	}
	err := s.updateMotion(m, change)
	if m.Flags&(opcode.StateSubsystems|opcode.StatePower) != 0 {
		err = errors.Join(err, s.updateSystems(m, change))
	}
	return err
}

// motionFlags are the flags of the fields of motion.
const motionFlags = opcode.StatePosition | opcode.StateDelta | opcode.StateForward |
	opcode.StateUp | opcode.StateSpeed | opcode.StateCloak

// updateMotion applies motion that is newer than the known motion. From an older update it
// applies only the absolute position. It ignores the time of an update without motion, which
// may come from the other peer, with another clock.
func (s *trackedShip) updateMotion(m *opcode.StateUpdate, change *Change) error {
	if m.Flags&motionFlags == 0 {
		return nil
	}
	before := s.Motion
	newer := !s.moved || m.GameTime > s.time
	err := s.updatePosition(m, newer)
	if newer {
		s.time, s.moved = m.GameTime, true
		s.updateDirection(m)
	}
	change.Motion = s.Motion.differs(&before)
	return err
}

// updatePosition applies the absolute position and the delta.
func (s *trackedShip) updatePosition(m *opcode.StateUpdate, newer bool) error {
	if m.Flags&opcode.StatePosition != 0 && m.GameTime > s.baseTime {
		if !finite(m.Position[:]...) {
			return s.fail("position", ErrNotFinite)
		}
		s.base, s.baseTime = m.Position, m.GameTime
	}
	if m.Flags&opcode.StateDelta != 0 && newer {
		s.delta, s.deltaTime = m.Delta, m.GameTime
	}
	s.addDelta()
	return nil
}

// addDelta computes the position from the base and the delta. If an update has both, which the
// game never sends, the delta starts at the position of that update.
func (s *trackedShip) addDelta() {
	s.Position = s.base
	if s.deltaTime >= s.baseTime && s.deltaTime != beforeAll() {
		x, y, z := s.delta.Float32()
		s.Position[0] += x
		s.Position[1] += y
		s.Position[2] += z
	}
}

// updateDirection applies orientation, speed and cloak.
func (s *trackedShip) updateDirection(m *opcode.StateUpdate) {
	s.updated |= m.Flags
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

// updateSystems applies a block or power settings. It buffers them until the creation of the
// ship, because the class is unknown.
func (s *trackedShip) updateSystems(m *opcode.StateUpdate, change *Change) error {
	block := m.Flags&opcode.StateSubsystems != 0
	switch {
	case s.created:
		return s.applySystems(m, change)
	case block && len(m.Data) > maxBlock:
		return s.fail("subsystems", tooMany(len(m.Data), maxBlock, "bytes"))
	case !block && len(m.Power) > maxBlock/2:
		return s.fail("power", tooMany(len(m.Power), maxBlock/2, "settings"))
	case block || len(m.Power) > 0:
		s.buffer(m)
	}
	return nil
}

// buffer adds a copy of an update to the buffer. If the buffer is full, it drops the oldest
// update.
func (s *trackedShip) buffer(m *opcode.StateUpdate) {
	if len(s.buffered) == maxBuffered {
		s.buffered = slices.Delete(s.buffered, 0, 1)
	}
	own := *m
	own.Data, own.Power = bytes.Clone(m.Data), slices.Clone(m.Power)
	s.buffered = append(s.buffered, own)
}

// noClass returns the error of a ship without a class.
func (s *trackedShip) noClass() error { return fmt.Errorf("%w: species %d", ErrNoClass, s.Species) }

// applySystems applies a block or power settings to a created ship.
func (s *trackedShip) applySystems(m *opcode.StateUpdate, change *Change) error {
	if m.Flags&opcode.StateSubsystems == 0 {
		return s.applyPower(m, change)
	}
	if s.Class == nil {
		return s.fail("subsystems", s.noClass())
	}
	for status, err := range s.Class.block(m, s.OpenBC) {
		if err != nil {
			return s.fail("subsystems", err)
		}
		s.OpenBC = s.OpenBC || status.OpenBC
		if s.setStatus(&status, m.GameTime) {
			change.Subsystems.add(int(status.Index))
		}
	}
	return nil
}

// setStatus updates a subsystem and reports whether its state changes. As in the game, older
// updates change everything except power.
func (s *trackedShip) setStatus(status *Status, at float32) (changed bool) {
	own := &s.Subsystems[status.Index]
	changed = own.Condition != status.Condition || own.MainBattery != status.MainBattery ||
		own.BackupBattery != status.BackupBattery || len(status.Parts) > 0 && !bytes.Equal(own.Parts, status.Parts)
	own.Condition = status.Condition
	own.MainBattery, own.BackupBattery = status.MainBattery, status.BackupBattery
	copy(own.Parts, status.Parts)
	if status.HasPower {
		changed = s.setPower(int(status.Index), status.Power, at) || changed
	}
	return changed
}

// setPower sets the power of a subsystem if it is newer, and reports whether the power
// changes.
func (s *trackedShip) setPower(i int, p Power, at float32) bool {
	if at <= s.powerTimes[i] {
		return false
	}
	s.powerTimes[i] = at
	changed := s.Subsystems[i].Power != p
	s.Subsystems[i].Power = p
	return changed
}

// applyPower applies power settings. It returns the first error.
func (s *trackedShip) applyPower(m *opcode.StateUpdate, change *Change) (err error) {
	if s.Class == nil && len(m.Power) > 0 {
		return s.fail("power", s.noClass())
	}
	for _, p := range m.Power {
		switch {
		case s.Class.powered(p.Index) == nil:
			if err == nil {
				err = s.fail("power", fmt.Errorf("%w: %d is a missing or unpowered subsystem", ErrIndex, p.Index))
			}
		case s.setPower(int(p.Index), PowerSetting(p.Value), m.GameTime):
			change.Subsystems.add(int(p.Index))
		}
	}
	return err
}
