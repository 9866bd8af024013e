package stateupdate

import (
	"fmt"
	"math"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Role is who tells whom about a ship. It decides which fields a StateUpdate has.
type Role uint8

// The roles.
const (
	// Owner is a client that tells the host about its own ship: motion and power settings.
	Owner Role = iota
	// HostToOwner is the host that tells a client about the client's own ship: subsystems
	// without their power.
	HostToOwner
	// HostToOther is the host that tells a client about any other ship: motion and
	// subsystems.
	HostToOther
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

// The game stops a block before the first subsystem that begins at or after this many
// bytes, and the power settings after this many. The last subsystem of a block may end
// beyond.
const (
	blockBudget = 10 // StartIndex included
	powerBudget = 6
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
// The ship must have a status for each subsystem of its class: on error, [ErrOrder] or a
// [*stream.Error], dst comes back as it was and the encoder remembers nothing of the call.
func (e *Encoder) Append(dst []byte, now float32, s *Ship) ([]byte, error) {
	if s.Class != nil && len(s.Subsystems) != len(s.Class.Subsystems) {
		return dst, fmt.Errorf("%w: %d of %d", ErrOrder, len(s.Subsystems), len(s.Class.Subsystems))
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

// motion sets the fields for position, orientation, speed and cloak that are due.
func (e *sent) motion(m *opcode.StateUpdate, s *Ship, force, owner bool) {
	m.Forward, m.Up, m.Speed, m.Cloak = s.Forward, s.Up, s.Speed, s.Cloaked
	if force {
		m.Flags = opcode.StatePosition | opcode.StateForward | opcode.StateUp | opcode.StateSpeed
		e.started, e.forced = true, m.GameTime
	} else {
		e.changes(m, s)
	}
	if m.Flags&opcode.StatePosition != 0 {
		m.Position = s.Position
		m.HasHash, m.Hash = owner && s.HasHash, s.Hash
		e.base, m.Delta = s.Position, compress.Vector4{}
	}
	if s.Class != nil && s.Class.CanCloak() && (force || s.Cloaked != e.cloaked) {
		m.Flags |= opcode.StateCloak
	}
	e.delta, e.forward, e.up, e.speed, e.cloaked = m.Delta, m.Forward, m.Up, m.Speed, m.Cloak
}

// beyond is the length of a delta that is too long for its code.
const beyond compress.Float16 = 0x7FFF

// changes sets the flags of what has changed since it was sent.
func (e *sent) changes(m *opcode.StateUpdate, s *Ship) {
	m.Delta = compress.EncodeVector4(s.Position[0]-e.base[0], s.Position[1]-e.base[1], s.Position[2]-e.base[2])
	switch {
	case m.Delta.Mag == beyond: // the position alone; everything else is due when it was
		m.Flags |= opcode.StatePosition
	case m.Delta != e.delta:
		m.Flags |= opcode.StateDelta
	}
	if m.Forward != e.forward {
		m.Flags |= opcode.StateForward
	}
	if m.Up != e.up {
		m.Flags |= opcode.StateUp
	}
	if m.Speed != e.speed {
		m.Flags |= opcode.StateSpeed
	}
}

// settings adds the power settings that are due, from where it stopped the last time.
func (e *sent) settings(m *opcode.StateUpdate, s *Ship, refresh float32) {
	m.Flags |= opcode.StatePower
	m.Power = e.entries[:0]
	for range s.Subsystems {
		if 2*len(m.Power) >= powerBudget {
			return
		}
		i := e.next
		e.next = s.Class.next(i)
		if value := s.Subsystems[i].Power.Setting(); s.Class.powered(uint8(i)) != nil && e.power[i].due(value, m.GameTime, refresh) {
			m.Power = append(m.Power, opcode.PowerEntry{Index: uint8(i), Value: value})
		}
	}
}

func (p *sentPower) due(value uint8, now, refresh float32) bool {
	since := now - p.at
	return !p.known || p.value != value || since >= refresh || since < 0
}

// commit remembers the power settings that were sent.
func (e *sent) commit(m *opcode.StateUpdate) {
	for _, p := range m.Power {
		e.power[p.Index] = sentPower{value: p.Value, known: true, at: m.GameTime}
	}
}

// blocks encodes the message with the subsystems whose turn it is.
func (e *sent) blocks(dst []byte, m *opcode.StateUpdate, s *Ship, power bool) ([]byte, error) {
	m.Flags |= opcode.StateSubsystems
	m.StartIndex = int8(e.next)
	var w stream.Codec
	w.Append(dst, uint8(opcode.OpStateUpdate))
	next := s.walk(&w, m, power)
	if !w.Done() {
		w.Again(updateName)
		next = s.walk(&w, m, power)
	}
	e.next = next
	return w.Result()
}

// walk encodes a message with the subsystems from StartIndex on that the budget allows,
// and returns which is the next.
func (s *Ship) walk(w *stream.Codec, m *opcode.StateUpdate, power bool) int {
	m.WalkHead(w)
	m.WalkStart(w)
	mark := w.Offset() - 1 // StartIndex
	i := int(m.StartIndex)
	w.Group("Subsystems")
	for range s.Subsystems {
		if w.Offset()-mark >= blockBudget {
			break
		}
		status := s.Subsystems[i]
		status.Subsystem, status.HasPower = &s.Class.Subsystems[i], power
		status.walkBlock(w)
		i = s.Class.next(i)
	}
	w.End()
	return i
}
