package stateupdate

import (
	"fmt"
	"math"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Encoder makes the StateUpdates by which one peer learns of one ship. It remembers what
// it has sent, and sends what has changed, everything once a second, and subsystems and
// power settings in turn. Call it ten times a second, as the game does. It has no clock:
// the same calls give the same bytes.
//
// The zero value is the encoder of an owner. The options are not to be changed once it
// has sent something.
type Encoder struct {
	Role Role
	// ForceInterval is the time after which all motion is sent whether it has changed or
	// not. 0 is DefaultForceInterval.
	ForceInterval time.Duration
	// PowerRefresh is the time after which an owner sends a power setting that has not
	// changed, so that a lost one heals. 0 is DefaultPowerRefresh, and a negative one is
	// never: what the game does is not known.
	PowerRefresh time.Duration

	sent
}

// The defaults of an [Encoder].
const (
	DefaultForceInterval = time.Second
	DefaultPowerRefresh  = 5 * time.Second
)

// sent is what an Encoder remembers.
type sent struct {
	id          objectid.ID
	class       *Class
	started     bool
	forced      float32 // when everything was sent
	base        [3]float32
	delta       compress.Vector4
	forward, up compress.Vector3
	speed       compress.Float16
	cloaked     bool
	next        int // subsystem of the next block, or power setting
	power       []sentPower
	entries     []opcode.PowerEntry
}

type sentPower struct {
	value uint8
	known bool
	at    float32
}

// Append encodes the update that is due at a time, in seconds on the sender's clock, to
// the end of dst. When nothing is due, because the ship has no class and does not move,
// dst comes back as it was.
//
// The ship must have a status for each subsystem of its class: on error, [ErrOrder],
// [ErrClass] for a class of more than [MaxSubsystems], or a [*stream.Error], dst comes back
// as it was and the encoder remembers nothing of the call.
func (e *Encoder) Append(dst []byte, now float32, s *Ship) ([]byte, error) {
	if err := s.complete(); err != nil {
		return dst, err
	}
	after := e.sent
	after.prepare(s)
	m := opcode.StateUpdate{ObjectID: s.ID, GameTime: now}
	if e.Role != HostToOwner {
		after.motion(&m, s, after.forces(now, seconds(e.ForceInterval, DefaultForceInterval)), e.Role == Owner)
	}
	var err error
	switch {
	case s.Class == nil && m.Flags == 0:
		return dst, nil
	case s.Class == nil:
		dst, err = m.AppendBinary(dst)
	case e.Role == Owner:
		after.settings(&m, s, e.refresh())
		dst, err = m.AppendBinary(dst)
	default:
		dst, err = after.blocks(dst, &m, s, e.Role == HostToOther)
	}
	if err == nil {
		after.commit(&m)
		e.sent = after
	}
	return dst, err
}

// complete says whether a ship has what a block can tell of.
func (s *Ship) complete() error {
	switch {
	case s.Class == nil:
	case len(s.Class.Subsystems) > MaxSubsystems:
		return fmt.Errorf("stateupdate: %w: %d subsystems", ErrClass, len(s.Class.Subsystems))
	case len(s.Subsystems) != len(s.Class.Subsystems):
		return fmt.Errorf("stateupdate: %w: %d of %d", ErrOrder, len(s.Subsystems), len(s.Class.Subsystems))
	}
	return nil
}

// Reset forgets what was sent, as for a peer that joins anew. The options stay.
func (e *Encoder) Reset() { e.sent = sent{} }

// forces says whether everything is due. A clock that was set back does not keep it from
// being so.
func (e *sent) forces(now, interval float32) bool {
	since := now - e.forced
	return !e.started || !(since <= interval) || since < 0
}

func (e *Encoder) refresh() float32 {
	if e.PowerRefresh < 0 {
		return math.MaxFloat32
	}
	return seconds(e.PowerRefresh, DefaultPowerRefresh)
}

// seconds returns an interval, or the standard one for 0, on the game's clock.
func seconds(d, standard time.Duration) float32 {
	if d == 0 {
		d = standard
	}
	return float32(d.Seconds())
}

// prepare begins anew for another ship, or another class of it.
func (e *sent) prepare(s *Ship) {
	if e.id == s.ID && e.class == s.Class {
		return
	}
	*e = sent{id: s.ID, class: s.Class}
	if s.Class != nil {
		e.power = make([]sentPower, len(s.Class.Subsystems))
		e.entries = make([]opcode.PowerEntry, 0, powerBudget/2)
	}
}
