package stateupdate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// jsonKey is a key of an object. Its value is a pointer for package json, a function that reads it,
// or nil if the key is ignored.
type jsonKey struct {
	name  string
	value any
}

// jsonReader reads values and knows their places, for errors.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	path    []jsonPlace // the file and the objects around the next value

	projectiles []*Projectile // of the file
}

// jsonPlace is an object.
type jsonPlace struct {
	what string  // "ship"
	i    int     // in its list, or single
	name *string // nil if it has none
	line int     // from 1
}

// single is the index of an object that is not in a list.
const single = -1

func (r *jsonReader) place() *jsonPlace { return &r.path[len(r.path)-1] }

// line returns the line of the next value.
func (r *jsonReader) line() int {
	at := int(r.decoder.InputOffset())
	space := len(r.data[at:]) - len(bytes.TrimLeft(r.data[at:], " \t\r\n:,"))
	return 1 + bytes.Count(r.data[:at+space], []byte{'\n'})
}

// fail returns an error with the line, and with the objects around the next value.
func (r *jsonReader) fail(line int, err error) error {
	place := fmt.Sprintf("line %d: ", line)
	for _, p := range r.path[1:] {
		place += p.what
		if p.i != single {
			place += fmt.Sprintf(" %d", p.i)
		}
		if p.name != nil && *p.name != "" {
			place += fmt.Sprintf(" %.40q", *p.name)
		}
		place += ": "
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("stateupdate: classes: %s%w", place, err)
}

// object reads an object. A null has no keys.
func (r *jsonReader) object(keys []jsonKey) error {
	r.place().line = r.line()
	return r.group('{', func() error {
		line := r.line()
		t, err := r.decoder.Token()
		if err != nil {
			return r.fail(line, err)
		}
		name, _ := t.(string)
		i := slices.IndexFunc(keys, func(k jsonKey) bool { return k.name == name })
		if i < 0 {
			return r.fail(line, fmt.Errorf("unknown key %.40q of a %s; %s", name, r.place().what, advice(name, keys)))
		}
		if read, ok := keys[i].value.(func() error); ok {
			return read()
		}
		return r.decode(name, keys[i].value)
	})
}

// list reads a list of objects. A null is an empty list.
func (r *jsonReader) list(what string, each func() error) error {
	i := 0
	return r.group('[', func() error {
		r.path = append(r.path, jsonPlace{what: what, i: i})
		i++
		if err := each(); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
		return nil
	})
}

// group reads an object or a list whose elements a function reads.
func (r *jsonReader) group(begin json.Delim, each func() error) error {
	line := r.line()
	switch t, err := r.decoder.Token(); {
	case err != nil:
		return r.fail(line, err)
	case t == nil:
		return nil
	case t != begin:
		return r.fail(line, fmt.Errorf("wrong value, must begin with %v", begin))
	}
	for r.decoder.More() {
		if err := each(); err != nil {
			return err
		}
	}
	line = r.line()
	if _, err := r.decoder.Token(); err != nil {
		return r.fail(line, err)
	}
	return nil
}

// decode reads the value of a key into v. If v is nil, it ignores the value.
func (r *jsonReader) decode(key string, v any) error {
	line := r.line()
	if v == nil {
		v = new(json.RawMessage)
	}
	err := r.decoder.Decode(v)
	if value, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text has Go types
		err = fmt.Errorf("%s: wrong value: %s", key, value.Value)
	}
	if err != nil {
		return r.fail(line, err)
	}
	return nil
}

// longestKey is the length of the longest unknown key that is compared with the others.
const longestKey = 40

// advice returns the key that an unknown key probably means, or all keys that are not ignored.
func advice(name string, keys []jsonKey) string {
	best, least := "", 1+len(name)/3
	var all []string
	for _, k := range keys {
		if k.value == nil {
			continue
		}
		all = append(all, k.name)
		if len(name) > longestKey {
			continue
		}
		if d := edits(strings.ToLower(name), strings.ToLower(k.name)); d < least {
			best, least = k.name, d
		}
	}
	if best == "" {
		return "the keys are " + strings.Join(all, ", ")
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// edits returns the number of letters by which two words differ, or 1 if one is a part of the
// other.
func edits(a, b string) int {
	if a != b && len(a) > 2 && (strings.Contains(b, a) || strings.Contains(a, b)) {
		return 1
	}
	row := make([]int, len(b)+1) // distances of the beginnings of b from a beginning of a
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
