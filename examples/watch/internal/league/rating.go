package league

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Rating is the strength of a player and its standard deviation.
type Rating struct{ Value, Deviation float64 }

// Limits of ratings.
const (
	firstRating = 1500.0
	most, least = 350.0, 30.0               // deviations
	growth      = (350*350 - 50*50) / 365.0 // of the variance in a day
)

var q = math.Ln10 / 400

// game is a result against an opponent: 1, 0.5 or 0.
type game struct {
	against Rating
	result  float64
}

// after returns the rating after a rating period.
func (r Rating) after(games []game, pause time.Duration) Rating {
	r.Deviation = min(most, math.Sqrt(r.Deviation*r.Deviation+growth*max(0, pause.Hours()/24)))
	information, sum := 0.0, 0.0
	for _, x := range games {
		g := 1 / math.Sqrt(1+3*q*q*x.against.Deviation*x.against.Deviation/(math.Pi*math.Pi))
		expected := 1 / (1 + math.Pow(10, -g*(r.Value-x.against.Value)/400))
		information += q * q * g * g * expected * (1 - expected)
		sum += g * (x.result - expected)
	}
	precision := 1/(r.Deviation*r.Deviation) + information
	return Rating{r.Value + q/precision*sum, max(least, math.Sqrt(1/precision))}
}

// rate sets the ratings of all players after each match. The matches are in the order of time.
func rate(matches []*Match) {
	now, last := map[string]Rating{}, map[string]time.Time{}
	for _, m := range matches {
		before := map[string]Rating{}
		for _, p := range m.Players {
			r, ok := now[p.Name]
			if !ok {
				r = Rating{firstRating, most}
			}
			before[p.Name] = r
		}
		sides := m.sides()
		for i := range m.Players {
			p := &m.Players[i]
			var games []game
			for k := range m.Players {
				if other := &m.Players[k]; sides[k].name != sides[i].name {
					games = append(games, game{before[other.Name], float64(1+cmp.Compare(sides[i].score, sides[k].score)) / 2})
				}
			}
			pause := time.Duration(0)
			if !last[p.Name].IsZero() {
				pause = m.Date.Sub(last[p.Name])
			}
			r := before[p.Name]
			if len(games) > 0 {
				r = r.after(games, pause)
				last[p.Name] = m.Date
			}
			if p.Rating, p.Deviation = r.Value, r.Deviation; !p.Nameless {
				now[p.Name] = r
			}
		}
	}
}

// side is for whom a player plays.
type side struct {
	name  string
	score int32
}

// sides returns the sides of the players: their teams if there are several and all have one, else the players themselves.
func (m *Match) sides() (all []side) {
	teams := map[int32]int32{}
	for i := range m.Players {
		teams[m.Players[i].Team] += m.Players[i].Score
	}
	_, without := teams[-1]
	for i := range m.Players {
		p := &m.Players[i]
		if without || len(teams) < 2 {
			all = append(all, side{p.Name, p.Score})
		} else {
			all = append(all, side{"team " + string('1'+p.Team), teams[p.Team]})
		}
	}
	return all
}

// winner returns the side with the most points, or "" if none has more than the others.
func (m *Match) winner() string {
	all := m.sides()
	if len(all) == 0 {
		return ""
	}
	best := slices.MaxFunc(all, func(a, b side) int { return cmp.Compare(a.score, b.score) })
	for _, s := range all {
		if s.name != best.name && s.score == best.score || best.score <= 0 {
			return ""
		}
	}
	return best.name
}
