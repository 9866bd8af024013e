package transport

import "time"

// forever is later than any time of a clock; sums of a time and a duration of Options do
// not overflow.
const forever = time.Duration(1 << 62)

// clock counts the time that has passed, from the times that the caller tells. It does
// not go back when they do.
type clock struct {
	wall time.Time
	now  time.Duration
}

// jitter is by how much a time may be before the last one without being a jump of the
// clock: the caller may have looked at it earlier.
const jitter = time.Second

func (c *clock) set(now time.Time) {
	passed := now.Sub(c.wall)
	if passed > 0 {
		c.now = min(c.now+min(passed, forever/4), forever/2)
	}
	if passed > 0 || passed < -jitter {
		c.wall = now
	}
}

// at returns a time as the caller counts it, the zero Time for forever.
func (c *clock) at(t time.Duration) time.Time {
	if t == forever {
		return time.Time{}
	}
	return c.wall.Add(t - c.now)
}

// stamp returns the time as a Time, which does not go back either.
func (c *clock) stamp() time.Time { return time.Time{}.Add(c.now) }
