package checksum

import "math/bits"

// Fold is the integrity hash that a client sends in the StateUpdate of its ship, on the
// way: a host of the game computes it of the same properties of the same ship, and
// dismisses a client whose hash differs. The zero value is ready.
//
// Which properties are folded, and in which order, is known in part only, so that the
// hash of a ship cannot be computed from this alone. A client need not send one.
//
// Evidence: documented; the place of the hash is observed.
type Fold uint32

// Add folds a property: its absolute value without the fraction. What has no such value
// in 32 bits counts as 0x80000000, which is what the processor of the game makes of it;
// that is inferred.
func (f *Fold) Add(v float32) {
	i := uint32(1 << 31)
	if v > -1<<31 && v < 1<<31 {
		i = uint32(max(int32(v), -int32(v)))
	}
	*f = Fold(bits.RotateLeft32(uint32(*f)^i, 1))
}

// Sum returns the hash as on the wire.
func (f Fold) Sum() uint16 { return uint16(f>>16) ^ uint16(f) }
