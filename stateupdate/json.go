package stateupdate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// ParseJSON reads classes in the format of the example; the file ships.json of this package has
// all keys. A subsystem needs only a name and a kind, a word of [Kind.String]. An unknown key is
// an error, because a misspelled "children" would change every block of the class.
//
// The schema is 1 or 2. In schema 2, either all parts of a class have a creationIndex, or none.
// The creation indices give the object IDs of the parts; see [Class.Part].
//
// The error wraps [ErrClass] if a class or the schema is invalid. Other errors are about the JSON.
func ParseJSON(data []byte) (Catalogue, error) {
	var file jsonFile
	if err := file.read(data); err != nil {
		return nil, fmt.Errorf("stateupdate: classes: %w", err)
	}
	if file.Schema < firstSchema || file.Schema > lastSchema {
		return nil, fmt.Errorf("stateupdate: classes: %w: schema %d, must be %d or %d", ErrClass, file.Schema, firstSchema, lastSchema)
	}
	var all Catalogue
	for i := range file.Ships {
		c, err := file.Ships[i].class()
		if err == nil {
			err = c.validate()
		}
		if err == nil && all.has(c.Species) {
			err = fmt.Errorf("%w: another class has the species %d", ErrClass, c.Species)
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
		return locate(data, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON value")
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
		return Ungraded, fmt.Errorf("%w: unknown evidence %q", ErrClass, evidence)
	case inherits:
		return GradeC, nil
	case evidence == "script":
		return GradeB, nil
	}
	return GradeA, nil
}

// offset returns the ID offset of a creation index, or 0 if there is no index.
func offset(creation *int64) (uint16, error) {
	switch {
	case creation == nil:
		return 0, nil
	case *creation < 0 || *creation >= math.MaxUint16:
		return 0, fmt.Errorf("creation index %d out of range", *creation)
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
	wrong := ""
	switch {
	case !known:
		wrong = fmt.Sprintf("unknown kind %q", j.Kind)
	case j.Format != "" && j.Format != format:
		wrong = fmt.Sprintf("format %q, must be %q for kind %v", j.Format, format, kind)
	case j.Index != nil && *j.Index != i:
		wrong = fmt.Sprintf("index %d, must be %d", *j.Index, i)
	case len(j.Facings) != 0 && len(j.Facings) != facings:
		wrong = fmt.Sprintf("%d facings, must be %d", len(j.Facings), facings)
	}
	if wrong != "" {
		return Subsystem{}, fmt.Errorf("%w: %q has %s", ErrClass, j.Name, wrong)
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

// Versions of the schema.
const (
	firstSchema = 1
	lastSchema  = 2 // with creation indices
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

// Keys that ParseJSON accepts and does not use: notes, values computed from other keys, and
// keys of schema 1.
type (
	jsonClassNotes struct {
		CanCloak  unread `json:"canCloak"`
		Captures  unread `json:"captures"`
		Hardpoint unread `json:"hardpoint"`
		LayoutOf  unread `json:"layoutOf"` // schema 1
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
		MaxConditionAlt     unread `json:"maxConditionAlt"` // schema 1, from here on
		MaxConditionSource  unread `json:"maxConditionSource"`
		MaxConditionUnknown unread `json:"maxConditionUnknown"`
		ChildOrderAlt       unread `json:"childOrderAlt"`
	}
	unread struct{}
)

// UnmarshalJSON accepts any value.
func (*unread) UnmarshalJSON([]byte) error { return nil }

// syntaxError is an error of package json with its line.
type syntaxError struct {
	line int // from 1
	text string
	err  error
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }
func (e *syntaxError) Unwrap() error { return e.err }

// locate adds the line to an error of package json. It replaces the names of Go types with the
// path of the key.
func locate(data []byte, err error) error {
	e := &syntaxError{text: fmt.Sprint(err), err: err}
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if value, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset, e.text = value.Offset, fmt.Sprintf("%s: wrong value: %s", cmp.Or(value.Field, "JSON"), value.Value)
	} else {
		return err
	}
	e.line = 1 + bytes.Count(data[:min(int(offset), len(data))], []byte{'\n'})
	return e
}
