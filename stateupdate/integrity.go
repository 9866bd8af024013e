package stateupdate

import (
	"math/bits"

	"github.com/bcwire/bcwire/opcode"
)

// IntegrityHash is the fold of the hash that a client sends after the absolute position in a
// StateUpdate about its own ship (the fields HasHash and Hash). The host computes the same
// value from its own copy of the ship and kicks a client whose hash differs. The host never
// sends one. The zero value is ready to use.
//
// The hash of a ship cannot be computed: only the fold is known, not every value that goes
// into it. A client should leave HasHash false; the host compares only a hash that is
// present. A server can ignore the hash, or compare it with values that it has learned from
// unmodified clients, because the hash of a class is constant. Known values:
//
//	Akira   0xFB37  observed (A)
//	Nebula  0x040C  inferred (C): one document, no captured bytes
//
// Evidence: documented (B): the engine's code of the fold, which starts with the hull; the
// place of the hash in the message is observed (A).
type IntegrityHash uint32

// Add folds a value: the low 32 bits of its absolute value without the fraction. A value
// that a 64-bit integer cannot hold, or that is not a number, counts as 0.
func (h *IntegrityHash) Add(v float32) {
	var i int64
	if v > -1<<63 && v < 1<<63 {
		i = int64(v)
	}
	if v < 0 {
		i = -i
	}
	*h = IntegrityHash(bits.RotateLeft32(uint32(*h)^uint32(i), 1))
}

// Sum returns the hash as it stands in a StateUpdate: both halves of the fold, combined.
func (h IntegrityHash) Sum() opcode.Hash16 { return opcode.Hash16(h>>16) ^ opcode.Hash16(h) }
