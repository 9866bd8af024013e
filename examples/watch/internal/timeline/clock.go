package timeline

import "math"

// clock makes times that do not go backwards.
type clock struct {
	strict      bool // every time is after the last, so that a stream can continue at any time
	any         bool
	first, last float64
	shift       float64 // is added to the times of the input
}

// Limits in seconds. Recordings may have the time since 1970.
const (
	maxTime  = 1e12 // of the input
	maxTotal = 1e15 // of the match, in which times that go back add up
)

// jumpBack is the time in seconds by which times must go back to be of another recording.
const jumpBack = 1

// at returns the time of the match for a time of the input. Times that go back a little are the
// last time. After a jump back, the times continue from the last.
func (c *clock) at(seconds float64) float64 {
	if math.IsNaN(seconds) {
		seconds = 0
	}
	t := min(min(max(seconds, -maxTime), maxTime)+c.shift, maxTotal)
	if !c.any {
		c.any, c.first, c.last = true, t, t
		return t
	}
	if t < c.last-jumpBack {
		c.shift += c.last - t
	}
	if c.strict && t <= c.last {
		t = after(c.last)
	}
	c.last = max(c.last, t)
	return c.last
}

// after returns the next time.
func after(t float64) float64 { return math.Nextafter(t, math.Inf(1)) }
