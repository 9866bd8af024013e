package stateupdate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// ParseJSON reads classes in the schema of ships.json, which stands beside this package's
// source with the stock classes. Of a subsystem, name and kind suffice. A key that ships.json
// does not have is an error: a misspelt "children" would make every block of the class
// another.
//
// The error of a class that [Class.Validate] refuses names it and wraps [ErrClass].
func ParseJSON(data []byte) (Catalogue, error) {
	var file jsonFile
	if err := file.read(data); err != nil {
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

func (f *jsonFile) read(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	switch err := d.Decode(f); {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something after the end")
	}
	return nil
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
		if c.Kind != "" && c.Kind != kindTable[kind].child || c.Format != "" && c.Format != kindTable[KindHull].format {
			return Subsystem{}, fmt.Errorf("%w: %q has a child of kind %q and format %q", ErrClass, j.Name, c.Kind, c.Format)
		}
		s.Children = append(s.Children, Child{Name: c.Name, MaxCondition: c.MaxCondition})
	}
	return s, nil
}

func (all Catalogue) has(s opcode.Species) bool {
	return slices.ContainsFunc(all, func(c *Class) bool { return c.Species == s })
}
