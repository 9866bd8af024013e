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

// TestAssertions compares the model with measurements of the game: a Kessok Heavy, unless the assertion names another
// ship, fires at a parked Galaxy dead ahead at 57 GU for 11.5 s. Points are net of repairs unless an assertion adds
// up hits. The values are in assertions.md, which -update writes:
//
//	go test -run TestAssertions ./examples/combat -update
func TestAssertions(t *testing.T) {
	var ids []string
	ran := 0
	clear(measured)
	for _, group := range []map[string]func(*testing.T){beams, pulses, torpedoes, shields, hulls, repairs, deaths, collisions, motions} {
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
	t.Logf("%s: %.5g, measured %.5g, tolerance %.3g", what, got, want, tolerance)
	measured[t.Name()] = append(measured[t.Name()], fmt.Sprintf("%s | %.5g | %.5g | %.3g", what, got, want, tolerance))
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

func (s scenario) from(bearing, elevation float64) scenario {
	s.Bearing, s.Elevation = bearing, elevation
	return s
}
func (s scenario) front(f float64) scenario { s.Shields[0] = f; return s }

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

// quanta returns the hits of a beam, or of all, without the last one of each beam, which is less than a quantum.
func (r *trial) quanta(weapon string) (all []timed) {
	quantum := map[string]float64{}
	for _, h := range r.hits(weapon) {
		beam, points := h.Weapon.String(), h.Absorbed+h.Passed
		if quantum[beam] == 0 {
			quantum[beam] = points
		}
		if points > 0.999*quantum[beam] {
			all = append(all, h)
		}
	}
	return all
}

// rate returns the damage per second from the first quantum of a beam to its last one.
func (r *trial) rate() (rate float64) {
	all := r.quanta("")
	last := all[0]
	for _, h := range all {
		if h.Weapon == all[0].Weapon {
			last = h
		}
	}
	for _, h := range all {
		if h.at < last.at {
			rate += (h.Absorbed + h.Passed) / (last.at - all[0].at)
		}
	}
	return rate
}

// whole has the points of the target before the fight, by part. Ships of the model begin undamaged.
func (r *trial) whole() []float64 { return begun(r.target.Class).Condition }

func begun(class *stateupdate.Class) *model.Ship {
	var w model.World
	_ = w.Add(targetID, class, "", model.Motion{Forward: [3]float64{0, 1, 0}}) // the class has fought before
	return w.Ship(targetID)
}

// child returns the child of a subsystem with a name.
func child(s *model.Ship, name string) *stateupdate.Child {
	for _, sub := range s.Class.Subsystems {
		for k := range sub.Children {
			if sub.Children[k].Name == name {
				return &sub.Children[k]
			}
		}
	}
	return nil
}

// lost returns the points that a part has lost.
func (r *trial) lost(part string) float64 {
	i := r.target.Part(part)
	return r.whole()[i] - r.target.Condition[i]
}

// damaged returns the names of the parts that have lost points.
func (r *trial) damaged() string {
	var names []string
	part := 0
	for _, sub := range r.target.Class.Subsystems {
		for _, name := range append([]string{sub.Name}, childNames(sub)...) {
			if r.target.Condition[part] < r.whole()[part] {
				names = append(names, name)
			}
			part++
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func childNames(sub stateupdate.Subsystem) (names []string) {
	for _, child := range sub.Children {
		names = append(names, child.Name)
	}
	return names
}

// step advances by a step. It returns the points that the hull loses in it.
func (r *trial) step() float64 {
	before := r.target.Condition[0]
	r.run((float64(r.steps) + 0.5) * model.Step.Seconds())
	return before - r.target.Condition[0]
}

// untilHit advances until the target has had some hits, and returns the points that the hull loses by the last one.
func (r *trial) untilHit(n int) (lost float64) {
	for len(r.hits("")) < n && r.steps < 2000 {
		lost = r.step()
	}
	return lost
}

// weaponStep is the time between two repairs.
const weaponStep = 20 * 0.0165

// repaired returns the points per second that parts gain in some weapon steps.
func (r *trial) repaired(steps int, parts ...string) (rates []float64) {
	before := slices.Clone(r.target.Condition)
	start := r.steps
	for r.steps < start+20*steps {
		r.step()
	}
	for _, part := range parts {
		i := r.target.Part(part)
		rates = append(rates, (r.target.Condition[i]-before[i])/(float64(steps)*weaponStep))
	}
	return rates
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
		hits := volley(t, standard()).quanta("Positron Beams / Forward Beam 1")
		within(t, "quantum", hits[0].Absorbed, 106.25, 0.02)
		for i := range hits[1:] {
			require.InDelta(t, 0.53, hits[i+1].at-hits[i].at, 1.1*model.Step.Seconds())
		}
		require.Len(t, hits, 12)
		near(t, "mean period", (hits[11].at-hits[0].at)/11, 0.53, model.Step.Seconds())
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
		require.Len(t, volley(t, standard()).quanta("Positron Beams / Forward Beam 4"), 12, "the beam stops")
	},
	"B10": func(t *testing.T) {
		r := begin(t, standard()).run(7)
		for r.charge[0] > 0 {
			r.run(float64(r.steps+1) * model.Step.Seconds())
		}
		start := r.steps
		for r.steps < start+11*20 { // 3.6 s, eleven weapon steps
			r.step()
		}
		within(t, "charge", r.charge[0], 0.62, 0.03)
	},
	"B11": func(t *testing.T) {
		for attacker, want := range map[string]float64{"galaxy": 66.4, "sovereign": 79.7} {
			r := volley(t, standard().with(attacker, "phaser"))
			hits := r.quanta("")
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
		at := child(r.target, "Ventral Phaser 2").Position
		for axis, want := range []float64{-0.665, 2.175, 0.160} {
			near(t, "centre, "+string("xyz"[axis]), at[axis], want, 0.001)
		}
	},
	"B15": func(t *testing.T) {
		r := volley(t, standard().from(0, 60))
		within(t, "volley, gross", r.damage(), 5481, 0.015)
		last := map[string]float64{}
		for _, h := range r.hits("") {
			last[h.Weapon.String()] = h.Absorbed + h.Passed
		}
		require.Len(t, last, 4)
		for beam, points := range last {
			require.Less(t, points, 106.0, beam)
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
			r := begin(t, standard().at(40).with("warbird", "pulse").strength(level))
			for r.charge[0] == 2 {
				r.step()
			}
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

// flight returns the points of the first torpedo, and the seconds from the command to its hit.
func flight(t *testing.T, attacker string, ammunition int) (points, seconds float64) {
	return flightOf(t, standard().with(attacker, "torpedo"), ammunition)
}

// flightOf returns the same for a scenario. The launch comes up to a weapon step after the command.
func flightOf(t *testing.T, s scenario, ammunition int) (points, seconds float64) {
	r := begin(t, s)
	start := 0.0
	if ammunition > 0 {
		r.load(t, ammunition)
		start = child(r.attacker, "Forward Torpedo 1").Weapon.ReloadDelay
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
			shields    float64
			want       float64
		}{{"galaxy", 0, 1, 2.9}, {"sovereign", 1, 1, 2.4}, {"warbird", 0, 0, 5.5}, {"kessokheavy", 0, 1, 13.3}} {
			_, seconds := flightOf(t, standard().with(v.attacker, "torpedo").faces(v.shields), v.ammunition)
			near(t, fmt.Sprintf("%s, type %d, shields %v", v.attacker, v.ammunition, v.shields), seconds, v.want, 0.5)
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
		r := begin(t, standard().with("galaxy", "torpedo").faces(0)).run(burnt)
		require.Len(t, r.hits(""), 4)
		within(t, "hull", r.lost("Hull"), 2000, 0.05)
		for _, part := range []string{"Sensor Array", "Forward Torpedo 1", "Forward Torpedo 2", "Forward Torpedo 3", "Forward Torpedo 4"} {
			near(t, part+", measured 1725 to 2000", r.lost(part), (0.95*1725+1.05*2000)/2, (1.05*2000-0.95*1725)/2)
		}
	},
	"T6": func(t *testing.T) {
		hits := begin(t, standard().with("warbird", "torpedo").faces(0)).run(19.5).hits("")
		require.Len(t, hits, 4)
		for i, want := range []float64{5.469, 7.781, 15.688, 18.000} {
			near(t, fmt.Sprintf("hit %d", i+1), hits[i].at, want, 0.35)
		}
		near(t, "same tube again", hits[1].at-hits[0].at, 2.31, 0.1)
		near(t, "first slot again", hits[2].at-hits[0].at, 10.22, 0.1)
		near(t, "second slot again", hits[3].at-hits[1].at, 10.22, 0.1)
	},
	"T7": func(t *testing.T) {
		for _, v := range []struct {
			attacker   string
			ammunition int
			shields    float64
			way, speed float64
		}{
			{"warbird", 0, 0, 51.36, 10},
			{"warbird", 0, 1, 45.65, 10},
			{"kessokheavy", 0, 0, 55.63, 3.8},
			{"kessokheavy", 0, 1, 49.9, 3.8},
			{"galaxy", 0, 1, 51.95, 19},
			{"galaxy", 0, 0, 57.66, 19},
			{"sovereign", 0, 1, 51.0, 19},
			{"sovereign", 1, 1, 51.0, 22},
		} {
			_, seconds := flightOf(t, standard().with(v.attacker, "torpedo").faces(v.shields), v.ammunition)
			what := fmt.Sprintf("%s, type %d, shields %v: delay of the launch, measured 0.1 to 0.34", v.attacker, v.ammunition, v.shields)
			near(t, what, seconds-v.way/v.speed, 0.22, 0.12+0.05)
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
			h := begin(t, standard().with("galaxy", "phaser").front(f)).run(1.2).hits("")[0]
			near(t, fmt.Sprintf("share through at %.2f", f), h.Passed/(h.Passed+h.Absorbed), want, 0.05)
		}
	},
	"S3": func(t *testing.T) {
		for f, want := range map[float64]float64{0.5: 0.39, 0.25: 0.75} {
			r := volley(t, standard().front(f))
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
			r := begin(t, s).run(2 * weaponStep)
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
	"S8": func(t *testing.T) {
		hits := volley(t, standard().from(0, 60)).hits("")
		least, most := map[int]float64{}, map[int]float64{}
		for _, h := range hits {
			tick, share := shieldSteps(h.at), h.Passed/(h.Passed+h.Absorbed)
			if _, ok := least[tick]; !ok {
				least[tick], most[tick] = share, share
			}
			least[tick], most[tick] = min(least[tick], share), max(most[tick], share)
		}
		require.Greater(t, len(least), 8)
		spread := 0.0
		for tick := range least {
			spread = max(spread, most[tick]-least[tick])
		}
		near(t, "spread of the share between two shield steps", spread, 0, 0.005)
	},
	"S9": func(t *testing.T) {
		hits := volley(t, standard().front(0.5)).hits("")
		for i, want := range []float64{12.5, 12.5, 12.5, 12.5, 18.4, 18.4, 18.4, 18.4} {
			near(t, fmt.Sprintf("burst %d through", 1+i/4), hits[i].Passed, want, 0.3)
		}
	},
	"S10": func(t *testing.T) {
		h := burst(t, 1899.7)[0]
		near(t, "face", h.Absorbed, 90.3, 0.1)
		near(t, "hull", h.Passed, 15.95, 0.1)
	},
	"S11": func(t *testing.T) {
		for _, h := range burst(t, 0.1233*4000) {
			near(t, "share through, top from 0.12 to 0.08", h.Passed/(h.Passed+h.Absorbed), 0.572, 0.005)
		}
	},
	"S12": func(t *testing.T) {
		r := volley(t, standard().front(0.25))
		within(t, "hull", r.lost("Hull"), 4062, 0.06)
		within(t, "sensor", r.lost("Sensor Array"), 3893, 0.06)
	},
	"S13": func(t *testing.T) {
		within(t, "hull", volley(t, standard().front(0.5)).lost("Hull"), 2015, 0.08)
	},
}

// shieldSteps returns the number of shield steps until a time. The first one is 0.25 s after the command.
func shieldSteps(at float64) int { return int(math.Floor((at-0.2475+1e-9)/(2*weaponStep))) + 1 }

// burst returns the four hits of the second burst from above. The top has some points at the last shield step before it.
func burst(t *testing.T, points float64) []timed {
	r := begin(t, standard().from(0, 60)).run(1.5)
	for n := shieldSteps(1.5); shieldSteps(float64(r.steps)*model.Step.Seconds()) == n; r.step() {
		r.target.Shields[2] = points - 11*0.85*2*weaponStep
	}
	require.InDelta(t, points, r.target.Shields[2], 1e-9)
	before := len(r.hits(""))
	hits := r.run(2).hits("")[before:]
	require.Len(t, hits, 4)
	return hits
}

// bare is the Kessok's volley on a ship without shields.
func bare() scenario { return standard().faces(0) }

const (
	tubes     = "Forward Torpedo 1, Forward Torpedo 2, Forward Torpedo 3, Forward Torpedo 4"
	bow       = tubes + ", Hull, Sensor Array"
	warbirds  = "torpedoes of the Warbird: "
	positrons = "positron torpedoes: "
)

var hulls = map[string]func(*testing.T){
	"H1": func(t *testing.T) {
		r := volley(t, bare())
		within(t, "hull", r.lost("Hull"), 5571, 0.05)
		within(t, "sensor", r.lost("Sensor Array"), 5402, 0.05)
		for _, tube := range strings.Split(tubes, ", ") {
			within(t, "tube", r.lost(tube), 2400, 0.05)
		}
	},
	"H2": func(t *testing.T) {
		equal(t, "damaged from starboard", volley(t, bare().from(90, 0)).damaged(), "Hull, Star Warp")
		equal(t, "damaged from astern", volley(t, bare().from(180, 0)).damaged(), "Hull")
	},
	"H3": func(t *testing.T) {
		r := volley(t, standard())
		within(t, "hull", r.lost("Hull"), 279, 0.15)
		within(t, "sensor", r.lost("Sensor Array"), 174, 0.15)
	},
	"H4": func(t *testing.T) {
		r := volley(t, bare().strength("low"))
		near(t, "hull", r.lost("Hull"), 0, 0)
		within(t, "sensor", r.lost("Sensor Array"), 4056, 0.05)
	},
	"H5": func(t *testing.T) {
		r := begin(t, bare().strength("low").from(180, 0)).run(1.4)
		require.Positive(t, r.damage())
		within(t, "hull", r.lost("Hull"), r.damage(), 0.05)
	},
	"H6": func(t *testing.T) {
		r := begin(t, standard().with("warbird", "torpedo"))
		for len(r.events) == 0 {
			r.step()
		}
		tube := child(r.attacker, "Forward Torpedo").Position
		from := [3]float64{-tube[0], 57 - tube[1], tube[2]} // the attacker looks astern
		scale := (from[1] + 1.5) / -r.events[0].Direction[1]
		for axis, want := range []float64{0, -1.5, -0.5} {
			near(t, "aim, "+string("xyz"[axis]), from[axis]+scale*r.events[0].Direction[axis], want, 1e-9)
		}
	},
	"H7": func(t *testing.T) {
		r := volley(t, bare().from(90, 0))
		within(t, "hull", r.lost("Hull"), 5395, 0.02)
		near(t, "Star Warp", r.lost("Star Warp"), 5000, 0)
		equal(t, "damaged", r.damaged(), "Hull, Star Warp")
	},
	"H8": func(t *testing.T) {
		r := volley(t, standard().from(90, 0))
		within(t, "hull", r.lost("Hull"), 1567, 0.09)
		near(t, "Star Warp more than hull", r.lost("Star Warp")-r.lost("Hull"), 0, 2)
		equal(t, "damaged", r.damaged(), "Hull, Star Warp")
	},
	"H9": func(t *testing.T) {
		r := volley(t, standard().from(0, -89))
		within(t, "hull", r.lost("Hull"), 1669, 0.09)
		within(t, "Warp Core", r.lost("Warp Core"), 1636, 0.09)
		near(t, "Warp Core less than hull", r.lost("Hull")-r.lost("Warp Core"), 33, 5)
		equal(t, "damaged", r.damaged(), "Hull, Warp Core")
	},
	"H10": func(t *testing.T) {
		r := volley(t, standard().from(0, 45))
		within(t, "hull", r.lost("Hull"), 1619, 0.09)
		within(t, "Shield Generator", r.lost("Shield Generator"), 1588, 0.09)
		equal(t, "damaged", r.damaged(), "Hull, Shield Generator")
		equal(t, "face", r.face(), 2)
	},
	"H11": func(t *testing.T) {
		r := volley(t, standard().from(0, 60))
		for part, want := range map[string]float64{"Hull": 1744, "Center Impulse": 1744, "Warp Core": 1683, "Aft Torpedo 1": 1703, "Aft Torpedo 2": 1703} {
			within(t, part, r.lost(part), want, 0.09)
		}
		near(t, "Center Impulse more than hull", r.lost("Center Impulse")-r.lost("Hull"), 0, 2)
		equal(t, "damaged", r.damaged(), "Aft Torpedo 1, Aft Torpedo 2, Center Impulse, Hull, Warp Core")
		equal(t, "face", r.face(), 2)
	},
	"H12": func(t *testing.T) {
		r := begin(t, standard().with("warbird", "torpedo").faces(0)).run(19.5)
		for part, want := range map[string]float64{"Hull": 7108, "Sensor Array": 6938, "Shield Generator": 1475} {
			within(t, warbirds+part, r.lost(part), want, 0.01)
		}
		for _, tube := range strings.Split(tubes, ", ") {
			near(t, warbirds+"tube", r.lost(tube), 2400, 0)
		}
		equal(t, warbirds+"damaged", r.damaged(), bow+", Shield Generator")
	},
	"H13": func(t *testing.T) {
		within(t, warbirds+"hull, second hit", begin(t, standard().with("warbird", "torpedo").faces(0)).untilHit(2), 2974.3, 0.005)
	},
	"H14": func(t *testing.T) {
		r := volley(t, bare())
		within(t, "hull", r.lost("Hull"), 5571, 0.02)
		within(t, "sensor", r.lost("Sensor Array"), 5402, 0.02)
		equal(t, "damaged", r.damaged(), bow)
	},
	"H15": func(t *testing.T) {
		within(t, positrons+"hull, second hit", sunk(t).untilHit(2), 10192.7, 0.005)
	},
}

// sunk returns the fight in which two positron torpedoes destroy the Galaxy.
func sunk(t *testing.T) *trial { return begin(t, bare().with("kessokheavy", "torpedo")) }

// rates requires rates of repair, in points per second. A part that no team repairs gains nothing.
func rates(t *testing.T, r *trial, steps int, want map[string]float64) {
	t.Helper()
	parts := slices.Sorted(maps.Keys(want))
	for i, got := range r.repaired(steps, parts...) {
		within(t, parts[i], got, want[parts[i]], 0.02)
	}
}

var repairs = map[string]func(*testing.T){
	"Q1": func(t *testing.T) {
		r := begin(t, bare().from(90, 0)).run(8)
		require.Zero(t, r.target.Condition[r.target.Part("Star Warp")])
		rates(t, r, 10, map[string]float64{"Hull": 16.7, "Star Warp": 0})
	},
	"Q2": func(t *testing.T) {
		r := sunk(t)
		r.untilHit(1)
		rates(t, r, 1, map[string]float64{
			"Sensor Array": 16.7, "Forward Torpedo 1": 5.56, "Forward Torpedo 2": 5.56, "Forward Torpedo 3": 0, "Forward Torpedo 4": 0, "Hull": 0,
		})
		require.Len(t, r.hits(""), 1)
	},
	"Q3": func(t *testing.T) {
		rates(t, begin(t, standard().from(0, -89)).run(8), 10, map[string]float64{"Hull": 8.33, "Warp Core": 12.5})
	},
	"Q4": func(t *testing.T) {
		r := begin(t, standard().with("warbird", "torpedo").faces(0))
		r.untilHit(2)
		require.Zero(t, r.target.Condition[r.target.Part("Forward Torpedo 1")])
		rates(t, r, 1, map[string]float64{"Sensor Array": 16.7, "Shield Generator": 8.33, "Hull": 5.56})
	},
}

var deaths = map[string]func(*testing.T){
	"D1": func(t *testing.T) {
		r := begin(t, bare().from(0, -89))
		r.target.Condition[r.target.Part("Warp Core")] = 50
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
	"D3": func(t *testing.T) {
		r := sunk(t)
		r.untilHit(2)
		equal(t, positrons+"points of the Warp Core", r.target.Condition[r.target.Part("Warp Core")], 0.0)
		within(t, positrons+"points of the hull", r.target.Condition[0], 2607.3, 0.001)
		equal(t, positrons+"the ship lives", r.target.Alive(), false)
	},
	"D4": func(t *testing.T) {
		r := sunk(t)
		r.untilHit(2)
		rates(t, r, 2, map[string]float64{"Hull": (1.83 + 5.5) / (2 * weaponStep)})
		near(t, positrons+"points of the hull after 19.5 s", r.run(19.5).target.Condition[0], 270, 3)
	},
	"D5": func(t *testing.T) {
		r := sunk(t)
		r.untilHit(2)
		explosions := 0
		for start := r.steps; r.steps < start+4*60; { // 4 s
			if lost := r.step(); lost > 0 {
				near(t, "explosion", lost, 600, 0)
				explosions++
			}
		}
		equal(t, "explosions in 3.7 s", explosions, 4)
	},
}

// ram lets a ship with a speed hit a parked ship, and returns both. A report of the same client puts
// the model in charge of the motion before.
func ram(t *testing.T, rammer, rammed string, speed float64) (a, b *model.Ship, events []model.Event) {
	t.Helper()
	var w model.World
	first, second := stateupdate.Stock().Named(rammer), stateupdate.Stock().Named(rammed)
	gap := first.Physics.Radius + second.Physics.Radius + 0.01
	require.NoError(t, w.Add(attackerID, first, "", model.Motion{
		Position: [3]float64{0, gap, 0}, Velocity: [3]float64{0, -speed, 0}, Forward: [3]float64{0, -1, 0}, Up: [3]float64{0, 0, 1},
	}))
	require.NoError(t, w.Add(targetID, second, "", model.Motion{Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}}))
	w.Ship(attackerID).Helm = &stateupdate.Helm{Throttle: speed / first.Physics.MaxSpeed}
	w.Ship(targetID).Helm = new(stateupdate.Helm)
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
func flown(t *testing.T, class string, h stateupdate.Helm, speed, seconds, power float64) *model.Ship {
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
			within(t, fmt.Sprintf("speed after %v s", seconds), flown(t, class, stateupdate.Helm{Throttle: 1}, 0, seconds, 1).Velocity[1], speed, 0.02)
		}
	}
}

var motions = map[string]func(*testing.T){
	"M1": speeds("kessokheavy", map[float64]float64{1: 2.226, 2: 3.166, 4: 3.630}),
	"M2": speeds("galaxy", map[float64]float64{1: 1.500, 2: 3.000, 4: 5.635}),
	"M3": speeds("birdofprey", map[float64]float64{1: 2.500, 2: 4.726, 4: 6.007}),
	"M4": func(t *testing.T) {
		for seconds, turn := range map[float64]float64{1: 0.120, 2: 0.219, 4: 0.272} {
			within(t, fmt.Sprintf("turn after %v s", seconds), flown(t, "galaxy", stateupdate.Helm{Turn: [3]float64{0, 0, 9}}, 0, seconds, 1).Spin[2], turn, 0.02)
		}
	},
	"M5": func(t *testing.T) {
		for seconds, speed := range map[float64]float64{1.5: 0.92, 2.1: 0.51, 3: 0.20} {
			within(t, fmt.Sprintf("speed after %v s", seconds), flown(t, "kessokheavy", stateupdate.Helm{}, 3.7, seconds, 1).Velocity[1], speed, 0.05)
		}
	},
	"M6": func(t *testing.T) {
		for _, throttle := range []float64{1.25, 2} {
			near(t, fmt.Sprintf("speed at throttle %v", throttle), flown(t, "kessokheavy", stateupdate.Helm{Throttle: throttle}, 0, 30, 1).Velocity[1], 3.7, 1e-6)
		}
	},
	"M7": func(t *testing.T) {
		near(t, "speed", flown(t, "kessokheavy", stateupdate.Helm{Throttle: 1}, 0, 30, 1.25).Velocity[1], 4.625, 1e-6)
	},
	"M8": func(t *testing.T) {
		h := stateupdate.Helm{Turn: [3]float64{0, 0, 1}, Direct: true}
		within(t, "turn after 5 s", flown(t, "kessokheavy", h, 0, 5, 1).Spin[2], 5*0.11, 0.03)
		within(t, "turn", flown(t, "kessokheavy", h, 0, 30, 1).Spin[2], 1, 0.03)
	},
	"M9": func(t *testing.T) {
		for throttle, speed := range map[float64]float64{0.2: 0.740, 0.5: 1.850} {
			near(t, fmt.Sprintf("speed at throttle %v", throttle), flown(t, "kessokheavy", stateupdate.Helm{Throttle: throttle}, 0, 30, 1).Velocity[1], speed, 1e-6)
		}
	},
}
