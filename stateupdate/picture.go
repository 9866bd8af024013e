package stateupdate

import (
	"bytes"
	"errors"
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
)

// memory is what a picture needs beside what it shows.
type memory struct {
	created bool              // not just known from updates
	timed   bool              // GameTime is that of an update
	lost    bool              // the create blob was too long to be kept
	heard   uint64            // when a message was about it, in messages
	told    opcode.StateFlags // what updates have told

	base   [3]float32       // the last absolute position, from which deltas count
	baseAt float32          // its time
	delta  compress.Vector4 // the newest delta
	// deltaAt is the time of delta. The delta is part of the position if it is newer than
	// the base.
	deltaAt float32

	powerAt []float32            // for each subsystem, the time of its power
	pending []opcode.StateUpdate // blocks of a ship whose class is not known yet
}

// never is before all times.
const never = -math.MaxFloat32

func (s *Ship) fail(part string, err error) error {
	return &Error{ObjectID: s.ID, Part: part, Err: err}
}

// create applies what is said when a ship is created. Motion that an update has told
// already is newer.
func (s *Ship) create(o *opcode.Object, class *Class) error {
	s.memory.created = true
	s.Species = o.Species
	s.PlayerName, s.SetName = o.PlayerName.String(), o.SetName.String()
	s.setClass(class)
	s.memory.powerAt = make([]float32, len(s.Subsystems))
	for i := range s.memory.powerAt {
		s.memory.powerAt[i] = never
	}
	return errors.Join(s.place(o), s.blob(o.SubsystemsRaw))
}

// place applies position, orientation and velocity of an object that is created.
func (s *Ship) place(o *opcode.Object) (err error) {
	if !finite(o.Position[:]...) {
		err = s.fail("position", ErrNotFinite)
	} else if s.memory.baseAt == never {
		s.memory.base = o.Position
		s.settle()
	}
	if !finite(o.Orientation[:]...) || !finite(o.VelocityMagnitude) {
		return errors.Join(err, s.fail("orientation and velocity", ErrNotFinite))
	}
	forward, up := Axes(o.Orientation)
	if s.memory.told&opcode.StateForward == 0 {
		s.Forward = forward
	}
	if s.memory.told&opcode.StateUp == 0 {
		s.Up = up
	}
	if s.memory.told&opcode.StateSpeed == 0 {
		s.Speed = speed(o, forward)
	}
	return err
}

// speed returns the speed of an object that is created: negative if it flies backwards.
func speed(o *opcode.Object, forward compress.Vector3) compress.Float16 {
	fx, fy, fz := forward.Float32()
	dx, dy, dz := o.VelocityDir.Float32()
	magnitude := o.VelocityMagnitude
	if float32(dx*fx)+float32(dy*fy)+float32(dz*fz) < 0 {
		magnitude = -magnitude
	}
	return compress.EncodeFloat16(magnitude)
}

func (s *Ship) blob(raw []byte) error {
	if s.Class == nil {
		if len(raw) > MaxBlob {
			s.memory.lost = true
			return s.fail("create blob", ErrTooMany)
		}
		s.Blob = bytes.Clone(raw)
		return s.fail("create blob", ErrNoClass)
	}
	for status, err := range s.Class.Blob(raw) {
		if err != nil {
			return s.fail("create blob", err)
		}
		own := &s.Subsystems[status.Index]
		parts := own.Parts
		copy(parts, status.Parts)
		*own = status
		own.Parts = parts
		if status.HasCloak && s.memory.told&opcode.StateCloak == 0 {
			s.Cloaked = status.Cloaked
		}
	}
	return nil
}

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
	if s.memory.deltaAt >= s.memory.baseAt && s.memory.deltaAt != never {
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

// systems applies a block, or keeps it for the time when the class is known.
func (s *Ship) systems(m *opcode.StateUpdate, change *Change) error {
	if s.memory.created {
		return s.blocks(m, change)
	}
	return s.keep(m)
}

func (s *Ship) keep(m *opcode.StateUpdate) error {
	if len(m.Data) > MaxBlock {
		return s.fail("subsystems", ErrTooMany)
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
		return s.fail("power", ErrTooMany)
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

func finite(v ...float32) bool {
	for _, f := range v {
		if f-f != 0 {
			return false
		}
	}
	return true
}
