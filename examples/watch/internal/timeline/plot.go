package timeline

import (
	"cmp"
	"maps"
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

// Point is the time, and the levels of the hull and the six shield facings from 0 to 255, -1 if unknown.
type Point [8]float64

// sample adds the state of a ship to its plot. At the limit, the plot that has been the same for longest is removed.
func (w *world) sample(ship *stateupdate.Ship) {
	if w.plots == nil || ship.Class == nil {
		return
	}
	key := w.ships[ship.ID].key
	p := w.plots[key]
	if p == nil {
		if len(w.plots) >= maxPlots {
			byTime := func(a, b string) int { return cmp.Compare(w.plots[a].end(), w.plots[b].end()) }
			delete(w.plots, slices.MinFunc(slices.Collect(maps.Keys(w.plots)), byTime))
		}
		p = &plot{}
		w.plots[key] = p
	}
	p.add(w.now.Time, ship)
}

// add adds a point if the last one is old enough, or if the ship has begun to die. The state before it is a
// point, too, so that a level ends where it did. A plot that is full keeps every other point.
func (p *plot) add(t float64, ship *stateupdate.Ship) {
	if p.least == 0 {
		p.least = 1
	}
	before := p.last
	p.last = pointOf(t, ship)
	n := len(p.points)
	if n > 0 && t-p.end() < p.least && ship.Life == p.life {
		return
	}
	if n > 0 && [7]float64(before[1:]) != [7]float64(p.points[n-1][1:]) {
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

// end returns the time of the last point.
func (p *plot) end() float64 { return p.points[len(p.points)-1][0] }

// all returns the points up to the last state. A nil plot has none.
func (p *plot) all() []Point {
	if p == nil {
		return []Point{}
	}
	all := slices.Clone(p.points)
	if p.last[0] > p.end() {
		all = append(all, p.last)
	}
	return all
}

// pointOf returns the state of a ship. OpenBC sends no facings.
func pointOf(t float64, ship *stateupdate.Ship) Point {
	p := Point{t, -1, -1, -1, -1, -1, -1, -1}
	if hull := ship.FirstOf(stateupdate.KindHull); hull != nil {
		p[1] = float64(hull.Condition)
	}
	if shield := ship.FirstOf(stateupdate.KindShield); shield != nil && !ship.OpenBC {
		for i := range 6 {
			p[2+i] = float64(shield.Parts[i])
		}
	}
	return p
}
