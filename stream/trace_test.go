package stream_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

type fieldOf struct {
	path              string
	offset, size, bit int
	value             any
}

func requireFields(t *testing.T, payload []byte, m stream.Walker, want []fieldOf) {
	t.Helper()
	fields, err := dissect(payload, m)
	require.NoError(t, err)
	covers(t, payload, fields, nil)
	require.Equal(t, want, fieldsOf(fields))
	for _, f := range fields {
		requireOneValue(t, &f)
	}
}

// requireOneValue requires that the ways to read the value of a field agree.
func requireOneValue(t *testing.T, f *stream.Field) {
	t.Helper()
	value := f.Value()
	require.Equal(t, reflect.TypeOf(value), reflect.TypeOf(f.Type()), f.Path())
	text, isText := value.(fmt.Stringer)
	switch v := reflect.ValueOf(value); {
	case !v.IsValid():
		require.Zero(t, f.Int())
	case v.CanInt():
		require.Equal(t, v.Int(), f.Int(), f.Path())
	case v.CanUint():
		require.EqualValues(t, v.Uint(), f.Int(), f.Path())
	case v.Kind() == reflect.Bool:
		require.Equal(t, v.Bool(), f.Int() == 1, f.Path())
	case v.Kind() == reflect.Float32:
		require.EqualValues(t, math.Float32bits(float32(v.Float())), f.Int(), f.Path())
	default:
		require.Zero(t, f.Int(), f.Path())
	}
	if shown := f.Text(); shown != "" && isText {
		require.Equal(t, text.String(), shown, f.Path())
	}
}

func fieldsOf(fields []stream.Field) []fieldOf {
	all := make([]fieldOf, len(fields))
	for i, f := range fields {
		all[i] = fieldOf{f.Path(), f.Offset, len(f.Raw), f.Bit, f.Value()}
	}
	return all
}

func TestDissect(t *testing.T) {
	m := sample()
	requireFields(t, written(m, anyOp), fresh(m), []fieldOf{
		{"Opcode", 0, 1, -1, anyOp},
		{"F0", 1, 1, -1, uint8(1)},
		{"F1", 2, 1, 0, true},
		{"F2", 3, 1, -1, int8(-2)},
		{"F3", 4, 2, -1, uint16(3)},
		{"F4", 2, 0, 1, false},
		{"F5", 6, 2, -1, int16(-4)},
		{"F6", 8, 4, -1, uint32(5)},
		{"F7", 12, 4, -1, int32(-6)},
		{"F8", 16, 4, -1, float32(7)},
		{"F9", 20, 4, -1, objectid.ID(9)},
		{"F10", 24, 2, -1, compress.Float16(10)},
		{"F11", 26, 3, -1, compress.Vector3{X: 11}},
		{"F12", 29, 5, -1, compress.Vector4{Mag: 12}},
		{"F13", 34, 4, -1, compress.Contact{Mag: 14}},
		{"F14", 38, 8, -1, stream.Text("fifteen")},
		{"F15", 46, 9, -1, stream.Text("sixteen")},
		{"F16", 55, 2, -1, []byte{17, 18}},
		{"F17", 57, 1, -1, 2},
		{"L[0].F0", 58, 1, -1, uint8(19)},
		{"L[0].F1", 2, 0, 2, true},
		{"L[1].F0", 59, 1, -1, uint8(20)},
		{"L[1].F1", 2, 0, 3, false},
		{"F18", 60, 2, -1, 1},
		{"L[0].F0", 62, 1, -1, uint8(21)},
		{"F19", 63, 2, -1, []byte{22, 23}},
	})
}

func TestDissectBits(t *testing.T) {
	requireFields(t, testdata.Bytes("a7b50723"+"ff"), append(pattern(4, 0), new(uint8), new(bool), &fixed{make([]byte, 0)}, new(uint8), new(uint8)),
		[]fieldOf{
			{"Opcode", 0, 1, -1, anyOp},
			{"F0", 1, 1, 0, true},
			{"F1", 1, 0, 1, false},
			{"F2", 1, 0, 2, true},
			{"F3", 1, 0, 3, false},
			{"F4", 2, 1, -1, uint8(7)},
			{"F5", 1, 0, 4, true},
			{"F6", 3, 0, -1, []byte{}},
			{"F7", 3, 1, -1, uint8(0x23)},
			{"F8", 4, 1, -1, uint8(0xFF)},
		})
}

func TestDissectText(t *testing.T) {
	p := program{&text32{}, make([]float32, 2), &text8{}, &text16{}, make([]float32, 0), &list{shape: program{new(uint8)}}, &wide32{}}
	requireFields(t, testdata.Bytes("a7"+"0100000080"+"0000803f00000040"+"00"+"0000"+"00"+"010000004100"), p, []fieldOf{
		{"Opcode", 0, 1, -1, anyOp},
		{"F0", 1, 5, -1, stream.Text("\x80")},
		{"F1", 6, 8, -1, []float32{1, 2}},
		{"F2", 14, 1, -1, stream.Text(nil)},
		{"F3", 15, 2, -1, stream.Text(nil)},
		{"F5", 17, 1, -1, 0},
		{"F6", 18, 6, -1, stream.UTF16("A\x00")},
	})
}

type class uint8

func (c class) String() string { return "Sovereign" }

// loud is a text with a String of its own.
type loud []byte

func (l loud) String() string { return strings.ToUpper(string(l)) }

// Show affects only the last field.
func TestShow(t *testing.T) {
	var n, k uint8
	var name stream.Text
	m := walk(func(c *stream.Codec) {
		stream.Show(c, class(7))
		c.Field("Class").Uint8(&n)
		stream.Show(c, class(n))
		c.Field("Next").Uint8(&k)
		c.Group("G")
		stream.Show(c, class(8))
		c.Field("Name").String8(&name)
		stream.ShowBytes(c, loud(name))
		c.End()
		stream.ShowBool(c, true)
		c.Field("Empty")
		stream.ShowBytes(c, loud(nil))
		c.Field("Last").Uint8(&k)
		stream.ShowBool(c, k == 3)
	})
	requireFields(t, testdata.Bytes("a70102018003"), m, []fieldOf{
		{"Opcode", 0, 1, -1, class(7)},
		{"Class", 1, 1, -1, class(1)},
		{"Next", 2, 1, -1, uint8(2)},
		{"G.Name", 3, 2, -1, loud("\x80")},
		{"Last", 5, 1, -1, true},
	})
	require.NoError(t, unmarshal(testdata.Bytes("a70102018003"), anyOp, m), "Show affects only dissection")
	_, err := appendTo(nil, anyOp, m)
	require.NoError(t, err)
}

// Text is the String of a shown value only.
func TestTextOfFields(t *testing.T) {
	var n uint8
	var name stream.Text
	fields, err := dissect(testdata.Bytes("a7010202616201"), walk(func(c *stream.Codec) {
		c.Field("Class").Uint8(&n)
		stream.Show(c, class(n))
		c.Field("Plain").Uint8(&n)
		c.Field("Name").String8(&name)
		stream.ShowBytes(c, loud(name))
		c.Field("Last").Uint8(&n)
		stream.ShowBool(c, n == 1)
	}))
	require.NoError(t, err)
	var texts []string
	for _, f := range fields {
		texts = append(texts, f.Text())
	}
	require.Equal(t, []string{"", "Sovereign", "", "AB", "true"}, texts)
}

// If primitives have no names, every byte still belongs to one field.
func TestDissectUnnamed(t *testing.T) {
	var n uint8
	m := walk(func(c *stream.Codec) {
		c.Uint8(&n)
		c.Field("A").Uint8(&n)
		c.Element("L", 0)
		c.Uint8(&n)
		c.End()
		c.Uint8(&n)
		c.Field("B").Uint8(&n)
		c.Uint8(&n)
	})
	requireFields(t, testdata.Bytes("a7010203040506"), m, []fieldOf{
		{"Opcode", 0, 2, -1, anyOp},
		{"A", 2, 1, -1, uint8(2)},
		{"L[0]", 3, 1, -1, uint8(3)},
		{"L", 4, 1, -1, uint8(4)},
		{"B", 5, 2, -1, uint8(5)},
	})
}

// After a failure, the fields before it are listed and the last field covers the rest.
func TestDissectFailure(t *testing.T) {
	m := sample()
	whole := written(m[:len(m)-1], anyOp)
	for n := range whole {
		fields, err := dissect(whole[:n], fresh(m))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		covers(t, whole[:n], fields, err)
		require.Equal(t, err.(*stream.Error).Field(), fields[len(fields)-1].Path())
	}
	for wire, want := range map[string]fieldOf{
		"a701c14302": {"F1", 2, 3, -1, nil}, // malformed group
		"a7012107":   {"F2", 3, 1, -1, nil}, // one bool missing
		"a70161":     {"F2", 3, 0, -1, nil}, // one unread bool
		"a701610809": {"F2", 3, 2, -1, nil}, // one unread bool and trailing bytes
		"a701410809": {"", 3, 2, -1, nil},
		"190000":     {"Opcode", 0, 3, -1, nil},
	} {
		fields, err := dissect(testdata.Bytes(wire), program{new(uint8), new(bool), new(bool)})
		require.Error(t, err, wire)
		covers(t, testdata.Bytes(wire), fields, err)
		require.Equal(t, want, fieldsOf(fields)[len(fields)-1], wire)
	}
}

// An error stays the same when its Codec is used again.
func TestVisitKeepsErrors(t *testing.T) {
	var fields []stream.Field
	c := collector(&fields)
	p := program{new(uint16)}
	err := c.Decode([]byte{1}, noOp, "mymod.Part", p.Walk)
	require.NoError(t, c.Decode([]byte{1, 2}, noOp, "mymod.Other", p.Walk))
	require.EqualError(t, err, "mymod: decode Part.F0 at offset 0: unexpected EOF")
}

// The fields of data without an opcode, and of a tolerant Codec, are visited.
func TestVisitBare(t *testing.T) {
	data := []byte{0xFF}
	p := bools(false, false)
	var fields []stream.Field
	c := collector(&fields)
	c.Tolerant = true
	for range 2 {
		fields = nil
		require.NoError(t, c.Decode(data, noOp, "mymod.Part", p.Walk))
		require.Equal(t, []fieldOf{{"F0", 0, 1, 0, true}, {"F1", 0, 0, 1, true}}, fieldsOf(fields))
	}
	fields, c.Tolerant = nil, false
	err := c.Decode(data, noOp, "mymod.Part", p.Walk)
	require.EqualError(t, err, "mymod: decode Part.F0 at offset 0: bad bit group")
	covers(t, data, fields, err)
}

// Visit is not called after it has returned false, and the walk goes on.
func TestVisitStops(t *testing.T) {
	p := program{new(uint8), new(uint16), new(uint8)}
	n := 0
	c := stream.Codec{Visit: func(f *stream.Field) bool {
		n++
		return f.Path() != "F1"
	}}
	require.NoError(t, c.Decode([]byte{1, 2, 0, 3}, noOp, "mymod.Part", p.Walk))
	require.Equal(t, 2, n)
	require.Equal(t, program{new(uint8(1)), new(uint16(2)), new(uint8(3))}, p)
}

// Offsets of a payload behind a prefix count from the payload's own beginning, as in errors. A message that cannot be
// encoded has no fields.
func TestVisitEncoded(t *testing.T) {
	var fields []stream.Field
	c := collector(&fields)
	var n uint8
	var err error
	m := walk(func(c *stream.Codec) {
		c.Field("N").Uint8(&n)
		c.Field("B").Bool(new(true))
		c.Fail(err)
	})
	for _, room := range []int{0, 20} {
		for _, op := range []int{noOp, int(anyOp)} {
			want := []fieldOf{{"N", 0, 1, -1, uint8(0)}, {"B", 1, 1, 0, true}}
			if op != noOp {
				want = []fieldOf{{"Opcode", 0, 1, -1, anyOp}, {"N", 1, 1, -1, uint8(0)}, {"B", 2, 1, 0, true}}
			}
			fields, err = nil, nil
			got, failure := c.Append(append(make([]byte, 0, 6+room), "prefix"...), op, "mymod.Part", m.Walk)
			require.NoError(t, failure)
			require.Equal(t, want, fieldsOf(fields))
			require.Equal(t, []byte{0x21}, fields[len(fields)-1].Raw)
			_ = append(fields[0].Raw, 0xEE) // does not overwrite the next field
			require.Equal(t, "prefix", string(got[:6]))
			require.Equal(t, fields[len(fields)-1].Raw, got[len(got)-1:])

			fields, err = nil, errSome
			got, failure = c.Append([]byte("prefix"), op, "mymod.Part", m.Walk)
			require.EqualError(t, failure, fmt.Sprintf("mymod: encode Part.B at offset %d: some reason", want[len(want)-1].offset))
			require.Equal(t, "prefix", string(got))
			require.Empty(t, fields)
		}
	}
}

var errSome = errors.New("some reason")

// After a failure, bools read false, whatever the open group contains.
func TestFailClosesGroup(t *testing.T) {
	var c stream.Codec
	startDecoding(&c, []byte{0x67}, noOp)
	var first, second bool
	c.Bool(&first)
	c.Fail(errSome)
	c.Bool(&second)
	require.Equal(t, []bool{true, false}, []bool{first, second})
}
