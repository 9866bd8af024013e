package compress_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/testdata"
)

func TestVectorGoldenVectors(t *testing.T) {
	for group, n := range map[string]int{"vector3": 5, "vector4": 2, "vector4f": 1, "contact": 1} {
		vectors := testdata.LoadGroup[vector](t, "primitives.json", group)
		require.Len(t, vectors, n, group)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) { v.check(t, group) })
		}
	}
}

type vector struct {
	testdata.Vector
	Hex       testdata.Hex
	Raw       []int
	Magnitude float32
	Value     []float64
}

func (v *vector) check(t *testing.T, group string) {
	dir := compress.Vector3{X: int8(v.Raw[0]), Y: int8(v.Raw[1]), Z: int8(v.Raw[2])}
	wire := []byte{byte(dir.X), byte(dir.Y), byte(dir.Z)}
	var x, y, z float32
	switch group {
	case "vector3":
		x, y, z = dir.Float32()
		require.Equal(t, dir, compress.EncodeVector3(x, y, z), "encoded again")
	case "vector4":
		m := compress.Vector4{Dir: dir, Mag: compress.Float16(v.Raw[3])}
		wire = append(wire, byte(m.Mag), byte(m.Mag>>8))
		x, y, z = m.Float32()
	case "vector4f":
		x, y, z = dir.Float32()
		x, y, z = x*v.Magnitude, y*v.Magnitude, z*v.Magnitude
		wire = append(wire, 0, 0, 0, 0)
	case "contact":
		m := compress.Contact{Dir: dir, Mag: uint8(v.Raw[3])}
		wire = append(wire, m.Mag)
		x, y, z = m.Float32(1)
	}
	require.Equal(t, v.Hex, testdata.Hex(wire))
	for i, c := range []float32{x, y, z} {
		require.InDelta(t, v.Value[i], c, 1e-6*max(1, math.Abs(v.Value[i])))
	}
}

// The test encodes all directions that truncation can produce. The number of unchanged ones
// was published.
func TestVector3RoundTrips(t *testing.T) {
	shell, same := 0, 0
	inner := 127 - math.Sqrt(3)
	for x := -127; x <= 127; x++ {
		for y := -127; y <= 127; y++ {
			for z := -127; z <= 127; z++ {
				square := x*x + y*y + z*z
				if square > 127*127 || float64(square) <= inner*inner {
					continue
				}
				shell++
				v := compress.Vector3{X: int8(x), Y: int8(y), Z: int8(z)}
				if compress.EncodeVector3(v.Float32()) == v {
					same++
				}
			}
		}
	}
	require.Equal(t, []int{344144, 243530}, []int{shell, same})
}

func TestEncodeVectors(t *testing.T) {
	for _, v := range []struct {
		x, y, z float32
		dir     compress.Vector3
		mag     compress.Float16
	}{
		{0, 0, 0, compress.Vector3{}, 0},
		{1, 0, 0, compress.Vector3{X: 127}, 0x3FFE},
		{0, -1, 0, compress.Vector3{Y: -127}, 0x3FFE},
		{30, 0, 40, compress.Vector3{X: 76, Z: 101}, 0x571B},
		{0, 0, 1e-6, compress.Vector3{}, 0x0004},
		{0, 0, 2e-6, compress.Vector3{Z: 127}, 0x0008},
		{20000, 0, 0, compress.Vector3{X: 127}, 0x7FFF},
	} {
		require.Equal(t, v.dir, compress.EncodeVector3(v.x, v.y, v.z), "(%g, %g, %g)", v.x, v.y, v.z)
		require.Equal(t, compress.Vector4{Dir: v.dir, Mag: v.mag}, compress.EncodeVector4(v.x, v.y, v.z))
		require.Equal(t, compress.Vector4{Dir: v.dir, Mag: v.mag}, compress.EncodeVector4Stock(v.x, v.y, v.z))
		require.Equal(t, v.dir, compress.EncodeContact(v.x, v.y, v.z, 1).Dir)
	}
	x, _, _ := compress.Vector3{X: -128}.Float32()
	require.Equal(t, float32(-128.0/127), x)
	_, y, _ := compress.Vector4{Dir: compress.Vector3{Y: 127}, Mag: 0xD71B}.Float32()
	require.Less(t, y, float32(-49.9), "a negative length flips the vector")
}

func TestEncodeContact(t *testing.T) {
	for _, v := range []struct {
		distance, radius float32
		mag              uint8
	}{
		{0, 10, 0},
		{5, 10, 127},
		{9.999, 10, 254},
		{10, 10, 255},
		{11, 10, 255},
	} {
		require.Equal(t, v.mag, compress.EncodeContact(v.distance, 0, 0, v.radius).Mag, "%g of %g", v.distance, v.radius)
	}
}

// Encoded directions are never longer than the exact ones, and differ by at most one step.
func propertyVector3Error(t *rapid.T) {
	component := rapid.Float32Range(-5000, 5000)
	x, y, z := component.Draw(t, "x"), component.Draw(t, "y"), component.Draw(t, "z")
	length := math.Sqrt(float64(x)*float64(x) + float64(y)*float64(y) + float64(z)*float64(z))
	v := compress.EncodeVector4(x, y, z)
	if length < 1.01e-6 {
		if length < 0.99e-6 && v.Dir != (compress.Vector3{}) {
			t.Fatalf("(%g, %g, %g) has the direction %v", x, y, z, v.Dir)
		}
		return
	}
	a, b, c := v.Dir.Float32()
	for i, p := range [][2]float32{{a, x}, {b, y}, {c, z}} {
		want := float64(p[1]) / length
		if math.Abs(float64(p[0])-want) > 1.0/127+1e-6 || math.Abs(float64(p[0])) > math.Abs(want)+1e-6 {
			t.Fatalf("component %d of %v: %g, want %g", i, v, p[0], want)
		}
	}
}

func TestVector3Error(t *testing.T)         { rapid.Check(t, propertyVector3Error) }
func FuzzVector3ErrorProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyVector3Error)) }
