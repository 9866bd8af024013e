// Combat plays two ships of Bridge Commander at a distance, and prints the state of the target for each
// tenth of a second as a JSON line. The attacker fires all the time. Neither ship moves.
//
//	go run ./examples/combat -scenario FILE
//
// A scenario is a JSON object. The ships and the distance must be there; the other keys have the values of this
// example as defaults, except for med as the level and no hit:
//
//	{"attacker": "kessokheavy", "target": "galaxy", "distance": 57, "bearing": 0, "elevation": 0,
//	 "weapon": "phaser", "level": "high", "seconds": 12, "shields": [1, 1, 1, 1, 1, 1], "generator": 1,
//	 "charge": 1, "hit": [0, -0.41, -0.5]}
//
// Distances are in game units. Angles are in degrees, as seen from the target: bearing 0 is ahead, 90 starboard, and
// elevation 90 above. A weapon is phaser, pulse or torpedo, and a level low, med or high. The shields, in the order
// front, rear, top, bottom, left, right, the generator of the target and the charge of the attacker are fractions.
// All shots hit the target at the point hit, in game units to starboard, forward and up. Without it, they are aimed
// at the hull of the target, and hit the body where they enter it. Package model computes the fight.
//
// A line has the state of the target in points, and the charge of each weapon of the attacker that fires:
//
//	{"time": 1.2, "hull": 15000, "shields": [8000, ...], "subsystems": {"Sensor Array": 8000, ...}, "charge": [...], "dead": false}
//
// A scenario that is malformed, or that no ship can play, ends the program with an error that names the key.
package main

import (
	"bytes"
	"cmp"
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

const usage = `Usage: combat -scenario FILE

Combat plays a fight of two ships in the model of the server, and prints a JSON line for
each tenth of a second. A FILE is such as
{"attacker":"warbird","target":"galaxy","distance":57,"weapon":"phaser","seconds":12}.

`

func main() {
	file := flag.String("scenario", "", "play the scenario in `FILE`")
	classes := flag.String("classes", "", "read the ship classes of a mod from a JSON `FILE`, in the schema of stateupdate/ships.json")
	version.Flag(flag.CommandLine)
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
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
		if err = s.parse(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
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
	Shields, Hit                 []float64
}

// defaults returns the values of the keys that a file does not have.
func defaults() scenario {
	return scenario{Weapon: "phaser", Level: "med", Seconds: 12, Shields: []float64{1, 1, 1, 1, 1, 1}, Generator: 1, Charge: 1}
}

// parse sets the keys that a file has.
func (s *scenario) parse(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the file has more than one object")
	}
	return nil
}

var levels = []string{opcode.PhaserLow: "low", opcode.PhaserMedium: "med", opcode.PhaserHigh: "high"}

// check returns an error that names a wrong value.
func (s *scenario) check() error {
	var wrong error
	inRange := func(key string, low, high float64, values ...float64) {
		for _, v := range values {
			if !(v >= low && v <= high) {
				wrong = cmp.Or(wrong, fmt.Errorf("%s: %v is not between %v and %v", key, v, low, high))
			}
		}
	}
	inRange("distance", 0.1, 1e6, s.Distance)
	inRange("bearing", -360, 360, s.Bearing)
	inRange("elevation", -90, 90, s.Elevation)
	inRange("seconds", 0, 3600, s.Seconds)
	inRange("shields", 0, 1, s.Shields...)
	inRange("generator", 0, 1, s.Generator)
	inRange("charge", 0, 1, s.Charge)
	inRange("hit", -1e6, 1e6, s.Hit...)
	switch {
	case len(s.Shields) != 6:
		return fmt.Errorf("shields: %d numbers, must be 6", len(s.Shields))
	case s.Hit != nil && len(s.Hit) != 3:
		return fmt.Errorf("hit: %d numbers, must be 3", len(s.Hit))
	case !slices.Contains([]string{"phaser", "pulse", "torpedo"}, s.Weapon):
		return fmt.Errorf("weapon: %q is not phaser, pulse or torpedo", s.Weapon)
	case !slices.Contains(levels, s.Level):
		return fmt.Errorf("level: %q is not low, med or high", s.Level)
	}
	return wrong
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
		f.add(attackerID, "attacker", s.Attacker, mods, model.Motion{Position: far, Forward: [3]float64{-x, -y, -z}}),
		f.add(targetID, "target", s.Target, mods, model.Motion{Forward: [3]float64{0, 1, 0}}),
	); err != nil {
		return err
	}
	f.attacker, f.target = f.world.Ship(attackerID), f.world.Ship(targetID)
	if s.Hit != nil {
		f.target.HitPoint = (*[3]float64)(s.Hit)
	}
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

func (f *fight) add(id objectid.ID, key, class string, mods stateupdate.Catalogue, m model.Motion) error {
	c := mods.Named(class)
	if c == nil {
		return fmt.Errorf("%s: there is no class %q", key, class)
	}
	if err := f.world.Add(id, c, "", m); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	f.world.Ship(id).Helm = new(stateupdate.Helm) // it stays where it is
	return nil
}

// line returns a line of the output, in points.
func (f *fight) line(now float64) map[string]any {
	line := map[string]any{"time": now, "shields": f.target.Shields, "charge": f.charge, "dead": !f.target.Alive()}
	subsystems, points := map[string]float64{}, f.target.Condition
	for _, sub := range f.target.Class.Subsystems {
		if _, known := line["hull"]; !known && sub.Kind == stateupdate.KindHull {
			line["hull"] = points[0]
		}
		subsystems[sub.Name], points = points[0], points[1:]
		for _, child := range sub.Children {
			subsystems[child.Name], points = points[0], points[1:]
		}
	}
	line["subsystems"] = subsystems
	return line
}
