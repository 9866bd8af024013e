package compress_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
)

const (
	huge      = math.MaxFloat32
	denormal  = math.SmallestNonzeroFloat32
	underflow = 1e-30 // its square underflows to 0
)

var (
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())
	negZero = float32(math.Copysign(0, -1))
)

// TestHostile encodes extreme and non-finite numbers, and decodes codes that no encoder makes.
func TestHostile(t *testing.T) {
	t.Run("Float16", hostileFloat16)
	t.Run("Vector", hostileVectors)
	t.Run("Contact", hostileContacts)
	t.Run("Decode", hostileCodes)
}

func hostileFloat16(t *testing.T) {
	for _, v := range []struct {
		name string
		in   float32
		code compress.Float16
	}{
		{"NaN", nan, 0x7FFF},
		{"negative NaN", math.Float32frombits(0xFFC00000), 0x7FFF},
		{"signalling NaN", math.Float32frombits(0x7F800001), 0x7FFF},
		{"infinity", inf, 0x7FFF},
		{"negative infinity", -inf, 0xFFFF},
		{"largest float", huge, 0x7FFF},
		{"largest code", 0x1.388004p+13, 0x7FFF},
		{"next above it", 0x1.388006p+13, 0x7FFF},
		{"next below its negative", -0x1.388006p+13, 0xFFFF},
		{"denormal", denormal, 0},
		{"negative denormal", -denormal, 0x8000},
		{"negative zero", negZero, 0},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, v.code, compress.EncodeFloat16(v.in))
			require.Equal(t, v.code, compress.EncodeFloat16Stock(v.in))
		})
	}
}

func hostileVectors(t *testing.T) {
	for _, v := range []struct {
		name    string
		x, y, z float32
		dir     compress.Vector3
		mag     compress.Float16
	}{
		{"zero", 0, negZero, 0, compress.Vector3{}, 0},
		{"one component NaN", 1, nan, 0, compress.Vector3{}, 0x7FFF},
		{"NaN and infinity", inf, nan, -inf, compress.Vector3{}, 0x7FFF},
		{"infinity", 0, -inf, 1, compress.Vector3{}, 0x7FFF},
		{"squares overflow", huge, huge, huge, compress.Vector3{}, 0x7FFF},
		{"finite, above the limit", 3e19, 0, 0, compress.Vector3{}, 0x7FFF},
		{"just below the limit", 0, 1.8e19, 0, compress.Vector3{Y: 127}, 0x7FFF},
		{"sum of squares overflows", 0x1p63, 0x1.8p63, 0x1.8p63, compress.Vector3{}, 0x7FFF},
		{"longest with a direction", 0x1.fffffep63, 0, 0, compress.Vector3{X: 127}, 0x7FFF},
		{"squares underflow", underflow, -underflow, denormal, compress.Vector3{}, 0},
		{"longest without a direction", 0, 0, 1e-6, compress.Vector3{}, 4},
		{"components of different magnitudes", 1e4, 1e-30, -denormal, compress.Vector3{X: 127}, 0x7FFE},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, v.dir, compress.EncodeVector3(v.x, v.y, v.z))
			require.Equal(t, compress.Vector4{Dir: v.dir, Mag: v.mag}, compress.EncodeVector4(v.x, v.y, v.z))
			require.Equal(t, compress.Vector4{Dir: v.dir, Mag: v.mag}, compress.EncodeVector4Stock(v.x, v.y, v.z))
		})
	}
}

func hostileContacts(t *testing.T) {
	for _, v := range []struct {
		name             string
		distance, radius float32
		mag              uint8
	}{
		{"radius zero", 5, 0, 0},
		{"both zero", 0, 0, 0},
		{"negative radius", 5, -10, 0},
		{"radius NaN", 5, nan, 0},
		{"radius infinite", 5, inf, 0},
		{"distance infinite", inf, 10, 255},
		{"both infinite", inf, inf, 255},
		{"distance NaN", nan, 10, 0},
		{"radius denormal", 5, denormal, 255},
		{"next below the radius", math.Nextafter32(10, 0), 10, 254},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, v.mag, compress.EncodeContact(v.distance, 0, 0, v.radius).Mag)
		})
	}
}

func hostileCodes(t *testing.T) {
	backwards := compress.Vector3{X: -128, Y: -128, Z: -128}
	for _, v := range []struct {
		name string
		got  func() (x, y, z float32)
		want float32 // of each component
	}{
		{"negative zero", all(0x8000), negZero},
		{"largest magnitude", all(0x7FFF), 0x1.388004p+13},
		{"component -128", backwards.Float32, -128.0 / 127},
		{"negative length", compress.Vector4{Dir: backwards, Mag: 0xFFFF}.Float32, 128.0 / 127 * 10000.002},
		{"radius infinite", func() (x, y, z float32) { return compress.Contact{Dir: backwards, Mag: 1}.Float32(inf) }, -inf},
		{"radius NaN", func() (x, y, z float32) { return compress.Contact{Dir: backwards}.Float32(nan) }, nan},
	} {
		t.Run(v.name, func(t *testing.T) {
			x, y, z := v.got()
			for _, c := range []float32{x, y, z} {
				if v.want != v.want {
					require.True(t, c != c, c)
					continue
				}
				require.Equal(t, math.Float32bits(v.want), math.Float32bits(c), "%g", c)
			}
		})
	}
}

func all(code compress.Float16) func() (x, y, z float32) {
	return func() (x, y, z float32) { return code.Float32(), code.Float32(), code.Float32() }
}
