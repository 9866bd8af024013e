package simulation

import (
	"math"
	"slices"

	"github.com/bcwire/bcwire/stateupdate"
)

// body is a ship as the referee computes it: the points of its hull and of its parts, and its repair list. It is slow and
// plain, and follows the written laws: a hit takes its points from the hull and from each part that it reaches, and what
// these do not have hits once more.
type body struct {
	class   *stateupdate.Class
	parts   []*stateupdate.PartPhysics // in the same order
	points  []float64                  // of each subsystem, followed by its children
	most    []float64
	hull    int
	yard    int                    // the part that repairs
	crew    *stateupdate.Subsystem // its properties
	list    []int                  // to be repaired
	pending float64                // seconds that repairs have not counted yet
	dead    bool
}

func newBody(class *stateupdate.Class) *body {
	b := &body{class: class, hull: -1}
	for i := range class.Subsystems {
		s := &class.Subsystems[i]
		switch {
		case s.Kind == stateupdate.KindHull && b.hull < 0: // a bridge is one, too
			b.hull = len(b.most)
		case s.Kind == stateupdate.KindRepair:
			b.yard, b.crew = len(b.most), s
		}
		b.most = append(b.most, float64(s.MaxCondition))
		b.parts = append(b.parts, &s.PartPhysics)
		for k := range s.Children {
			b.most, b.parts = append(b.most, float64(s.Children[k].MaxCondition)), append(b.parts, &s.Children[k].PartPhysics)
		}
	}
	for i, m := range b.most {
		if m == 0 {
			b.most[i] = math.Inf(1)
		}
	}
	b.points = slices.Clone(b.most)
	return b
}

// bodies are one ship with repairs that step at different times. Nothing on the wire tells when those of the server
// do, which decides whether a part has just been repaired when it is hit again. The bodies that contradict what is
// seen go.
type bodies []*body

func newBodies(class *stateupdate.Class) (all bodies) {
	const phases = 8
	for i := range phases {
		b := newBody(class)
		b.pending = repairStep * float64(i) / phases
		all = append(all, b)
	}
	return all
}

func (all bodies) each(f func(*body)) {
	for _, b := range all {
		f(b)
	}
}

// strike is one pass of a hit at a point of the ship. It returns what the parts did not have.
func (b *body) strike(points, radius float64, at [3]float64) (left float64) {
	if points <= 0 {
		return 0
	}
	lose := func(i int) {
		if !b.dead && !slices.Contains(b.list, i) {
			b.list = append(b.list, i)
		}
		left += max(0, points-b.points[i])
		b.points[i] = max(0, b.points[i]-points)
		b.dead = b.dead || b.parts[i].Critical && b.points[i] == 0
	}
	for i, p := range b.parts {
		x, y, z := p.Position[0]-at[0], p.Position[1]-at[1], p.Position[2]-at[2]
		if i != b.hull && p.Targetable && b.points[i] > 0 && math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)) < p.Radius+radius {
			lose(i)
		}
	}
	if b.points[b.hull] > 0 {
		lose(b.hull)
	}
	return left
}

// collide is a collision with a change of momentum, at contacts.
func (b *body) collide(impulse float64, contacts ...[3]float64) {
	change := impulse / b.class.Physics.Mass / float64(len(contacts))
	if change <= 0.01 {
		return
	}
	points := 900*change + 500
	for _, at := range contacts {
		points = b.strike(points, 1.5, at)
	}
}

const repairStep = 0.33 // seconds

// repair is a while of repairs, in steps. What remains counts for the next one.
func (b *body) repair(seconds float64) {
	const step = repairStep
	for b.pending += seconds; b.pending > step; b.pending -= step {
		teams, done := min(b.crew.RepairTeams, len(b.list)), 0
		share := b.crew.RepairPoints * step * b.points[b.yard] / b.most[b.yard] / float64(max(1, teams))
		b.list = slices.DeleteFunc(b.list, func(i int) bool {
			if b.points[i] > 0 && done < teams {
				b.points[i] = min(b.most[i], b.points[i]+share/b.parts[i].RepairComplexity)
				done++
			}
			return b.points[i] <= 0 || b.points[i] >= b.most[i]
		})
	}
}

// differs returns the name of a part whose level on the wire is not that of the body, with both in points.
func (b *body) differs(ship *stateupdate.Ship, levels float64) (name string, got, want float64) {
	k := 0
	for i, s := range b.class.Subsystems {
		check := func(name string, level stateupdate.Level, k int) (string, float64, float64) {
			if math.IsInf(b.most[k], 1) {
				return "", 0, 0
			}
			got, want := float64(level.Fraction())*b.most[k], b.points[k]
			if math.Abs(got-want) > levels*b.most[k]/255 {
				return name, got, want
			}
			return "", 0, 0
		}
		if name, got, want := check(s.Name, ship.Subsystems[i].Condition, k); name != "" {
			return name, got, want
		}
		k++
		for c, child := range s.Children {
			if s.Kind != stateupdate.KindShield && c < len(ship.Subsystems[i].Parts) {
				if name, got, want := check(child.Name, stateupdate.Level(ship.Subsystems[i].Parts[c]), k); name != "" {
					return name, got, want
				}
			}
			k++
		}
	}
	return "", 0, 0
}

// interval returns the written interval of the updates that a dedicated host sends to a player, in seconds.
func interval(hostModem, modem bool, players int) float64 {
	switch {
	case hostModem && players == 2:
		return 0.167
	case hostModem && players > 2:
		return 0.5
	case !hostModem && modem && players > 4:
		return 0.125
	}
	return 0.1
}
