package stateupdate

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// trackedShip is a ship of a Tracker, with the times and flags that decide how the next
// message changes it.
type trackedShip struct {
	Ship

	place *list.Element // in Tracker.order

	created bool              // a creation was applied; the ship has a class or a blob
	moved   bool              // an update with motion was applied
	time    float32           // of the newest motion, on the sender's clock
	updated opcode.StateFlags // motion set by updates, which a creation does not change

	base      [3]float32       // the last absolute position, the base of deltas
	baseTime  float32          // the time of base
	delta     compress.Vector4 // the newest delta
	deltaTime float32          // the time of delta, which is ignored if older than base

	powerTimes []float32            // for each subsystem, the time of its newest power
	buffered   []opcode.StateUpdate // updates with a block or power settings before the creation
}

func newTrackedShip(id objectid.ID) *trackedShip {
	s := &trackedShip{baseTime: beforeAll(), deltaTime: beforeAll()}
	s.init(id)
	return s
}

// clone returns a copy that shares only the bytes of buffered updates, which are never
// modified.
func (s *trackedShip) clone() *trackedShip {
	clone := *s
	clone.detach()
	clone.powerTimes = slices.Clone(s.powerTimes)
	clone.buffered = slices.Clone(s.buffered)
	return &clone
}

// beforeAll returns a time before the times of all updates.
func beforeAll() float32 { return float32(math.Inf(-1)) }

func (s *trackedShip) fail(part string, err error) error {
	return &shipError{s.ID, part, err}
}

// create applies the creation of the ship and then the buffered updates. It does not change
// motion from updates, which is newer.
func (s *trackedShip) create(o *opcode.Object, class *Class, change *Change) error {
	s.created, s.Life, s.Killer, s.Lifetime = true, Alive, 0, 0
	s.Species = o.Species
	s.PlayerName, s.SetName = o.PlayerName.String(), o.SetName.String()
	s.setClass(class)
	s.powerTimes = make([]float32, len(s.Subsystems))
	for i := range s.powerTimes {
		s.powerTimes[i] = beforeAll()
	}
	err := errors.Join(s.createMotion(o), s.createSubsystems(o.SubsystemsRaw))
	for i := range s.buffered {
		err = errors.Join(err, s.applySystems(&s.buffered[i], change))
	}
	s.buffered = nil
	return err
}

// explode applies the explosion of the ship.
func (s *trackedShip) explode(e *opcode.Event) error {
	const longest = 1e9 // seconds, within a Duration
	s.Life, s.Killer = Dying, objectid.NoPeer
	if e.FiringPlayerID.Valid() {
		s.Killer = e.FiringPlayerID
	}
	if !finite(e.Lifetime) {
		return s.fail("lifetime", ErrNotFinite)
	}
	seconds := float64(min(max(e.Lifetime, 0), longest))
	s.Lifetime = time.Duration(seconds * float64(time.Second))
	return nil
}

// createMotion applies the position, orientation and velocity of a creation.
func (s *trackedShip) createMotion(o *opcode.Object) (err error) {
	if !finite(o.Position[:]...) {
		err = s.fail("position", ErrNotFinite)
	} else if s.baseTime == beforeAll() {
		s.base = o.Position
		s.addDelta()
	}
	if !finite(o.Orientation[:]...) || !finite(o.VelocityMagnitude) {
		return errors.Join(err, s.fail("orientation and velocity", ErrNotFinite))
	}
	forward, up := axes(o.Orientation)
	if s.updated&opcode.StateForward == 0 {
		s.Forward = forward
	}
	if s.updated&opcode.StateUp == 0 {
		s.Up = up
	}
	if s.updated&opcode.StateSpeed == 0 {
		s.Speed = speed(o, forward)
	}
	return err
}

// speed returns the speed of a created object, negative if it moves backwards.
func speed(o *opcode.Object, forward compress.Vector3) compress.Float16 {
	fx, fy, fz := forward.Float32()
	dx, dy, dz := o.VelocityDir.Float32()
	magnitude := o.VelocityMagnitude
	if float32(dx*fx)+float32(dy*fy)+float32(dz*fz) < 0 {
		magnitude = -magnitude
	}
	return compress.EncodeFloat16(magnitude)
}

// createSubsystems applies a create blob. If the blob does not fit the class, the ship loses
// its class and keeps the raw blob.
func (s *trackedShip) createSubsystems(raw []byte) error {
	if s.Class == nil {
		return s.keepBlob(raw, fmt.Errorf("%w: species %d is neither in Classes nor a stock class", ErrNoClass, s.Species))
	}
	for _, err := range s.Class.created(raw) {
		if err == nil {
			continue
		}
		if s.Class.Evidence == opcode.Inferred { // the class may be wrong
			err = fmt.Errorf("%w: %w", ErrNoClass, err)
		}
		s.Class, s.Subsystems = nil, nil
		return s.keepBlob(raw, err)
	}
	for status := range s.Class.created(raw) {
		own := &s.Subsystems[status.Index]
		parts := own.Parts
		copy(parts, status.Parts)
		*own = status
		own.Parts = parts
		if status.HasCloak && s.updated&opcode.StateCloak == 0 {
			s.Cloaked = status.Cloaked
		}
	}
	return nil
}

func (s *trackedShip) keepBlob(raw []byte, reason error) error {
	if len(raw) > maxBlob {
		s.blobDropped = true
		return s.fail("create blob", tooMany(len(raw), maxBlob, "bytes"))
	}
	s.blob = bytes.Clone(raw)
	return s.fail("create blob", reason)
}

// tooMany returns an error for a number of bytes or settings above a limit.
func tooMany(n, limit int, unit string) error {
	return fmt.Errorf("%w: %d %s, at most %d", stream.ErrLimit, n, unit, limit)
}

func finite(v ...float32) bool {
	for _, f := range v {
		if f-f != 0 {
			return false
		}
	}
	return true
}

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
	f := formGame
	if s.OpenBC && s.Class.fitsForm(m, formOpenBC) { // a block that fits both forms is OpenBC's
		f = formOpenBC
	}
	var status Status
	r := s.Class.reader(m, f)
	for r.next(&status) {
		s.OpenBC = s.OpenBC || status.OpenBC
		if s.setStatus(&status, m.GameTime) {
			change.Subsystems.add(int(status.Index))
		}
		s.Stale.remove(int(status.Index))
	}
	if r.bad {
		for i := range s.Subsystems { // each of them may be in the rest of the block
			s.Stale.add(i)
		}
		return s.fail("subsystems", s.Class.blockError(m))
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
