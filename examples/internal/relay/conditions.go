package relay

import (
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// Direction is the direction of datagrams.
type Direction int

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

// Recorded returns the direction in recordings.
func (d Direction) Recorded() recording.Direction {
	return [2]recording.Direction{recording.ToServer, recording.ToClient}[d]
}

// Conditions are the conditions of the network in one direction.
type Conditions struct {
	Drop, Duplicate, Reorder float64 // probabilities, 0 to 1
	Delay, Jitter, Hold      time.Duration
}

// MaxDelay is the longest Delay, Jitter or Hold.
const MaxDelay = 10 * time.Second
