package stateupdate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Role is the relation of a sender and a receiver of StateUpdates to the ship. It decides which
// fields an update has.
type Role uint8

// The roles.
const (
	// Owner is a client that reports its own ship to the host: motion and power settings.
	Owner Role = iota
	// HostToOwner is the host that reports a client's own ship to that client: subsystems
	// without their power.
	HostToOwner
	// HostToOther is the host that reports any other ship to a client: motion and subsystems.
	HostToOther
)

// String returns the role in words, "host to owner", or the number of an unknown one.
func (r Role) String() string {
	switch r {
	case Owner:
		return "owner"
	case HostToOwner:
		return "host to owner"
	case HostToOther:
		return "host to other"
	}
	return "Role(" + strconv.Itoa(int(r)) + ")"
}

// Encoder encodes the StateUpdates that one peer sends to another about one ship. It compares
// the ship with the values that it has sent. Motion that has changed is sent at once, the
// absolute position and all motion once a second, subsystems and power settings in turn. An
// Encoder has no clock: the same calls give the same bytes.
//
// Its timers and rules are those of the unmodified game, with one exception. A delta that is
// too long for its code becomes an absolute position, where the game sends a delta that is
// too short until its next absolute position. A receiver needs no rule for that.
//
// The zero value is the encoder of an owner. Call Append ten times a second, or more often
// with an Interval; a [Cadence] gives the intervals of the game.
//
// Evidence: documented (B): the engine's code of the sender.
type Encoder struct {
	Role Role
	// Interval is the average time between two updates: Append makes none if it is called
	// earlier. 0 makes an update in every call. It can change at any time.
	Interval time.Duration
	// OmitSubsystems leaves the subsystems out of updates by a host that are not forced. A
	// host on a modem does so; see [Cadence.OmitsSubsystems]. It can change at any time.
	OmitSubsystems bool
	// PowerRefresh is the time after which an owner repeats a power setting that has not
	// changed, so that the loss of a datagram heals. 0 means never, as in the game.
	PowerRefresh time.Duration

	sent
}

// The timers of the game, in seconds.
const (
	positionInterval = 1 // then an update has the absolute position instead of a delta
	forceInterval    = 1 // then an update has all motion, even if nothing has changed
)

// sent has the values that an Encoder has sent, and its timers.
type sent struct {
	id          objectid.ID
	class       *Class
	started     bool
	paced       float64 // when the last update was due
	positioned  float32 // when a position was sent
	forced      float32 // when all motion was sent
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
// the end of dst. If no update is due, or the ship has no class and does not move, it
// returns dst unchanged.
//
// The ship must have a status for each subsystem of its class. On error, [ErrOrder],
// [ErrClass] for a class of more than [MaxSubsystems], or a [*stream.Error], Append returns
// dst unchanged and the encoder remembers nothing of the call.
func (e *Encoder) Append(dst []byte, now float32, s *Ship) ([]byte, error) {
	if err := s.complete(); err != nil {
		return dst, err
	}
	if !e.due(now, e.Interval, s) {
		return dst, nil
	}
	after := e.sent
	after.prepare(s)
	m := opcode.StateUpdate{ObjectID: s.ID, GameTime: now}
	position := !after.started || elapsed(now, after.positioned, positionInterval)
	force := !after.started || elapsed(now, after.forced, forceInterval)
	if e.Role != HostToOwner {
		after.motion(&m, s, position, force, e.Role == Owner)
	}
	var err error
	switch {
	case s.Class != nil && e.Role == Owner:
		after.settings(&m, s, float32(e.PowerRefresh.Seconds()))
		dst, err = m.AppendBinary(dst)
	case s.Class != nil && (force || !e.OmitSubsystems):
		dst, err = after.blocks(dst, &m, s, e.Role == HostToOther)
	case m.Flags == 0:
		return dst, nil
	default:
		dst, err = m.AppendBinary(dst)
	}
	if err == nil {
		after.commit(&m, force, e.Interval)
		e.sent = after
	}
	return dst, err
}

// complete returns an error if the ship lacks a status for a subsystem of its class.
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

// Reset forgets what was sent, as for a peer that joins again. The options stay.
func (e *Encoder) Reset() { e.sent = sent{} }

// due reports whether the interval has passed, or the clock was set back. Times are float32:
// ten calls a second are not exactly 0.1 s apart, but differ by the precision of the time.
func (e *sent) due(now float32, interval time.Duration, s *Ship) bool {
	since, precision := float64(now)-e.paced, math.Abs(float64(now))*0x1p-23
	return !e.started || e.id != s.ID || e.class != s.Class || !(since >= 0 && since < interval.Seconds()-precision)
}

// pace sets the time when an update was due. Calls that come late do not make the interval
// longer: the encoder catches up by at most one update.
func (e *sent) pace(now float64, interval time.Duration) {
	if every := interval.Seconds(); e.started && now-e.paced >= every {
		e.paced = max(e.paced+every, now-every)
	} else {
		e.paced = now
	}
}

// elapsed reports whether more than an interval in seconds has passed since a time, or the
// clock was set back.
func elapsed(now, since, interval float32) bool {
	passed := now - since
	return !(passed <= interval) || passed < 0
}

// prepare starts over for another ship, or another class of the ship.
func (e *sent) prepare(s *Ship) {
	if e.id == s.ID && e.class == s.Class {
		return
	}
	*e = sent{id: s.ID, class: s.Class}
}
