package checksum

import "fmt"

// State is how far an exchange has come.
type State uint8

const (
	// Asking is the state in which rounds are asked for and answered.
	Asking State = iota
	// Sending comes after the last response, until the last file has arrived.
	Sending
	// Complete is the end of a client that is let in.
	Complete
	// Rejected is the end of a client that is not.
	Rejected
)

// Over says whether nothing more is to come.
func (s State) Over() bool { return s >= Complete }

// String returns the state in a word, "asking".
func (s State) String() string {
	if s > Rejected {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return [...]string{"asking", "sending", "complete", "rejected"}[s]
}
