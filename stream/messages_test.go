package stream_test

import (
	"encoding/binary"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

var le = binary.LittleEndian

// Three captured messages and their walks.

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

func (m *torpedo) decode(c *stream.Codec, data []byte) error {
	*m = torpedo{}
	return c.Decode(data, 0x19, "stream_test.torpedo", m.Walk)
}

func (m *torpedo) encode(c *stream.Codec, dst []byte) ([]byte, error) {
	return c.Append(dst, 0x19, "stream_test.torpedo", m.Walk)
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

func (m *explosion) decode(c *stream.Codec, data []byte) error {
	*m = explosion{}
	return c.Decode(data, 0x29, "stream_test.explosion", m.Walk)
}

func (m *explosion) encode(c *stream.Codec, dst []byte) ([]byte, error) {
	return c.Append(dst, 0x29, "stream_test.explosion", m.Walk)
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

func (m *state) decode(c *stream.Codec, data []byte) error {
	*m = state{Power: m.Power[:0]}
	return c.Decode(data, 0x1C, "stream_test.state", m.Walk)
}

func (m *state) encode(c *stream.Codec, dst []byte) ([]byte, error) {
	return c.Append(dst, 0x1C, "stream_test.state", m.Walk)
}
