package timeline

import (
	"encoding/json"
	"slices"

	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of the plots of a link.
const (
	maxPlots  = 512  // ships
	maxPoints = 2000 // of a ship
)

// plot holds the condition of a ship over time.
type plot struct {
	points []Point
	last   Point   // may be after the last of points
	least  float64 // seconds between two points
	life   stateupdate.Life
}

// Point is the state of a ship at a time: the hull and the six shield facings.
type Point struct {
	Time   float64
	levels [7]stateupdate.Level
	known  [7]bool
}

// MarshalJSON returns a list of the time, the hull and the facings, as fractions.
func (p Point) MarshalJSON() ([]byte, error) {
	list := []any{p.Time}
	for i, l := range p.levels {
		if !p.known[i] {
			list = append(list, nil)
			continue
		}
		list = append(list, l.Fraction())
	}
	return json.Marshal(list)
}

// add adds a point if the last one is old enough, or if the ship has begun to die. The state before it is a point, too,
// so that a level ends where it did. A plot that is full keeps every other point.
func (p *plot) add(t float64, ship *stateupdate.Ship, shields bool) {
	if p.least == 0 {
		p.least = 1
	}
	before := p.last
	p.last = pointOf(t, ship, shields)
	n := len(p.points)
	if n > 0 && t-p.points[n-1].Time < p.least && ship.Life == p.life {
		return
	}
	if n > 0 && (before.levels != p.points[n-1].levels || before.known != p.points[n-1].known) {
		p.points = append(p.points, before)
		n++
	}
	if n >= maxPoints-1 {
		for i := range n / 2 {
			p.points[i] = p.points[2*i]
		}
		p.points, p.least = p.points[:n/2], 2*p.least
	}
	p.points, p.life = append(p.points, p.last), ship.Life
}

// all returns the points up to the last one. A nil plot has none.
func (p *plot) all() []Point {
	if p == nil {
		return []Point{}
	}
	all := slices.Clone(p.points)
	if p.last.Time > all[len(all)-1].Time {
		all = append(all, p.last)
	}
	return all
}

// pointOf returns the state of a ship, with the shields if they are known.
func pointOf(t float64, ship *stateupdate.Ship, shields bool) Point {
	p := Point{Time: t}
	if hull := ship.FirstOf(stateupdate.KindHull); hull != nil {
		p.levels[0], p.known[0] = hull.Condition, true
	}
	if shield := ship.FirstOf(stateupdate.KindShield); shield != nil && shields {
		for i := range 6 {
			p.levels[1+i], p.known[1+i] = stateupdate.Level(shield.Parts[i]), true
		}
	}
	return p
}
