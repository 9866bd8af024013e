package stateupdate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// schema is the version of ships.json.
const schema = 1

type jsonFile struct {
	Schema int         `json:"schema"`
	Ships  []jsonClass `json:"ships"`
}

type jsonClass struct {
	Species    opcode.Species  `json:"species"`
	Key        string          `json:"key"`
	Name       string          `json:"name"`
	Script     string          `json:"script"`
	Faction    string          `json:"faction"`
	Subsystems []jsonSubsystem `json:"subsystems"`
}

type jsonSubsystem struct {
	Index         *int        `json:"index"`
	Name          string      `json:"name"`
	Kind          string      `json:"kind"`
	Format        string      `json:"format"`
	MaxCondition  float32     `json:"maxCondition"`
	NormalPower   float32     `json:"normalPower"`
	PowerMode     PowerMode   `json:"powerMode"`
	Facings       []float32   `json:"facings"`
	MainBattery   float32     `json:"mainBatteryLimit"`
	BackupBattery float32     `json:"backupBatteryLimit"`
	Children      []jsonChild `json:"children"`
}

type jsonChild struct {
	Name         string  `json:"name"`
	MaxCondition float32 `json:"maxCondition"`
}

// ParseJSON reads classes in the schema of ships.json, which stands beside this package's
// source with the stock classes. Keys that a [Class] has no field for are ignored; of a
// subsystem, name and kind suffice.
//
// The error of a class that [Class.Validate] refuses names it and wraps [ErrClass].
func ParseJSON(data []byte) (Catalogue, error) {
	var file jsonFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("stateupdate: classes: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("stateupdate: classes: %w: schema %d, not %d", ErrClass, file.Schema, schema)
	}
	var all Catalogue
	for i := range file.Ships {
		c, err := file.Ships[i].class()
		if err == nil {
			err = c.validate()
		}
		if err == nil && all.has(c.Species) {
			err = fmt.Errorf("%w: another ship has the species %d", ErrClass, c.Species)
		}
		if err != nil {
			return nil, fmt.Errorf("stateupdate: classes: ship %d %q: %w", i, file.Ships[i].Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (j *jsonClass) class() (*Class, error) {
	c := &Class{Species: j.Species, Key: j.Key, Name: j.Name, Script: j.Script, Faction: j.Faction}
	for i := range j.Subsystems {
		s, err := j.Subsystems[i].subsystem(i)
		if err != nil {
			return nil, err
		}
		c.Subsystems = append(c.Subsystems, s)
	}
	return c, nil
}

func (j *jsonSubsystem) subsystem(i int) (Subsystem, error) {
	kind, known := kindNamed(j.Kind)
	format := kindTable[kind].format
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{!known, fmt.Sprintf("unknown kind %q", j.Kind)},
		{j.Format != "" && j.Format != format, fmt.Sprintf("format %q, but a %v has %q", j.Format, kind, format)},
		{j.Index != nil && *j.Index != i, fmt.Sprintf("another index than %d, its place", i)},
		{len(j.Facings) != 0 && len(j.Facings) != facings, fmt.Sprintf("%d facings", len(j.Facings))},
	} {
		if c.wrong {
			return Subsystem{}, fmt.Errorf("%w: %q has %s", ErrClass, j.Name, c.what)
		}
	}
	s := Subsystem{
		Name: j.Name, Kind: kind, MaxCondition: j.MaxCondition,
		NormalPower: j.NormalPower, PowerMode: j.PowerMode,
		MainBattery: j.MainBattery, BackupBattery: j.BackupBattery,
	}
	copy(s.Facings[:], j.Facings)
	for _, c := range j.Children {
		s.Children = append(s.Children, Child(c))
	}
	return s, nil
}

func (all Catalogue) has(s opcode.Species) bool {
	return slices.ContainsFunc(all, func(c *Class) bool { return c.Species == s })
}

// Validate says what is wrong with a class that was not made by [ParseJSON]: too many
// subsystems or children, none at all, a name that is missing or stands twice, a kind that
// does not exist, children where the wire has no place for them, a capacity that is
// negative or not finite. The error wraps [ErrClass].
func (c *Class) Validate() error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("stateupdate: %q: %w", c.Name, err)
	}
	return nil
}

func (c *Class) validate() error {
	if n := len(c.Subsystems); n == 0 || n > MaxSubsystems {
		return fmt.Errorf("%w: %d subsystems", ErrClass, n)
	}
	for i := range c.Subsystems {
		s := &c.Subsystems[i]
		err := s.validate()
		if err == nil && c.Find(s.Name) != i {
			err = errors.New("its name stands twice")
		}
		if err != nil {
			return fmt.Errorf("%w: subsystem %d %q: %v", ErrClass, i, s.Name, err)
		}
	}
	return nil
}

func (s *Subsystem) validate() error {
	switch {
	case s.Name == "":
		return errors.New("no name")
	case s.Kind >= kinds:
		return fmt.Errorf("unknown %v", s.Kind)
	case s.PowerMode > BackupOnly:
		return fmt.Errorf("power mode %d", s.PowerMode)
	case len(s.Children) > MaxChildren:
		return fmt.Errorf("%d children", len(s.Children))
	case s.Kind == KindShield && len(s.Children) > 0:
		return errors.New("a shield generator has facings, not children")
	}
	for _, f := range append(s.Facings[:], s.MaxCondition, s.NormalPower, s.MainBattery, s.BackupBattery) {
		if !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v", f)
		}
	}
	for _, child := range s.Children {
		if f := child.MaxCondition; !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v of %q", f, child.Name)
		}
	}
	return nil
}
