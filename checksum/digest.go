package checksum

import (
	"encoding/binary"
	"hash"
)

// New returns a hash.Hash32 that computes [FileHash]. Sum appends the hash in big-endian order.
func New() hash.Hash32 { return new(digest) }

// digest is a [FileHash] of the data written so far.
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

func (d *digest) Sum32() uint32 { return rest(d.sum, d.rest[:d.n]) }

func (d *digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, d.Sum32()) }

func (d *digest) Reset() { *d = digest{} }

func (d *digest) Size() int { return wordSize }

func (d *digest) BlockSize() int { return wordSize }
