package terminal

import (
	"encoding/hex"
	"math"
	"strconv"
)

// JSONText is JSON to which values are appended, with the escapes of [JSON]. Its methods return it for the next
// value. It is not safe for concurrent use. The zero value is empty.
type JSONText struct {
	Bytes []byte
	// Short makes Float32 leave out digits. It must be set before the first number.
	Short bool

	cache [cachedFloats]cachedFloat
}

// Raw appends a text as it is.
func (j *JSONText) Raw(s string) *JSONText {
	j.Bytes = append(j.Bytes, s...)
	return j
}

// Int appends an integer.
func (j *JSONText) Int(n int64) *JSONText {
	j.Bytes = strconv.AppendInt(j.Bytes, n, 10)
	return j
}

// Bool appends a bool.
func (j *JSONText) Bool(b bool) *JSONText {
	j.Bytes = strconv.AppendBool(j.Bytes, b)
	return j
}

// Quote appends a string as [AppendJSON] does.
func (j *JSONText) Quote(s string) *JSONText {
	j.Bytes = AppendJSON(j.Bytes, s)
	return j
}

// Hex appends bytes as a string of hexadecimal digits.
func (j *JSONText) Hex(b []byte) *JSONText {
	j.Bytes = append(j.Bytes, '"')
	j.Bytes = append(hex.AppendEncode(j.Bytes, b), '"')
	return j
}

// Comma appends a comma unless an object or a list has just begun.
func (j *JSONText) Comma() *JSONText {
	if n := len(j.Bytes); n > 0 && j.Bytes[n-1] != '{' && j.Bytes[n-1] != '[' {
		j.Raw(",")
	}
	return j
}

// Key appends a key of an object, after a comma if others precede it.
func (j *JSONText) Key(name string) *JSONText {
	j.Bytes = append(AppendJSON(j.Comma().Bytes, name), ':')
	return j
}

// Ints appends a list.
func (j *JSONText) Ints(list []int) *JSONText {
	j.Raw("[")
	for i, n := range list {
		if i > 0 {
			j.Raw(",")
		}
		j.Int(int64(n))
	}
	return j.Raw("]")
}

// Floats appends a list of numbers as Float32 does.
func (j *JSONText) Floats(list []float32, digits int8) *JSONText {
	j.Raw("[")
	for i, v := range list {
		if i > 0 {
			j.Raw(",")
		}
		j.Float32(v, digits)
	}
	return j.Raw("]")
}

// cachedFloats is the number of floats whose text is kept. Compressed vectors have few values.
const cachedFloats = 1 << 10

// cachedFloat is the text of a float. Its length is 0 if there is none.
type cachedFloat struct {
	bits   uint32
	digits int8
	size   uint8
	text   [26]byte
}

// Float32 appends a number with the digits of a float64, so that readers of any precision agree. If Short is set,
// the argument digits is the number of significant digits at most; -1 means the shortest text of the float32.
func (j *JSONText) Float32(v float32, digits int8) *JSONText {
	bits := math.Float32bits(v)
	c := &j.cache[bits*0x9E3779B1>>22]
	if c.size == 0 || c.bits != bits || c.digits != digits {
		text := c.text[:0]
		if x := float64(v); j.Short && !math.IsNaN(x) && !math.IsInf(x, 0) {
			text = strconv.AppendFloat(text, x, 'g', int(digits), 32)
		} else {
			text = appendFloat(text, x)
		}
		c.bits, c.digits, c.size = bits, digits, uint8(len(text))
	}
	j.Bytes = append(j.Bytes, c.text[:c.size]...)
	return j
}

// Float64 appends a number as package encoding/json does, or the name of a number that is not finite.
func (j *JSONText) Float64(v float64) *JSONText {
	j.Bytes = appendFloat(j.Bytes, v)
	return j
}

func appendFloat(dst []byte, v float64) []byte {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	case abs != 0 && abs < 1e-6 || abs >= 1e21:
		dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}
