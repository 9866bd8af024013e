package compress_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/testdata"
)

// single is the arithmetic of the game, in numbers of 24 bits. Every operation rounds to the
// nearest number, like a float32. The oracle shares no code with the package.
type single struct{ *big.Float }

func exactly(v float32) single       { return single{new(big.Float).SetPrec(24).SetFloat64(float64(v))} }
func empty() *big.Float              { return new(big.Float).SetPrec(24) }
func (a single) add(b single) single { return single{empty().Add(a.Float, b.Float)} }
func (a single) sub(b single) single { return single{empty().Sub(a.Float, b.Float)} }
func (a single) mul(b single) single { return single{empty().Mul(a.Float, b.Float)} }
func (a single) div(b single) single { return single{empty().Quo(a.Float, b.Float)} }
func (a single) root() single        { return single{empty().Sqrt(a.Float)} }
func (a single) less(b single) bool  { return a.Cmp(b.Float) < 0 }

// truncated returns the integer part.
func (a single) truncated() int {
	n, _ := a.Int64()
	return int(n)
}

// stockVector4 encodes a vector as chapters 1.4, 2.1 and 3 of the description of the game do.
func stockVector4(x, y, z float32) compress.Vector4 {
	components := [3]single{exactly(x), exactly(y), exactly(z)}
	square := func(c single) single { return c.mul(c) }
	length := square(components[0]).add(square(components[1])).add(square(components[2])).root()
	var dir [3]int8
	if exactly(1e-6).less(length) {
		for i, c := range components {
			dir[i] = int8(c.div(length).mul(exactly(127)).truncated())
		}
	}
	return compress.Vector4{Dir: compress.Vector3{X: dir[0], Y: dir[1], Z: dir[2]}, Mag: stockMagnitude(length)}
}

// stockMagnitude encodes a number that is not negative.
func stockMagnitude(a single) compress.Float16 {
	lo, hi := exactly(0), exactly(0.001)
	for scale := range 8 {
		if a.less(hi) {
			part := a.sub(lo).div(hi.sub(lo)).mul(exactly(4095))
			return compress.Float16(scale<<12 + part.truncated())
		}
		lo, hi = hi, hi.mul(exactly(10))
	}
	return 0x7FFF
}

// EncodeVector4Stock returns the code of the game for random vectors, and for vectors whose length
// is exactly the number of a code.
func TestEncodeVector4Stock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	random := func() float32 {
		return float32((rng.Float64()*2 - 1) * math.Pow(10, rng.Float64()*7-3))
	}
	for range testdata.Either(300_000, 20_000) {
		x, y, z := random(), random(), random()
		if want, got := stockVector4(x, y, z), compress.EncodeVector4Stock(x, y, z); want != got {
			t.Fatalf("(%g, %g, %g): %v, want %v", x, y, z, got, want)
		}
	}
	differ := 0
	for code := compress.Float16(0); code < 0x8000; code += testdata.Either[compress.Float16](1, 3) {
		length := code.Float32()
		want, got := stockVector4(0, -length, 0), compress.EncodeVector4Stock(0, -length, 0)
		if want != got {
			t.Fatalf("%04X: %v, want %v", uint16(code), got, want)
		}
		if got != compress.EncodeVector4(0, -length, 0) {
			differ++
		}
	}
	require.Equal(t, testdata.Either(2152, 717), differ)
}

// EncodeVector4 differs from the game for few vectors, and then by one in Mag.
func TestEncodeVector4IsNearlyStock(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 14))
	const vectors = 300_000
	differ := 0
	for range vectors {
		x, y, z := rng.Float32()*400-200, rng.Float32()*400-200, rng.Float32()*400-200
		ours, stock := compress.EncodeVector4(x, y, z), compress.EncodeVector4Stock(x, y, z)
		if ours != stock {
			require.Equal(t, stock.Dir, ours.Dir)
			differ++
			require.Contains(t, []compress.Float16{stock.Mag + 1, stock.Mag - 1}, ours.Mag)
		}
	}
	require.NotZero(t, differ)
	require.Less(t, differ, 20)
}
