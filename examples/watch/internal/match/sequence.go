package match

import (
	"cmp"
	"slices"
)

// sequence follows the numbers of the reliable messages of one direction and channel.
type sequence struct {
	known  bool
	newest uint16
}

// maxGap is the largest number of messages that count as lost at once. A larger gap is another
// connection.
const maxGap = 64

// gaps returns how many numbers are missing before the new numbers of a datagram, in which they may
// have any order.
func (s *sequence) gaps(seqs []uint16) (missing int) {
	slices.SortFunc(seqs, func(a, b uint16) int { return cmp.Compare(int16(a-s.newest), int16(b-s.newest)) })
	for _, seq := range seqs {
		missing += s.gap(seq)
	}
	return missing
}

// gap returns how many numbers are missing before a number that is new.
func (s *sequence) gap(seq uint16) (missing int) {
	ahead := int(int16(seq - s.newest))
	if s.known && ahead > 1 && ahead <= maxGap {
		missing = ahead - 1
	}
	if !s.known || ahead > 0 || ahead < -maxGap {
		s.known, s.newest = true, seq
	}
	return missing
}
