package compress_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
)

// A value prints its numbers in one line.
func TestText(t *testing.T) {
	ahead := compress.Vector3{Y: 127}
	for want, value := range map[string]any{
		"0":                         compress.Float16(0),
		"-0":                        compress.Float16(0x8000),
		"49.978":                    compress.Float16(0x571B),
		"5997.8":                    compress.Float16(0x78E2),
		"-10000":                    compress.EncodeFloat16(-inf),
		"10000":                     compress.EncodeFloat16(nan),
		"2.442e-07":                 compress.Float16(1),
		"(0 0 0)":                   compress.Vector3{},
		"(0 1 0)":                   ahead,
		"(-1.0079 0.5748 -0.14961)": compress.Vector3{X: -128, Y: 73, Z: -19},
		"(43.16 181.57 17.859)":     compress.Vector4{Dir: compress.Vector3{X: 29, Y: 122, Z: 12}, Mag: 0x6195},
		"(-0 -49.978 -0)":           compress.Vector4{Dir: ahead, Mag: 0xD71B},
		"(0 0.49804 0) radii":       compress.Contact{Dir: ahead, Mag: 127},
		"(0 0 0) radii":             compress.Contact{},
	} {
		require.Equal(t, want, fmt.Sprint(value))
	}
}

// The text of a code differs from its number by at most one part in 10,000.
func TestTextOfEveryCode(t *testing.T) {
	for c := range 0x10000 {
		code := compress.Float16(c)
		got, err := strconv.ParseFloat(code.String(), 64)
		require.NoError(t, err)
		want := float64(code.Float32())
		require.LessOrEqual(t, math.Abs(got-want), math.Abs(want)*1e-4, "%04X", c)
	}
	longest := compress.Vector4{Dir: compress.Vector3{X: -128, Y: -127, Z: -126}, Mag: 1}
	require.NotContains(t, longest.String(), "\n")
	require.Len(t, strings.Fields(longest.String()), 3)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = longest.String() }), 1.0)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = compress.Float16(0x571B).String() }), 1.0)
}
