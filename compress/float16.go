package compress

import (
	"math"
	"strconv"
)

// Float16 is the raw code of a CompressedFloat16, a number of two bytes:
//
//	bit     15    14..12  11..0
//	field   sign  scale   mantissa
//
// The scale selects one of eight buckets: 0 to 0.001, 0.001 to 0.01, and so on. The last is
// 1000 to 10000. The mantissa divides the bucket into 4095 equal steps: 2.4e-7 in the first
// bucket, 2.2 in the last. All 65,536 codes are valid on the wire. The largest magnitude is
// 10000.002. The unit depends on the field.
//
// Evidence: observed.
type Float16 uint16

const (
	signBit     Float16 = 0x8000
	maxCode     Float16 = 0x7FFF // the code of numbers above 10000
	maxMantissa         = 0xFFF
)

// edges holds the lower edge of each bucket and the upper edge of the last. The engine
// multiplies 0.001 by ten repeatedly, in float32. Except for the first two, the edges lie
// slightly above the powers of ten. Codes depend on the last bit of the edges, so each step is
// rounded to float32. Each product is converted, which stops the compiler from fusing it with
// a sum.
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

// Float32 returns the number of the code. The code 0x8000 gives negative zero.
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

// String returns the number of the code with five digits, "49.978".
func (f Float16) String() string {
	var b [16]byte
	return string(appendNumber(b[:0], f.Float32()))
}

// appendNumber appends a number with five significant digits, the precision of the codes.
func appendNumber(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', 5, 32)
}

// EncodeFloat16Stock returns the code that the game sends for v. It truncates toward zero:
// 4,307 codes change if they are decoded and encoded again. A magnitude above 10000 gives the largest code of
// the same sign, NaN gives 0x7FFF, and negative zero gives 0x0000.
//
// The game does so only below 100,000. For larger magnitudes, the engine's published code
// (FUN_006d3a90) computes a bucket number above 7, which spills into the sign bit. The result then
// stands for another number. No capture has one, so EncodeFloat16Stock does not imitate it.
func EncodeFloat16Stock(v float32) Float16 {
	a, sign := magnitude(v)
	return sign | encodeMagnitude(a)
}

// EncodeFloat16 returns the code whose number is exactly v. If there is none, it returns the
// result of [EncodeFloat16Stock]. The two functions differ for 2,152 magnitudes, by one code.
// Only three codes change if they are decoded and encoded again: 0x3FFF becomes 0x4000, 0xBFFF
// becomes 0xC000, and 0x8000 becomes 0x0000.
func EncodeFloat16(v float32) Float16 {
	a, sign := magnitude(v)
	c := encodeMagnitude(a)
	switch {
	case c.Float32() == a:
	case (c + 1).Float32() == a:
		c++
	case (c - 1).Float32() == a:
		c--
	}
	return sign | c
}

// magnitude returns the absolute value and the sign bit of v. NaN and negative zero have no
// sign bit, because the engine tests v < 0.
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
