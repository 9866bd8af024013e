package stream

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
)

// ObjectID decodes or encodes an object ID of four bytes.
func (c *Codec) ObjectID(p *objectid.ID) {
	i := int(c.off)
	c.off += 4
	c.kind = kindObjectID
	if b := c.buf; i+4 <= len(b) {
		if c.encoding {
			le.PutUint32(b[i:i+4], uint32(*p))
		} else {
			*p = objectid.ID(le.Uint32(b[i : i+4]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// PeerID8 decodes or encodes a peer ID of one byte, which is signed. Encoding fails with [ErrRange]
// if the ID does not fit. A peer ID of four bytes is an [Codec.Int32].
func (c *Codec) PeerID8(p *objectid.PeerID) { c.narrow((*int32)(p)) }

// Slot8 is [Codec.PeerID8] for a slot.
func (c *Codec) Slot8(p *objectid.Slot) { c.narrow((*int32)(p)) }

// narrow decodes or encodes a number in one signed byte.
func (c *Codec) narrow(p *int32) {
	wire := int8(*p)
	if c.encoding && int32(wire) != *p {
		c.outOfRange(*p)
	}
	c.Int8(&wire)
	if !c.encoding {
		*p = int32(wire)
	}
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

// Vector4F decodes or encodes a vector of seven bytes, whose length is a float32.
func (c *Codec) Vector4F(p *compress.Vector4F) {
	c.Vector3(&p.Dir)
	c.Float32(&p.Mag)
	c.kind = kindVector4F
}

// Contact decodes or encodes a point relative to an object, four bytes.
func (c *Codec) Contact(p *compress.Contact) {
	c.Vector3(&p.Dir)
	c.Uint8(&p.Mag)
	c.kind = kindContact
}
