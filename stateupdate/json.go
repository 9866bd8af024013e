package stateupdate

import (
	"encoding/json"
	"fmt"
	"math"

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
	Name          string      `json:"name"`
	Kind          string      `json:"kind"`
	Format        string      `json:"format"`
	MaxCondition  float32     `json:"maxCondition"`
	NormalPower   float32     `json:"normalPower"`
	PowerMode     PowerMode   `json:"powerMode"`
	Facings       [6]float32  `json:"facings"`
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
	all := make(Catalogue, len(file.Ships))
	for i := range file.Ships {
		c, err := file.Ships[i].class()
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("stateupdate: classes: ship %d %q: %w", i, file.Ships[i].Name, err)
		}
		all[i] = c
	}
	return all, nil
}

func (j *jsonClass) class() (*Class, error) {
	c := &Class{Species: j.Species, Key: j.Key, Name: j.Name, Script: j.Script, Faction: j.Faction}
	for i := range j.Subsystems {
		s, err := j.Subsystems[i].subsystem()
		if err != nil {
			return nil, err
		}
		c.Subsystems = append(c.Subsystems, s)
	}
	return c, nil
}

func (j *jsonSubsystem) subsystem() (Subsystem, error) {
	kind, ok := kindNamed(j.Kind)
	if !ok {
		return Subsystem{}, fmt.Errorf("%w: %q is of the unknown kind %q", ErrClass, j.Name, j.Kind)
	}
	if format := kindTable[kind].format; j.Format != "" && j.Format != format {
		return Subsystem{}, fmt.Errorf("%w: %q has the format %q, but a %v has %q", ErrClass, j.Name, j.Format, kind, format)
	}
	s := Subsystem{
		Name: j.Name, Kind: kind, MaxCondition: j.MaxCondition,
		NormalPower: j.NormalPower, PowerMode: j.PowerMode,
		Facings: j.Facings, MainBattery: j.MainBattery, BackupBattery: j.BackupBattery,
	}
	for _, c := range j.Children {
		s.Children = append(s.Children, Child(c))
	}
	return s, nil
}

// Validate says what is wrong with a class that was not made by [ParseJSON]: too many
// subsystems or children, none at all, a kind that does not exist, children where the
// wire has no place for them, a capacity that is negative or not finite. The error wraps
// [ErrClass].
func (c *Class) Validate() error {
	if n := len(c.Subsystems); n == 0 || n > MaxSubsystems {
		return fmt.Errorf("%w: %d subsystems", ErrClass, n)
	}
	for i := range c.Subsystems {
		if err := c.Subsystems[i].validate(); err != nil {
			return fmt.Errorf("%w: subsystem %d %q: %v", ErrClass, i, c.Subsystems[i].Name, err)
		}
	}
	return nil
}

func (s *Subsystem) validate() error {
	switch {
	case s.Kind >= kinds:
		return fmt.Errorf("unknown %v", s.Kind)
	case s.PowerMode > BackupOnly:
		return fmt.Errorf("power mode %d", s.PowerMode)
	case len(s.Children) > MaxChildren:
		return fmt.Errorf("%d children", len(s.Children))
	case s.Kind == KindShield && len(s.Children) > 0:
		return fmt.Errorf("a shield generator has facings, not children")
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
