package checksum

//go:generate go run gen.go

import (
	"encoding/binary"
	"math/bits"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// StringHash returns the hash of a name or another short text: four Pearson hashes, highest
// byte first. The hash of "" is 0. Upper and lower case give different hashes. Convert
// names that are not ASCII with [stream.NewText], and pass the bytes of the text as a string.
func StringHash(s string) uint32 { return stringHash(s) }

func textHash(t stream.Text) opcode.Hash { return opcode.Hash(stringHash(t)) }

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

// FileHash returns the hash of a file's content.
//
//	offset  size  hashed
//	0       4     the first word
//	4       4     not hashed: the time in a compiled script
//	8       4n    word by word
//	8+4n    0-3   the rest: its first byte, once for each byte of the rest
//
// Each step XORs a little-endian word, or a sign-extended byte, into the sum and rotates
// the sum left by one bit. The game hashes the first byte of the rest up to three times and
// ignores the other bytes. In a file of 5 to 7 bytes, the rest begins at offset 4.
//
// Evidence: observed, except for the sign extension, which is documented. OpenBC hashes
// each byte of the rest once, so the sum differs if the rest has 2 or 3 bytes.
func FileHash(data []byte) uint32 {
	if len(data) < 2*wordSize {
		return rest(words(0, data))
	}
	h, _ := words(0, data[:wordSize])
	return rest(words(h, data[2*wordSize:]))
}

const wordSize = 4

// words hashes the complete words of data and returns the bytes after them.
func words(h uint32, data []byte) (uint32, []byte) {
	for len(data) >= wordSize {
		h = bits.RotateLeft32(h^binary.LittleEndian.Uint32(data), 1)
		data = data[wordSize:]
	}
	return h, data
}

// rest hashes the rest of a file, at most three bytes.
func rest(h uint32, data []byte) uint32 {
	for range data {
		h = bits.RotateLeft32(h^uint32(int8(data[0])), 1)
	}
	return h
}

// digest is the [FileHash] of the data written so far.
type digest struct {
	sum   uint32
	words int // number of words read or skipped, at most headWords
	rest  [wordSize]byte
	n     int // bytes of rest
}

// headWords is the number of words at the beginning that need special treatment: the second
// is skipped.
const headWords = 2

func (d *digest) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && (d.n > 0 || d.words < headWords) {
		d.rest[d.n] = p[0]
		p = p[1:]
		if d.n++; d.n == wordSize {
			d.word()
		}
	}
	if len(p) > 0 {
		d.sum, p = words(d.sum, p)
		d.n = copy(d.rest[:], p)
	}
	return n, nil
}

// word hashes the full word in rest.
func (d *digest) word() {
	d.n = 0
	if d.words != 1 {
		d.sum, _ = words(d.sum, d.rest[:])
	}
	d.words = min(d.words+1, headWords)
}

func (d *digest) hash() uint32 { return rest(d.sum, d.rest[:d.n]) }
