// Combat plays two ships of Bridge Commander at a distance, and prints the state of the target for each
// tenth of a second as a JSON line. The attacker fires all the time. Neither ship moves.
//
//	go run -C examples ./combat -scenario FILE
//
// A scenario is a JSON object:
//
//	{"attacker": "kessokheavy", "target": "galaxy", "distance": 57, "bearing": 0, "elevation": 0,
//	 "weapon": "phaser", "level": "high", "seconds": 12, "shields": [1, 1, 1, 1, 1, 1], "generator": 1,
//	 "charge": 1, "hit": [0, -0.2, -0.45]}
//
// Distances are in game units. Angles are in degrees, as seen from the target: 0 is ahead, 90 starboard. A
// weapon is phaser, pulse or torpedo, and a level low, med or high. The shields and the generator of the
// target and the charge of the attacker are fractions. All shots hit the target at the point hit; without
// it, they hit the centre. Package model computes the fight.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/examples/internal/geometry"
	"github.com/bcwire/bcwire/examples/internal/version"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

func main() {
	file := flag.String("scenario", "", "play the scenario in `FILE`")
	classes := flag.String("classes", "", "read the ship classes of a mod from a JSON `FILE`, in the schema of stateupdate/ships.json")
	version.Flag(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 || *file == "" {
		fmt.Fprintln(os.Stderr, "combat: it needs the flag -scenario and takes no arguments; -h lists the flags")
		os.Exit(2)
	}
	if err := run(os.Stdout, *file, *classes); err != nil {
		fmt.Fprintln(os.Stderr, "combat:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, file, classes string) error {
	var mods stateupdate.Catalogue
	s, f := defaults(), new(fight)
	text, err := os.ReadFile(file)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&s)
	}
	if err == nil && classes != "" {
		if text, err = os.ReadFile(classes); err == nil {
			mods, err = stateupdate.ParseJSON(text)
		}
	}
	if err == nil {
		err = f.begin(&s, mods)
	}
	lines := json.NewEncoder(w)
	for n := 0; err == nil && float64(n) <= s.Seconds*10; n++ {
		f.world.Advance(time.Duration(n) * time.Second / 10)
		err = lines.Encode(f.line(float64(n) / 10))
	}
	return err
}

// scenario is the file of a scenario.
type scenario struct {
	Attacker, Target             string
	Distance, Bearing, Elevation float64
	Weapon, Level                string
	Seconds, Generator, Charge   float64
	Shields                      [6]float64
	Hit                          *[3]float64
}

// defaults returns the values of the keys that a file does not have.
func defaults() scenario {
	return scenario{Weapon: "phaser", Level: "med", Seconds: 12, Shields: [6]float64{1, 1, 1, 1, 1, 1}, Generator: 1, Charge: 1}
}

var levels = []string{opcode.PhaserLow: "low", opcode.PhaserMedium: "med", opcode.PhaserHigh: "high"}

// check returns an error that names a wrong value.
func (s *scenario) check() error {
	out := func(v, low, high float64) bool { return !(v >= low && v <= high) }
	switch {
	case out(s.Distance, 0, 1e6), out(s.Bearing, -360, 360), out(s.Elevation, -90, 90), out(s.Seconds, 0, 3600):
		return errors.New("distance must be 0 to 1e6, bearing -360 to 360, elevation -90 to 90, and seconds 0 to 3600")
	case out(s.Generator, 0, 1), out(s.Charge, 0, 1), out(slices.Min(s.Shields[:]), 0, 1), out(slices.Max(s.Shields[:]), 0, 1):
		return errors.New("generator, charge and shields must be 0 to 1")
	case !slices.Contains(levels, s.Level):
		return errors.New("level must be low, med or high")
	}
	return nil
}

// fight is a scenario that is played.
type fight struct {
	world            model.World
	attacker, target *model.Ship
	system           objectid.ID // that fires
	charge           []float64   // of its weapons
}

const attackerID, targetID objectid.ID = 0x3FFFFFFF, 0x4003FFFF

// begin places the ships and opens fire with the first system of the kind.
func (f *fight) begin(s *scenario, mods stateupdate.Catalogue) error {
	if err := s.check(); err != nil {
		return err
	}
	sinB, cosB := geometry.Sincos(s.Bearing * math.Pi / 180)
	sinE, cosE := geometry.Sincos(s.Elevation * math.Pi / 180)
	x, y, z := float64(cosE*sinB), float64(cosE*cosB), sinE
	far := [3]float64{float64(x * s.Distance), float64(y * s.Distance), float64(z * s.Distance)}
	if err := errors.Join(
		f.add("attacker", attackerID, mods.Named(s.Attacker), model.Motion{Position: far, Forward: [3]float64{-x, -y, -z}}),
		f.add("target", targetID, mods.Named(s.Target), model.Motion{Forward: [3]float64{0, 1, 0}}),
	); err != nil {
		return err
	}
	f.attacker, f.target = f.world.Ship(attackerID), f.world.Ship(targetID)
	f.target.HitPoint = s.Hit
	for i := range f.target.Shields {
		f.target.Shields[i] *= s.Shields[i]
	}
	for i := range f.attacker.Charge {
		f.attacker.Charge[i] *= s.Charge
	}
	for _, sub := range f.target.Class.Subsystems {
		if sub.Kind == stateupdate.KindShield {
			f.target.Condition[f.target.Part(sub.Name)] *= s.Generator
		}
	}
	class := f.attacker.Class
	i := slices.IndexFunc(class.Subsystems, func(sub stateupdate.Subsystem) bool { return sub.Kind.String() == s.Weapon })
	if i < 0 {
		return fmt.Errorf("weapon: %s has no %q system", class.Name, s.Weapon)
	}
	f.system, _ = class.PartID(attackerID, i, -1)
	first := f.attacker.Part(class.Subsystems[i].Name) + 1
	f.charge = f.attacker.Charge[first : first+len(class.Subsystems[i].Children)]
	level, err := opcode.NewSetPhaserLevel(f.system, opcode.PhaserLevel(slices.Index(levels, s.Level)))
	return errors.Join(err, f.world.Apply(level), f.world.Fire(f.system, targetID, [3]float64{}))
}

func (f *fight) add(key string, id objectid.ID, class *stateupdate.Class, m model.Motion) error {
	if err := f.world.Add(id, class, "", m); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	f.world.Ship(id).Helm = new(model.Helm) // it stays where it is
	return nil
}

// line returns a line of the output, in points.
func (f *fight) line(now float64) map[string]any {
	subsystems, points := map[string]float64{}, f.target.Condition
	for _, sub := range f.target.Class.Subsystems {
		subsystems[sub.Name], points = points[0], points[1:]
		for _, child := range sub.Children {
			subsystems[child.Name], points = points[0], points[1:]
		}
	}
	return map[string]any{
		"time": now, "hull": f.target.Condition[0], "shields": f.target.Shields, "subsystems": subsystems, "charge": f.charge, "dead": !f.target.Alive(),
	}
}
