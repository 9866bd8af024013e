package opcode

import (
	"encoding/binary"
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

var le = binary.LittleEndian

// fast decodes a payload that is right in every respect into a message that is zero, and
// says whether it was. The walk decodes the others, and is the judge of this function in
// the tests: nearly all of the traffic comes through here.
func (m *StateUpdate) fast(b []byte) bool {
	if len(b) < 10 || len(b) > 1<<16 || b[0] != byte(OpStateUpdate) {
		return false
	}
	m.ObjectID = objectid.ID(le.Uint32(b[1:]))
	m.GameTime = math.Float32frombits(le.Uint32(b[5:]))
	m.Flags = StateFlags(b[9])
	b = b[10:]
	var group, used uint8 // the open bit group: its byte, and how many of its bools are read
	if m.Flags&StatePosition != 0 {
		if len(b) < 13 || !oneGroup(b[12]) {
			return false
		}
		m.Position[0] = math.Float32frombits(le.Uint32(b))
		m.Position[1] = math.Float32frombits(le.Uint32(b[4:]))
		m.Position[2] = math.Float32frombits(le.Uint32(b[8:]))
		group, used = b[12], 1
		b = b[13:]
		if group&1 != 0 {
			if len(b) < 2 {
				return false
			}
			m.HasHash = true
			m.Hash = Hash16(le.Uint16(b))
			b = b[2:]
		}
	}
	if m.Flags&StateDelta != 0 {
		if len(b) < 5 {
			return false
		}
		m.Delta = compress.Vector4{Dir: vector3(b), Mag: compress.Float16(le.Uint16(b[3:]))}
		b = b[5:]
	}
	if m.Flags&StateForward != 0 {
		if len(b) < 3 {
			return false
		}
		m.Forward = vector3(b)
		b = b[3:]
	}
	if m.Flags&StateUp != 0 {
		if len(b) < 3 {
			return false
		}
		m.Up = vector3(b)
		b = b[3:]
	}
	if m.Flags&StateSpeed != 0 {
		if len(b) < 2 {
			return false
		}
		m.Speed = compress.Float16(le.Uint16(b))
		b = b[2:]
	}
	if m.Flags&StateCloak != 0 {
		if used == 0 {
			if len(b) < 1 || !oneGroup(b[0]) {
				return false
			}
			group, b = b[0], b[1:]
		}
		m.Cloak = group>>used&1 != 0
		used++
	}
	if used > group>>5 {
		return false
	}
	switch {
	case m.Flags&StateSubsystems != 0:
		return m.fastSubsystems(b, stream.Bits{Byte: group, Read: used})
	case used < group>>5:
		return false
	case m.Flags&StatePower != 0:
		return m.fastPower(b)
	}
	return len(b) == 0
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
