package checksum_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/testdata"
)

func TestFold(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Steps []struct {
			Value float32
			Acc   testdata.Number
		}
		Wire testdata.Number
	}](t, "hashes.json", "integrityFold")
	require.Len(t, vectors, 1)
	for _, v := range vectors {
		var f checksum.Fold
		for _, step := range v.Steps {
			f.Add(step.Value)
			require.Equal(t, checksum.Fold(step.Acc), f)
		}
		require.Equal(t, uint16(v.Wire), f.Sum())
	}
}

func TestFoldIsTotal(t *testing.T) {
	inf, largest := float32(math.Inf(1)), math.Float32frombits(0x4EFFFFFF)
	for v, want := range map[float32]checksum.Fold{
		0: 0, 0.99: 0, -0.99: 0, 1: 2, -1: 2, 64.0002: 128, 1e9: 2e9, -1e9: 2e9,
		largest: 0xFFFFFF00, -largest: 0xFFFFFF00, 1 << 31: 1, -1 << 31: 1, 3e9: 1, inf: 1, -inf: 1,
	} {
		var f checksum.Fold
		f.Add(v)
		require.Equal(t, want, f, "%v", v)
	}
	f := checksum.Fold(0x12345678)
	f.Add(float32(math.NaN()))
	require.Equal(t, checksum.Fold(0x12345678<<1|1), f)
	require.Equal(t, uint16(0x1234^0x5678), checksum.Fold(0x12345678).Sum())
}
