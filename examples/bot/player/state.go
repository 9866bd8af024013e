package player

import (
	"errors"
	"time"
)

// State is the progress of a [Player] in a match. The package documentation explains the states.
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

// String returns the state in words, such as "answering checksums".
func (s State) String() string {
	return [...]string{
		"connecting", "answering checksums", "loading", "joined", "in game", "game over", "closed",
	}[min(s, Closed)]
}

var (
	// ErrLeft means that a player has left after joining.
	ErrLeft = errors.New("left")
	// ErrNotConnected means that a player has no link, or has ended.
	ErrNotConnected = errors.New("player: not connected")

	errLeftEarly = errors.New("left before joining")
	errStalled   = errors.New("the host has not let the player join in time")
)

// Counters count the messages of a [Player].
type Counters struct {
	Sent     [256]uint64 // payloads, by opcode
	Received [256]uint64 // payloads that were decoded, by opcode

	Malformed    uint64 // payloads that could not be decoded
	Inapplicable uint64 // messages about ships that could not be applied in full
	Unsent       uint64 // payloads that the link has refused
}

// never is later than any time of a clock.
const never = time.Duration(1 << 62)

// clock measures the time that has passed. It is monotonic, even if the times of the caller
// are not.
type clock struct {
	wall time.Time
	now  time.Duration
}

func (c *clock) set(now time.Time) {
	if passed := now.Sub(c.wall); passed > 0 {
		c.now += min(passed, never/2-c.now)
	}
	c.wall = now
}

// at returns a time of the clock as a time of the caller, the zero Time for never.
func (c *clock) at(t time.Duration) time.Time {
	if t >= never {
		return time.Time{}
	}
	return c.wall.Add(t - c.now)
}
