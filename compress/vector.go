package compress

import "math"

// Vector3 is the raw code of a CompressedVector3, a direction of three bytes:
//
//	offset  size  field
//	0       1     X, signed
//	1       1     Y, signed
//	2       1     Z, signed
//
// A component is its byte divided by 127; the game sends -127..127 and truncates toward
// zero, so that a decoded direction is up to 1.5 % shorter than the unit vector it was.
// -128 is legal on the wire. Zero is legal too: do not divide by the length.
//
// Evidence: observed.
type Vector3 struct{ X, Y, Z int8 }

// EncodeVector3 returns the direction of (x, y, z), whatever its length from 1e-6 to 1.8e19.
// A shorter vector gives zero, and so does one whose length is beyond what a float32
// holds when squared, or that has a component that is infinite or not a number.
func EncodeVector3(x, y, z float32) Vector3 {
	v, _ := encodeDirection(x, y, z)
	return v
}

// Float32 returns the components, -1 to 1, without making their length 1.
func (v Vector3) Float32() (x, y, z float32) {
	return float32(v.X) / 127, float32(v.Y) / 127, float32(v.Z) / 127
}

// String returns the components, "(0.22835 0.96063 0.094488)".
func (v Vector3) String() string { return triple(v.Float32()) }

// Vector4 is the raw code of a CompressedVector4, a vector of five bytes:
//
//	offset  size  field
//	0       3     Dir
//	3       2     Mag, the length, little-endian
//
// Evidence: observed.
type Vector4 struct {
	Dir Vector3
	Mag Float16
}

// EncodeVector4 returns the code of (x, y, z). Lengths beyond 10000 saturate, and those
// beyond 1.8e19, infinite or not a number have no direction, as in [EncodeVector3], and the
// largest length.
func EncodeVector4(x, y, z float32) Vector4 {
	dir, length := encodeDirection(x, y, z)
	return Vector4{dir, EncodeFloat16(length)}
}

// Float32 returns the components. A negative length, which the game never sends, flips
// the vector.
func (v Vector4) Float32() (x, y, z float32) {
	return v.Dir.scaled(v.Mag.Float32())
}

// String returns the components, "(43.16 181.57 17.859)".
func (v Vector4) String() string { return triple(v.Float32()) }

// Vector4F is the raw code of a CompressedVector4 whose length is a plain float, seven
// bytes: the velocity in object creation.
//
//	offset  size  field
//	0       3     Dir
//	3       4     Mag, float32, little-endian
//
// Any Mag is legal on the wire, NaN included.
//
// Evidence: observed for zero, else documented.
type Vector4F struct {
	Dir Vector3
	Mag float32
}

// EncodeVector4F returns the code of (x, y, z). A length beyond 1.8e19 is infinite, and one
// that is infinite or not a number has no direction, as in [EncodeVector3].
func EncodeVector4F(x, y, z float32) Vector4F {
	dir, length := encodeDirection(x, y, z)
	return Vector4F{dir, length}
}

// Float32 returns the components.
func (v Vector4F) Float32() (x, y, z float32) {
	return v.Dir.scaled(v.Mag)
}

// String returns the components, "(0 5.1245 0)". A length that is not a number gives
// "(NaN NaN NaN)".
func (v Vector4F) String() string { return triple(v.Float32()) }

// Contact is the raw code of a point relative to an object, four bytes: the contacts of
// a collision, the aim point of a torpedo.
//
//	offset  size  field
//	0       3     Dir
//	3       1     Mag, the distance in 255ths of the object's bounding radius
//
// The radius is not on the wire.
//
// Evidence: observed; the divisor 255 is inferred.
type Contact struct {
	Dir Vector3
	Mag uint8
}

// EncodeContact returns the code of (x, y, z) for an object of the given bounding
// radius. Distances truncate, those beyond the radius saturate, and a radius that is
// not positive gives distance zero. There is a direction as in [EncodeVector3].
func EncodeContact(x, y, z, radius float32) Contact {
	dir, length := encodeDirection(x, y, z)
	c := Contact{Dir: dir}
	switch {
	case !(radius > 0) || length != length:
	case length >= radius:
		c.Mag = 255
	default:
		c.Mag = uint8(float32(float32(length/radius) * 255))
	}
	return c
}

// Float32 returns the components for an object of the given bounding radius.
func (c Contact) Float32(radius float32) (x, y, z float32) {
	return c.Dir.scaled(float32(float32(float32(c.Mag)/255) * radius))
}

// String returns the components in radii of the object, "(0 0.49804 0) radii".
func (c Contact) String() string { return triple(c.Float32(1)) + " radii" }

// triple returns three components in a line.
func triple(x, y, z float32) string {
	var b [48]byte
	out := append(b[:0], '(')
	out = append(appendNumber(out, x), ' ')
	out = append(appendNumber(out, y), ' ')
	return string(append(appendNumber(out, z), ')'))
}

func (v Vector3) scaled(f float32) (x, y, z float32) {
	x, y, z = v.Float32()
	return float32(x * f), float32(y * f), float32(z * f)
}

// encodeDirection returns the direction of a vector and its length, both computed in
// float32 step by step as the engine does.
func encodeDirection(x, y, z float32) (Vector3, float32) {
	sum := float32(float32(float32(x*x)+float32(y*y)) + float32(z*z))
	length := float32(math.Sqrt(float64(sum)))
	if !(length > 1e-6) || math.IsInf(float64(length), 1) {
		return Vector3{}, length
	}
	code := func(c float32) int8 { return int8(float32(float32(c/length) * 127)) }
	return Vector3{code(x), code(y), code(z)}, length
}
