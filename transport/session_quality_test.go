package transport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// A link has the round trip of messages that were sent once, and the share of those that were sent
// again.
func TestQuality(t *testing.T) {
	h := openClient(t, transport.Options{})
	now := after(time.Second)
	acknowledge := func(seq byte, wait time.Duration) {
		h.Queue(reliable, "message")
		h.Sent(now)
		for end := now.Add(wait); now.Before(end); {
			now = now.Add(tick)
			if now.Before(end) {
				h.Sent(now)
			}
		}
		h.Receive(now, string([]byte{'0', '1', ' ', "0123456789ABCDEF"[seq>>4], "0123456789ABCDEF"[seq&15]})+" 00 00")
	}
	before := h.Quality()
	require.Equal(t, 0.0, before.Loss)
	acknowledge(0, 100*time.Millisecond)
	first := h.Quality()
	require.Equal(t, now, first.Heard)
	require.Equal(t, 100*time.Millisecond, first.RoundTrip)
	require.Zero(t, first.Loss)
	acknowledge(1, 500*time.Millisecond)
	require.Equal(t, 150*time.Millisecond, h.Quality().RoundTrip)
	acknowledge(2, 1500*time.Millisecond) // was sent again
	acknowledge(3, 2500*time.Millisecond)
	require.Equal(t, 150*time.Millisecond, h.Quality().RoundTrip)
	require.InDelta(t, 2.0/5, h.Quality().Loss, 0.1, "the handshake may count")
	heard := h.Quality().Heard
	h.Sent(now.Add(10 * time.Second))
	require.Equal(t, heard, h.Quality().Heard)
	for seq := range byte(70) {
		acknowledge(4+seq, 100*time.Millisecond)
	}
	require.Zero(t, h.Quality().Loss)
	require.InDelta(t, 100, h.Quality().RoundTrip.Milliseconds(), 1)
}
