package timeline

import (
	"context"
	"math"

	"github.com/bcwire/bcwire/examples/capture"
)

// Load adds the datagrams of an input, and reports whether it was not interrupted. Errors of the input
// are problems that the page shows. Load calls pause after each datagram, unless it is nil.
func (s *Store) Load(ctx context.Context, in *capture.Reader, pause func()) bool {
	defer in.Close()
	defer s.Finish()
	for d, err := range in.Datagrams() {
		if pause != nil {
			pause()
		}
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			s.Problem(err)
			continue
		}
		if s.Add(d) != nil {
			return true // the page shows the problem
		}
	}
	for _, text := range in.Notes() {
		s.Note(text)
	}
	return true
}

// Counter reports the bytes that are written to it as the progress of a store: how much of the input was read.
type Counter struct {
	Store *Store
	Size  *int64 // nil if unknown
	read  int64
}

// Write implements [io.Writer]. The input calls it with large blocks, maybe in a goroutine of its own.
func (c *Counter) Write(b []byte) (int, error) {
	c.read += int64(len(b))
	c.Store.mu.Lock()
	defer c.Store.mu.Unlock()
	c.Store.progress = Progress{Read: c.read, Size: c.Size}
	return len(b), nil
}

// clock makes times that do not go backwards.
type clock struct {
	strict      bool // every time is after the last, so that a window can continue at any time
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
