package recording

import "fmt"

// Direction tells who sent a datagram.
type Direction string

// The directions.
const (
	ToServer Direction = "c2s" // from a client
	ToClient Direction = "s2c" // from the server
)

// UnmarshalText accepts the two directions, and nothing for one that is not known.
func (d *Direction) UnmarshalText(text []byte) error {
	switch *d = Direction(text); *d {
	case "", ToServer, ToClient:
		return nil
	}
	return fmt.Errorf("direction %q is neither c2s nor s2c", text)
}

// Line is a line of a recording. Only Hex is necessary; other keys are comments.
type Line struct {
	T      float64   `json:"t"`   // seconds
	Dir    Direction `json:"dir"` // empty if not known
	Client *int64    `json:"client,omitempty"`
	Hex    *string   `json:"hex"`
}
