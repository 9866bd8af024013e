package opcode

import (
	"encoding/binary"
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

var le = binary.LittleEndian

// reset clears the message and keeps the memory of Power.
func (m *StateUpdate) reset() { *m = StateUpdate{Power: m.Power[:0]} }

// fast decodes a payload that is right in every respect into a message that is zero, and
// reports whether it has. The walk decodes the others, and is the oracle of this function in
// the tests. Nearly all of the traffic takes this path.
func (m *StateUpdate) fast(b []byte) bool {
	if len(b) < 10 || len(b) > 1<<16 || b[0] != byte(OpStateUpdate) {
		return false
	}
	m.ObjectID = objectid.ID(le.Uint32(b[1:]))
	m.GameTime = math.Float32frombits(le.Uint32(b[5:]))
	m.Flags = StateFlags(b[9])
	var open stream.Bits // the open bit group
	b, ok := m.fastPosition(b[10:], &open)
	if ok {
		b, ok = m.fastVectors(b)
	}
	if ok && m.Flags&StateCloak != 0 {
		b, ok = m.fastCloak(b, &open)
	}
	count := open.Byte >> 5
	switch {
	case !ok, open.Read > count:
		return false
	case m.Flags&StateSubsystems != 0:
		return m.fastSubsystems(b, open)
	case open.Read < count:
		return false
	case m.Flags&StatePower != 0:
		return m.fastPower(b)
	}
	return len(b) == 0
}

// fastPosition reads Position and Hash, and returns the rest of the payload.
func (m *StateUpdate) fastPosition(b []byte, open *stream.Bits) (rest []byte, ok bool) {
	if m.Flags&StatePosition == 0 {
		return b, true
	}
	if len(b) < 13 || !oneGroup(b[12]) {
		return nil, false
	}
	m.Position[0] = math.Float32frombits(le.Uint32(b))
	m.Position[1] = math.Float32frombits(le.Uint32(b[4:]))
	m.Position[2] = math.Float32frombits(le.Uint32(b[8:]))
	*open = stream.Bits{Byte: b[12], Read: 1}
	if b[12]&1 == 0 {
		return b[13:], true
	}
	if len(b) < 15 {
		return nil, false
	}
	m.HasHash, m.Hash = true, Hash16(le.Uint16(b[13:]))
	return b[15:], true
}

// fastVectors reads Delta, Forward, Up and Speed.
func (m *StateUpdate) fastVectors(b []byte) (rest []byte, ok bool) {
	if m.Flags&StateDelta != 0 {
		if len(b) < 5 {
			return nil, false
		}
		m.Delta = compress.Vector4{Dir: vector3(b), Mag: compress.Float16(le.Uint16(b[3:]))}
		b = b[5:]
	}
	if m.Flags&StateForward != 0 {
		if len(b) < 3 {
			return nil, false
		}
		m.Forward, b = vector3(b), b[3:]
	}
	if m.Flags&StateUp != 0 {
		if len(b) < 3 {
			return nil, false
		}
		m.Up, b = vector3(b), b[3:]
	}
	if m.Flags&StateSpeed != 0 {
		if len(b) < 2 {
			return nil, false
		}
		m.Speed, b = compress.Float16(le.Uint16(b)), b[2:]
	}
	return b, true
}

// fastCloak reads Cloak, from the byte of HasHash if there is one.
func (m *StateUpdate) fastCloak(b []byte, open *stream.Bits) (rest []byte, ok bool) {
	if open.Read == 0 {
		if len(b) < 1 || !oneGroup(b[0]) {
			return nil, false
		}
		open.Byte, b = b[0], b[1:]
	}
	m.Cloak = open.Byte>>open.Read&1 != 0
	open.Read++
	return b, true
}

func (m *StateUpdate) fastSubsystems(b []byte, bits stream.Bits) bool {
	if len(b) < 1 {
		return false
	}
	m.StartIndex = int8(b[0])
	if len(b) > 1 {
		m.Data = b[1:len(b):len(b)]
	}
	m.Bits = bits
	return true
}

func (m *StateUpdate) fastPower(b []byte) bool {
	n := len(b) / 2
	if len(b)%2 != 0 {
		return false
	}
	if n > cap(m.Power) {
		m.Power = make([]PowerEntry, n)
	}
	m.Power = m.Power[:n]
	for i := range m.Power {
		m.Power[i] = PowerEntry{b[0], b[1]}
		b = b[2:]
	}
	return true
}

// oneGroup says whether b is the byte of a bit group that an encoder writes.
func oneGroup(b byte) bool {
	count := b >> 5
	return count-1 < 5 && b&0x1F>>count == 0
}

func vector3(b []byte) compress.Vector3 {
	return compress.Vector3{X: int8(b[0]), Y: int8(b[1]), Z: int8(b[2])}
}
