package compress

import "math"

// Vector3 is the raw code of a CompressedVector3, a direction of three bytes:
//
//	offset  size  field
//	0       1     X, signed
//	1       1     Y, signed
//	2       1     Z, signed
//
// A component is in 127ths. The game truncates it toward zero and never sends -128, so the
// decoded length is up to 1.5 % less than 1. Receivers must accept -128 and the zero vector.
//
// Evidence: observed.
type Vector3 struct{ X, Y, Z int8 }

// EncodeVector3 returns the direction of (x, y, z). It returns the zero vector if the length
// is at most 1e-6, above 1.8e19 or NaN.
func EncodeVector3(x, y, z float32) Vector3 {
	v, _ := encodeDirection(x, y, z)
	return v
}

// Float32 returns the components, each from -128/127 to 1. It does not normalize the vector.
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

// EncodeVector4 returns the code of (x, y, z). Dir is the result of [EncodeVector3], and Mag the
// result of [EncodeFloat16] for the length. If the length is above 10000 or NaN, Mag is the largest
// code.
//
// The game truncates the length instead. If the length is exactly the number of a code, the game's
// Mag can therefore differ by one. This concerns about one in 75,000 random vectors.
// [EncodeVector4Stock] returns the game's code.
func EncodeVector4(x, y, z float32) Vector4 {
	dir, length := encodeDirection(x, y, z)
	return Vector4{dir, EncodeFloat16(length)}
}

// EncodeVector4Stock returns the code that the game sends for (x, y, z). It differs from
// [EncodeVector4] only in Mag, which is the result of [EncodeFloat16Stock].
func EncodeVector4Stock(x, y, z float32) Vector4 {
	dir, length := encodeDirection(x, y, z)
	return Vector4{dir, EncodeFloat16Stock(length)}
}

// Float32 returns the components. A negative length, which the game never sends, negates them.
func (v Vector4) Float32() (x, y, z float32) {
	return v.Dir.scaled(v.Mag.Float32())
}

// String returns the components, "(43.16 181.57 17.859)".
func (v Vector4) String() string { return triple(v.Float32()) }

// Contact is the raw code of a point relative to an object, four bytes. The bounding radius of
// the object is not on the wire; a receiver must know it to compute the point.
//
//	offset  size  field
//	0       3     Dir
//	3       1     Mag, the distance in 255ths of the bounding radius
//
// Evidence: observed; the divisor 255 is inferred.
type Contact struct {
	Dir Vector3
	Mag uint8
}

// EncodeContact returns the code of (x, y, z) for an object with a bounding radius. Distances
// are truncated; a distance above the radius gives 255. If the radius is not positive or the
// distance is NaN, Mag is 0. Dir is the result of [EncodeVector3].
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

// Float32 returns the components for an object with a bounding radius.
func (c Contact) Float32(radius float32) (x, y, z float32) {
	return c.Dir.scaled(float32(float32(float32(c.Mag)/255) * radius))
}

// String returns the components in radii, "(0 0.49804 0) radii".
func (c Contact) String() string { return triple(c.Float32(1)) + " radii" }

// triple returns three components as text.
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

// encodeDirection returns the direction and the length of a vector. Like the engine, it rounds
// every step to float32.
func encodeDirection(x, y, z float32) (Vector3, float32) {
	sum := float32(float32(float32(x*x)+float32(y*y)) + float32(z*z))
	length := float32(math.Sqrt(float64(sum)))
	if !(length > 1e-6) || math.IsInf(float64(length), 1) {
		return Vector3{}, length
	}
	code := func(c float32) int8 { return int8(float32(float32(c/length) * 127)) }
	return Vector3{code(x), code(y), code(z)}, length
}
