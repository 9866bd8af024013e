package stateupdate

import (
	"math/bits"

	"github.com/bcwire/bcwire/opcode"
)

// IntegrityHash makes the Hash that a client sends in the StateUpdate of its ship. A host of
// the game computes it of the same properties of the same ship, and dismisses a client
// whose hash differs. The zero value is ready.
//
// Which properties are folded, and in which order, is known in part only, so that the
// hash of a ship cannot be computed from this alone. A client need not send one.
//
// Evidence: documented; the place of the hash is observed.
type IntegrityHash uint32

// Add folds a property: its absolute value without the fraction. What has no such value
// in 32 bits counts as 0x80000000, which is what the processor of the game makes of it;
// that is inferred.
func (h *IntegrityHash) Add(v float32) {
	i := uint32(1 << 31)
	if v > -1<<31 && v < 1<<31 {
		i = uint32(max(int32(v), -int32(v)))
	}
	*h = IntegrityHash(bits.RotateLeft32(uint32(*h)^i, 1))
}

// Sum returns the hash as in a StateUpdate.
func (h IntegrityHash) Sum() opcode.Hash16 { return opcode.Hash16(h>>16) ^ opcode.Hash16(h) }
