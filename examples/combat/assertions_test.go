package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// TestAssertions compares the model with measurements of the game: a Kessok Heavy, unless the assertion
// names another ship, fires at a parked Galaxy dead ahead at 57 GU. The values are in assertions.md, which -update
// writes:
//
//	go test -run TestAssertions ./examples/combat -update
func TestAssertions(t *testing.T) {
	var ids []string
	ran := 0
	clear(measured)
	for _, group := range []map[string]func(*testing.T){beams, pulses, torpedoes, shields, hulls, collisions, motions} {
		for _, id := range slices.SortedFunc(maps.Keys(group), func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) }) {
			t.Run(id, func(t *testing.T) {
				ran++
				group[id](t)
			})
			ids = append(ids, id)
		}
	}
	if t.Failed() || ran < len(ids) { // the table needs all of them
		return
	}
	table := "# The model and the measurements\n\nWritten by `go test -run TestAssertions ./examples/combat -update`. " +
		"Points, seconds and game units.\n\n| Id | Value | Model | Measured | Tolerance |\n|---|---|---|---|---|\n"
	for _, id := range ids {
		rows := slices.Compact(slices.Sorted(slices.Values(measured[t.Name()+"/"+id]))) // some come from a map
		for _, row := range rows {
			table += "| " + id + " | " + row + " |\n"
		}
		require.NotEmpty(t, rows, id)
	}
	if *update {
		require.NoError(t, os.WriteFile("assertions.md", []byte(table), 0o600))
	}
	file, err := os.ReadFile("assertions.md")
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(file), "\r\n", "\n"), table, "run the test with -update")
}

var update = flag.Bool("update", false, "write assertions.md")

// measured has the rows of the table, by test.
var measured = map[string][]string{}

// within requires a value within a part of the expected one.
func within(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	near(t, what, got, want, math.Abs(want)*part)
}

// near requires a value within a distance of the expected one.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: %.4g, measured %.4g, tolerance %.3g", what, got, want, tolerance)
	measured[t.Name()] = append(measured[t.Name()], fmt.Sprintf("%s | %.4g | %.4g | %.3g", what, got, want, tolerance))
	require.InDelta(t, want, got, tolerance+1e-9, what)
}

// equal requires a value without a tolerance.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	measured[t.Name()] = append(measured[t.Name()], fmt.Sprintf("%s | %v | %v | 0", what, got, want))
	require.Equal(t, want, got, what)
}

// standard is the scenario of most assertions.
func standard(change ...func(*scenario)) scenario {
	s := defaults()
	s.Attacker, s.Target, s.Distance, s.Level = "kessokheavy", "galaxy", 57, "high"
	for _, c := range change {
		c(&s)
	}
	return s
}

func (s scenario) at(distance float64) scenario { s.Distance = distance; return s }
func (s scenario) with(attacker, weapon string) scenario {
	s.Attacker, s.Weapon, s.Level = attacker, weapon, "med"
	return s
}
func (s scenario) strength(level string) scenario { s.Level = level; return s }
func (s scenario) faces(f float64) scenario {
	s.Shields = []float64{f, f, f, f, f, f}
	return s
}
func (s scenario) bow() scenario { s.Hit = []float64{0, -0.2, -0.45}; return s }

// trial is a fight with its events and the time of each.
type trial struct {
	*fight
	events []timed
	steps  int
}

type timed struct {
	model.Event
	at float64 // seconds since the beginning
}

func begin(t *testing.T, s scenario) *trial {
	t.Helper()
	f := new(fight)
	require.NoError(t, f.begin(&s, nil))
	return &trial{fight: f}
}

// run advances to a time in seconds.
func (r *trial) run(seconds float64) *trial {
	for float64(r.steps)*model.Step.Seconds() < seconds {
		r.steps++
		for _, e := range r.world.Advance(time.Duration(r.steps) * model.Step) {
			r.events = append(r.events, timed{e, float64(r.steps) * model.Step.Seconds()})
		}
	}
	return r
}

// hits returns the hits on the target, of one weapon or of all.
func (r *trial) hits(weapon string) (all []timed) {
	for _, e := range r.events {
		if e.Kind == model.Hit && e.Ship == targetID && (weapon == "" || e.Weapon.String() == weapon) {
			all = append(all, e)
		}
	}
	return all
}

// damage returns the sum of the hits.
func (r *trial) damage() (sum float64) {
	for _, h := range r.hits("") {
		sum += h.Absorbed + h.Passed
	}
	return sum
}

// rate returns the damage per second from the first hit of a weapon to its last one.
func (r *trial) rate() float64 {
	all := r.hits("")
	last := all[len(all)-1].at
	sum := 0.0
	for _, h := range all {
		if h.Weapon == all[0].Weapon {
			last = h.at
		}
	}
	for _, h := range all {
		if h.at < last {
			sum += h.Absorbed + h.Passed
		}
	}
	return sum / (last - all[0].at)
}

func (r *trial) lost(part string) float64 {
	full := map[string]float64{"Hull": 15000, "Sensor Array": 8000}[part]
	if full == 0 {
		full = 2400
	}
	return full - r.target.Condition[r.target.Part(part)]
}

// load changes the type of the attacker's torpedoes.
func (r *trial) load(t *testing.T, ammunition int) {
	m, err := opcode.NewTorpedoTypeChange(r.system, uint8(ammunition))
	require.NoError(t, err)
	require.NoError(t, r.world.Apply(opcode.NewStopFiring(r.system)))
	r.run(model.Step.Seconds()) // a new ship may have any type in its tubes
	require.NoError(t, r.world.Apply(m))
	require.NoError(t, r.world.Fire(r.system, targetID, [3]float64{}))
}

const burnt = 11.5 // seconds of a measurement after the start of fire

func volley(t *testing.T, s scenario) *trial { return begin(t, s).run(burnt) }

var beams = map[string]func(*testing.T){
	"B1": func(t *testing.T) { within(t, "lost", volley(t, standard()).damage(), 5400, 0.05) },
	"B2": func(t *testing.T) {
		within(t, "lost", volley(t, standard().strength("med")).damage(), volley(t, standard()).damage(), 0.05)
	},
	"B3": func(t *testing.T) {
		within(t, "rate", volley(t, standard().strength("low")).rate(), volley(t, standard()).rate()/2, 0.05)
	},
	"B4": func(t *testing.T) {
		full := volley(t, standard()).rate()
		for distance, want := range map[float64]float64{250: 0.80, 400: 0.50, 600: 0.33} {
			within(t, fmt.Sprintf("part of the rate at %v GU", distance), volley(t, standard().at(distance)).rate()/full, want, 0.06)
		}
	},
	"B5": func(t *testing.T) {
		within(t, "rate", volley(t, standard().at(150)).rate(), volley(t, standard()).rate(), 0.03)
	},
	"B6": func(t *testing.T) { near(t, "windup", volley(t, standard()).hits("")[0].at, 1.156, 0.05) },
	"B7": func(t *testing.T) {
		hits := volley(t, standard()).hits("Positron Beams / Forward Beam 1")
		within(t, "quantum", hits[0].Absorbed, 106.25, 0.02)
		for i := range hits[1:] {
			require.InDelta(t, 0.53, hits[i+1].at-hits[i].at, model.Step.Seconds())
		}
		near(t, "mean period", (hits[12].at-hits[0].at)/12, 0.53, model.Step.Seconds())
	},
	"B8": func(t *testing.T) {
		want := volley(t, standard()).rate()
		within(t, "rate with charge 3", volley(t, standard(func(s *scenario) { s.Charge = 3.0 / 7 })).rate(), want, 0.05)
		half := begin(t, standard())
		require.NoError(t, half.world.Apply(&opcode.StateUpdate{ObjectID: attackerID, Flags: opcode.StatePower, Power: []opcode.PowerEntry{{Index: 4, Value: 102}}}))
		require.Equal(t, "Positron Beams", half.attacker.Class.Subsystems[4].Name)
		within(t, "rate with power 50 %", half.run(burnt).rate(), want, 0.05)
	},
	"B9": func(t *testing.T) {
		for level, want := range map[string]float64{"high": 1, "low": 0.35} {
			r := begin(t, standard().strength(level)).run(2)
			before := r.charge[0]
			r.run(6)
			within(t, "drain at "+level, (before-r.charge[0])/float64(4), want, 0.03)
		}
		r := begin(t, standard())
		least := 7.0
		for seconds := 7.0; seconds < 9; seconds += 0.01 {
			least = min(least, r.run(seconds).charge[0])
		}
		near(t, "least charge", least, 0, 0)
		require.Len(t, volley(t, standard()).hits("Positron Beams / Forward Beam 1"), 13, "the beam stops")
	},
	"B10": func(t *testing.T) {
		r := begin(t, standard()).run(7)
		for r.charge[0] > 0 {
			r.run(float64(r.steps+1) * model.Step.Seconds())
		}
		r.run(float64(r.steps)*model.Step.Seconds() + 3.6)
		within(t, "charge", r.charge[0], 0.62, 0.03)
	},
	"B11": func(t *testing.T) {
		for attacker, want := range map[string]float64{"galaxy": 66.4, "sovereign": 79.7} {
			r := volley(t, standard().with(attacker, "phaser"))
			hits := r.hits("")
			within(t, attacker, hits[0].Absorbed, want, 0.01)
			for i := range hits[1:] { // one bank at a time
				require.GreaterOrEqual(t, hits[i+1].at-hits[i].at, 0.53-2*model.Step.Seconds())
			}
			require.NotEqual(t, hits[0].Weapon, hits[len(hits)-1].Weapon, "the next bank follows")
		}
	},
	"B12": func(t *testing.T) {
		s := standard()
		f := new(fight) // at half the speed, each call advances half a step
		require.NoError(t, f.begin(&s, nil))
		var at []float64
		for now := time.Duration(0); now < 3*time.Second; now += model.Step / 2 {
			for _, e := range f.world.Advance(now) {
				if e.Kind == model.Hit && e.Weapon.Child == 0 {
					at = append(at, now.Seconds())
				}
			}
		}
		near(t, "windup", at[0], 1.156, 0.1)
		near(t, "period", at[1]-at[0], 0.53, 0.1)
	},
	"B13": func(t *testing.T) {
		within(t, "quantum", volley(t, standard().with("warbird", "phaser")).hits("")[0].Absorbed, 57.75, 0.02)
	},
	"B14": func(t *testing.T) {
		r := begin(t, standard())
		at := r.target.Class.Physics().Parts[r.target.Part("Ventral Phaser 2")].Position
		for axis, want := range []float64{-0.665, 2.175, 0.160} {
			near(t, "centre, "+string("xyz"[axis]), at[axis], want, 0.001)
		}
	},
}

// bolt returns the points of the first bolt.
func bolt(t *testing.T, attacker, level string) float64 {
	h := begin(t, standard().at(40).with(attacker, "pulse").strength(level)).run(6).hits("")[0]
	return h.Absorbed + h.Passed
}

var pulses = map[string]func(*testing.T){
	"P1": func(t *testing.T) {
		hits := begin(t, standard().at(40).with("warbird", "pulse")).run(5).hits("")
		near(t, "bolt", hits[0].Absorbed, 200, 0)
		n := 0
		for _, h := range hits {
			if h.at-hits[0].at <= 2.7 {
				n++
			}
		}
		near(t, "bolts in 2.7 s", float64(n), 8, 1)
	},
	"P2": func(t *testing.T) {
		hits := begin(t, standard().at(40).with("birdofprey", "pulse")).run(12).hits("")
		near(t, "bolt", hits[0].Absorbed, 110, 0)
		for i := 2; i+3 < len(hits); i += 2 { // the first pair has the full charge
			near(t, "pair", hits[i+1].at-hits[i].at, 0, model.Step.Seconds())
			near(t, "period", hits[i+2].at-hits[i].at, 2.28, 0.1)
		}
	},
	"P3": func(t *testing.T) {
		for _, distance := range []float64{40, 100, 150} {
			r := begin(t, standard().at(distance).with("warbird", "pulse")).run(distance/43 + 3)
			near(t, fmt.Sprintf("burst at %v GU", distance), r.damage(), 1600, 0)
		}
	},
	"P4": func(t *testing.T) {
		for level, want := range map[string]float64{"low": 80, "med": 200, "high": 400} {
			near(t, level, bolt(t, "warbird", level), want, 0)
		}
	},
	"P5": func(t *testing.T) {
		for level, want := range map[string]float64{"low": 1.53, "med": 1.03, "high": 0.03} {
			r := begin(t, standard().at(40).with("warbird", "pulse").strength(level)).run(model.Step.Seconds())
			near(t, "charge at "+level, r.charge[0], want, 0.05)
		}
	},
	"P6": func(t *testing.T) {
		for attacker, want := range map[string]float64{"vorcha": 200, "marauder": 150, "cardhybrid": 1000} {
			near(t, attacker, bolt(t, attacker, "med"), want, 0)
		}
		for attacker, bearing := range map[string]float64{"cardoutpost": 0, "cardstarbase": 0, "cardstation": 0} {
			s := standard().at(80).with(attacker, "pulse")
			s.Bearing = bearing
			h := begin(t, s).run(8).hits("")[0]
			near(t, attacker, h.Absorbed+h.Passed, 175, 0)
		}
	},
}

// flight returns the points of the first torpedo, and the seconds from its launch to its hit.
func flight(t *testing.T, attacker string, ammunition int) (points, seconds float64) {
	s := standard().with(attacker, "torpedo")
	r := begin(t, s)
	start := 0.0
	if ammunition > 0 {
		r.load(t, ammunition)
		start = r.attacker.Class.Physics().Parts[r.attacker.Part("Forward Torpedo 1")].Weapon.ReloadDelay
	}
	h := r.run(start + 16).hits("")[0]
	return h.Absorbed + h.Passed, h.at - start
}

var torpedoes = map[string]func(*testing.T){
	"T1": func(t *testing.T) {
		for _, v := range []struct {
			attacker   string
			ammunition int
			want       float64
		}{{"galaxy", 0, 500}, {"sovereign", 0, 550}, {"sovereign", 1, 900}, {"warbird", 0, 1400}, {"kessokheavy", 0, 2200}} {
			points, _ := flight(t, v.attacker, v.ammunition)
			near(t, fmt.Sprintf("%s, type %d", v.attacker, v.ammunition), points, v.want, 0)
		}
	},
	"T2": func(t *testing.T) {
		hits := begin(t, standard().with("galaxy", "torpedo")).run(8).hits("")
		require.Len(t, hits, 4)
		for i := range hits[1:] {
			near(t, "spacing", hits[i+1].at-hits[i].at, 0.656, model.Step.Seconds())
		}
	},
	"T3": func(t *testing.T) {
		for _, v := range []struct {
			attacker   string
			ammunition int
			want       float64
		}{{"galaxy", 0, 2.9}, {"sovereign", 1, 2.4}, {"birdofprey", 0, 5.5}, {"kessokheavy", 0, 13.3}} {
			_, seconds := flight(t, v.attacker, v.ammunition)
			near(t, fmt.Sprintf("%s, type %d", v.attacker, v.ammunition), seconds, v.want, 0.5)
		}
	},
	"T4": func(t *testing.T) {
		r := begin(t, standard().with("sovereign", "torpedo"))
		r.load(t, 1)
		_, flown := flight(t, "sovereign", 1)
		at := r.run(50).hits("")[0].at - flown
		near(t, "first shot, measured 40 to 48", at, 44, 4+model.Step.Seconds())
	},
	"T5": func(t *testing.T) {
		r := begin(t, standard().with("galaxy", "torpedo").faces(0).bow()).run(burnt)
		require.Len(t, r.hits(""), 4)
		within(t, "hull", r.lost("Hull"), 2000, 0.05)
		for _, part := range []string{"Sensor Array", "Forward Torpedo 1", "Forward Torpedo 2", "Forward Torpedo 3", "Forward Torpedo 4"} {
			near(t, part+", measured 1725 to 2000", r.lost(part), (0.95*1725+1.05*2000)/2, (1.05*2000-0.95*1725)/2)
		}
	},
}

// face returns the face that lost most.
func (r *trial) face() int {
	most, face := 0.0, -1
	for f, points := range r.target.Shields {
		if lost := float64(r.target.Class.Subsystems[2].Facings[f]) - points; lost > most {
			most, face = lost, f
		}
	}
	return face
}

// regained returns the points that the front face regains in 0.656 s.
func regained(t *testing.T, change func(*trial)) float64 {
	s := standard()
	s.Shields[0], s.Bearing = 0.5, 90
	r := begin(t, s)
	require.NoError(t, r.world.Apply(opcode.NewStopFiring(r.system)))
	if change != nil {
		change(r)
	}
	r.run(1)
	before := r.target.Shields[0]
	r.run(1 + 6.56)
	return (r.target.Shields[0] - before) / 10
}

var shields = map[string]func(*testing.T){
	"S1": func(t *testing.T) {
		for face, v := range [][2]float64{{0, 0}, {180, 0}, {0, 90}, {0, -90}, {270, 0}, {90, 0}} {
			s := standard()
			s.Bearing, s.Elevation = v[0], v[1]
			equal(t, fmt.Sprintf("face from bearing %v, elevation %v", s.Bearing, s.Elevation), volley(t, s).face(), face)
		}
	},
	"S2": func(t *testing.T) {
		for f, want := range map[float64]float64{0.62: 0, 0.50: 0.12, 0.35: 0.30, 0.20: 0.48, 0.12: 0.58, 0.05: 1} {
			r := begin(t, standard().with("galaxy", "phaser")).run(1.15)
			r.target.Shields[0] = 8000 * f
			h := r.run(1.2).hits("")[0]
			near(t, fmt.Sprintf("share through at %.2f", f), h.Passed/(h.Passed+h.Absorbed), want, 0.05)
		}
	},
	"S3": func(t *testing.T) {
		for f, want := range map[float64]float64{0.5: 0.39, 0.25: 0.75} {
			r := volley(t, standard(func(s *scenario) { s.Shields[0] = f }))
			passed := 0.0
			for _, h := range r.hits("") {
				passed += h.Passed
			}
			near(t, fmt.Sprintf("share through, front at %v", f), passed/r.damage(), want, 0.05)
		}
	},
	"S4": func(t *testing.T) { within(t, "regained", regained(t, nil), 6.15, 0.05) },
	"S5": func(t *testing.T) { // alerts do not exist in the model
		within(t, "regained at 50 % power", regained(t, func(r *trial) {
			require.NoError(t, r.world.Apply(&opcode.StateUpdate{ObjectID: targetID, Flags: opcode.StatePower, Power: []opcode.PowerEntry{{Index: 2, Value: 102}}}))
		}), 6.15, 0.05)
	},
	"S6": func(t *testing.T) {
		for _, generator := range []float64{0.5, 0.2} {
			s := standard()
			s.Generator = generator
			r := begin(t, s).run(model.Step.Seconds())
			equal(t, fmt.Sprintf("faces, generator at %v", generator), r.target.Shields, [6]float64{})
			require.Equal(t, [6]float64{}, r.run(10).target.Shields)
		}
	},
	"S7": func(t *testing.T) {
		for _, elevation := range []float64{45, 60, 75} {
			s := standard()
			s.Elevation = elevation
			r := volley(t, s)
			equal(t, fmt.Sprintf("face from %v degrees above", elevation), r.face(), 2)
			require.InDelta(t, 8000.0, r.target.Shields[0], 0, "the front is untouched")
		}
	},
}

// bare is the Kessok's volley on a ship without shields.
func bare() scenario { return standard().faces(0) }

var hulls = map[string]func(*testing.T){
	"H1": func(t *testing.T) {
		r := volley(t, bare().bow())
		within(t, "hull", r.lost("Hull"), 5571, 0.05)
		within(t, "sensor", r.lost("Sensor Array"), 5402, 0.05)
		for _, tube := range []string{"1", "2", "3", "4"} {
			within(t, "tube", r.lost("Forward Torpedo "+tube), 2400, 0.05)
		}
	},
	"H2": func(t *testing.T) { // the shape of the hull is not known, so both points are inputs
		for name, v := range map[string]struct {
			bearing float64
			hit     []float64
			want    string
		}{
			"starboard": {90, []float64{2.4, -2.1, 0}, "Hull, Star Warp"},
			"astern":    {180, []float64{0, -2.6, 0}, "Hull"},
		} {
			s := bare()
			s.Bearing, s.Hit = v.bearing, v.hit
			r := volley(t, s)
			var damaged []string
			for _, e := range r.events {
				if e.Kind == model.Damaged {
					damaged = append(damaged, lastName(e.Part))
				}
			}
			slices.Sort(damaged)
			equal(t, "damaged from "+name, strings.Join(damaged, ", "), v.want)
		}
	},
	"H3": func(t *testing.T) {
		r := volley(t, standard().bow())
		within(t, "hull", r.lost("Hull"), 279, 0.15)
		within(t, "sensor", r.lost("Sensor Array"), 174, 0.15)
	},
	"H4": func(t *testing.T) {
		r := volley(t, bare().bow().strength("low"))
		near(t, "hull", r.lost("Hull"), 0, 0)
		within(t, "sensor", r.lost("Sensor Array"), 4056, 0.05)
	},
	"H5": func(t *testing.T) {
		s := bare().strength("low")
		s.Hit = []float64{0, -2.6, 0}
		r := begin(t, s).run(1.3)
		require.Positive(t, r.damage())
		within(t, "hull", r.lost("Hull"), r.damage(), 0.05)
	},
	"D1": func(t *testing.T) {
		r := begin(t, bare())
		core := r.target.Part("Warp Core")
		at := r.target.Class.Physics().Parts[core].Position
		r.target.HitPoint = &at
		r.target.Condition[core] = 50
		r.run(1.2)
		equal(t, "ship without a reactor lives", r.target.Alive(), false)
		require.Greater(t, r.target.Condition[0], 14000.0)
		require.Zero(t, r.target.Condition[r.target.Part("Phasers")], "the weapons are gone")
	},
	"D2": func(t *testing.T) {
		r := begin(t, bare())
		r.target.Condition[0] = 50
		gone := 0.0
		for r.world.Ship(targetID) != nil && gone < 30 {
			gone += model.Step.Seconds()
			r.run(gone)
		}
		i := slices.IndexFunc(r.events, func(e timed) bool { return e.Kind == model.Exploding })
		require.GreaterOrEqual(t, i, 0)
		exploding := r.events[i]
		require.Equal(t, attackerID, exploding.By)
		require.Equal(t, stateupdate.KindPhaser, exploding.Weapon.Subsystem.Kind)
		near(t, "dying phase", gone-exploding.at, (6.9+12.1)/2, (12.1-6.9)/2+1)
	},
}

func lastName(p stateupdate.Part) string {
	if p.Child < 0 {
		return p.Subsystem.Name
	}
	return p.Subsystem.Children[p.Child].Name
}

// ram lets a ship with a speed hit a parked ship, and returns both. A report of the same client puts
// the model in charge of the motion before.
func ram(t *testing.T, rammer, rammed string, speed float64) (a, b *model.Ship, events []model.Event) {
	t.Helper()
	var w model.World
	first, second := stateupdate.Stock().Named(rammer), stateupdate.Stock().Named(rammed)
	gap := first.Physics().Radius + second.Physics().Radius + 0.01
	require.NoError(t, w.Add(attackerID, first, "", model.Motion{
		Position: [3]float64{0, gap, 0}, Velocity: [3]float64{0, -speed, 0}, Forward: [3]float64{0, -1, 0}, Up: [3]float64{0, 0, 1},
	}))
	require.NoError(t, w.Add(targetID, second, "", model.Motion{Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}}))
	w.Ship(attackerID).Helm = &model.Helm{Throttle: speed / first.Physics().MaxSpeed}
	w.Ship(targetID).Helm = new(model.Helm)
	a, b = w.Ship(attackerID), w.Ship(targetID)
	for now := model.Step; now <= 3*model.Step; now += model.Step {
		events = append(events, w.Advance(now)...)
		if b.Velocity != ([3]float64{}) {
			break
		}
	}
	require.NotEmpty(t, events)
	return a, b, events
}

// lostHull returns the points that the hull of a ship has lost.
func lostHull(s *model.Ship) float64 {
	return float64(s.Class.Subsystems[0].MaxCondition) - s.Condition[0]
}

// reported returns the points that a hull loses by a collision that its client reports.
func reported(t *testing.T, class string, impulse float32) float64 {
	var w model.World
	require.NoError(t, w.Add(targetID, stateupdate.Stock().Named(class), "", model.Motion{Forward: [3]float64{0, 1, 0}}))
	m, err := opcode.NewCollisionEffect(targetID, objectid.None, []compress.Contact{{Dir: compress.Vector3{Y: 127}, Mag: 240}}, impulse)
	require.NoError(t, err)
	require.NoError(t, w.Apply(m))
	return lostHull(w.Ship(targetID))
}

var collisions = map[string]func(*testing.T){
	"C1": func(t *testing.T) {
		_, galaxy, _ := ram(t, "kessokheavy", "galaxy", 3.70)
		within(t, "speed of the Galaxy", -galaxy.Velocity[1], 5.97, 0.03)
	},
	"C2": func(t *testing.T) {
		kessok, galaxy, _ := ram(t, "kessokheavy", "galaxy", 3.70)
		within(t, "Galaxy", lostHull(galaxy), 5870, 0.002)
		within(t, "Kessok", lostHull(kessok), 1789, 0.002)
		within(t, "Galaxy by its report", reported(t, "galaxy", 716), 5870, 0.002)
	},
	"C3": func(t *testing.T) {
		a, b, _ := ram(t, "galaxy", "galaxy", 6.21)
		within(t, "rammer", lostHull(a), 6089, 0.002)
		within(t, "rammed", lostHull(b), 6089, 0.002)
	},
	"C4": func(t *testing.T) {
		bird, galaxy, events := ram(t, "birdofprey", "galaxy", 6.17)
		within(t, "Galaxy", lostHull(galaxy), 3527, 0.002)
		within(t, "Bird of Prey", lostHull(bird), 4000, 0.002)
		require.False(t, bird.Alive())
		for _, e := range events {
			if e.Kind == model.Exploding {
				require.Equal(t, targetID, e.By)
				require.Nil(t, e.Weapon.Subsystem, "a collision")
			}
		}
	},
	"C5": func(t *testing.T) {
		within(t, "Galaxy", reported(t, "galaxy", 1208), 9561, 0.002)
		within(t, "Kessok", reported(t, "kessokheavy", 1208), 2675, 0.002)
	},
	"C6": func(t *testing.T) {
		_, kessok, _ := ram(t, "birdofprey", "kessokheavy", 6.17)
		within(t, "Kessok", lostHull(kessok), 1417, 0.002)
	},
	"C7": func(t *testing.T) {
		_, galaxy, _ := ram(t, "kessokheavy", "galaxy", 3.70)
		equal(t, "faces", galaxy.Shields, [6]float64{8000, 4000, 4000, 4000, 4000, 4000})
	},
	"C8": func(t *testing.T) { within(t, "Galaxy", reported(t, "galaxy", 1208), 9560, 0.001) },
}

// flown returns a ship that the model flies for some seconds.
func flown(t *testing.T, class string, h model.Helm, speed, seconds, power float64) *model.Ship {
	t.Helper()
	var w model.World
	require.NoError(t, w.Add(1, stateupdate.Stock().Named(class), "", model.Motion{Forward: [3]float64{0, 1, 0}, Velocity: [3]float64{0, speed, 0}}))
	w.Ship(1).Helm = &h
	for i, s := range stateupdate.Stock().Named(class).Subsystems {
		if s.Kind == stateupdate.KindImpulse {
			require.NoError(t, w.Apply(&opcode.StateUpdate{ObjectID: 1, Power: []opcode.PowerEntry{{Index: uint8(i), Value: uint8(math.Round(power * 204))}}}))
		}
	}
	for now := model.Step; now.Seconds() <= seconds+1e-9; now += model.Step {
		w.Advance(now)
	}
	return w.Ship(1)
}

// speeds requires the speeds after some seconds of full throttle.
func speeds(class string, want map[float64]float64) func(*testing.T) {
	return func(t *testing.T) {
		for seconds, speed := range want {
			within(t, fmt.Sprintf("speed after %v s", seconds), flown(t, class, model.Helm{Throttle: 1}, 0, seconds, 1).Velocity[1], speed, 0.02)
		}
	}
}

var motions = map[string]func(*testing.T){
	"M1": speeds("kessokheavy", map[float64]float64{1: 2.226, 2: 3.166, 4: 3.630}),
	"M2": speeds("galaxy", map[float64]float64{1: 1.500, 2: 3.000, 4: 5.635}),
	"M3": speeds("birdofprey", map[float64]float64{1: 2.500, 2: 4.726, 4: 6.007}),
	"M4": func(t *testing.T) {
		for seconds, turn := range map[float64]float64{1: 0.120, 2: 0.219, 4: 0.272} {
			within(t, fmt.Sprintf("turn after %v s", seconds), flown(t, "galaxy", model.Helm{Turn: [3]float64{0, 0, 9}}, 0, seconds, 1).Spin[2], turn, 0.02)
		}
	},
	"M5": func(t *testing.T) {
		for seconds, speed := range map[float64]float64{1.5: 0.92, 2.1: 0.51, 3: 0.20} {
			within(t, fmt.Sprintf("speed after %v s", seconds), flown(t, "kessokheavy", model.Helm{}, 3.7, seconds, 1).Velocity[1], speed, 0.05)
		}
	},
	"M6": func(t *testing.T) {
		for _, throttle := range []float64{1.25, 2} {
			near(t, fmt.Sprintf("speed at throttle %v", throttle), flown(t, "kessokheavy", model.Helm{Throttle: throttle}, 0, 30, 1).Velocity[1], 3.7, 1e-6)
		}
	},
	"M7": func(t *testing.T) {
		near(t, "speed", flown(t, "kessokheavy", model.Helm{Throttle: 1}, 0, 30, 1.25).Velocity[1], 4.625, 1e-6)
	},
	"M8": func(t *testing.T) {
		h := model.Helm{Turn: [3]float64{0, 0, 1}, Direct: true}
		within(t, "turn after 5 s", flown(t, "kessokheavy", h, 0, 5, 1).Spin[2], 5*0.11, 0.03)
		within(t, "turn", flown(t, "kessokheavy", h, 0, 30, 1).Spin[2], 1, 0.03)
	},
	"M9": func(t *testing.T) {
		for throttle, speed := range map[float64]float64{0.2: 0.740, 0.5: 1.850} {
			near(t, fmt.Sprintf("speed at throttle %v", throttle), flown(t, "kessokheavy", model.Helm{Throttle: throttle}, 0, 30, 1).Velocity[1], speed, 1e-6)
		}
	},
}
