package recording

import (
	"math"
	"strconv"
	"time"
)

// Direction is the direction of a recorded datagram. It is empty if the direction is unknown, unlike
// the argument fromHost of transport.Observer, which is the condition d.Direction == ToClient.
type Direction string

// The directions.
const (
	ToServer Direction = "c2s" // from a client to the server
	ToClient Direction = "s2c" // from the server to a client
)

// valid reports whether a line can have the direction.
func (d Direction) valid() bool { return d == "" || d == ToServer || d == ToClient }

// NoClient is the Client of a [Datagram] whose client is unknown.
const NoClient = -1

// Datagram is a recorded datagram.
type Datagram struct {
	// Seconds is the time since the beginning of the recording. It can exceed a [time.Duration].
	Seconds   float64
	Direction Direction
	Client    int64  // number of the client that sends or receives the datagram, or NoClient
	Data      []byte // as on the wire
	Note      string // for people, such as "dropped"
}

// ClientName returns the number of the client as a text, "" for NoClient.
func (d Datagram) ClientName() string {
	if d.Client == NoClient {
		return ""
	}
	return strconv.FormatInt(d.Client, 10)
}

// Time returns Seconds as a duration, rounded to nanoseconds. Beyond 292 years it returns the
// largest or smallest Duration, and 0 for NaN.
func (d Datagram) Time() time.Duration {
	ns := math.Round(d.Seconds * float64(time.Second))
	switch {
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns <= math.MinInt64:
		return math.MinInt64
	case math.IsNaN(ns):
		return 0
	}
	return time.Duration(ns)
}
