package checksum

import "fmt"

// State is the state of an exchange.
type State uint8

const (
	// StateAsking means that rounds are requested and answered.
	StateAsking State = iota
	// StateSending means that all rounds are answered and the host sends files.
	StateSending
	// StateComplete means that the client is accepted.
	StateComplete
	// StateRejected means that the client is rejected.
	StateRejected
	// StateExpired means that the client has not answered in time.
	StateExpired
)

// Over reports whether the exchange has ended.
func (s State) Over() bool { return s >= StateComplete }

// String returns the state in a word, such as "asking".
func (s State) String() string {
	if s > StateExpired {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return [...]string{"asking", "sending", "complete", "rejected", "expired"}[s]
}
