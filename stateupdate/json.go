package stateupdate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// ParseJSON reads the classes of a mod. The file ships.json of this package has the classes of the game:
//
//	{
//	  "projectiles": [{"script": "Dart", "damage": 7, "speed": 50}],
//	  "ships": [{
//	    "species": 46, "name": "Runabout", "physics": {"mass": 30, "maxSpeed": 5},
//	    "subsystems": [
//	      {"name": "Hull", "kind": "hull", "maxCondition": 2000, "repairComplexity": 3},
//	      {"name": "Cannons", "kind": "pulse", "repairComplexity": 2, "children": [
//	        {"name": "Bow", "repairComplexity": 1, "weapon": {"direction": [0, 1, 0], "projectile": "Dart"}}
//	      ]}
//	    ]
//	  }]
//	}
//
// Every key is the name of a field of [Class], [Subsystem], [Child] or a type therein. These values are texts: a
// kind, as Kind.String returns it, the evidence, as opcode.Grade.String returns it, and a projectile, which is the
// script of one of the file or of the game. The kind is required, and no two ships have the same species. If a ship
// has physics without a radius, the radius is inferred. An unknown key is an error, because a misspelled "children"
// would change every block of the class.
//
// An error names the line, the ship, the subsystem and the child. It wraps [ErrClass] if a class is not valid; see
// [Class.Validate].
func ParseJSON(data []byte) (Catalogue, error) {
	r := jsonReader{data: data, projectiles: map[string]*Projectile{}}
	for i := range stockProjectiles {
		r.projectiles[stockProjectiles[i].Script] = &stockProjectiles[i]
	}
	all, err := r.file()
	if err != nil {
		return nil, fmt.Errorf("stateupdate: classes: line %d: %w", 1+bytes.Count(data[:r.at], []byte{'\n'}), err)
	}
	return all, nil
}

// jsonReader reads a file of classes.
type jsonReader struct {
	data        []byte
	projectiles map[string]*Projectile // by script
	at          int                    // the offset of the last object or, after an error, of the error
}

// jsonObject is an object of a file, at an offset.
type jsonObject struct {
	text []byte
	at   int
}

func (r *jsonReader) file() (all Catalogue, err error) {
	file := jsonObject{r.data, 0}
	var f struct{ Projectiles, Ships []json.RawMessage }
	if err := r.decode(file, &f); err != nil {
		return nil, err
	}
	if err := r.lists(); err != nil {
		return nil, err
	}
	for i, o := range file.list("projectiles") {
		type fields Projectile // a Projectile is decoded from its script
		p := new(Projectile)
		if err := r.decode(o, (*fields)(p)); err != nil {
			return nil, inJSON("projectile", i, p.Script, err)
		}
		r.projectiles[p.Script] = p
	}
	for i, o := range file.list("ships") {
		c := new(Class)
		err := r.class(o, c)
		if err == nil && slices.ContainsFunc(all, func(other *Class) bool { return other.Species == c.Species }) {
			err = fmt.Errorf("%w: another class has the species %d", ErrClass, c.Species)
		}
		if err != nil {
			return nil, inJSON("ship", i, c.Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// inJSON adds the place of an error.
func inJSON(what string, i int, name string, err error) error {
	if name != "" {
		return fmt.Errorf("%s %d %.40q: %w", what, i, name, err)
	}
	return fmt.Errorf("%s %d: %w", what, i, err)
}

func (r *jsonReader) class(o jsonObject, c *Class) error {
	f := struct {
		*Class
		Evidence   jsonGrade
		Subsystems []json.RawMessage
	}{Class: c}
	if err := r.decode(o, &f); err != nil {
		return err
	}
	c.Evidence = opcode.Grade(f.Evidence)
	var at []int
	for i, o := range o.list("subsystems") {
		c.Subsystems, at = append(c.Subsystems, Subsystem{}), append(at, o.at)
		s := &c.Subsystems[i]
		if err := r.subsystem(o, s); err != nil {
			return inJSON("subsystem", i, s.Name, err)
		}
	}
	if p := c.Physics; p != nil && p.Radius == 0 {
		p.Radius = c.inferredRadius()
	}
	i, err := c.validate()
	if r.at = o.at; i >= 0 {
		r.at = at[i]
	}
	return err
}

func (r *jsonReader) subsystem(o jsonObject, s *Subsystem) error {
	f := struct {
		*Subsystem
		Kind     *Kind
		Children []json.RawMessage
	}{Subsystem: s}
	if err := r.decode(o, &f); err != nil {
		return err
	}
	if f.Kind == nil {
		return fmt.Errorf("%w: the kind is missing", ErrClass)
	}
	s.Kind = *f.Kind
	for i := range s.Ammunition {
		if err := r.projectile(&s.Ammunition[i].Projectile); err != nil {
			return err
		}
	}
	for i, o := range o.list("children") {
		s.Children = append(s.Children, Child{})
		child := &s.Children[i]
		err := r.decode(o, child)
		if w := child.Weapon; err == nil && w != nil {
			err = r.projectile(&w.Projectile)
		}
		if err != nil {
			return inJSON("child", i, child.Name, err)
		}
	}
	return nil
}

// projectile replaces a projectile of which only the script is known.
func (r *jsonReader) projectile(p **Projectile) error {
	if *p == nil {
		return nil
	}
	known := r.projectiles[(*p).Script]
	if known == nil {
		return fmt.Errorf("%w: unknown projectile %.40q", ErrClass, (*p).Script)
	}
	*p = known
	return nil
}

// decode reads an object, and sets the offset of an error.
func (r *jsonReader) decode(o jsonObject, v any) error {
	d := json.NewDecoder(bytes.NewReader(o.text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	r.at = o.at + len(o.text) - len(bytes.TrimLeft(o.text, " \t\r\n"))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		r.at = o.at + int(syntax.Offset) - 1
	} else if value, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text has Go types
		r.at = o.at + int(value.Offset) - 1
		err = fmt.Errorf("wrong value: %s", value.Value)
		if key := value.Field[1+strings.LastIndex(value.Field, "."):]; key != "" {
			err = fmt.Errorf("%s: %w", key, err)
		}
		return err
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.at = o.at + len(o.text)
		return io.ErrUnexpectedEOF
	}
	if end := int(d.InputOffset()); err == nil && len(bytes.TrimSpace(o.text[end:])) > 0 {
		r.at = o.at + len(o.text)
		return errors.New("unexpected data after the JSON value")
	}
	if err != nil {
		return fmt.Errorf("%w", trimmedJSON{err})
	}
	return nil
}

// trimmedJSON is an error without the name of package json.
type trimmedJSON struct{ error }

func (e trimmedJSON) Error() string {
	return fmt.Sprintf("%.100s", strings.TrimPrefix(e.error.Error(), "json: "))
}
func (e trimmedJSON) Unwrap() error { return e.error }

// list returns the elements of a list in an object that was decoded.
func (o jsonObject) list(key string) (all []jsonObject) {
	d := json.NewDecoder(bytes.NewReader(o.text))
	_, _ = d.Token()
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if _ = d.Decode(&value); !strings.EqualFold(name.(string), key) || value[0] != '[' {
			continue
		}
		from := int(d.InputOffset()) - len(value)
		elements := json.NewDecoder(bytes.NewReader(value))
		_, _ = elements.Token()
		for elements.More() {
			var text json.RawMessage
			_ = elements.Decode(&text)
			all = append(all, jsonObject{text, o.at + from + int(elements.InputOffset()) - len(text)})
		}
	}
	return all
}

// jsonLength returns the length of a list of numbers that is an array, or 0. Package json reads lists of any length into
// arrays.
func jsonLength(key string) int {
	switch strings.ToLower(key) {
	case "facings", "shieldcharge":
		return facings
	case "position", "direction", "up":
		return 3
	case "arcwidth", "archeight":
		return 2
	}
	return 0
}

// lists checks the lengths of the lists of numbers in a file that was decoded.
func (r *jsonReader) lists() error {
	d := json.NewDecoder(bytes.NewReader(r.data))
	key, n := "", -1 // in a list of numbers: how many were read
	for {
		t, err := d.Token()
		if err != nil {
			return nil
		}
		switch t := t.(type) {
		case string:
			key = t
		case float64:
			n++
		case json.Delim:
			if want := jsonLength(key); t == ']' && n >= 0 && want != 0 && n != want {
				r.at = int(d.InputOffset())
				return fmt.Errorf("%w: %s: %d numbers, must be %d", ErrClass, key, n, want)
			}
			if n = -1; t == '[' {
				n = 0
			}
		}
	}
}

// jsonGrade is a grade that is decoded from its name.
type jsonGrade opcode.Grade

func (g *jsonGrade) UnmarshalText(text []byte) error {
	for *g = 0; *g <= jsonGrade(opcode.Inferred); *g++ {
		if opcode.Grade(*g).String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("%w: unknown evidence %.40q", ErrClass, text)
}

// unmeasured is the radius of a ship in distances of its farthest part: the median of the measured classes.
const unmeasured = 1.17

// inferredRadius returns the radius of a ship without a measured one. If all parts are in the centre, it is the radius of
// the largest part.
func (c *Class) inferredRadius() float64 {
	farthest, largest := 0.0, 0.0
	for p := range c.parts() {
		body := p.physics()
		farthest = max(farthest, math.Sqrt(dot(body.Position, body.Position)))
		largest = max(largest, body.Radius)
	}
	if farthest == 0 {
		return largest
	}
	return unmeasured * farthest
}
