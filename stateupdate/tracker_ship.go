package stateupdate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// trackedShip is a ship of a Tracker: its state, and the facts that decide which parts of the
// next message change the state.
type trackedShip struct {
	Ship

	created     bool              // a creation was applied, so that the ship has a class or a blob
	moved       bool              // an update with motion was applied; GameTime is its time
	lastMessage uint64            // number of the last message about the ship
	updated     opcode.StateFlags // fields of motion that updates have set; a creation leaves them

	base      [3]float32       // the last absolute position, from which deltas count
	baseTime  float32          // the time of base
	delta     compress.Vector4 // the newest delta
	deltaTime float32          // the time of delta; the delta counts if it is not older than the base

	powerTimes []float32            // for each subsystem, the time of its power
	buffered   []opcode.StateUpdate // updates with a block or power settings, until the creation
}

func newTrackedShip(id objectid.ID) *trackedShip {
	s := &trackedShip{baseTime: never(), deltaTime: never()}
	s.init(id)
	return s
}

// clone returns a copy that shares only the bytes of buffered updates, which do not change.
func (s *trackedShip) clone() *trackedShip {
	clone := *s
	clone.detach()
	clone.powerTimes = slices.Clone(s.powerTimes)
	clone.buffered = slices.Clone(s.buffered)
	return &clone
}

// never returns a time before all times of updates.
func never() float32 { return float32(math.Inf(-1)) }

func (s *trackedShip) fail(part string, err error) error {
	return &Error{ObjectID: s.ID, Part: part, Err: err}
}

// create applies the creation of the ship, and then the buffered updates. Motion that an update
// has set already is newer than that of the creation.
func (s *trackedShip) create(o *opcode.Object, class *Class, change *Change) error {
	s.created, s.Life, s.Killer, s.Lifetime = true, Alive, 0, 0
	s.Species = o.Species
	s.PlayerName, s.SetName = o.PlayerName.String(), o.SetName.String()
	s.setClass(class)
	s.powerTimes = make([]float32, len(s.Subsystems))
	for i := range s.powerTimes {
		s.powerTimes[i] = never()
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
	s.Life, s.Killer = Dying, objectid.PeerIDFrom(int(e.FiringPlayerID))
	if !finite(e.Lifetime) {
		return s.fail("lifetime", ErrNotFinite)
	}
	seconds := float64(min(max(e.Lifetime, 0), longest))
	s.Lifetime = time.Duration(seconds * float64(time.Second))
	return nil
}

// createMotion applies position, orientation and velocity of a creation.
func (s *trackedShip) createMotion(o *opcode.Object) (err error) {
	if !finite(o.Position[:]...) {
		err = s.fail("position", ErrNotFinite)
	} else if s.baseTime == never() {
		s.base = o.Position
		s.addDelta()
	}
	if !finite(o.Orientation[:]...) || !finite(o.VelocityMagnitude) {
		return errors.Join(err, s.fail("orientation and velocity", ErrNotFinite))
	}
	forward, up := Axes(o.Orientation)
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

// speed returns the speed of an object that is created. It is negative if the object flies
// backwards.
func speed(o *opcode.Object, forward compress.Vector3) compress.Float16 {
	fx, fy, fz := forward.Float32()
	dx, dy, dz := o.VelocityDir.Float32()
	magnitude := o.VelocityMagnitude
	if float32(dx*fx)+float32(dy*fy)+float32(dz*fz) < 0 {
		magnitude = -magnitude
	}
	return compress.EncodeFloat16(magnitude)
}

// createSubsystems applies a create blob. A ship whose blob does not fit its class has
// another list of subsystems: it loses the class, and the blob stays raw.
func (s *trackedShip) createSubsystems(raw []byte) error {
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
		if status.HasCloak && s.updated&opcode.StateCloak == 0 {
			s.Cloaked = status.Cloaked
		}
	}
	return nil
}

func (s *trackedShip) keepBlob(raw []byte, reason error) error {
	if len(raw) > MaxBlob {
		s.BlobDropped = true
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
