package timeline

import (
	"cmp"
	"maps"
	"math"
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
	name   string // of the player
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
	key := w.shown[ship.ID].key
	p := w.plots[key]
	if p == nil {
		if len(w.plots) >= maxPlots {
			byTime := func(a, b string) int { return cmp.Compare(w.plots[a].end(), w.plots[b].end()) }
			delete(w.plots, slices.MinFunc(slices.Collect(maps.Keys(w.plots)), byTime))
		}
		p = &plot{}
		w.plots[key] = p
	}
	p.name = w.shown[ship.ID].name
	p.add(w.now.Time, ship)
}

// Conditions are the shields and hulls of all players over time, as one link shows them.
type Conditions struct {
	Start   float64     `json:"start"`
	Step    float64     `json:"step"` // seconds
	Players []Condition `json:"players"`
}

// Condition has the mean of the shield facings and the hull of a player's ship in percent, or -1.
type Condition struct {
	Name    string `json:"name"`
	Shields []int  `json:"shields"`
	Hull    []int  `json:"hull"`
}

// steps is the number of values of a Condition.
const steps = 400

// lasts is how many seconds the last state of a living ship holds without an update.
const lasts = 5

// Conditions returns the conditions of all ships that have a player.
func (s *Store) Conditions(linkID int) (*Conditions, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	if err != nil {
		return nil, err
	}
	c := &Conditions{Start: s.clock.first, Step: max(s.clock.last-s.clock.first, 1) / (steps - 1), Players: []Condition{}}
	byTime := func(a, b *plot) int {
		return cmp.Or(cmp.Compare(a.points[0][0], b.points[0][0]), cmp.Compare(a.name, b.name))
	}
	for _, p := range slices.SortedFunc(maps.Values(l.world.plots), byTime) {
		if p.name != "" {
			points := p.all()
			if last := points[len(points)-1]; p.life == stateupdate.Alive {
				last[0] += lasts
				points = append(points, last)
			}
			c.player(p.name).fill(points, c)
		}
	}
	return c, nil
}

// player returns the condition of a player, which is unknown at first.
func (c *Conditions) player(name string) *Condition {
	i := slices.IndexFunc(c.Players, func(p Condition) bool { return p.Name == name })
	if i < 0 {
		i = len(c.Players)
		c.Players = append(c.Players, Condition{name, slices.Repeat([]int{-1}, steps), slices.Repeat([]int{-1}, steps)})
	}
	return &c.Players[i]
}

// fill takes the points of a ship. A value holds until the next point.
func (p *Condition) fill(points []Point, c *Conditions) {
	step := func(t float64) int { return min(max(0, int((t-c.Start)/c.Step)), steps-1) }
	for i, point := range points {
		end := step(points[min(i+1, len(points)-1)][0])
		for k := step(point[0]); k <= end; k++ {
			p.Shields[k], p.Hull[k] = point.percent(2, 8), point.percent(1, 2)
		}
	}
}

// percent returns the mean of some levels in percent, or -1 if they are unknown.
func (p *Point) percent(from, to int) int {
	sum := 0.0
	for _, level := range p[from:to] {
		if level < 0 {
			return -1
		}
		sum += level
	}
	return int(math.Round(sum / float64(to-from) / 255 * 100))
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
