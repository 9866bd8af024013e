package report

import (
	"math"
	"slices"
	"strconv"
)

// Sizes of pictures in their own units.
const (
	PlotWidth, PlotHeight = 600, 48
	MapWidth, MapHeight   = 900, 560
	margin                = 24
)

// Plot is a line over the time of the match, as the path of an SVG of PlotWidth and PlotHeight.
type Plot struct {
	Title string
	Path  string  // "" if nothing is known
	Top   float64 // value at the upper edge; the lower one is 0, or Low
	Low   float64
	Unit  string
}

// Map is a star system from above, as paths of an SVG of MapWidth and MapHeight.
type Map struct {
	Set    string
	Tracks []Track
	Deaths []Death
	Bar    float64 // length of the scale in the picture
	Length float64 // and in units of the game
}

// Track is where the ships of a player were.
type Track struct {
	Player int
	Path   string
}

// Death is where a ship died.
type Death struct {
	Kill int
	X    float64
	Y    float64
	Side float64 // where the number has room: 1 right of the cross, -1 left of it, 0 nowhere
}

// manyDeaths is the number of deaths on a map from which the marks are small.
const manyDeaths = 40

func (m *Map) many() bool { return len(m.Deaths) > manyDeaths }

// number finds room for the numbers of the deaths, the earlier ones first.
func (m *Map) number() {
	scale := 1.8 // of the marks on a phone
	if m.many() {
		scale = 0.65
	}
	const cross, gap, high = 9, 11, 16 // half of a cross; from its centre to the number
	for i := range m.Deaths {
		d := &m.Deaths[i]
		end := gap + 9*float64(len(strconv.Itoa(d.Kill+1))) // of the number; earlier ones are not wider
		for _, side := range []float64{1, -1} {
			left, right := min(side*gap, side*end), max(side*gap, side*end)
			covers := slices.ContainsFunc(m.Deaths, func(other Death) bool {
				x, y := (other.X-d.X)/scale, math.Abs(other.Y-d.Y)/scale
				from, to := min(-cross, other.Side*end), max(cross, other.Side*end)
				return other.Kill != d.Kill && y < high && x+from < right && x+to > left
			})
			if !covers {
				d.Side = side
				break
			}
		}
	}
}

// path builds the path of an SVG from whole coordinates.
type path struct {
	b    []byte
	x, y int
	pen  bool
	more bool // the last point is not the first one of its line
}

func (p *path) to(x, y float64) {
	i, j := int(math.Round(x)), int(math.Round(y))
	switch {
	case !p.pen:
		p.up()
		p.b = append(p.b, 'M')
	case i == p.x && j == p.y:
		return
	default:
		p.b, p.more = append(p.b, 'L'), true
	}
	p.b = append(strconv.AppendInt(p.b, int64(i), 10), ' ')
	p.b = strconv.AppendInt(p.b, int64(j), 10)
	p.x, p.y, p.pen = i, j, true
}

// up ends a line. A line of one point becomes a dot.
func (p *path) up() {
	if p.pen && !p.more {
		p.b = append(p.b, "h.1"...)
	}
	p.pen, p.more = false, false
}

func (p *path) String() string {
	p.up()
	return string(p.b)
}

// scales returns plots without lines. All players have the same scales.
func (r *Report) scales() [3]Plot {
	all := [3]Plot{{Title: "hull", Top: 100, Unit: "%"}, {Title: "speed", Top: 1, Unit: "units/s"}, {Title: "score", Top: 1}}
	for _, x := range r.rows {
		for _, s := range x.samples {
			for i, value := range s.values() {
				if scale := &all[i]; !math.IsNaN(value) {
					scale.Low, scale.Top = min(scale.Low, math.Floor(value)), max(scale.Top, math.Ceil(value))
				}
			}
		}
	}
	return all
}

// values returns the values of the plots.
func (s *sample) values() [3]float64 { return [3]float64{100 * s.hull, s.speed, float64(s.score)} }

// plots returns the plots of a player.
func (r *Report) plots(p *row, all [3]Plot) []Plot {
	seconds := max(r.End-r.Start, 1e-3)
	for i := range all {
		plot, line := &all[i], path{}
		for _, s := range p.samples {
			value := s.values()[i]
			if s.begins && i < 2 {
				line.up()
			}
			if math.IsNaN(value) {
				line.up()
				continue
			}
			line.to((s.at-r.Start)/seconds*PlotWidth, PlotHeight*(plot.Top-value)/(plot.Top-plot.Low))
		}
		plot.Path = line.String()
	}
	return all[:]
}

// maps returns a map of each star system with a known place.
func (r *Report) maps(sets []string) []Map {
	var places []*Place
	for i := range r.rows {
		for _, s := range r.rows[i].samples {
			places = append(places, s.place)
		}
	}
	for _, k := range r.List {
		places = append(places, k.Place)
	}
	var all []Map
	for set, name := range sets {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for _, p := range places {
			if p.in(set) {
				for i := range low {
					low[i], high[i] = min(low[i], float64(p.Position[i])), max(high[i], float64(p.Position[i]))
				}
			}
		}
		scale := min((MapWidth-2*margin)/max(1, high[0]-low[0]), (MapHeight-2*margin)/max(1, high[1]-low[1]))
		x := func(p *Place) float64 { return MapWidth/2 + scale*(float64(p.Position[0])-(low[0]+high[0])/2) }
		y := func(p *Place) float64 { return MapHeight/2 - scale*(float64(p.Position[1])-(low[1]+high[1])/2) }
		m := Map{Set: name, Length: nice(MapWidth / 5 / scale)}
		m.Bar = math.Round(m.Length * scale)
		for i := range r.rows {
			line := path{}
			for _, s := range r.rows[i].samples {
				if s.begins || !s.place.in(set) {
					line.up()
				}
				if s.place.in(set) {
					line.to(x(s.place), y(s.place))
				}
			}
			if d := line.String(); d != "" {
				m.Tracks = append(m.Tracks, Track{i, d})
			}
		}
		for _, k := range r.List {
			if k.Place.in(set) {
				m.Deaths = append(m.Deaths, Death{Kill: k.Number, X: math.Round(x(k.Place)), Y: math.Round(y(k.Place))})
			}
		}
		m.number()
		all = append(all, m)
	}
	return all
}

// in reports whether a place is known and in a star system.
func (p *Place) in(set int) bool { return p != nil && p.Map == set }

// nice returns the largest of 1, 2, 5, 10 and so on that is at most x.
func nice(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{5, 2} {
		if n*power <= x {
			return n * power
		}
	}
	return power
}
