package compress

import (
	"errors"
	"math"
	"strconv"
)

// Errors of the checked encoders.
var (
	ErrNaN   = errors.New("compress: not a number")
	ErrRange = errors.New("compress: magnitude beyond 10000")
)

// Float16 is the raw code of a CompressedFloat16, a logarithmic number of two bytes:
//
//	bit     15    14..12  11..0
//	field   sign  scale   mantissa
//
// The scale selects a bucket between two powers of ten, from 0..0.001 to 1000..10000,
// and the mantissa divides it into 4095 equal steps: 2.4e-7 in the first, 2.2 in the
// last. Units are those of the field that holds it. All 65,536 codes are legal on the
// wire; the largest magnitude is 10000.002.
//
// Decoding and encoding with the stock rule drifts: 4,307 codes come back changed, so a
// message keeps the code and [Float16.Float32] is a view of it. [EncodeFloat16] returns
// the code that a number was decoded from.
//
// Evidence: observed.
type Float16 uint16

const (
	signBit     Float16 = 0x8000
	maxCode     Float16 = 0x7FFF // the overflow code: the top of the last bucket
	maxMantissa         = 0xFFF
)

// edges holds the lower edge of each bucket and the upper edge of the last, as the
// engine computes them: 0.001 times ten, again and again, in float32. From the second
// on they lie slightly above the powers of ten.
var edges = [9]float32{
	0,
	0x1.0624dep-10, // 0.001
	0x1.47ae16p-07,
	0x1.99999cp-04,
	0x1.000002p+00,
	0x1.400002p+03,
	0x1.900002p+06,
	0x1.f40002p+09,
	0x1.388002p+13,
}

const (
	encodeSteps float32 = 4095
	decodeStep  float32 = 0x1.001002p-12 // 1/4095
)

// Float32 returns the number that the code stands for. The code 0x8000 gives negative
// zero.
func (f Float16) Float32() float32 {
	scale := f >> 12 & 7
	lo, hi := edges[scale], edges[scale+1]
	part := float32(float32(hi-lo) * float32(f&maxMantissa))
	v := float32(part*decodeStep) + lo
	if f&signBit != 0 {
		return -v
	}
	return v
}

// String returns the number that the code stands for with five digits, "49.978".
func (f Float16) String() string {
	var b [16]byte
	return string(appendNumber(b[:0], f.Float32()))
}

// appendNumber appends a number with as many digits as the codes have.
func appendNumber(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', 5, 32)
}

// EncodeFloat16Stock returns the code that the game sends for v: it truncates toward
// zero, sends the largest code for what is beyond 10000 and for NaN, and 0x0000 for
// negative zero.
func EncodeFloat16Stock(v float32) Float16 {
	a, sign := magnitude(v)
	return sign | encodeMagnitude(a)
}

// EncodeFloat16 is [EncodeFloat16Stock] except for numbers that a code stands for
// exactly, where it returns that code; the two differ by one code for 2,152 magnitudes.
// So decoding and encoding gives the same code, for all but three: 0x3FFF and 0xBFFF
// stand for the same numbers as 0x4000 and 0xC000, which it prefers, and 0x8000 becomes
// 0x0000.
func EncodeFloat16(v float32) Float16 {
	a, sign := magnitude(v)
	c := encodeMagnitude(a)
	switch {
	case c.Float32() == a:
	case c < maxCode && (c+1).Float32() == a:
		c++
	case c > 0 && (c-1).Float32() == a:
		c--
	}
	return sign | c
}

// CheckFloat16 is [EncodeFloat16] for numbers that must survive: it returns [ErrNaN]
// for NaN and [ErrRange] for magnitudes above the largest that has a code.
func CheckFloat16(v float32) (Float16, error) {
	switch a, _ := magnitude(v); {
	case a != a:
		return 0, ErrNaN
	case a > maxCode.Float32():
		return 0, ErrRange
	}
	return EncodeFloat16(v), nil
}

// magnitude splits v. NaN is positive, and so is negative zero, because the engine
// tests v < 0.
func magnitude(v float32) (float32, Float16) {
	if v < 0 {
		return -v, signBit
	}
	return float32(math.Abs(float64(v))), 0
}

func encodeMagnitude(a float32) Float16 {
	for scale := range Float16(8) {
		if lo, hi := edges[scale], edges[scale+1]; a < hi {
			part := float32(float32(a-lo) / float32(hi-lo))
			return scale<<12 | Float16(float32(part*encodeSteps))
		}
	}
	return maxCode
}
