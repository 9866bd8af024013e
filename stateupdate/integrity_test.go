package stateupdate_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

func TestIntegrityHash(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Steps []struct {
			Value float32
			Acc   testdata.Number
		}
		Wire testdata.Number
	}](t, "hashes.json", "integrityFold")
	require.Len(t, vectors, 2)
	for _, v := range vectors {
		var h stateupdate.IntegrityHash
		for _, step := range v.Steps {
			h.Add(step.Value)
			require.Equal(t, stateupdate.IntegrityHash(step.Acc), h)
		}
		require.Equal(t, opcode.Hash16(v.Wire), h.Sum())
	}
}

func TestIntegrityHashIsTotal(t *testing.T) {
	inf, largest := float32(math.Inf(1)), math.Float32frombits(0x5EFFFFFF) // 2^63 - 2^39
	for v, want := range map[float32]stateupdate.IntegrityHash{
		0: 0, 0.99: 0, -0.99: 0, 1: 2, -1: 2, 64.0002: 128, 1e9: 2e9, -1e9: 2e9,
		1 << 31: 1, -1 << 31: 1, 3e9: 0x65A0BC01, -3e9: 0x65A0BC01, 1 << 32: 0, 1<<32 + 512: 1024,
		largest: 0, -largest: 0, 1 << 63: 0, -1 << 63: 0, 1e20: 0, inf: 0, -inf: 0,
	} {
		var h stateupdate.IntegrityHash
		h.Add(v)
		require.Equal(t, want, h, "%v", v)
	}
	h := stateupdate.IntegrityHash(0x12345678)
	h.Add(float32(math.NaN()))
	require.Equal(t, stateupdate.IntegrityHash(0x12345678<<1), h)
	require.Equal(t, opcode.Hash16(0x1234^0x5678), stateupdate.IntegrityHash(0x12345678).Sum())
}
