package compress_test

import (
	"encoding/binary"
	"testing"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkFloat16 converts 512 codes from all buckets.
func BenchmarkFloat16(b *testing.B) {
	var wire []byte
	var values []float32
	for i := range 512 {
		code := compress.Float16(i * 127)
		wire = binary.LittleEndian.AppendUint16(wire, uint16(code))
		values = append(values, code.Float32())
	}
	var sum float32
	b.Run("Float32", func(b *testing.B) {
		testdata.Bytewise(b, wire, func() {
			for i := 0; i < len(wire); i += 2 {
				sum += compress.Float16(binary.LittleEndian.Uint16(wire[i:])).Float32()
			}
		})
	})
	b.Run("Encode", func(b *testing.B) {
		testdata.Bytewise(b, wire, func() {
			for _, v := range values {
				sum += float32(compress.EncodeFloat16(v))
			}
		})
	})
	_ = sum
}

func BenchmarkVector4(b *testing.B) {
	v := compress.EncodeVector4(1, -2, 3)
	var sum float32
	b.Run("Float32", func(b *testing.B) {
		testdata.Bytewise(b, make([]byte, 5), func() {
			x, y, z := v.Float32()
			sum += x + y + z
		})
	})
	b.Run("Encode", func(b *testing.B) {
		testdata.Bytewise(b, make([]byte, 5), func() { v = compress.EncodeVector4(1, -2, 3) })
	})
	_ = sum
}
