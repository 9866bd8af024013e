package timeline

import (
	"math"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// Vector is a position or a direction.
type Vector [3]float32

// Player is a player as one link reports the player.
type Player struct {
	Peer   objectid.PeerID `json:"peer"`
	Name   string          `json:"name"`
	Team   *int            `json:"team"` // nil for none
	Kills  int32           `json:"kills"`
	Deaths int32           `json:"deaths"`
	Here   bool            `json:"here"` // the player has not left
}

// Ship is a ship at one time.
type Ship struct {
	ID    string           `json:"id"`
	Key   string           `json:"key"` // the ID and the time of the creation
	Name  string           `json:"name"`
	Class string           `json:"class"`
	Peer  *objectid.PeerID `json:"peer"`
	Slot  *objectid.Slot   `json:"slot"`
	Team  *int             `json:"team"`
	Set   string           `json:"set"`
	Life  string           `json:"life"`
	Time  float64          `json:"t"` // of the last motion
	Motion

	Systems []System `json:"systems"` // empty if the class is unknown
	State   []State  `json:"state"`   // one for each of Systems
}

// System is a subsystem of a class.
type System struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Parts []string `json:"parts"`
}

// State is the state of a subsystem. Levels are fractions from 0 to 1.
type State struct {
	Index     int         `json:"i"`
	Condition float32     `json:"condition"`
	Parts     []float32   `json:"parts"`
	Power     *uint8      `json:"power"` // percent; nil if unknown or without power settings
	On        bool        `json:"on"`
	Main      *float32    `json:"main"`            // of a reactor
	Backup    *float32    `json:"backup"`          // of a reactor
	Facings   *[6]float32 `json:"facings"`         // of a shield generator, by stateupdate.ShieldFace; nil if the server sends none
	Stale     string      `json:"stale,omitempty"` // why the state may be stale
}

// Event is a line of the log of a match.
type Event struct {
	Number int `json:"n"`
	Moment
	Kind        string           `json:"kind"`
	Peer        *objectid.PeerID `json:"peer"`
	Player      string           `json:"player"`
	Other       *objectid.PeerID `json:"other"`
	OtherPlayer string           `json:"otherPlayer"`
	Weapon      string           `json:"weapon"`
	Text        string           `json:"text"`
}

// vector returns a vector, or nil if a component is not finite.
func vector(x, y, z float32) *Vector {
	if !finite(x) || !finite(y) || !finite(z) {
		return nil
	}
	return &Vector{x, y, z}
}

func positionOf(s *stateupdate.Ship) *Vector {
	return vector(s.Position[0], s.Position[1], s.Position[2])
}

func direction(v compress.Vector3) *Vector { return vector(v.Float32()) }

// number returns a number, or nil if it is not finite.
func number(v float32) *float32 {
	if !finite(v) {
		return nil
	}
	return &v
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }

// valid returns a peer ID or a slot, or nil if it is invalid.
func valid[T interface{ Valid() bool }](x T) *T {
	if !x.Valid() {
		return nil
	}
	return &x
}

// maxText is the number of bytes of a name or a line of chat that are kept.
const maxText = 1024

// text returns a text of a message as the game displays it: up to the first NUL. Characters that are
// not visible are escaped, so that no name looks like another one.
func text(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return terminal.Line(clip(s))
}

// clip returns a text as valid UTF-8 with at most maxText bytes.
func clip(s string) string { return terminal.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxText) }
