package stateupdate

import (
	"cmp"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Encoder encodes the StateUpdates about one ship for one receiver. An update has the motion that
// has changed, and the next subsystems or power settings. There are two independent timers. One
// second after the last absolute position, an update has the absolute position again. One second
// after the last forced update, an update is forced: it has all motion, changed or not. Its position
// is a delta, unless the absolute position is due. An Encoder has no clock: the same calls give the
// same bytes.
//
// The timers and rules are the game's, with one exception: the game shortens a delta above 10,000
// game units, the largest [compress.Float16]. The Encoder then sends an absolute position.
// An Encoder also sends no Hash: a host checks only a hash that is present.
//
// The zero value is for a client, which sends its own ship to the host. Call Append ten times a second. In the game,
// the interval of a client also depends on the modems and the number of players; evidence: documented (B).
//
//	its modem  host's modem  players            interval
//	no         no            any                0.1 s
//	yes        no            1-4, 5 and more    0.1, 0.125 s
//	any        yes           1-2, 3, 4 and more 0.1, 0.167, 0.25 s
type Encoder struct {
	// Receiver is the player to whom a host sends the updates: motion and subsystems, or, of the player's own ship,
	// only subsystems, without their power. 0 is for a client: motion and power settings.
	Receiver objectid.PeerID

	codec    stream.Codec
	refresh  time.Duration // after it, a client sends an unchanged power setting again; 0 is never, as in the game
	interval time.Duration // average time between two updates; 0: an update is due in every call of Append
	omit     bool          // a host's updates that are not forced have no subsystems, as on a modem
	sent
}

// The timers of the game, in seconds.
const (
	positionInterval = 1 // after it, an update has the absolute position, not a delta
	forceInterval    = 1 // after it, an update has all motion, changed or not
)

// sent has the values and timers of the updates that an Encoder has sent.
type sent struct {
	id          objectid.ID
	class       *Class
	started     bool
	paced       time.Duration // when the last update was due
	positioned  float32       // time of the last absolute position
	forced      float32       // time of the last update with all motion
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

// encoderFor returns an encoder of a host for a player, whose peer ID need not be valid.
func encoderFor(peer objectid.PeerID) Encoder {
	return Encoder{Receiver: cmp.Or(peer, objectid.NoPeer)}
}

// Append appends an update to dst if one is due at a time of the sender's clock, which becomes its GameTime.
// Otherwise, or if the update would have no fields, it returns dst unchanged.
//
// The ship must have a status for each subsystem of its class. Append does not check whether values
// are finite. On error, it returns dst unchanged, and the Encoder stays unchanged. The error wraps
// [ErrOrder] or [ErrClass], or is a [*stream.Error]; it is another one if s is nil.
func (e *Encoder) Append(dst []byte, now time.Duration, s *Ship) ([]byte, error) {
	if err := s.complete(); err != nil {
		return dst, err
	}
	if !e.due(now, e.interval, s) {
		return dst, nil
	}
	var m opcode.StateUpdate
	after, force := e.prepared(&m, now, s)
	if m.Flags == 0 {
		return dst, nil
	}
	dst, err := e.codec.Append(dst, int(opcode.OpStateUpdate), updateName, func(w *stream.Codec) {
		after.walk(w, &m, s, !e.toOwner(s))
	})
	if err == nil {
		after.commit(&m, now, force, e.interval)
		e.sent = after
	}
	return dst, err
}

// toOwner reports whether a host sends a ship to its own player.
func (e *Encoder) toOwner(s *Ship) bool { return e.Receiver.Valid() && e.Receiver == s.PeerID }

// next sets m to an update of an owner if one is due, and reports whether it is. Power aliases the Encoder.
func (e *Encoder) next(m *opcode.StateUpdate, now time.Duration, s *Ship) bool {
	if !e.due(now, e.interval, s) {
		return false
	}
	after, force := e.prepared(m, now, s)
	after.commit(m, now, force, e.interval)
	e.sent = after
	return true
}

// prepared sets m to an update, still without its subsystems. It returns the state after it, and whether it is forced.
func (e *Encoder) prepared(m *opcode.StateUpdate, at time.Duration, s *Ship) (after sent, force bool) {
	now := float32(at.Seconds())
	after = e.sent
	after.prepare(s)
	*m = opcode.StateUpdate{ObjectID: s.ID, GameTime: now}
	position := !after.started || elapsed(now, after.positioned, positionInterval)
	force = !after.started || elapsed(now, after.forced, forceInterval)
	if !e.toOwner(s) {
		after.motion(m, s, position, force)
	}
	switch {
	case s.Class != nil && e.Receiver == 0:
		after.settings(m, s, float32(e.refresh.Seconds()))
	case s.Class != nil && (force || !e.omit):
		m.Flags |= opcode.StateSubsystems
		m.StartIndex = int8(after.next)
	}
	return after, force
}

// complete returns an error if the ship lacks a status for a subsystem of its class.
func (s *Ship) complete() error {
	switch {
	case s == nil:
		return errNoShip
	case s.Class == nil:
	case len(s.Class.Subsystems) > maxSubsystems:
		return fmt.Errorf("stateupdate: %w: %d subsystems, at most %d", ErrClass, len(s.Class.Subsystems), maxSubsystems)
	case len(s.Subsystems) != len(s.Class.Subsystems):
		return fmt.Errorf("stateupdate: %w: %d statuses for %d subsystems", ErrOrder, len(s.Subsystems), len(s.Class.Subsystems))
	}
	return nil
}

// due reports whether the interval has passed, or the clock was set back.
func (e *sent) due(now, interval time.Duration, s *Ship) bool {
	since := now - e.paced
	return !e.started || e.id != s.ID || e.class != s.Class || !(since >= 0 && since < interval)
}

// pace sets the time when an update was due. Late calls do not make the average interval
// longer: the encoder catches up by at most one update.
func (e *sent) pace(now, interval time.Duration) {
	if e.started && now-e.paced >= interval {
		e.paced = max(e.paced+interval, now-interval)
	} else {
		e.paced = now
	}
}

// elapsed reports whether more than an interval in seconds has passed, or the clock was set
// back.
func elapsed(now, since, interval float32) bool {
	passed := now - since
	return !(passed <= interval) || passed < 0
}

// prepare resets the state for another ship, or another class of the ship.
func (e *sent) prepare(s *Ship) {
	if e.id == s.ID && e.class == s.Class {
		return
	}
	*e = sent{id: s.ID, class: s.Class}
}

// tooLong is the largest length code. All longer deltas have it, too.
const tooLong compress.Float16 = 0x7FFF

// motion adds the fields for position, orientation, speed and cloak that are due.
func (e *sent) motion(m *opcode.StateUpdate, s *Ship, position, force bool) {
	m.Forward, m.Up, m.Speed, m.Cloak = s.Forward, s.Up, s.Speed, s.Cloaked
	m.Delta = compress.EncodeVector4(s.Position[0]-e.base[0], s.Position[1]-e.base[1], s.Position[2]-e.base[2])
	set := func(flag opcode.StateFlags, changed bool) {
		if changed || force {
			m.Flags |= flag
		}
	}
	if position || m.Delta.Mag == tooLong {
		m.Flags |= opcode.StatePosition
		m.Position, m.Delta = s.Position, compress.Vector4{}
		e.base, e.positioned = s.Position, m.GameTime
	} else {
		set(opcode.StateDelta, m.Delta != e.delta)
	}
	set(opcode.StateForward, m.Forward != e.forward)
	set(opcode.StateUp, m.Up != e.up)
	set(opcode.StateSpeed, m.Speed != e.speed)
	if s.Class != nil && s.Class.canCloak() {
		set(opcode.StateCloak, m.Cloak != e.cloaked)
	}
	e.delta, e.forward, e.up, e.speed, e.cloaked = m.Delta, m.Forward, m.Up, m.Speed, m.Cloak
}

// hasAllMotion reports whether an update has all fields of a forced update. Such an update
// also restarts the force timer. Only a ship with a cloaking device can have it unforced.
func hasAllMotion(flags opcode.StateFlags) bool {
	const rest = opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak
	return flags&rest == rest && flags&(opcode.StatePosition|opcode.StateDelta) != 0
}

// The game adds subsystems to a block, and power settings to an update, until they have at
// least this many bytes. The last subsystem may exceed the limit.
const (
	blockStop = 10 // StartIndex included
	powerStop = 6
)

// settings adds the power settings that are due, starting where the last call stopped.
func (e *sent) settings(m *opcode.StateUpdate, s *Ship, refresh float32) {
	if e.power == nil {
		e.power = make([]sentPower, len(s.Class.Subsystems))
		e.entries = make([]opcode.PowerEntry, 0, powerStop/2)
	}
	m.Flags |= opcode.StatePower
	m.Power = e.entries[:0]
	for range s.Subsystems {
		if 2*len(m.Power) >= powerStop {
			return
		}
		i := e.next
		e.next = s.Class.next(i)
		if value := s.Subsystems[i].Power.setting(); s.Class.powered(uint8(i)) != nil && e.power[i].due(value, m.GameTime, refresh) {
			m.Power = append(m.Power, opcode.PowerEntry{Index: uint8(i), Value: value})
		}
	}
}

func (p *sentPower) due(value uint8, now, refresh float32) bool {
	since := now - p.at
	return !p.known || p.value != value || refresh > 0 && (since >= refresh || since < 0)
}

// commit stores the timers and power settings of an update that was sent.
func (e *sent) commit(m *opcode.StateUpdate, now time.Duration, force bool, interval time.Duration) {
	if force || hasAllMotion(m.Flags) {
		e.forced = m.GameTime
	}
	e.pace(now, interval)
	e.started = true
	for _, p := range m.Power {
		e.power[p.Index] = sentPower{value: p.Value, known: true, at: m.GameTime}
	}
}

// walk encodes a message. Its subsystems begin at StartIndex and have up to blockStop bytes.
func (e *sent) walk(w *stream.Codec, m *opcode.StateUpdate, s *Ship, power bool) {
	if m.Flags&opcode.StateSubsystems == 0 {
		m.Walk(w)
		return
	}
	m.WalkHead(w)
	mark := w.Offset() - 1 // StartIndex
	e.next = int(m.StartIndex)
	w.Group("Subsystems")
	for range s.Subsystems {
		if w.Offset()-mark >= blockStop {
			break
		}
		status := s.Subsystems[e.next]
		status.Subsystem, status.HasPower = &s.Class.Subsystems[e.next], power
		status.walkBlock(w)
		e.next = s.Class.next(e.next)
	}
	w.End()
}
