package stream

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
)

var le = binary.LittleEndian

// All primitives of a fixed size have the same shape, so that the compiler can inline them
// and prove that they stay in bounds. Each moves the cursor, then reads or writes if its
// bytes are within the payload. A read past the end gives zero. Done compares the cursor
// with the length.

// Uint8 decodes or encodes a uint8.
func (c *Codec) Uint8(p *uint8) {
	i := int(c.off)
	c.off += 1
	c.kind = kindUint8
	if b := c.buf; i+1 <= len(b) {
		if c.encoding {
			b[i] = *p
		} else {
			*p = b[i]
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Int8 decodes or encodes an int8.
func (c *Codec) Int8(p *int8) {
	i := int(c.off)
	c.off += 1
	c.kind = kindInt8
	if b := c.buf; i+1 <= len(b) {
		if c.encoding {
			b[i] = uint8(*p)
		} else {
			*p = int8(b[i])
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Uint16 decodes or encodes a uint16.
func (c *Codec) Uint16(p *uint16) {
	i := int(c.off)
	c.off += 2
	c.kind = kindUint16
	if b := c.buf; i+2 <= len(b) {
		if c.encoding {
			le.PutUint16(b[i:i+2], *p)
		} else {
			*p = le.Uint16(b[i : i+2])
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Int16 decodes or encodes an int16.
func (c *Codec) Int16(p *int16) {
	i := int(c.off)
	c.off += 2
	c.kind = kindInt16
	if b := c.buf; i+2 <= len(b) {
		if c.encoding {
			le.PutUint16(b[i:i+2], uint16(*p))
		} else {
			*p = int16(le.Uint16(b[i : i+2]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Uint32 decodes or encodes a uint32.
func (c *Codec) Uint32(p *uint32) {
	i := int(c.off)
	c.off += 4
	c.kind = kindUint32
	if b := c.buf; i+4 <= len(b) {
		if c.encoding {
			le.PutUint32(b[i:i+4], *p)
		} else {
			*p = le.Uint32(b[i : i+4])
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Int32 decodes or encodes an int32.
func (c *Codec) Int32(p *int32) {
	i := int(c.off)
	c.off += 4
	c.kind = kindInt32
	if b := c.buf; i+4 <= len(b) {
		if c.encoding {
			le.PutUint32(b[i:i+4], uint32(*p))
		} else {
			*p = int32(le.Uint32(b[i : i+4]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Float32 decodes or encodes a float32. It preserves every bit pattern, including NaNs.
func (c *Codec) Float32(p *float32) {
	i := int(c.off)
	c.off += 4
	c.kind = kindFloat32
	if b := c.buf; i+4 <= len(b) {
		if c.encoding {
			le.PutUint32(b[i:i+4], math.Float32bits(*p))
		} else {
			*p = math.Float32frombits(le.Uint32(b[i : i+4]))
		}
	} else if c.encoding {
		c.odd += *p - *p // 0 for a finite number; see Encodes
	} else {
		*p = 0
	}
}

// Float32s decodes or encodes len(p) float32s, such as a position.
func (c *Codec) Float32s(p []float32) {
	for i := range p {
		c.Float32(&p[i])
	}
	if len(p) > 0 {
		c.kind = kindFloat32s
	}
}

// ObjectID decodes or encodes an object ID of four bytes.
func (c *Codec) ObjectID(p *objectid.ID) { c.wide((*int32)(p), kindObjectID) }

// PeerID decodes or encodes a peer ID of four bytes.
func (c *Codec) PeerID(p *objectid.PeerID) { c.wide((*int32)(p), kindPeerID) }

// PeerID8 decodes or encodes a peer ID of one byte, which is signed. Encoding fails with [ErrRange]
// if the ID does not fit.
func (c *Codec) PeerID8(p *objectid.PeerID) { c.narrow((*int32)(p), kindPeerID8) }

// Slot8 is [Codec.PeerID8] for a slot.
func (c *Codec) Slot8(p *objectid.Slot) { c.narrow((*int32)(p), kindSlot8) }

// wide decodes or encodes an ID of four bytes.
func (c *Codec) wide(p *int32, k kind) {
	i := int(c.off)
	c.off += 4
	c.kind = k
	if b := c.buf; i+4 <= len(b) {
		if c.encoding {
			n := *p
			if c.IDs != nil {
				n = c.mapped(n)
			}
			le.PutUint32(b[i:i+4], uint32(n))
		} else {
			*p = int32(le.Uint32(b[i : i+4]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// narrow decodes or encodes an ID of one signed byte.
func (c *Codec) narrow(p *int32, k kind) {
	i := int(c.off)
	c.off += 1
	c.kind = k
	switch b := c.buf; {
	case c.encoding:
		n := *p
		if c.IDs != nil {
			n = c.mapped(n)
		}
		if int32(int8(n)) != n {
			c.outOfRange(n)
		}
		if i+1 <= len(b) {
			b[i] = uint8(n)
		}
	case i+1 <= len(b):
		*p = int32(int8(b[i]))
	default:
		*p = 0
	}
}

// mapped returns the replacement of n, an ID of the current kind.
func (c *Codec) mapped(n int32) int32 {
	switch c.kind {
	case kindObjectID:
		return replaced(c, objectid.ID(n), c.IDs.Object, objectid.ID.Valid)
	case kindSlot8:
		return replaced(c, objectid.Slot(n), c.IDs.Slot, objectid.Slot.Valid)
	}
	return replaced(c, objectid.PeerID(n), c.IDs.Peer, objectid.PeerID.Valid)
}

type anyID interface {
	objectid.ID | objectid.PeerID | objectid.Slot
	fmt.Stringer
}

func replaced[T anyID](c *Codec, id T, replace func(T) T, valid func(T) bool) int32 {
	if replace == nil || !valid(id) {
		return int32(id)
	}
	n := replace(id)
	if !valid(n) {
		c.Fail(fmt.Errorf("%w: %v becomes %v", ErrRange, id, n))
	}
	return int32(n)
}

// Float16 decodes or encodes a number of two bytes, the engine's CompressedFloat16.
func (c *Codec) Float16(p *compress.Float16) {
	i := int(c.off)
	c.off += 2
	c.kind = kindFloat16
	if b := c.buf; i+2 <= len(b) {
		if c.encoding {
			le.PutUint16(b[i:i+2], uint16(*p))
		} else {
			*p = compress.Float16(le.Uint16(b[i : i+2]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Vector3 decodes or encodes a direction of three bytes, the engine's CompressedVector3.
func (c *Codec) Vector3(p *compress.Vector3) {
	i := int(c.off)
	c.off += 3
	c.kind = kindVector3
	if b := c.buf; i+3 > len(b) {
		if !c.encoding {
			*p = compress.Vector3{}
		}
	} else if c.encoding {
		b[i], b[i+1], b[i+2] = uint8(p.X), uint8(p.Y), uint8(p.Z)
	} else {
		*p = compress.Vector3{X: int8(b[i]), Y: int8(b[i+1]), Z: int8(b[i+2])}
	}
}

// Vector4 decodes or encodes a vector of five bytes, the engine's CompressedVector4.
func (c *Codec) Vector4(p *compress.Vector4) {
	c.Vector3(&p.Dir)
	c.Float16(&p.Mag)
	c.kind = kindVector4
}

// Contact decodes or encodes a point relative to an object, four bytes.
func (c *Codec) Contact(p *compress.Contact) {
	c.Vector3(&p.Dir)
	c.Uint8(&p.Mag)
	c.kind = kindContact
}
