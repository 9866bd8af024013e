package checksum

import (
	"encoding/binary"
	"hash"
)

// New returns a [FileHash] that takes the content in pieces. Sum appends the hash with
// its highest byte first, as those of the standard library do.
func New() hash.Hash32 { return new(digest) }

// digest is a [FileHash] on its way.
type digest struct {
	sum   uint32
	words int // that have been taken or skipped, up to headWords
	rest  [wordSize]byte
	n     int // bytes of rest
}

// headWords is the number of words that are not all alike: the second is skipped.
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

// word takes the word that has filled rest.
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
