package stream

import (
	"encoding/binary"
	"math"
	"slices"
)

var le = binary.LittleEndian

// Every primitive of a fixed size has the same shape, which the compiler can inline and
// prove in bounds: it moves the cursor, and then, if its bytes are within the payload,
// reads or writes them. Beyond the end a read gives zero. One look at the cursor when
// the walk is over tells whether that happened.

// Uint8 is the primitive for an unsigned byte.
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

// Int8 is the primitive for a signed byte.
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

// Uint16 is the primitive for an unsigned short.
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

// Int16 is the primitive for a signed short.
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

// Uint32 is the primitive for an unsigned int or long of four bytes.
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

// Int32 is the primitive for a signed int or long of four bytes.
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

// Float32 is the primitive for a float. Every bit pattern survives, NaN included.
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
	} else if !c.encoding {
		*p = 0
	}
}

// Float64 is the primitive for a double. No known message has one.
func (c *Codec) Float64(p *float64) {
	i := int(c.off)
	c.off += 8
	c.kind = kindFloat64
	if b := c.buf; i+8 <= len(b) {
		if c.encoding {
			le.PutUint64(b[i:i+8], math.Float64bits(*p))
		} else {
			*p = math.Float64frombits(le.Uint64(b[i : i+8]))
		}
	} else if !c.encoding {
		*p = 0
	}
}

// Float32s is the primitive for a number of floats that the layout fixes, such as a
// position: as many as p has.
func (c *Codec) Float32s(p []float32) {
	for i := range p {
		c.Float32(&p[i])
	}
	if c.trace != nil && c.trace.dissect != nil {
		Show(c, slices.Clone(p))
	}
}
