package compress_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/testdata"
)

func TestFloat16Vectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex    testdata.Hex
		Code   testdata.Number
		Value  float64
		Bits   testdata.Bits
		Encode []struct {
			Value float64
			Bits  testdata.Bits
		}
		Reencode struct{ Stock, Default testdata.Number }
	}](t, "primitives.json", "float16")
	require.Len(t, vectors, 35)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			code := compress.Float16(v.Code)
			require.Equal(t, v.Hex, testdata.Hex{byte(code), byte(code >> 8)})
			require.Equal(t, uint32(v.Bits), math.Float32bits(code.Float32()))
			require.Equal(t, v.Value, float64(code.Float32()))
			require.Equal(t, compress.Float16(v.Reencode.Stock), compress.EncodeFloat16Stock(code.Float32()))
			require.Equal(t, compress.Float16(v.Reencode.Default), compress.EncodeFloat16(code.Float32()))
			for _, in := range v.Encode {
				f := math.Float32frombits(uint32(in.Bits))
				require.Equal(t, float32(in.Value), f)
				require.Equal(t, code, compress.EncodeFloat16Stock(f))
				require.Equal(t, code, compress.EncodeFloat16(f))
			}
		})
	}
}

// The counts of codes that the stock encoder changes, by bucket and direction, were published.
func TestFloat16StockDrift(t *testing.T) {
	var perScale [8]int
	var down, up, negative int
	var first []compress.Float16
	for c := range 0x10000 {
		code := compress.Float16(c)
		again := compress.EncodeFloat16Stock(code.Float32())
		switch {
		case again == code:
		case code >= 0x8000:
			negative++
		default:
			perScale[code>>12]++
			switch int(again) - int(code) {
			case -1:
				down++
			case +1:
				up++
				require.Equal(t, compress.Float16(0xFFF), code&0xFFF, "upward at %04X", c)
			default:
				t.Errorf("%04X became %04X", c, uint16(again))
			}
			if len(first) < 5 {
				first = append(first, code)
			}
		}
	}
	require.Equal(t, [8]int{72, 503, 477, 546, 177, 163, 109, 106}, perScale)
	require.Equal(t, []int{2146, 7, 2154}, []int{down, up, negative}, "down, up, negative")
	require.Equal(t, 4307, down+up+negative)
	require.Equal(t, []compress.Float16{0x0101, 0x011F, 0x012F, 0x01F9, 0x0202}, first)
}

// Repeated decoding and stock encoding changes a code by up to 21 steps.
func TestFloat16RepeatedDrift(t *testing.T) {
	most := 0
	for c := range compress.Float16(0x8000) {
		code := c
		for {
			again := compress.EncodeFloat16Stock(code.Float32())
			if again >= code {
				break
			}
			code = again
		}
		most = max(most, int(c-code))
	}
	require.Equal(t, 21, most)
}

func TestEncodeFloat16ReturnsDecodedCode(t *testing.T) {
	changed := map[compress.Float16]compress.Float16{}
	differ := 0
	for c := range 0x10000 {
		code := compress.Float16(c)
		v := code.Float32()
		again := compress.EncodeFloat16(v)
		if again != code {
			changed[code] = again
		}
		// The two encoders can differ only for numbers of codes.
		if code < 0x8000 && again != compress.EncodeFloat16Stock(v) && code != 0x3FFF {
			differ++
		}
	}
	require.Equal(t, map[compress.Float16]compress.Float16{0x3FFF: 0x4000, 0xBFFF: 0xC000, 0x8000: 0x0000}, changed)
	require.Equal(t, 2152, differ)
}

func TestFloat16IncreasesWithinBucket(t *testing.T) {
	for c := range compress.Float16(0x7FFF) {
		lo, hi := c.Float32(), (c + 1).Float32()
		if c&0xFFF == 0xFFF {
			require.GreaterOrEqual(t, lo, hi, "edge after %04X", uint16(c))
			require.Equal(t, c == 0x3FFF, lo == hi, "duplicate at %04X", uint16(c))
			continue
		}
		require.Less(t, lo, hi, "%04X", uint16(c))
	}
}

func TestFloat16Edges(t *testing.T) {
	bits := []uint32{0x3A83126F, 0x3C23D70B, 0x3DCCCCCE, 0x3F800001, 0x41200001, 0x42C80001, 0x447A0001, 0x461C4001}
	for scale, b := range bits {
		edge := math.Float32frombits(b)
		below := math.Nextafter32(edge, 0)
		require.Equal(t, compress.Float16(scale), compress.EncodeFloat16Stock(below)>>12, "below edge %d", scale)
		if scale < 7 {
			open := compress.Float16(scale+1) << 12
			require.Equal(t, open, compress.EncodeFloat16Stock(edge), "edge %d", scale)
			require.Equal(t, b, math.Float32bits(open.Float32()), "edge %d", scale)
		}
	}
	for code, b := range map[compress.Float16]uint32{
		0x0FFF: 0x3A831270, 0x1000: 0x3A83126F, 0x3FFF: 0x3F800001, 0x4000: 0x3F800001,
		0x571B: 0x4247E980, 0x78E2: 0x45BB6E6D, 0x7FFF: 0x461C4002, 0x8000: 0x80000000,
	} {
		require.Equal(t, b, math.Float32bits(code.Float32()), "%04X", uint16(code))
	}
}

func TestEncodeFloat16(t *testing.T) {
	for _, v := range []struct {
		in   float32
		code compress.Float16
	}{
		{0, 0},
		{negZero, 0},
		{0.0005, 0x07FF},
		{0.001, 0x1000},
		{0.01, 0x1FFE},
		{0.1, 0x2FFE},
		{0.5, 0x371B},
		{1, 0x3FFE},
		{5, 0x471B},
		{10, 0x4FFE},
		{15, 0x50E3},
		{25, 0x52AA},
		{50, 0x571B},
		{100, 0x5FFE},
		{273, 0x6313},
		{1000, 0x6FFE},
		{1500, 0x70E3},
		{2000, 0x71C6},
		{5000, 0x771B},
		{6000, 0x78E2},
		{9999, 0x7FFE},
		{10000, 0x7FFE},
		{-50, 0xD71B},
		{-10000, 0xFFFE},
		{math.SmallestNonzeroFloat32, 0},
		{-math.SmallestNonzeroFloat32, 0x8000},
		{10000.001, 0x7FFF},
		{10000.003, 0x7FFF},
		{-1e9, 0xFFFF},
	} {
		require.Equal(t, v.code, compress.EncodeFloat16Stock(v.in), "stock, %g", v.in)
		require.Equal(t, v.code, compress.EncodeFloat16(v.in), "%g", v.in)
	}
}

// An encoded number differs by at most one step of its bucket, and never has a larger
// magnitude.
func propertyFloat16Error(t *rapid.T) {
	v := rapid.Float32Range(-10000, 10000).Draw(t, "v")
	code := compress.EncodeFloat16(v)
	got := math.Abs(float64(code.Float32()))
	want := math.Abs(float64(v))
	step := max(1e-3, math.Pow(10, float64(code>>12&7)-3)) / 4095
	if got > want*(1+1e-6) || want-got > step*(1+1e-3) {
		t.Fatalf("%g became %g, code %04X", v, got, uint16(code))
	}
}

func TestFloat16Error(t *testing.T)         { rapid.Check(t, propertyFloat16Error) }
func FuzzFloat16ErrorProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyFloat16Error)) }
