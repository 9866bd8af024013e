package player

import "github.com/bcwire/bcwire/opcode"

// State is how far a [Player] has come.
type State uint8

// The states, in their order.
const (
	Connecting State = iota
	Checksums
	Loading
	Joined
	InGame
	GameOver
	Closed
)

// String returns the state in words, "answering checksums".
func (s State) String() string {
	return [...]string{
		"connecting", "answering checksums", "loading", "joined", "in game", "game over", "closed",
	}[min(s, Closed)]
}

// Counters count what a [Player] has done and seen.
type Counters struct {
	Sent     [256]uint64 // payloads, by opcode
	Received [256]uint64 // payloads that could be read, by opcode

	Malformed    uint64 // payloads that could not be read
	Inapplicable uint64 // messages about ships that are impossible, at least in part
	Unsent       uint64 // payloads for which the session had no room
	LostEvents   uint64 // events for which there was no room
}

func (c *Counters) sent(m opcode.Code, err error) {
	if err != nil {
		c.Unsent++
		return
	}
	c.Sent[m]++
}
