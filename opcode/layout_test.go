package opcode_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
)

// The layout tables in the doc comments agree with the walks. Every field of every payload is in
// the table of its type with its offset and size, and every field of a table is in some payload.
func TestLayouts(t *testing.T) {
	docs, err := declarations()
	require.NoError(t, err)
	l := layouts{docs: docs, seen: map[string]bool{}}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			var parts []span
			for _, f := range fields[1:] { // after the opcode
				parts = append(parts, span{f.Path(), f.Offset, len(f.Raw)})
			}
			l.T, l.message = t, m
			l.check(reflect.TypeOf(m).Elem(), parts, 0)
		}
	})
	tables := 0
	for name, d := range l.docs {
		if !strings.Contains(d.doc, tableHead) {
			continue
		}
		typ, known := l.types[name]
		if !known && slices.ContainsFunc(types, func(op opcode.Code) bool { return op.String() == name && len(payloads(t, op)) == 0 }) {
			continue // TestEveryTypeHasPayloads fails
		}
		require.True(t, known, "%s: no payload has the type %s; %s", typeFile(t, name), name, generated)
		tables++
		for _, r := range layout(d.doc, typ) {
			fields := r.fields
			if r.embedded {
				fields = []string{typ.Field(typ.NumField() - 1).Name}
			}
			for _, field := range fields {
				require.True(t, l.seen[r.key(name, field)], "%s: no payload of %s has the field %s of the row %q", typeFile(t, name), name, field, r.text)
			}
		}
	}
	require.Greater(t, tables, len(types))
}

// A dissected bool, or field with a type of its own, has the type and the value of the field of the message.
func TestDissectedTypes(t *testing.T) {
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			for _, f := range fields {
				v := reflect.ValueOf(m).Elem().FieldByName(f.Path())
				if !v.IsValid() || v.Type().PkgPath() == "" && v.Kind() != reflect.Bool {
					continue
				}
				want := v.Interface()
				if class := reflect.ValueOf(m).Elem().FieldByName("ClassID"); f.Path() == "Species" && class.Interface() == opcode.ObjectTorpedo {
					want = opcode.TorpedoType(v.Uint())
				}
				require.Equal(t, want, f.Value(), f.Path())
			}
		}
	})
}

// span is a field of a payload, by its path within the type that is checked.
type span struct {
	path         string
	offset, size int
}

// layoutRow is a row of a layout table.
type layoutRow struct {
	condition string   // a flag or a class, in place of an offset
	offset    string   // such as "45+n", or several with commas; "" after the row before it
	size      string   // "" of packed bools in the byte of others
	text      string   // the third column
	fields    []string // the Go fields that it begins with
	embedded  bool     // the row stands for the fields of an embedded struct
}

func (r layoutRow) key(typ, field string) string { return typ + "." + r.condition + "." + field }

// layouts compares tables with payloads.
type layouts struct {
	*testing.T
	message opcode.Message
	docs    map[string]declaration
	types   map[string]reflect.Type // whose tables were compared
	seen    map[string]bool         // fields of rows
}

// check compares the table of a type with the fields of a value that begins at base.
func (l *layouts) check(typ reflect.Type, parts []span, base int) {
	if l.types == nil {
		l.types = map[string]reflect.Type{}
	}
	l.types[typ.Name()] = typ
	rows := layout(l.docs[typ.Name()].doc, typ)
	left := slices.Clone(parts)
	vars := map[string]int{}
	end := base
	for _, r := range rows {
		if !l.holds(r.condition) {
			continue
		}
		var taken []span
		for _, p := range left {
			if slices.Contains(r.fields, outermost(p.path)) || r.embedded && !hasField(typ, outermost(p.path)) {
				taken = append(taken, p)
			}
		}
		if len(taken) == 0 || r.embedded && !l.embedded(typ, r, taken, &end) {
			left = without(left, taken)
			continue
		}
		first, size := taken[0].offset, 0
		for _, p := range taken {
			size += p.size
			l.seen[r.key(typ.Name(), outermost(p.path))] = true
		}
		if r.size == "" {
			require.Contains(l, r.text, "packed", "%s: the row %q has no size, the walk has %d", l.table(typ), r.text, size)
		} else {
			require.True(l, solve(r.size, size, vars), "%s: the size of the row %q is %s, the walk has %d in %v", l.table(typ), r.text, r.size, size, l.message)
		}
		switch {
		case r.size == "":
		case r.offset == "":
			require.Equal(l, end, first, "%s: the offset of the row %q follows the row before it, the walk has another", l.table(typ), r.text)
		default:
			require.True(l, slices.ContainsFunc(strings.Split(r.offset, ", "), func(offset string) bool {
				return solve(offset, first-base, vars)
			}), "%s: the offset of the row %q is %s, the walk has %d in %v", l.table(typ), r.text, r.offset, first-base, l.message)
		}
		end = max(end, first+size)
		left = without(left, taken)
	}
	if strings.Contains(l.docs[typ.Name()].doc, tableHead) {
		for _, p := range left {
			require.Fail(l, "no row", "%s: no row begins with %s, which the walk has at offset %d with size %d", l.table(typ), p.path, p.offset-base, p.size)
		}
	}
	l.nested(typ, parts)
}

// table names the layout table of a type.
func (l *layouts) table(typ reflect.Type) string {
	return fmt.Sprintf("%s: the layout table of %s", typeFile(l.T, typ.Name()), typ.Name())
}

// holds reports whether a row applies to the message: its flag is set, or its class is the
// event's.
func (l *layouts) holds(condition string) bool {
	switch m := l.message.(type) {
	case *opcode.StateUpdate:
		return condition == "" || slices.Contains(strings.Split(m.Flags.String(), "|"), strings.ToLower(strings.TrimPrefix(condition, "State")))
	case opcode.EventMessage:
		return condition == "" || condition == "Class"+m.Envelope().Class.String()
	}
	return true
}

// embedded compares the fields of an embedded struct with the table of its type. It reports
// whether the row describes these fields, because an event may have an unexpected class.
func (l *layouts) embedded(typ reflect.Type, r layoutRow, parts []span, end *int) bool {
	inner := typ.Field(typ.NumField() - 1).Type
	base := 0 // the table of Event begins with the opcode
	if inner.Name() == "Object" {
		base = parts[0].offset
	}
	l.check(inner, parts, base)
	*end = parts[len(parts)-1].offset + parts[len(parts)-1].size
	_, with, tail := strings.Cut(r.text, " with ")
	var want []string
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(with, -1) {
		if tail && hasField(inner, word) {
			want = append(want, word)
		}
	}
	var got []string
	for _, p := range parts {
		if name := outermost(p.path); !slices.Contains([]string{"Class", "Code", "Source", "Dest"}, name) && !slices.Contains(got, name) {
			got = append(got, name)
		}
	}
	fits := !tail && strings.Contains(r.size, "n") || slices.Equal(want, got)
	l.seen[r.key(typ.Name(), inner.Name())] = l.seen[r.key(typ.Name(), inner.Name())] || fits
	return fits
}

// nested compares the structs and the elements of lists in a type.
func (l *layouts) nested(typ reflect.Type, parts []span) {
	groups := map[string][]span{}
	for _, p := range parts {
		name := outermost(p.path)
		rest := strings.TrimPrefix(p.path, name)
		index, rest, found := strings.Cut(rest, ".")
		if found {
			groups[name+index] = append(groups[name+index], span{rest, p.offset, p.size})
		}
	}
	for name, inside := range groups {
		f, ok := typ.FieldByName(outermost(name))
		require.True(l, ok, "%v.%s", typ, name)
		of := f.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		l.check(of, inside, inside[0].offset)
	}
}

func outermost(path string) string { return firstWord.FindString(path) }

func without(all, taken []span) []span {
	return slices.DeleteFunc(all, func(p span) bool { return slices.Contains(taken, p) })
}

// hasField reports whether a struct has a field of its own, not of an embedded struct.
func hasField(typ reflect.Type, name string) bool {
	f, ok := typ.FieldByName(name)
	return ok && len(f.Index) == 1
}

// solve reports whether an expression such as "1+4n+4" can have a value. It stores the value of
// its variable.
func solve(expression string, value int, vars map[string]int) bool {
	unknown, times := "", 0
	for _, term := range strings.Split(expression, "+") {
		name := strings.TrimLeft(term, "0123456789")
		n := 1
		if digits := strings.TrimSuffix(term, name); digits != "" {
			n, _ = strconv.Atoi(digits)
		}
		v, known := vars[name]
		switch {
		case name == "":
			value -= n
		case known:
			value -= n * v
		case unknown == "":
			unknown, times = name, n
		default:
			panic(fmt.Sprintf("%s has two variables", expression))
		}
	}
	if unknown == "" || value < 0 || value%times != 0 {
		return unknown == "" && value == 0
	}
	vars[unknown] = value / times
	return true
}

// tableHead begins the first line of a table.
const tableHead = "\toffset"

var (
	firstWord = regexp.MustCompile(`^\w*`)
	columns   = regexp.MustCompile(` {2,}`)
	sizes     = regexp.MustCompile(`^[0-9a-z+]+$`)
	condition = regexp.MustCompile(`^(Class|State)\w+$`)
)

// layout returns the rows of the table in a doc comment, without the row of the opcode.
func layout(doc string, typ reflect.Type) (rows []layoutRow) {
	_, table, found := strings.Cut(doc, tableHead)
	if !found {
		return nil
	}
	for _, line := range strings.Split(table, "\n")[1:] {
		line, ok := strings.CutPrefix(line, "\t")
		if !ok {
			continue
		}
		r := layoutRow{}
		c := columns.Split(strings.TrimSpace(line), -1)
		if !strings.HasPrefix(line, " ") {
			if r.offset = c[0]; condition.MatchString(c[0]) {
				r.condition, r.offset = c[0], ""
			}
			c = c[1:]
		}
		if len(c) > 1 && sizes.MatchString(c[0]) {
			r.size, c = c[0], c[1:]
		}
		if len(c) != 1 {
			continue // a heading, or a class without fields
		}
		r.text = c[0]
		for _, words := range strings.Split(r.text, ", ") {
			if name := outermost(words); hasField(typ, name) {
				r.fields = append(r.fields, name)
			}
		}
		r.embedded = strings.HasPrefix(r.text, "an Event") || strings.HasPrefix(r.text, "an Object")
		if len(r.fields) > 0 || r.embedded {
			rows = append(rows, r)
		}
	}
	return rows
}
