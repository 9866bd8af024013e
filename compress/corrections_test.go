package compress_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
)

// The tests in this file are about statements of older documents; see opcode/CORRECTIONS.md.

// Captured codes of a radius of 50 and a damage of 6000 fit only the encoder of the game. Each
// variant from an older document gives other codes.
func TestWrongFloat16Encoders(t *testing.T) {
	const captured50, captured6000 = compress.Float16(0x571B), compress.Float16(0x78E2)
	for _, v := range []struct {
		name   string
		encode func(v, lo, hi float64) float64 // the mantissa in a bucket, before truncation
		want   [2]compress.Float16
	}{
		{"game", func(v, lo, hi float64) float64 { return (v - up(lo)) / (up(hi) - up(lo)) * 4095 }, [2]compress.Float16{captured50, captured6000}},
		{"scale 4096", func(v, lo, hi float64) float64 { return (v - up(lo)) / (up(hi) - up(lo)) * 4096 }, [2]compress.Float16{0x571C, 0x78E3}},
		{"without the lower edge", func(v, _, hi float64) float64 { return v / up(hi) * 4095 }, [2]compress.Float16{0x57FF, 0x7998}},
		{"without the lower edge, scale 4096", func(v, _, hi float64) float64 { return v / hi * 4096 }, [2]compress.Float16{0x5800, 0x7999}},
		{"edges at powers of ten", func(v, lo, hi float64) float64 { return (v - lo) / (hi - lo) * 4095 }, [2]compress.Float16{0x571C, 0x78E3}},
		{"rounded", func(v, lo, hi float64) float64 { return math.Round((v - up(lo)) / (up(hi) - up(lo)) * 4095) }, [2]compress.Float16{0x571C, 0x78E3}},
	} {
		got := [2]compress.Float16{0x5000 + compress.Float16(v.encode(50, 10, 100)), 0x7000 + compress.Float16(v.encode(6000, 1000, 10000))}
		require.Equal(t, v.want, got, v.name)
	}
	require.Equal(t, captured50, compress.EncodeFloat16Stock(50))
	require.Equal(t, captured6000, compress.EncodeFloat16Stock(6000))

	// The damage was published as 5997.8. With a scale of 4096, its code would stand for 5996.6.
	require.InDelta(t, 5997.8, captured6000.Float32(), 0.05)
	require.InDelta(t, 5996.6, 1000+float64(captured6000&0xFFF)*9000/4096, 0.05)
}

// up returns the number above a power of ten where the game's bucket begins. Repeated
// multiplication with float32 precision makes it larger.
func up(edge float64) float64 { return float64(math.Nextafter32(float32(edge), math.MaxFloat32)) }

// All magnitudes from 10000.001 give the largest code, also beyond 100,000, where the game's code is
// unknown. It is 0x7FFF, not 0x8000, which an overflowing mantissa of 0x1000 would give.
func TestFloat16Overflow(t *testing.T) {
	for _, v := range []float32{10000.001, 10001, 99999, 100000, 100000.01, 131072, 200000, 1e6, math.MaxFloat32, float32(math.Inf(1))} {
		for _, encode := range []func(float32) compress.Float16{compress.EncodeFloat16, compress.EncodeFloat16Stock} {
			require.Equal(t, compress.Float16(0x7FFF), encode(v), "%v", v)
			require.Equal(t, compress.Float16(0xFFFF), encode(-v), "%v", -v)
		}
	}
}
