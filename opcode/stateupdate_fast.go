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

// fast decodes a valid payload and reports whether it did. The walk decodes
// all other payloads, and tests compare fast with the walk. Nearly all traffic takes this path: on
// the recorded match, the walk takes 1.9 times as long (go test -run '^$' -bench Fast ./opcode).
func (m *StateUpdate) fast(b []byte) bool {
	if len(b) < 10 || len(b) > 1<<16 || b[0] != byte(OpStateUpdate) {
		return false
	}
	m.reset()
	m.ObjectID = objectid.ID(le.Uint32(b[1:]))
	m.GameTime = math.Float32frombits(le.Uint32(b[5:]))
	flags := StateFlags(b[9])
	m.Flags = flags
	b = b[10:]
	var group, used uint8 // the open bit group and how many of its bools are read
	if flags&StatePosition != 0 {
		if len(b) < 13 || !oneGroup(b[12]) {
			return false
		}
		m.Position[0] = math.Float32frombits(le.Uint32(b))
		m.Position[1] = math.Float32frombits(le.Uint32(b[4:]))
		m.Position[2] = math.Float32frombits(le.Uint32(b[8:]))
		group, used, b = b[12], 1, b[13:]
		if group&1 != 0 {
			if len(b) < 2 {
				return false
			}
			m.HasHash, m.Hash, b = true, Hash16(le.Uint16(b)), b[2:]
		}
	}
	if flags&StateDelta != 0 {
		if len(b) < 5 {
			return false
		}
		m.Delta, b = compress.Vector4{Dir: vector3(b), Mag: compress.Float16(le.Uint16(b[3:]))}, b[5:]
	}
	if flags&StateForward != 0 {
		if len(b) < 3 {
			return false
		}
		m.Forward, b = vector3(b), b[3:]
	}
	if flags&StateUp != 0 {
		if len(b) < 3 {
			return false
		}
		m.Up, b = vector3(b), b[3:]
	}
	if flags&StateSpeed != 0 {
		if len(b) < 2 {
			return false
		}
		m.Speed, b = compress.Float16(le.Uint16(b)), b[2:]
	}
	if flags&StateCloak != 0 {
		if used == 0 {
			if len(b) < 1 || !oneGroup(b[0]) {
				return false
			}
			group, b = b[0], b[1:]
		}
		m.Cloak = group>>used&1 != 0
		used++
	}
	switch count := group >> 5; {
	case used > count:
		return false
	case flags&StateSubsystems != 0:
		if len(b) < 1 {
			return false
		}
		m.StartIndex = int8(b[0])
		if len(b) > 1 {
			m.Data = b[1:len(b):len(b)]
		}
		m.Bits = stream.Bits{Byte: group, Read: used}
		return true
	case used < count:
		return false
	case flags&StatePower != 0:
		return m.fastPower(b)
	}
	return len(b) == 0
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

// appendFast is fast for encoding: it appends a valid message to dst and reports whether it did. The walk
// encodes all other messages, and tests compare both.
func (m *StateUpdate) appendFast(dst []byte) ([]byte, bool) {
	if len(dst) > 1<<16 || len(m.Data) > 1<<16 || len(m.Power) > 1<<15 {
		return dst, false
	}
	flags := m.Flags
	var b [40]byte // all fields but the lists
	b[0] = byte(OpStateUpdate)
	le.PutUint32(b[1:], uint32(m.ObjectID))
	le.PutUint32(b[5:], math.Float32bits(m.GameTime))
	b[9] = byte(flags)
	n, mark := 10, 0
	var group, used uint8 // the open bit group and the number of its bools
	if flags&StatePosition != 0 {
		le.PutUint32(b[10:], math.Float32bits(m.Position[0]))
		le.PutUint32(b[14:], math.Float32bits(m.Position[1]))
		le.PutUint32(b[18:], math.Float32bits(m.Position[2]))
		mark, n, used = 22, 23, 1
		if m.HasHash {
			group, n = 1, 25
			le.PutUint16(b[23:], uint16(m.Hash))
		}
	}
	if flags&StateDelta != 0 {
		putVector3(b[n:n+3], m.Delta.Dir)
		le.PutUint16(b[n+3:n+5], uint16(m.Delta.Mag))
		n += 5
	}
	if flags&StateForward != 0 {
		putVector3(b[n:n+3], m.Forward)
		n += 3
	}
	if flags&StateUp != 0 {
		putVector3(b[n:n+3], m.Up)
		n += 3
	}
	if flags&StateSpeed != 0 {
		le.PutUint16(b[n:n+2], uint16(m.Speed))
		n += 2
	}
	if flags&StateCloak != 0 {
		if used == 0 {
			mark, n = n, n+1
		}
		if m.Cloak {
			group |= 1 << used
		}
		used++
	}
	group |= used << 5
	if flags&StateSubsystems != 0 {
		if m.Bits != (stream.Bits{}) {
			if used == 0 || used != m.Bits.Read || !oneGroup(m.Bits.Byte) || m.Bits.Byte>>5 < used || (group^m.Bits.Byte)&(1<<used-1) != 0 {
				return dst, false
			}
			group = m.Bits.Byte
		}
		b[n] = byte(m.StartIndex)
		n++
	}
	if used > 0 {
		b[mark] = group
	}
	dst = append(dst, b[:n]...)
	switch {
	case flags&StateSubsystems != 0:
		dst = append(dst, m.Data...)
	case flags&StatePower != 0:
		for _, p := range m.Power {
			dst = append(dst, p.Index, p.Value)
		}
	}
	return dst, true
}

// oneGroup reports whether b is the byte of a bit group that an encoder writes.
func oneGroup(b byte) bool {
	count := b >> 5
	return count-1 < 5 && b&0x1F>>count == 0
}

func putVector3(b []byte, v compress.Vector3) {
	_ = b[2]
	b[0], b[1], b[2] = uint8(v.X), uint8(v.Y), uint8(v.Z)
}

func vector3(b []byte) compress.Vector3 {
	return compress.Vector3{X: int8(b[0]), Y: int8(b[1]), Z: int8(b[2])}
}
