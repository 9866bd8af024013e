package transport

import "time"

// clock measures the time between the times that the caller gives. It is monotonic, even if these
// are not.
type clock struct {
	wall time.Time
	now  time.Duration
}

// maxJump is the most that passes from one time of the caller to the next, so that the clock goes on after
// times that are far in the future.
const maxJump = 30 * 24 * time.Hour

// jitter is the largest step back of the caller's time that does not count as a jump.
const jitter = time.Second

func (c *clock) set(now time.Time) {
	if now == c.wall { // faster than Sub, and the same time often follows
		return
	}
	passed := now.Sub(c.wall)
	if passed > 0 {
		c.now = min(c.now+min(passed, maxJump), forever/2)
	}
	if passed > 0 || passed < -jitter {
		c.wall = now
	}
}

// at returns a time of the clock as a time of the caller, or the zero Time for forever.
func (c *clock) at(t time.Duration) time.Time {
	if t == forever {
		return time.Time{}
	}
	return c.wall.Add(t - c.now)
}

// forever is later than any time of a clock. Adding a duration of Options does not overflow.
const forever = time.Duration(1 << 62)

// strictly is added to an interval that must be exceeded.
const strictly = time.Nanosecond

// durationOr is [orDefault] for durations. It limits them so that sums do not overflow.
func durationOr(option, standard time.Duration) time.Duration {
	return min(orDefault(option, standard), forever/4)
}
