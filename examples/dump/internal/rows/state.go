package rows

import (
	"math"
	"time"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// State is a row of the table states: a ship after an update of its motion or its subsystems, as the link
// of its player has seen it.
type State struct {
	Source  string   `parquet:"source,dict" doc:"name of the input, without directory and extension"`
	Match   int32    `parquet:"match,dict" doc:"number of the match in the input, from 0"`
	Time    float64  `parquet:"time" unit:"s" doc:"time of the update"`
	Player  string   `parquet:"player,dict,optional" doc:"name of the player of the ship"`
	Ship    string   `parquet:"ship,dict" doc:"ID of the ship"`
	Class   string   `parquet:"class,dict,optional" doc:"class of the ship, such as Akira; NULL if the input does not have its creation"`
	X       float32  `parquet:"x,split" unit:"game units" doc:"position"`
	Y       float32  `parquet:"y,split" unit:"game units" doc:"position"`
	Z       float32  `parquet:"z,split" unit:"game units" doc:"position"`
	Speed   float32  `parquet:"speed,split" unit:"game units/s" doc:"speed; negative is backwards"`
	Heading float32  `parquet:"heading,split" unit:"degrees" doc:"direction of the nose in the plane of x and y, 0 to 360: 0 is y, 90 is x"`
	Hull    *float32 `parquet:"hull,dict,optional" unit:"%" doc:"condition of the hull; NULL without a class"`
	Front   *float32 `parquet:"shield_front,dict,optional" unit:"%" doc:"shield; NULL if the ship has none, or if the host does not send it"`
	Rear    *float32 `parquet:"shield_rear,dict,optional" unit:"%" doc:"shield"`
	Top     *float32 `parquet:"shield_top,dict,optional" unit:"%" doc:"shield"`
	Bottom  *float32 `parquet:"shield_bottom,dict,optional" unit:"%" doc:"shield"`
	Left    *float32 `parquet:"shield_left,dict,optional" unit:"%" doc:"shield"`
	Right   *float32 `parquet:"shield_right,dict,optional" unit:"%" doc:"shield"`
	Cloak   bool     `parquet:"cloak" doc:"the cloaking device is on"`
}

// key puts the states of a ship next to each other.
func (r *State) key() [2]string { return [2]string{r.Ship} }

// levels are the levels of the wire in per cent, with a digit after the point.
var levels = func() (all [256]float32) {
	for i := range all {
		all[i] = float32(math.Round(float64(stateupdate.Level(i).Fraction())*1000) / 10)
	}
	return all
}()

// set sets the columns of a ship. The player may be nil.
func (r *State) set(s *stateupdate.Ship, p *match.Player, names *ids) {
	r.Ship, r.Player = names.of(s.ID), valid(s.PlayerName)
	r.X, r.Y, r.Z = s.Position[0], s.Position[1], s.Position[2]
	r.Speed, r.Heading, r.Cloak = s.Speed.Float32(), heading(s), s.Cloaked
	if p != nil && p.Name != "" {
		r.Player = valid(p.Name)
	}
	if s.Class == nil {
		return
	}
	r.Class = s.Class.Name
	if hull := s.FirstOf(stateupdate.KindHull); hull != nil {
		r.Hull = &levels[hull.Condition]
	}
	if shields := s.FirstOf(stateupdate.KindShield); shields != nil && !s.OpenBC && len(shields.Parts) == 6 {
		// In the order of stateupdate.ShieldFace.
		for face, column := range [...]**float32{&r.Front, &r.Rear, &r.Top, &r.Bottom, &r.Left, &r.Right} {
			*column = &levels[shields.Parts[face]]
		}
	}
}

// heading returns the direction of the nose with a digit after the point.
func heading(s *stateupdate.Ship) float32 {
	x, y, _ := s.Forward.Float32()
	degrees := math.Round(math.Atan2(float64(x), float64(y))*1800/math.Pi) / 10
	if degrees < 0 {
		degrees += 360
	}
	return float32(degrees)
}

// witness is the link whose states of a ship count, because the link of its player is not observed.
type witness struct {
	link *match.Link
	last time.Duration
}

// Limits of the witnesses.
const (
	maxWitnesses = 4096
	maxSilence   = 2 * time.Second // then another link becomes the witness
)

// witnesses choose the link whose states of a ship count.
type witnesses map[objectid.ID]witness

// counts reports whether the update of a step counts: on the link of the player of the ship, or else on the
// first link that shows the ship, and another one after two seconds without an update.
func (w witnesses) counts(step *match.Step) bool {
	if p := step.Sender; p != nil && p.Link != nil {
		return p.Link == step.Link
	}
	id := step.Ship.ID
	x, ok := w[id]
	if ok && x.link != step.Link && step.Time-x.last < maxSilence && step.Time >= x.last {
		return false
	}
	if !ok && len(w) >= maxWitnesses {
		clear(w)
	}
	w[id] = witness{step.Link, step.Time}
	return true
}

// isUpdate reports whether a step is an update of a known ship.
func isUpdate(step *match.Step) bool {
	_, ok := step.Game.(*opcode.StateUpdate)
	return ok && step.Ship != nil
}
