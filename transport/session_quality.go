package transport

import (
	"math/bits"
	"time"
)

// Quality is the quality of the connection of a [Session].
type Quality struct {
	// RoundTrip is the mean time from a message to its Ack, in which recent messages count most. It is 0
	// before the first Ack. A peer may wait for up to a tick before it sends an Ack.
	RoundTrip time.Duration
	// Heard is the time at which the last datagram of the peer arrived, or the session began.
	Heard time.Time
	// Loss is the share of the last 16 acknowledged messages that were sent more than once, from 0 to 1.
	// The datagram or its Ack was lost or late.
	Loss float64
}

// Quality returns the quality of the connection so far.
func (s *Session) Quality() Quality {
	return Quality{RoundTrip: time.Duration(s.quality.roundTrip) * time.Microsecond, Heard: s.clock.At(s.life.heardAt), Loss: s.quality.loss()}
}

// qualityMeter measures the connection by the Acks of reliable messages. It is small because a server has
// many sessions.
type qualityMeter struct {
	roundTrip uint32 // microseconds
	repeated  uint16 // a bit for each of the last 16 messages, set if it was sent more than once
	n         uint8  // messages in repeated, at most 16
}

// roundTripShare is the inverse of the share of a new round trip in the mean.
const roundTripShare = 8

// acknowledged records the Ack of a message. The Ack of a message that was sent more than once does
// not show which of them has arrived.
func (q *qualityMeter) acknowledged(now time.Duration, m *storedMessage) {
	q.repeated <<= 1
	q.n = min(q.n+1, 16)
	took, mean := min(now-m.firstSent, time.Hour).Microseconds(), int64(q.roundTrip)
	switch {
	case m.sends > 1:
		q.repeated |= 1
	case mean == 0:
		q.roundTrip = uint32(took)
	default:
		q.roundTrip = uint32(mean + (took-mean)/roundTripShare)
	}
}

func (q *qualityMeter) loss() float64 {
	if q.n == 0 {
		return 0
	}
	return float64(bits.OnesCount16(q.repeated)) / float64(q.n)
}
