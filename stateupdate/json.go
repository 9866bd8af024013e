package stateupdate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// ParseJSON reads classes in the schema of ships.json, which stands beside this package's
// source and holds the stock classes. A subsystem needs only a name and a kind. An unknown
// key is an error, because a misspelt "children" would change every block of the class.
//
// The schema is 2. A file of schema 1 is read, too: it has no creation indices, so that the
// parts of its classes have no object IDs; see [Class.Part]. A class of schema 2 gives the
// creation index of every subsystem and child, or of none.
//
// If [Class.Validate] refuses a class, ParseJSON returns an error that names the class and
// wraps [ErrClass].
func ParseJSON(data []byte) (Catalogue, error) {
	var file jsonFile
	if err := file.read(data); err != nil {
		return nil, fmt.Errorf("stateupdate: classes: %w", err)
	}
	if file.Schema < firstSchema || file.Schema > lastSchema {
		return nil, fmt.Errorf("stateupdate: classes: %w: schema %d, not %d or %d", ErrClass, file.Schema, firstSchema, lastSchema)
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
	var err error
	if c.Grade, err = grade(j.Evidence, j.Inherits != ""); err != nil {
		return nil, err
	}
	for i := range j.Subsystems {
		s, err := j.Subsystems[i].subsystem(i)
		if err != nil {
			return nil, err
		}
		c.Subsystems = append(c.Subsystems, s)
	}
	return c, nil
}

func grade(evidence string, inherits bool) (Grade, error) {
	switch {
	case evidence == "":
		return Ungraded, nil
	case evidence != "script" && evidence != "script+capture":
		return Ungraded, fmt.Errorf("%w: evidence %q", ErrClass, evidence)
	case inherits:
		return GradeC, nil
	case evidence == "script":
		return GradeB, nil
	}
	return GradeA, nil
}

// offset returns the ID offset of a creation index, 0 if there is none.
func offset(creation *int64) (uint16, error) {
	switch {
	case creation == nil:
		return 0, nil
	case *creation < 0 || *creation >= math.MaxUint16:
		return 0, fmt.Errorf("creation index %d", *creation)
	}
	return uint16(*creation + 1), nil
}

func (j *jsonSubsystem) subsystem(i int) (Subsystem, error) {
	kind, known := kindNamed(j.Kind)
	format := kindTable[kind].format
	id, err := offset(j.CreationIndex)
	if err != nil {
		return Subsystem{}, fmt.Errorf("%w: %q has %v", ErrClass, j.Name, err)
	}
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
		Name: j.Name, Kind: kind, IDOffset: id, MaxCondition: j.MaxCondition,
		NormalPower: j.NormalPower, PowerMode: j.PowerMode,
		MainBattery: j.MainBattery, BackupBattery: j.BackupBattery,
	}
	copy(s.Facings[:], j.Facings)
	for _, c := range j.Children {
		if c.Kind != "" && c.Kind != kindTable[kind].child || c.Format != "" && c.Format != kindTable[KindHull].format {
			return Subsystem{}, fmt.Errorf("%w: %q has a child of kind %q and format %q", ErrClass, j.Name, c.Kind, c.Format)
		}
		id, err := offset(c.CreationIndex)
		if err != nil {
			return Subsystem{}, fmt.Errorf("%w: %q of %q has %v", ErrClass, c.Name, j.Name, err)
		}
		s.Children = append(s.Children, Child{Name: c.Name, IDOffset: id, MaxCondition: c.MaxCondition})
	}
	return s, nil
}

func (all Catalogue) has(s opcode.Species) bool {
	return slices.ContainsFunc(all, func(c *Class) bool { return c.Species == s })
}

// Versions of the schema. A file of the first schema has no creation indices.
const (
	firstSchema = 1
	lastSchema  = 2 // that of ships.json
)

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
	Evidence   string          `json:"evidence"`
	Inherits   string          `json:"inherits"`
	Subsystems []jsonSubsystem `json:"subsystems"`
	jsonClassNotes
}

type jsonSubsystem struct {
	Index         *int        `json:"index"`
	Name          string      `json:"name"`
	Kind          string      `json:"kind"`
	Format        string      `json:"format"`
	CreationIndex *int64      `json:"creationIndex"`
	MaxCondition  float32     `json:"maxCondition"`
	NormalPower   float32     `json:"normalPower"`
	PowerMode     PowerMode   `json:"powerMode"`
	Facings       []float32   `json:"facings"`
	MainBattery   float32     `json:"mainBatteryLimit"`
	BackupBattery float32     `json:"backupBatteryLimit"`
	Children      []jsonChild `json:"children"`
	jsonSubsystemNotes
}

type jsonChild struct {
	Name          string  `json:"name"`
	Kind          string  `json:"kind"`
	Format        string  `json:"format"`
	CreationIndex *int64  `json:"creationIndex"`
	MaxCondition  float32 `json:"maxCondition"`
}

// Keys that are known and not read: notes for people and tests, values that follow from
// the rest, and keys of the first schema.
type (
	jsonClassNotes struct {
		CanCloak  unread `json:"canCloak"`
		Captures  unread `json:"captures"`
		Hardpoint unread `json:"hardpoint"`
		LayoutOf  unread `json:"layoutOf"` // first schema
		Note      unread `json:"note"`
		Totals    unread `json:"totals"`
	}
	jsonSubsystemNotes struct {
		Powered             unread `json:"powered"`
		Bools               unread `json:"bools"`
		BytesOwn            unread `json:"bytesOwn"`
		BytesRemote         unread `json:"bytesRemote"`
		BytesCreate         unread `json:"bytesCreate"`
		CreateBools         unread `json:"createBools"`
		MaxConditionAlt     unread `json:"maxConditionAlt"` // first schema, and the rest
		MaxConditionSource  unread `json:"maxConditionSource"`
		MaxConditionUnknown unread `json:"maxConditionUnknown"`
		ChildOrderAlt       unread `json:"childOrderAlt"`
	}
	unread struct{}
)

// UnmarshalJSON takes anything.
func (*unread) UnmarshalJSON([]byte) error { return nil }
