package stream_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

var eof = io.ErrUnexpectedEOF

const noOffset = testdata.NoOffset

// wire returns a payload with the tests' opcode.
func wire(digits string) []byte { return append([]byte{anyOp}, testdata.Bytes(digits)...) }

// offsetOf returns the offset in an error.
func offsetOf(err error) (int, error) {
	if located := (*stream.Error)(nil); errors.As(err, &located) {
		return located.Offset, err
	}
	return noOffset, err
}

// Malformed inputs and their errors: wrong opcodes, numbers and their limits, contradictory
// bit groups, lengths and counts beyond the payload, and messages that cannot be encoded.
func TestHostile(t *testing.T) {
	for _, v := range []struct {
		group  string
		rows   []testdata.Hostile
		decode func([]byte) error
	}{
		{"Numbers", hostileNumbers, decodeNumbers},
		{"Bool", hostileBools, unmarshalInto(func() stream.Walker { return threeBools() })},
		{"Tolerant", hostileTolerant, func(in []byte) error { return unmarshalTolerant(in, threeBools()) }},
		{"Rest", hostileRest, decodeRest},
		{"Text", hostileTexts, unmarshalInto(func() stream.Walker { return program{&text8{}, &text16{}, &text32{}} })},
		{"Wide", hostileWide, unmarshalInto(func() stream.Walker { return program{&wide32{}} })},
		{"Count", hostileCounts, unmarshalInto(func() stream.Walker { return new(lists) })},
		{"Elements", hostileElements, decodeElements},
		{"Bare", hostileBare, func(in []byte) error { return decodeBare(in, program{new(uint16), new(bool)}) }},
		{"Dissect", hostileDissect, dissectBools},
		{"Append", hostileAppend, appendParts},
		{"NewText", hostileUTF8, newText},
	} {
		t.Run(v.group, func(t *testing.T) {
			testdata.TryHostile(t, v.rows, func(in []byte) (int, error) { return offsetOf(v.decode(in)) })
		})
	}
}

func unmarshalInto(zero func() stream.Walker) func([]byte) error {
	return func(in []byte) error { return unmarshal(in, anyOp, zero()) }
}

// numbers has a field for every primitive of a fixed size. The comments give the offsets,
// which the error of a truncated payload must contain.
func numbers() program {
	return program{
		new(uint8), new(int8), new(uint16), new(int16), new(uint32), new(int32), new(float32), // at 1 2 3 5 7 11 15
		new(objectid.ID), new(compress.Float16), new(compress.Vector3), // at 19 23 25
		new(compress.Vector4), new(compress.Contact), // at 28 33
		make([]float32, 2), &fixed{make([]byte, 3)}, // at 37 45, up to 48
	}
}

func ones(n int) []byte { return append([]byte{anyOp}, bytes.Repeat([]byte{0xFF}, n-1)...) }

var hostileNumbers = []testdata.Hostile{
	{Name: "empty input", Want: eof, Offset: 0},
	{Name: "another opcode", In: append([]byte{0x19}, make([]byte, 47)...), Want: stream.ErrOpcode, Offset: 0},
	{Name: "another opcode alone", In: []byte{0}, Want: stream.ErrOpcode, Offset: 0},
	{Name: "opcode alone", In: ones(1), Want: eof, Offset: 1},
	{Name: "cut before an int8", In: ones(2), Want: eof, Offset: 2},
	{Name: "uint16 of one byte", In: ones(4), Want: eof, Offset: 3},
	{Name: "int16 of one byte", In: ones(6), Want: eof, Offset: 5},
	{Name: "uint32 of three bytes", In: ones(10), Want: eof, Offset: 7},
	{Name: "int32 of one byte", In: ones(12), Want: eof, Offset: 11},
	{Name: "float32 of three bytes", In: ones(18), Want: eof, Offset: 15},
	{Name: "object ID of three bytes", In: ones(22), Want: eof, Offset: 19},
	{Name: "Float16 of one byte", In: ones(24), Want: eof, Offset: 23},
	{Name: "Vector3 of two bytes", In: ones(27), Want: eof, Offset: 25},
	{Name: "Vector4 of a direction", In: ones(31), Want: eof, Offset: 28},
	{Name: "Contact of a direction", In: ones(36), Want: eof, Offset: 33},
	{Name: "one float of two", In: ones(41), Want: eof, Offset: 37},
	{Name: "array without its last byte", In: ones(47), Want: eof, Offset: 45},
	{Name: "NaN and least numbers in all fields", In: ones(48), Offset: noOffset},
	{Name: "trailing byte", In: ones(49), Want: stream.ErrTrailing, Offset: 48},
	{Name: "64 KiB of trailing bytes", In: ones(48 + 1<<16), Want: stream.ErrTrailing, Offset: 48},
}

// decodeNumbers also requires that NaN and infinities keep their bits.
func decodeNumbers(in []byte) error {
	p := numbers()
	err := unmarshal(in, anyOp, p)
	if err == nil {
		if again, _ := appendTo(nil, anyOp, p); !bytes.Equal(in, again) {
			return errors.New("other bits")
		}
	}
	return err
}

// threeBools is bool, byte, bool, byte, bool: all in the byte at offset 1.
func threeBools() program {
	return program{new(bool), new(uint8), new(bool), new(uint8), new(bool)}
}

var hostileBools = []testdata.Hostile{
	{Name: "no byte for the first bool", In: wire(""), Want: eof, Offset: 1},
	{Name: "count 0", In: wire("00 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "plain 1 of a program without groups", In: wire("01 08 01 09 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count less one", In: wire("40 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count 1 and a new byte for each bool", In: wire("21 08 20 09 20"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count 4 of three", In: wire("80 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count 5 of three", In: wire("A0 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count 6", In: wire("C7 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "count 7 with every bool set", In: wire("FF 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "bool beyond the count", In: wire("68 0809"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "malformed group before truncation", In: wire("FF"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "truncation with unread bools", In: wire("A0 08"), Want: eof, Offset: 3},
	{Name: "unread bools with trailing bytes", In: wire("80 0809 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "new byte for the last bool", In: wire("67 0809 21"), Want: stream.ErrTrailing, Offset: 4},
	{Name: "all set", In: wire("67 0809"), Offset: noOffset},
}

var hostileTolerant = []testdata.Hostile{
	{Name: "a byte for each, counts 0", In: wire("00 08 01 09 00"), Offset: noOffset},
	{Name: "a byte for each, counts 1", In: wire("21 08 20 09 21"), Offset: noOffset},
	{Name: "count 7", In: wire("FF 0809"), Offset: noOffset},
	{Name: "unread bools", In: wire("BF 0809"), Offset: noOffset},
	{Name: "count 2 of three, no byte for the last", In: wire("40 0809"), Want: eof, Offset: 4},
	{Name: "trailing byte", In: wire("67 0809 21"), Want: stream.ErrTrailing, Offset: 4},
	{Name: "another opcode", In: testdata.Bytes("00 67 0809"), Want: stream.ErrOpcode, Offset: 0},
}

// The tail of a message begins after a bool, and the group is open.
var hostileRest = []testdata.Hostile{
	{Name: "no tail", In: wire("21"), Offset: noOffset},
	{Name: "tail with four bools", In: wire("BF 00"), Offset: noOffset},
	{Name: "tail of 64 KiB", In: append(wire("21"), make([]byte, 1<<16)...), Offset: noOffset},
	{Name: "count 7 before the tail", In: wire("FF 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "bool beyond the count", In: wire("23 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "cut before the bool", In: wire(""), Want: eof, Offset: 1},
}

// decodeRest also requires that the payload re-encodes to the same bytes.
func decodeRest(in []byte) error {
	m := tailed{bools: pattern(1, 0)}
	err := unmarshal(in, anyOp, &m)
	if err == nil {
		if again, _ := appendTo(nil, anyOp, &m); !bytes.Equal(in, again) {
			return errors.New("other bytes")
		}
	}
	return err
}

// Three texts, with lengths of one, two and four bytes.
var hostileTexts = []testdata.Hostile{
	{Name: "empty", In: wire("00 0000 00000000"), Offset: noOffset},
	{Name: "no length", In: wire(""), Want: eof, Offset: 1},
	{Name: "length 255 without bytes", In: wire("FF"), Want: eof, Offset: 1},
	{Name: "last byte missing", In: wire("02 61"), Want: eof, Offset: 1},
	{Name: "half a length", In: wire("00 01"), Want: eof, Offset: 2},
	{Name: "length 65535 with two bytes", In: wire("00 FFFF 6161"), Want: eof, Offset: 2},
	{Name: "big-endian length", In: wire("00 0001 61 00000000"), Want: eof, Offset: 2},
	{Name: "three bytes of a length of four", In: wire("00 0000 000000"), Want: eof, Offset: 4},
	{Name: "length 2^31 without bytes", In: wire("00 0000 00000080"), Want: eof, Offset: 4},
	{Name: "length 2^32-1 with one byte", In: wire("00 0000 FFFFFFFF 61"), Want: eof, Offset: 4},
	{Name: "length 2^30, the cursor of a failed walk", In: wire("00 0000 00000040 61"), Want: eof, Offset: 4},
	{Name: "NUL, controls and no terminator", In: wire("03 007F81 0000 00000000"), Offset: noOffset},
	{Name: "trailing terminator", In: wire("00 0000 01000000 61 00"), Want: stream.ErrTrailing, Offset: 9},
}

var hostileWide = []testdata.Hostile{
	{Name: "empty", In: wire("00000000"), Offset: noOffset},
	{Name: "no count", In: wire("000000"), Want: eof, Offset: 1},
	{Name: "last byte missing", In: wire("02000000 6100 62"), Want: eof, Offset: 1},
	{Name: "one byte too long", In: wire("01000000 6100 62"), Want: stream.ErrTrailing, Offset: 7},
	{Name: "a count of -1", In: wire("FFFFFFFF 6100"), Want: eof, Offset: 1},
	{Name: "a count of 2^31-1", In: wire("FFFFFF7F 6100"), Want: eof, Offset: 1},
	{Name: "a count of 2^31+1, twice which is 2", In: wire("01000080 6100"), Want: eof, Offset: 1},
	{Name: "surrogates in the wrong order, and NULs", In: wire("03000000 00DC 00D8 0000"), Offset: noOffset},
}

// lists is a recursive list. An element has at least three bytes.
type lists struct {
	kind  uint8
	lists []lists
}

func (m *lists) Walk(c *stream.Codec) {
	c.Field("Kind").Uint8(&m.kind)
	n := c.Field("Lists").Count16(len(m.lists), 3)
	stream.Resize(c, &m.lists, n)
	for i := range n {
		c.Element("Lists", i)
		m.lists[i].Walk(c)
		c.End()
	}
}

var hostileCounts = []testdata.Hostile{
	{Name: "none", In: wire("00 0000"), Offset: noOffset},
	{Name: "half a count", In: wire("00 00"), Want: eof, Offset: 2},
	{Name: "count 65535 without elements", In: wire("00 FFFF"), Want: eof, Offset: 2},
	{Name: "last element missing", In: wire("00 0200 000000 0000"), Want: eof, Offset: 2},
	{Name: "big-endian count", In: wire("00 0001 000000"), Want: eof, Offset: 2},
	{Name: "inner count without elements", In: wire("00 0100 00 FFFF"), Want: eof, Offset: 5},
	{Name: "count times size exceeds 16 bits", In: wire("00 5655 0000"), Want: eof, Offset: 2},
	{
		Name: "as many lists as fit, each with the same count",
		In:   append(wire("00 5555"), bytes.Repeat([]byte{0xFF}, 3*0x5555)...), Want: eof, Offset: 5,
	},
	{Name: "as many empty lists as fit", In: append(wire("00 5555"), make([]byte, 3*0x5555)...), Offset: noOffset},
	{
		Name: "list after the end of the payload",
		In:   append(wire("00 0200 00 5500"), make([]byte, 3*0x55)...), Want: eof, Offset: 4 + 3 + 3*0x55,
	},
	{Name: "thousand nested lists", In: append([]byte{anyOp}, append(bytes.Repeat(testdata.Bytes("00 0100"), 1000), 0, 0, 0)...), Offset: noOffset},
	{Name: "trailing element", In: wire("00 0100 00 0000 00 0000"), Want: stream.ErrTrailing, Offset: 7},
}

var hostileElements = []testdata.Hostile{
	{Name: "none", In: wire(""), Offset: noOffset},
	{Name: "part of an element", In: wire("FFFF"), Want: stream.ErrTrailing, Offset: 1},
	{Name: "one element and a part", In: wire("FFFFFF 00"), Want: stream.ErrTrailing, Offset: 4},
	{Name: "64 KiB of elements", In: ones(1 + 3<<14), Offset: noOffset},
}

// decodeElements decodes a list of three-byte elements without a count.
func decodeElements(in []byte) error {
	var places []compress.Vector3
	return unmarshal(in, anyOp, walk(func(c *stream.Codec) {
		stream.Resize(c, &places, c.Remaining()/3)
		for i := range places {
			c.Element("Places", i)
			c.Vector3(&places[i])
			c.End()
		}
	}))
}

// Without an opcode offsets count from the first field.
var hostileBare = []testdata.Hostile{
	{Name: "nothing", Want: eof, Offset: 0},
	{Name: "half a number", In: testdata.Bytes("FF"), Want: eof, Offset: 0},
	{Name: "no byte for the bool", In: testdata.Bytes("FFFF"), Want: eof, Offset: 2},
	{Name: "bad group", In: testdata.Bytes("FFFF 02"), Want: stream.ErrBadBitGroup, Offset: 2},
	{Name: "group of two", In: testdata.Bytes("FFFF 41"), Want: stream.ErrBadBitGroup, Offset: 2},
	{Name: "trailing byte", In: testdata.Bytes("FFFF 21 00"), Want: stream.ErrTrailing, Offset: 3},
}

// Dissection gives the error that decoding gives, and every byte to one field.
var hostileDissect = []testdata.Hostile{
	{Name: "nothing", Want: eof, Offset: 0},
	{Name: "another opcode", In: testdata.Bytes("00"), Want: stream.ErrOpcode, Offset: 0},
	{Name: "cut in a bool", In: wire(""), Want: eof, Offset: 1},
	{Name: "bad group", In: wire("C0 00 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "unread bools", In: wire("A0 00 00"), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "trailing bytes", In: append(wire("67 00 00"), make([]byte, 1<<16)...), Want: stream.ErrTrailing, Offset: 4},
}

func dissectBools(in []byte) error {
	fields, err := dissect(in, threeBools())
	size := 0
	for _, f := range fields {
		size += len(f.Raw)
	}
	if size != len(in) {
		return errors.New("fields that do not cover the payload")
	}
	return err
}

// Messages that cannot be encoded. The first byte of the input chooses the part, and the
// other bytes are its content.
var hostileAppend = []testdata.Hostile{
	{Name: "String8 of 255", In: part('8', 255), Offset: noOffset},
	{Name: "String8 of 256", In: part('8', 256), Want: stream.ErrTooLong, Offset: 1},
	{Name: "String16 of 65535", In: part('s', 1<<16-1), Offset: noOffset},
	{Name: "String16 of 65536", In: part('s', 1<<16), Want: stream.ErrTooLong, Offset: 1},
	{Name: "Count8 of 255", In: part('c', 255), Offset: noOffset},
	{Name: "Count8 of 256", In: part('c', 256), Want: stream.ErrTooLong, Offset: 1},
	{Name: "Count16 of 65535", In: part('C', 1<<16-1), Offset: noOffset},
	{Name: "Count16 of 65536", In: part('C', 1<<16), Want: stream.ErrTooLong, Offset: 1},
	{Name: "Count8 of -1", In: part('-', 0), Want: stream.ErrTooLong, Offset: 1},
	{Name: "Slice of two bytes instead of three", In: part('S', 2), Want: stream.ErrRange, Offset: 1},
	{Name: "Slice of four bytes instead of three", In: part('S', 4), Want: stream.ErrRange, Offset: 1},
	{Name: "tail with bits of no group", In: part('b', 1), Want: stream.ErrBadBitGroup, Offset: 1},
	{Name: "message that calls Fail", In: part('f', 0), Want: errSome, Offset: 1},
}

func part(kind byte, n int) []byte { return append([]byte{kind}, make([]byte, n)...) }

func appendParts(in []byte) error {
	kind, data := in[0], in[1:]
	dst := []byte("dst")
	got, err := appendTo(dst, anyOp, walk(func(c *stream.Codec) {
		switch c.Field("Part"); kind {
		case '8':
			c.String8((*stream.Text)(&data))
		case 's':
			c.String16((*stream.Text)(&data))
		case 'c':
			c.Bytes(data[:c.Count8(len(data), 1)])
		case 'C':
			c.Bytes(data[:c.Count16(len(data), 1)])
		case '-':
			c.Count8(math.MinInt, 1)
		case 'S':
			c.Slice(&data, 3)
		case 'b':
			c.Rest(&data, &stream.Bits{Byte: 0x21, Read: 1})
		case 'f':
			c.Fail(errSome)
		}
	}))
	if err != nil && !bytes.Equal(got, dst) || !bytes.HasPrefix(got, dst) {
		return errors.New("dst is not as it was")
	}
	return err
}

var hostileUTF8 = []testdata.Hostile{
	{Name: "not UTF-8", In: testdata.Bytes("FF"), Want: stream.ErrText, Offset: noOffset},
	{Name: "cut in a character", In: []byte("€")[:2], Want: stream.ErrText, Offset: noOffset},
	{Name: "overlong NUL", In: testdata.Bytes("C080"), Want: stream.ErrText, Offset: noOffset},
	{Name: "control character without a code", In: []byte("\u0080"), Want: stream.ErrText, Offset: noOffset},
	{Name: "control character of an undefined byte", In: []byte("\u0081"), Offset: noOffset},
	{Name: "beyond the BMP", In: []byte("\U0010FFFF"), Want: stream.ErrText, Offset: noOffset},
}

func newText(in []byte) error {
	text, err := stream.NewText(string(in))
	if err == nil && text.String() != string(in) {
		return errors.New("other characters")
	}
	return err
}
