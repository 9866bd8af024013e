package player

import (
	"math/rand/v2"
	"time"
)

// course is how a ship flies: another order to the helm every few seconds, made of the
// seed and the slot.
type course struct {
	rand  *rand.Rand
	order helm
	until time.Duration
}

// arena is how far from the middle a ship begins, at most, along each axis.
const arena = 100

// place returns where a ship begins.
func (c *course) place() (at [3]float32) {
	for i := range at {
		at[i] = c.within(arena)
	}
	c.until = 0
	return at
}

// helm returns the order of the moment.
func (c *course) helm(now time.Duration) helm {
	if now >= c.until {
		c.until = now + 3*time.Second + time.Duration(c.rand.Int64N(int64(5*time.Second)))
		c.order = helm{
			Speed: 4 + c.within(2), Yaw: c.within(0.4), Pitch: c.within(0.2), Roll: c.within(0.2),
		}
	}
	return c.order
}

// within returns a number whose absolute value is no more than a limit.
func (c *course) within(limit float32) float32 { return (2*c.rand.Float32() - 1) * limit }
