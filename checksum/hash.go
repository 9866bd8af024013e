package checksum

//go:generate go run gen.go

import (
	"encoding/binary"
	"math/bits"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// GameVersion is the version of the game, whose hash a client sends in the first round.
const GameVersion = "60"

// StringHash returns the hash of a name, or of another short text: four Pearson hashes,
// the one of the highest byte first. The empty text has 0.
//
// The bytes are hashed as they are, with their case. Names on the wire are in
// Windows-1252: for one that is not in ASCII ask [stream.NewText] and [TextHash].
//
// Evidence: observed.
func StringHash(s string) uint32 { return stringHash(s) }

// TextHash is [StringHash] of a text as on the wire.
func TextHash(t stream.Text) opcode.Hash { return opcode.Hash(stringHash(t)) }

func stringHash[T ~string | ~[]byte](s T) uint32 {
	var h0, h1, h2, h3 byte
	for i := range len(s) {
		c := s[i]
		h0 = pearson[0][c^h0]
		h1 = pearson[1][c^h1]
		h2 = pearson[2][c^h2]
		h3 = pearson[3][c^h3]
	}
	return uint32(h0)<<24 | uint32(h1)<<16 | uint32(h2)<<8 | uint32(h3)
}

// FileHash returns the hash of a file's content. [New] takes it in pieces.
//
//	offset  size  taken
//	0       4     the first word
//	4       4     not at all: where a compiled script has the time of its source
//	8       4n    word by word
//	8+4n    0-3   as often as there are bytes, each time the first of them
//
// To take a word, or the one byte with its sign, is to add it bit by bit and to rotate
// the sum left by one. Of a file of 5 to 7 bytes the last 1 to 3 are such a rest, and are
// taken.
//
// Evidence: observed, except for the sign, which is documented. A hasher that advances
// through the rest, as that of OpenBC does, gives other values for files whose length is
// 2 or 3 more than a multiple of 4.
func FileHash(data []byte) uint32 {
	if len(data) < 2*wordSize {
		return rest(words(0, data))
	}
	h, _ := words(0, data[:wordSize])
	return rest(words(h, data[2*wordSize:]))
}

const wordSize = 4

// words takes the whole words of data and returns the bytes after them.
func words(h uint32, data []byte) (uint32, []byte) {
	for len(data) >= wordSize {
		h = bits.RotateLeft32(h^binary.LittleEndian.Uint32(data), 1)
		data = data[wordSize:]
	}
	return h, data
}

// rest takes up to three last bytes.
func rest(h uint32, data []byte) uint32 {
	for range data {
		h = bits.RotateLeft32(h^uint32(int8(data[0])), 1)
	}
	return h
}
