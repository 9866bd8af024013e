package stream

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
)

// A Field is a part of a payload, as a [Codec] passes it to its function Visit. The fields of a payload
// cover every byte exactly once, in the order of the walk. A packed bool that shares the byte of an
// earlier bool has an empty Raw. If decoding fails, the last field covers the remaining bytes, and its
// Err is the [*Error].
//
// A Field is valid until the function returns, and its copies until the next visit with the Codec.
type Field struct {
	Name   string // "Score"; empty for an element that is one field, and for bytes after the last field
	Group  *Group // around the field, nil if there is none
	Offset int
	Raw    []byte // aliases the payload
	Bit    int    // bit of a packed bool in the byte at Offset; otherwise -1
	Err    error

	shown  shown // type from Show, nil for the primitive's
	number int32 // of a bool or from Show
	kind   kind
}

// Group is a list element or a nested struct around a [Field]. The fields of a group have the same
// pointer to it.
type Group struct {
	Parent *Group
	Name   string
	Index  int // in the list, -1 for a struct
}

// Path returns the names of the groups and of the field, such as "Damagers[2].Score".
func (f *Field) Path() string {
	var room [4]step
	p := path{f.Name, f.Group.steps(room[:0])}
	return p.String()
}

// outermost returns the name of the outermost group, or of the field if there is none.
func (g *Group) outermost(field string) string {
	for ; g != nil; g = g.Parent {
		field = g.Name
	}
	return field
}

// steps appends the groups to dst, the outermost first.
func (g *Group) steps(dst []step) []step {
	if g == nil {
		return dst
	}
	return append(g.Parent.steps(dst), step{g.Name, g.Index})
}

// Type returns the zero value of the type of the value, for a type switch. The type is the type given
// to [Show], or that of the primitive's argument: uint8, float32, [objectid.ID], [objectid.PeerID], [Text].
// It is int for the length of a list and []float32 for [Codec.Float32s]. Type returns nil if Err is set.
func (f *Field) Type() any {
	if f.shown != nil {
		return f.shown.zero()
	}
	return f.kind.zero()
}

// Value returns the value, of the type of [Field.Type]. It is nil if Err is set. [Field.Int] and
// [Field.Bytes] allocate nothing.
func (f *Field) Value() any {
	if f.shown != nil {
		return f.shown.value(f)
	}
	switch n, b := f.Int(), f.Bytes(); f.kind {
	case kindNone:
		return nil
	case kindUint8, kindOpcode:
		return uint8(n)
	case kindInt8:
		return int8(n)
	case kindUint16:
		return uint16(n)
	case kindInt16:
		return int16(n)
	case kindUint32:
		return uint32(n)
	case kindInt32:
		return int32(n)
	case kindCount8, kindCount16:
		return int(n)
	case kindBool:
		return n != 0
	case kindFloat32:
		return math.Float32frombits(uint32(n))
	case kindObjectID:
		return objectid.ID(n)
	case kindPeerID, kindPeerID8:
		return objectid.PeerID(n)
	case kindSlot8:
		return objectid.Slot(n)
	case kindFloat16:
		return compress.Float16(n)
	case kindFloat32s:
		list := make([]float32, len(b)/4)
		for i := range list {
			list[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
		return list
	case kindVector3:
		return read(b, (*Codec).Vector3)
	case kindVector4:
		return read(b, (*Codec).Vector4)
	case kindContact:
		return read(b, (*Codec).Contact)
	case kindText8, kindText16, kindText32:
		return Text(b)
	case kindUTF16:
		return UTF16(b)
	}
	return f.Raw
}

func read[T any](raw []byte, primitive func(*Codec, *T)) (v T) {
	var c Codec
	c.beginDecode(raw, -1)
	primitive(&c, &v)
	return v
}

// Int returns the value of an integer, an enumeration, an object ID, a peer ID, a slot, the length of a list or a bool,
// where true is 1. It returns the bits of a float32 and of a [compress.Float16], and 0 for other types.
func (f *Field) Int() int64 {
	if f.shown != nil {
		return f.shown.number(f)
	}
	switch b := f.Raw; f.kind {
	case kindBool:
		return int64(f.number)
	case kindUint8, kindOpcode, kindCount8:
		return int64(b[0])
	case kindInt8, kindPeerID8, kindSlot8:
		return int64(int8(b[0]))
	case kindUint16, kindCount16, kindFloat16:
		return int64(le.Uint16(b))
	case kindInt16:
		return int64(int16(le.Uint16(b)))
	case kindUint32, kindFloat32:
		return int64(le.Uint32(b))
	case kindInt32, kindObjectID, kindPeerID:
		return int64(int32(le.Uint32(b)))
	}
	return 0
}

// Bytes returns the bytes of the value: Raw without the length of a text. It returns nil for an empty
// text.
func (f *Field) Bytes() []byte {
	b := f.Raw
	switch f.kind {
	case kindText8:
		b = b[1:]
	case kindText16:
		b = b[2:]
	case kindText32, kindUTF16:
		b = b[4:]
	default:
		return b
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

// Float32s appends the numbers of a float32, of a list of them, or of a compressed number or vector to dst. The
// unit of a [compress.Contact] is the radius of the object. Other types have none.
func (f *Field) Float32s(dst []float32) []float32 {
	var x, y, z float32
	switch b := f.Raw; f.kind {
	case kindFloat32, kindFloat32s:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, math.Float32frombits(le.Uint32(b)))
		}
		return dst
	case kindFloat16:
		return append(dst, compress.Float16(le.Uint16(b)).Float32())
	case kindVector3:
		x, y, z = direction(b).Float32()
	case kindVector4:
		x, y, z = compress.Vector4{Dir: direction(b), Mag: compress.Float16(le.Uint16(b[3:]))}.Float32()
	case kindContact:
		x, y, z = compress.Contact{Dir: direction(b), Mag: b[3]}.Float32(1)
	default:
		return dst
	}
	return append(dst, x, y, z)
}

// Codes appends the codes on the wire of a compressed number or vector to dst: the components of the direction,
// and then the length. Other types have none.
func (f *Field) Codes(dst []int) []int {
	b := f.Raw
	switch f.kind {
	case kindFloat16:
		return append(dst, int(le.Uint16(b)))
	case kindVector3, kindVector4, kindContact:
		d := direction(b)
		dst = append(dst, int(d.X), int(d.Y), int(d.Z))
	}
	switch f.kind {
	case kindVector4:
		dst = append(dst, int(le.Uint16(b[3:])))
	case kindContact:
		dst = append(dst, int(b[3]))
	}
	return dst
}

// direction returns the direction in the first three bytes of a compressed vector.
func direction(b []byte) compress.Vector3 {
	return compress.Vector3{X: int8(b[0]), Y: int8(b[1]), Z: int8(b[2])}
}

// Text returns the String of a value whose type was given to [Show], and "" for other values. It
// allocates only what the String method does; the name of an enumeration is a constant.
func (f *Field) Text() string {
	if f.shown == nil {
		return ""
	}
	return f.shown.text(f)
}

// shown is a type given to Show. Its implementations have no size, so that none is allocated.
type shown interface {
	zero() any
	number(*Field) int64
	value(*Field) any
	text(*Field) string
}

type integer interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32
	fmt.Stringer
}

// Show sets the type of the last [Field] and its value. Use it for types with a String method:
//
//	c.Field("Type").Uint8((*uint8)(&m.Type))
//	stream.Show(c, m.Type)
func Show[T integer](c *Codec, v T) {
	if d := c.shows(); d != nil {
		d.shown, d.number = shownInteger[T]{}, int32(v)
	}
}

type shownInteger[T integer] struct{}

func (shownInteger[T]) zero() any             { return T(0) }
func (shownInteger[T]) number(f *Field) int64 { return int64(T(f.number)) }
func (shownInteger[T]) value(f *Field) any    { return T(f.number) }
func (shownInteger[T]) text(f *Field) string  { return T(f.number).String() }

type byteSlice interface {
	~[]byte
	fmt.Stringer
}

// ShowBytes is [Show] for bytes. The value has the bytes on the wire.
func ShowBytes[T byteSlice](c *Codec, _ T) {
	if d := c.shows(); d != nil {
		d.shown = shownBytes[T]{}
	}
}

type shownBytes[T byteSlice] struct{}

func (shownBytes[T]) zero() any            { return T(nil) }
func (shownBytes[T]) number(*Field) int64  { return 0 }
func (shownBytes[T]) value(f *Field) any   { return T(f.Bytes()) }
func (shownBytes[T]) text(f *Field) string { return T(f.Bytes()).String() }

// ShowBool is [Show] for a bool that is not packed.
func ShowBool(c *Codec, v bool) {
	if d := c.shows(); d != nil {
		d.shown, d.number = shownBool{}, 0
		if v {
			d.number = 1
		}
	}
}

type shownBool struct{}

func (shownBool) zero() any             { return false }
func (shownBool) number(f *Field) int64 { return int64(f.number) }
func (shownBool) value(f *Field) any    { return f.number != 0 }
func (shownBool) text(f *Field) string  { return strconv.FormatBool(f.number != 0) }

// kind identifies the last primitive, so that a trace can decode its value again.
type kind uint8

const (
	kindNone kind = iota
	kindOpcode
	kindUint8
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindCount8
	kindCount16
	kindFloat32
	kindFloat32s
	kindObjectID
	kindPeerID
	kindPeerID8
	kindSlot8
	kindFloat16
	kindVector3
	kindVector4
	kindContact
	kindBool
	kindBytes
	kindText8
	kindText16
	kindText32
	kindUTF16
)

func (k kind) zero() any {
	switch k {
	case kindOpcode, kindUint8:
		return uint8(0)
	case kindInt8:
		return int8(0)
	case kindUint16:
		return uint16(0)
	case kindInt16:
		return int16(0)
	case kindUint32:
		return uint32(0)
	case kindInt32:
		return int32(0)
	case kindCount8, kindCount16:
		return 0
	case kindFloat32:
		return float32(0)
	case kindFloat32s:
		return []float32(nil)
	case kindObjectID:
		return objectid.ID(0)
	case kindPeerID, kindPeerID8:
		return objectid.PeerID(0)
	case kindSlot8:
		return objectid.Slot(0)
	case kindFloat16:
		return compress.Float16(0)
	case kindVector3:
		return compress.Vector3{}
	case kindVector4:
		return compress.Vector4{}
	case kindContact:
		return compress.Contact{}
	case kindBool:
		return false
	case kindBytes:
		return []byte(nil)
	case kindText8, kindText16, kindText32:
		return Text(nil)
	case kindUTF16:
		return UTF16(nil)
	}
	return nil
}
