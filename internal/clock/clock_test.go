package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/internal/clock"
)

var start = time.Unix(1_000_000, 0)

// Times that wobble do not make the clock run away: 100 half-second wobbles are no time at all.
func TestJitter(t *testing.T) {
	c := clock.Clock{Wall: start}
	for range 100 {
		c.Set(start.Add(500 * time.Millisecond))
		c.Set(start)
	}
	require.Equal(t, 500*time.Millisecond, c.Now)
	c.Set(start.Add(time.Second))
	require.Equal(t, time.Second, c.Now)
	c.Set(start)
	c.Set(start.Add(time.Second))
	require.Equal(t, time.Second, c.Now, "a second is no jump")
}

// After the caller's clock was set back, time passes from there.
func TestStepBack(t *testing.T) {
	c := clock.Clock{Wall: start}
	c.Set(start.Add(time.Minute))
	c.Set(start.Add(-time.Hour))
	require.Equal(t, time.Minute, c.Now)
	c.Set(start.Add(-time.Hour + time.Second))
	require.Equal(t, time.Minute+time.Second, c.Now)
	require.Equal(t, start.Add(-time.Hour+3*time.Second), c.At(c.Now+2*time.Second))
}

// A time in the far future passes a month, and the clock goes on. It never reaches Never.
func TestFarFuture(t *testing.T) {
	c := clock.Clock{Wall: start}
	far := start.Add(200 * 365 * 24 * time.Hour)
	c.Set(far)
	require.Equal(t, 30*24*time.Hour, c.Now)
	c.Set(far.Add(time.Second))
	require.Equal(t, 30*24*time.Hour+time.Second, c.Now)
	for i := range 10_000 {
		c.Set(far.Add(time.Duration(i%2) * 100 * 365 * 24 * time.Hour))
	}
	require.Less(t, c.Now, clock.Never)
	require.Zero(t, c.At(clock.Never))
}
