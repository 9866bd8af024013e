package stateupdate

import (
	"math/bits"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

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
func (e *sent) commit(m *opcode.StateUpdate, force bool, interval time.Duration) {
	if force || hasAllMotion(m.Flags) {
		e.forced = m.GameTime
	}
	e.pace(float64(m.GameTime), interval)
	e.started = true
	for _, p := range m.Power {
		e.power[p.Index] = sentPower{value: p.Value, known: true, at: m.GameTime}
	}
}

// encode encodes the message, with the next subsystems if it has the flag.
func (e *sent) encode(dst []byte, m *opcode.StateUpdate, s *Ship, power bool) ([]byte, error) {
	var w stream.Codec
	w.Append(dst, uint8(opcode.OpStateUpdate))
	e.walk(&w, m, s, power)
	if !w.Done() {
		w.Again(updateName)
		e.walk(&w, m, s, power)
	}
	return w.Result()
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

// IntegrityHash is the algorithm of the Hash that a client sends with an absolute position of its
// own ship. The host kicks the client if the host's copy has another hash. The input values of
// a ship are not all known, so the hash of a ship cannot be computed yet. The zero value is ready
// to use.
//
// A client should leave HasHash of its StateUpdates false, because the host checks only a hash that is
// present. A server can ignore the hash, or learn the constant hash of each class from stock clients.
//
// Evidence: documented (B), from the engine's code. The hash of an Akira, 0xFB37, is observed
// (A). The hash of a Nebula, 0x040C, is inferred (C) from one document.
type IntegrityHash uint32

// Add XORs the integer part of |v|, modulo 2^32, into the hash and rotates the hash left by one
// bit. The first value is the hull's. NaN and values outside the range of an int64 count as 0.
func (h *IntegrityHash) Add(v float32) {
	var i int64
	if v > -1<<63 && v < 1<<63 {
		i = int64(v)
	}
	if v < 0 {
		i = -i
	}
	*h = IntegrityHash(bits.RotateLeft32(uint32(*h)^uint32(i), 1))
}

// Sum returns the hash for a StateUpdate: the XOR of the two halves.
func (h IntegrityHash) Sum() opcode.Hash16 { return opcode.Hash16(h>>16) ^ opcode.Hash16(h) }
