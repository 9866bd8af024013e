package stream_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// Three real messages, each as a walk and as two hand-written functions, are the baselines
// of the package.

const (
	torpedoHex   = "190d0000400201df8711ffff03400088d85c"
	explosionHex = "29ffffff3f1d7a0c95611b57e278"
	stateHex     = "1cffffff3f0080e1419d0000b042000084c2000092c22137fb0b684630bb5e000001cc02cc04cc"
)

type torpedo struct {
	Tube      objectid.ID
	Type      uint8
	Flags     uint8
	Direction compress.Vector3
	Target    objectid.ID
	Offset    compress.Contact
}

func (m *torpedo) Walk(c *stream.Codec) {
	c.Field("Tube").ObjectID(&m.Tube)
	c.Field("Type").Uint8(&m.Type)
	c.Field("Flags").Uint8(&m.Flags)
	c.Field("Direction").Vector3(&m.Direction)
	if m.Flags&4 == 0 {
		c.Field("Target").ObjectID(&m.Target)
		c.Field("Offset").Contact(&m.Offset)
	}
}

func (m *torpedo) UnmarshalBinary(data []byte) error {
	*m = torpedo{}
	var c stream.Codec
	c.Decode(data, 0x19)
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Trace("stream_test.torpedo", nil)
	m.Walk(&c)
	return c.Err()
}

func (m *torpedo) AppendBinary(dst []byte) ([]byte, error) {
	var c stream.Codec
	c.Append(dst, 0x19)
	m.Walk(&c)
	if !c.Done() {
		c.Trace("stream_test.torpedo", nil)
		m.Walk(&c)
	}
	return c.Result()
}

type explosion struct {
	Object         objectid.ID
	Impact         compress.Vector4
	Radius, Damage compress.Float16
}

func (m *explosion) Walk(c *stream.Codec) {
	c.Field("Object").ObjectID(&m.Object)
	c.Field("Impact").Vector4(&m.Impact)
	c.Field("Radius").Float16(&m.Radius)
	c.Field("Damage").Float16(&m.Damage)
}

func (m *explosion) UnmarshalBinary(data []byte) error {
	*m = explosion{}
	var c stream.Codec
	c.Decode(data, 0x29)
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Trace("stream_test.explosion", nil)
	m.Walk(&c)
	return c.Err()
}

func (m *explosion) AppendBinary(dst []byte) ([]byte, error) {
	var c stream.Codec
	c.Append(dst, 0x29)
	m.Walk(&c)
	if !c.Done() {
		c.Trace("stream_test.explosion", nil)
		m.Walk(&c)
	}
	return c.Result()
}

type power struct{ Index, Value uint8 }

type state struct {
	Object   objectid.ID
	Time     float32
	Flags    uint8
	Position [3]float32
	HasHash  bool
	Hash     uint16
	Forward  compress.Vector3
	Up       compress.Vector3
	Speed    compress.Float16
	Power    []power
}

func (m *state) Walk(c *stream.Codec) {
	c.Field("Object").ObjectID(&m.Object)
	c.Field("Time").Float32(&m.Time)
	c.Field("Flags").Uint8(&m.Flags)
	if m.Flags&0x01 != 0 {
		c.Field("X").Float32(&m.Position[0])
		c.Field("Y").Float32(&m.Position[1])
		c.Field("Z").Float32(&m.Position[2])
		c.Field("HasHash").Bool(&m.HasHash)
		if m.HasHash {
			c.Field("Hash").Uint16(&m.Hash)
		}
	}
	if m.Flags&0x04 != 0 {
		c.Field("Forward").Vector3(&m.Forward)
	}
	if m.Flags&0x08 != 0 {
		c.Field("Up").Vector3(&m.Up)
	}
	if m.Flags&0x10 != 0 {
		c.Field("Speed").Float16(&m.Speed)
	}
	if m.Flags&0x80 != 0 {
		stream.Resize(c, &m.Power, c.Remaining()/2)
		for i := range m.Power {
			c.Element("Power", i)
			c.Field("Index").Uint8(&m.Power[i].Index)
			c.Field("Value").Uint8(&m.Power[i].Value)
			c.End()
		}
	}
}

func (m *state) UnmarshalBinary(data []byte) error {
	*m = state{Power: m.Power[:0]}
	var c stream.Codec
	c.Decode(data, 0x1C)
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Trace("stream_test.state", nil)
	m.Walk(&c)
	return c.Err()
}

func (m *state) AppendBinary(dst []byte) ([]byte, error) {
	var c stream.Codec
	c.Append(dst, 0x1C)
	m.Walk(&c)
	if !c.Done() {
		c.Trace("stream_test.state", nil)
		m.Walk(&c)
	}
	return c.Result()
}

// The baselines: hand-written functions without dissection and located errors.

var (
	le          = binary.LittleEndian
	errOpcode   = errors.New("wrong opcode")
	errTrailing = errors.New("trailing bytes")
	errGroup    = errors.New("bad bit group")
)

func vector3(b []byte) compress.Vector3 {
	return compress.Vector3{X: int8(b[0]), Y: int8(b[1]), Z: int8(b[2])}
}

func appendVector3(dst []byte, v compress.Vector3) []byte {
	return append(dst, uint8(v.X), uint8(v.Y), uint8(v.Z))
}

//go:noinline
func decodeTorpedo(b []byte, m *torpedo) error {
	if len(b) < 10 {
		return io.ErrUnexpectedEOF
	}
	if b[0] != 0x19 {
		return errOpcode
	}
	m.Tube = objectid.ID(le.Uint32(b[1:]))
	m.Type = b[5]
	m.Flags = b[6]
	m.Direction = vector3(b[7:10])
	n := 10
	m.Target, m.Offset = 0, compress.Contact{}
	if m.Flags&4 == 0 {
		if len(b) < 18 {
			return io.ErrUnexpectedEOF
		}
		m.Target = objectid.ID(le.Uint32(b[10:]))
		m.Offset = compress.Contact{Dir: vector3(b[14:17]), Mag: b[17]}
		n = 18
	}
	if len(b) > n {
		return errTrailing
	}
	return nil
}

//go:noinline
func appendTorpedo(dst []byte, m *torpedo) []byte {
	dst = append(dst, 0x19)
	dst = le.AppendUint32(dst, uint32(m.Tube))
	dst = append(dst, m.Type, m.Flags)
	dst = appendVector3(dst, m.Direction)
	if m.Flags&4 == 0 {
		dst = le.AppendUint32(dst, uint32(m.Target))
		dst = appendVector3(dst, m.Offset.Dir)
		dst = append(dst, m.Offset.Mag)
	}
	return dst
}

//go:noinline
func decodeExplosion(b []byte, m *explosion) error {
	if len(b) < 14 {
		return io.ErrUnexpectedEOF
	}
	if b[0] != 0x29 {
		return errOpcode
	}
	m.Object = objectid.ID(le.Uint32(b[1:]))
	m.Impact = compress.Vector4{Dir: vector3(b[5:8]), Mag: compress.Float16(le.Uint16(b[8:]))}
	m.Radius = compress.Float16(le.Uint16(b[10:]))
	m.Damage = compress.Float16(le.Uint16(b[12:]))
	if len(b) > 14 {
		return errTrailing
	}
	return nil
}

//go:noinline
func appendExplosion(dst []byte, m *explosion) []byte {
	dst = append(dst, 0x29)
	dst = le.AppendUint32(dst, uint32(m.Object))
	dst = appendVector3(dst, m.Impact.Dir)
	dst = le.AppendUint16(dst, uint16(m.Impact.Mag))
	dst = le.AppendUint16(dst, uint16(m.Radius))
	return le.AppendUint16(dst, uint16(m.Damage))
}

// decodeState decodes only the flags for which state has fields.
//
//go:noinline
func decodeState(b []byte, m *state) error {
	if len(b) < 10 {
		return io.ErrUnexpectedEOF
	}
	if b[0] != 0x1C {
		return errOpcode
	}
	*m = state{Power: m.Power[:0]}
	m.Object = objectid.ID(le.Uint32(b[1:]))
	m.Time = math.Float32frombits(le.Uint32(b[5:]))
	m.Flags = b[9]
	b = b[10:]
	if m.Flags&0x01 != 0 {
		if len(b) < 13 {
			return io.ErrUnexpectedEOF
		}
		for i := range m.Position {
			m.Position[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
		if b[12]>>5 != 1 {
			return errGroup
		}
		m.HasHash = b[12]&1 != 0
		b = b[13:]
		if m.HasHash {
			if len(b) < 2 {
				return io.ErrUnexpectedEOF
			}
			m.Hash = le.Uint16(b)
			b = b[2:]
		}
	}
	if m.Flags&0x04 != 0 {
		if len(b) < 3 {
			return io.ErrUnexpectedEOF
		}
		m.Forward = vector3(b)
		b = b[3:]
	}
	if m.Flags&0x08 != 0 {
		if len(b) < 3 {
			return io.ErrUnexpectedEOF
		}
		m.Up = vector3(b)
		b = b[3:]
	}
	if m.Flags&0x10 != 0 {
		if len(b) < 2 {
			return io.ErrUnexpectedEOF
		}
		m.Speed = compress.Float16(le.Uint16(b))
		b = b[2:]
	}
	if m.Flags&0x80 != 0 {
		for ; len(b) >= 2; b = b[2:] {
			m.Power = append(m.Power, power{b[0], b[1]})
		}
	}
	if len(b) > 0 {
		return errTrailing
	}
	return nil
}

//go:noinline
func appendState(dst []byte, m *state) []byte {
	dst = append(dst, 0x1C)
	dst = le.AppendUint32(dst, uint32(m.Object))
	dst = le.AppendUint32(dst, math.Float32bits(m.Time))
	dst = append(dst, m.Flags)
	if m.Flags&0x01 != 0 {
		for _, p := range m.Position {
			dst = le.AppendUint32(dst, math.Float32bits(p))
		}
		if m.HasHash {
			dst = append(dst, 0x21)
			dst = le.AppendUint16(dst, m.Hash)
		} else {
			dst = append(dst, 0x20)
		}
	}
	if m.Flags&0x04 != 0 {
		dst = appendVector3(dst, m.Forward)
	}
	if m.Flags&0x08 != 0 {
		dst = appendVector3(dst, m.Up)
	}
	if m.Flags&0x10 != 0 {
		dst = le.AppendUint16(dst, uint16(m.Speed))
	}
	if m.Flags&0x80 != 0 {
		for _, p := range m.Power {
			dst = append(dst, p.Index, p.Value)
		}
	}
	return dst
}

// BenchmarkBar compares the time of decoding and encoding with the hand-written functions.
func BenchmarkBar(b *testing.B) {
	buf := make([]byte, 0, 64)
	b.Run("TorpedoFire", func(b *testing.B) {
		wire := testdata.Bytes(torpedoHex)
		var m torpedo
		testdata.AtMost(b, testdata.Limit{Aim: 5}, func() {
			if decodeTorpedo(wire, &m) != nil {
				b.Fatal()
			}
			buf = appendTorpedo(buf[:0], &m)
		}, func() {
			if m.UnmarshalBinary(wire) != nil {
				b.Fatal()
			}
			buf, _ = m.AppendBinary(buf[:0])
		})
	})
	b.Run("Explosion", func(b *testing.B) {
		wire := testdata.Bytes(explosionHex)
		var m explosion
		testdata.AtMost(b, testdata.Limit{Aim: 5}, func() {
			if decodeExplosion(wire, &m) != nil {
				b.Fatal()
			}
			buf = appendExplosion(buf[:0], &m)
		}, func() {
			if m.UnmarshalBinary(wire) != nil {
				b.Fatal()
			}
			buf, _ = m.AppendBinary(buf[:0])
		})
	})
	b.Run("StateUpdate", func(b *testing.B) {
		wire := testdata.Bytes(stateHex)
		var m state
		testdata.AtMost(b, testdata.Limit{Aim: 5}, func() {
			if decodeState(wire, &m) != nil {
				b.Fatal()
			}
			buf = appendState(buf[:0], &m)
		}, func() {
			if m.UnmarshalBinary(wire) != nil {
				b.Fatal()
			}
			buf, _ = m.AppendBinary(buf[:0])
		})
	})
	b.Run("StateUpdateDecode", func(b *testing.B) {
		wire := testdata.Bytes(stateHex)
		var m state
		testdata.AtMost(b, testdata.Limit{Aim: 3, Slowest: 3.47}, func() {
			if decodeState(wire, &m) != nil {
				b.Fatal()
			}
		}, func() {
			if m.UnmarshalBinary(wire) != nil {
				b.Fatal()
			}
		})
	})
	b.Run("Failure", func(b *testing.B) {
		wire := testdata.Bytes(torpedoHex)
		var m torpedo
		testdata.AtMost(b, testdata.Limit{Aim: 10}, func() { _ = m.UnmarshalBinary(wire) }, func() { _ = m.UnmarshalBinary(wire[:12]) })
	})
}

func BenchmarkDecode(b *testing.B) {
	wire := testdata.Bytes(torpedoHex)
	var m torpedo
	testdata.Bytewise(b, wire, func() { _ = m.UnmarshalBinary(wire) })
}

func BenchmarkEncode(b *testing.B) {
	wire := testdata.Bytes(torpedoHex)
	var m torpedo
	_ = m.UnmarshalBinary(wire)
	buf := make([]byte, 0, 64)
	testdata.Bytewise(b, wire, func() { buf, _ = m.AppendBinary(buf[:0]) })
}

func BenchmarkDecodeFailure(b *testing.B) {
	wire := testdata.Bytes(torpedoHex)[:12]
	var m torpedo
	testdata.Bytewise(b, wire, func() { _ = m.UnmarshalBinary(wire) })
}
