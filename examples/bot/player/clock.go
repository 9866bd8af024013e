package player

import "time"

// never is later than any time of a clock.
const never = time.Duration(1 << 62)

// clock counts the time that has passed. It does not go back when that of the caller does.
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

// at returns a time as the caller counts it.
func (c *clock) at(t time.Duration) time.Time { return c.wall.Add(t - c.now) }
