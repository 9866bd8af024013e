package stateupdate

import (
	"bytes"
	"errors"
	"fmt"
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
func never() float32 { return float32(math.Inf(-1)) }

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
		s.memory.powerAt[i] = never()
	}
	return errors.Join(s.place(o), s.blob(o.SubsystemsRaw))
}

// place applies position, orientation and velocity of an object that is created.
func (s *Ship) place(o *opcode.Object) (err error) {
	if !finite(o.Position[:]...) {
		err = s.fail("position", ErrNotFinite)
	} else if s.memory.baseAt == never() {
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

// blob applies a create blob. A ship whose blob does not fit its class has another list of
// subsystems than the class: it loses the class, and the blob stays raw.
func (s *Ship) blob(raw []byte) error {
	if s.Class == nil {
		return s.keepBlob(raw, ErrNoClass)
	}
	for _, err := range s.Class.Blob(raw) {
		if err == nil {
			continue
		}
		if s.Class.Grade == GradeC { // the class may be wrong, rather than the blob
			err = fmt.Errorf("%w: %w", ErrNoClass, err)
		}
		s.Class, s.Subsystems = nil, nil
		return s.keepBlob(raw, err)
	}
	for status := range s.Class.Blob(raw) {
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

func (s *Ship) keepBlob(raw []byte, reason error) error {
	if len(raw) > MaxBlob {
		s.memory.lost = true
		return s.fail("create blob", ErrLimit)
	}
	s.Blob = bytes.Clone(raw)
	return s.fail("create blob", reason)
}

func finite(v ...float32) bool {
	for _, f := range v {
		if f-f != 0 {
			return false
		}
	}
	return true
}
