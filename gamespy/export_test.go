package gamespy

import "errors"

// Limits, for tests that fill them exactly.
const (
	MaxText      = maxText
	MaxPairs     = maxPairs
	MaxPart      = maxPart
	MaxParts     = maxParts
	MaxQuery     = maxQuery
	MaxChallenge = maxChallenge
)

// Offset returns the offset in the text of an error, or otherwise.
func Offset(err error, otherwise int) int {
	if located, ok := errors.AsType[*locatedError](err); ok {
		return located.offset
	}
	return otherwise
}

// NewChallenge returns a challenge from a random number.
func NewChallenge(random uint32) string { return newChallenge(random) }

// Pending returns the number of incomplete replies and the bytes of their text.
func (a *Assembler) Pending() (replies, bytes int) { return len(a.sets), a.bytes }

// Records returns the number of servers and networks that a Master remembers.
func (m *Master) Records() (servers, networks int) { return len(m.servers), len(m.networks) }
