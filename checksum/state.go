package checksum

import "fmt"

// State is how far an exchange has come.
type State uint8

const (
	// StateAsking is the state in which rounds are asked for and answered.
	StateAsking State = iota
	// StateSending comes after the last response, until the last file has arrived.
	StateSending
	// StateComplete is the end of a client that is let in.
	StateComplete
	// StateRejected is the end of a client that is not.
	StateRejected
	// StateExpired is the end of a client that has not answered in time.
	StateExpired
)

// Over reports whether the exchange has ended.
func (s State) Over() bool { return s >= StateComplete }

// String returns the state in a word, "asking".
func (s State) String() string {
	if s > StateExpired {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return [...]string{"asking", "sending", "complete", "rejected", "expired"}[s]
}
