// Package clock measures time for state machines that have no clock: their callers tell them the time.
package clock

import "time"

// Clock measures the time between the times of a caller. It is monotonic, even if these are not.
type Clock struct {
	Wall time.Time     // the latest time of the caller, except for jitter
	Now  time.Duration // since the first time of the caller
}

// Never is later than any time of a Clock. Adding a duration of less than half of it does not overflow.
const Never = time.Duration(1 << 62)

// maxJump is the most that passes from one time of the caller to the next, so that the clock goes on after
// times that are far in the future.
const maxJump = 30 * 24 * time.Hour

// jitter is the largest step back of the caller's time that does not count as a jump.
const jitter = time.Second

// Set tells the time. Small steps back pass no time; after a larger one, time passes from there.
func (c *Clock) Set(now time.Time) {
	if now == c.Wall { // faster than Sub, and the same time often follows
		return
	}
	passed := now.Sub(c.Wall)
	if passed > 0 {
		c.Now = min(c.Now+min(passed, maxJump), Never/2)
	}
	if passed > 0 || passed < -jitter {
		c.Wall = now
	}
}

// At returns a time of the clock as a time of the caller, or the zero Time for Never.
func (c *Clock) At(t time.Duration) time.Time {
	if t >= Never {
		return time.Time{}
	}
	return c.Wall.Add(t - c.Now)
}
