package stateupdate_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// The vectors of the integrity hash follow the engine's code: it XORs the low half of the integer part of |v| into the
// hash, and rotates the hash left by one bit. A value beyond an int64 counts as 0. The wire has the XOR of both
// halves. The values of a ship are not all known, so the library does not compute its hash.
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
		var hash uint32
		for _, step := range v.Steps {
			var i int64
			if step.Value > -1<<63 && step.Value < 1<<63 {
				i = int64(max(step.Value, -step.Value))
			}
			hash = bits.RotateLeft32(hash^uint32(i), 1)
			require.EqualValues(t, step.Acc, hash)
		}
		require.EqualValues(t, v.Wire, uint16(hash>>16)^uint16(hash))
	}
}
