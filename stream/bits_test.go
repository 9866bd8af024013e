package stream_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func bools(values ...bool) (p program) {
	for _, v := range values {
		p = append(p, &v)
	}
	return p
}

// pattern returns n bools with the values of bits, the first in bit 0.
func pattern(n, bits int) program {
	p := make(program, n)
	for i := range p {
		p[i] = new(bits>>i&1 != 0)
	}
	return p
}

func TestBitsVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex    testdata.Hex
		Values []bool
	}](t, "primitives.json", "bits")
	require.Len(t, vectors, 9)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) { golden(t, v.Hex, bools(v.Values...)) })
	}
}

func TestBitsPublished(t *testing.T) {
	const T, F = true, false
	for wire, values := range map[string][]bool{
		"20": {F}, "21": {T}, "40": {F, F}, "43": {T, T}, "60": {F, F, F}, "61": {T, F, F}, "62": {F, T, F}, "67": {T, T, T},
		"80": {F, F, F, F}, "a0": {F, F, F, F, F}, "bf": {T, T, T, T, T}, "bf21": {T, T, T, T, T, T},
	} {
		golden(t, testdata.Bytes(wire), bools(values...))
	}
}

// All values of up to eleven bools, with and without other bytes before, between and after.
func TestBitsExhaustive(t *testing.T) {
	for n := 1; n <= 11; n++ {
		for bits := range 1 << n {
			p := pattern(n, bits)
			golden(t, written(p), p)
			var mixed program
			for i, b := range p {
				mixed = append(mixed, new(uint8(0xF0+i)), b)
			}
			mixed = append(mixed, new(uint16(0xFFFF)))
			golden(t, written(mixed), mixed)
		}
	}
}

// The sixth bool's byte is at the cursor when that bool is written. The first byte changes
// until then.
func TestBitsPlace(t *testing.T) {
	for wire, p := range map[string]program{
		"bf21":             {new(true), new(true), new(true), new(true), new(true), new(true)},
		"010203" + "21":    {new(uint8(1)), new(uint16(0x0302)), new(true)},
		"bf" + "01" + "41": {new(true), new(true), new(true), new(true), new(true), new(uint8(1)), new(true), new(false)},
		"bd" + "07" + "0a000000" + "01" + "78" + "22": {
			new(true), new(uint8(7)), new(false), new(int32(10)), new(true), new(true), &text8{stream.Text("x")}, new(true),
			&fixed{[]byte{0x22}},
		},
	} {
		golden(t, testdata.Bytes(wire), p)
	}
}

// groupRule returns the bool that fails when a strict Codec decodes the byte b and n bools,
// or n if none fails.
func groupRule(b, n int) int {
	count, values := b/32, b%32
	for bits := range 1 << count {
		switch {
		case count == 0 || count > 5 || bits != values:
		case count < n:
			return count // a bool is missing in a group that is not full
		case count > n:
			return n - 1 // the last bool, because the count announces more
		default:
			return n
		}
	}
	return 0 // malformed
}

func TestBitsStrict(t *testing.T) {
	valid := 0
	for n := 1; n <= 5; n++ {
		for b := range 256 {
			p := pattern(n, 31)
			err := unmarshal([]byte{anyOp, byte(b)}, anyOp, p)
			if fails := groupRule(b, n); fails < n {
				require.ErrorIs(t, err, stream.ErrBadBitGroup)
				require.EqualError(t, err, fmt.Sprintf("stream_test: decode program.F%d at offset 1: bad bit group", fails), "%02x", b)
				continue
			}
			valid++
			require.NoError(t, err, "%02x", b)
			require.Equal(t, pattern(n, b), p)
		}
	}
	require.Equal(t, 2+4+8+16+32, valid)
}

// A tolerant Codec reads a count of 0 as 1 and counts of 6 and 7 as 5, ignores extra bits
// and bools, and begins a new group when the count is used up.
func TestBitsTolerant(t *testing.T) {
	for b := range 256 {
		count := []int{1, 1, 2, 3, 4, 5, 5, 5}[b>>5]
		for n := 1; n <= 6; n++ {
			p := pattern(n, 63)
			data := []byte{anyOp, byte(b)}
			want := b
			if n > count {
				data = append(data, 0xB5)
				want = b&(1<<count-1) | 0x15<<count
			}
			require.NoError(t, unmarshalTolerant(data, p), "%02x, %d bools", b, n)
			require.Equal(t, pattern(n, want), p, "%02x", b)
			if n > count {
				require.EqualError(t, unmarshalTolerant(data[:2], p), fmt.Sprintf("stream: decode tolerant.F%d at offset 2: unexpected EOF", count))
			}
			require.ErrorIs(t, unmarshalTolerant(append(data, 0), p), stream.ErrTrailing)
		}
	}
}

// CloseBits ends a group of fewer than five bools. It does nothing if no group is open.
func TestCloseBits(t *testing.T) {
	var bools [7]bool
	m := walk(func(c *stream.Codec) {
		c.CloseBits()
		for i := range bools {
			c.Field("Before").Bool(&bools[i])
			if i%2 == 1 || i == 4 {
				c.CloseBits()
				c.CloseBits()
			}
		}
	})
	const wire = "a7 42 43 21 20 21"
	require.NoError(t, unmarshal(testdata.Bytes(wire), anyOp, m))
	require.Equal(t, [7]bool{false, true, true, true, true, false, true}, bools)
	got, err := appendTo(nil, anyOp, m)
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes(wire), got)

	// A group that has more bools is malformed, except for a tolerant Codec.
	const more = "a7 62 43 21 20 21"
	require.EqualError(t, unmarshal(testdata.Bytes(more), anyOp, m), "stream_test: decode walk.Before at offset 1: bad bit group")
	require.NoError(t, unmarshalTolerant(testdata.Bytes(more), m))
	require.Equal(t, [7]bool{false, true, true, true, true, false, true}, bools)
	require.ErrorIs(t, unmarshal(testdata.Bytes(wire)[:3], anyOp, m), io.ErrUnexpectedEOF)
	again := walk(func(c *stream.Codec) { // the bools after CloseBits are not those that it has left
		c.Bool(&bools[0])
		c.CloseBits()
		c.Bool(&bools[1])
	})
	require.ErrorIs(t, unmarshal([]byte{anyOp, 0x41}, anyOp, again), stream.ErrBadBitGroup)
}

// A full group ends without CloseBits.
func TestCloseFullGroup(t *testing.T) {
	p := pattern(6, 0x3F)
	m := walk(func(c *stream.Codec) {
		p[:5].Walk(c)
		c.CloseBits()
		p[5:].Walk(c)
	})
	got, err := appendTo(nil, anyOp, m)
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes("a7 bf 21"), got)
	require.NoError(t, unmarshal(got, anyOp, m))
}

// Unread bools are found at the end of the payload. The error names the last bool that was
// read, or the list that contains it.
func TestBitsUnread(t *testing.T) {
	var b bool
	var n uint8
	flat := walk(func(c *stream.Codec) {
		c.Field("Warp").Bool(&b)
		c.Field("Factor").Uint8(&n)
	})
	nested := walk(func(c *stream.Codec) {
		c.Field("Index").Uint8(&n)
		c.Element("Subsystems", 3)
		c.Group("Power")
		c.Field("HasPower").Bool(&b)
		c.End()
		c.End()
		c.Element("Others", 4)
		c.Field("Last").Uint8(&n)
		c.End()
	})
	for _, v := range []struct {
		m    walk
		wire string
		text string
	}{
		{flat, "a74107", "walk.Warp at offset 1"},
		{flat, "a7410700", "walk.Warp at offset 1"}, // reported before trailing bytes
		{nested, "a7016008", "walk.Subsystems at offset 2"},
	} {
		err := unmarshal(testdata.Bytes(v.wire), anyOp, v.m)
		require.ErrorIs(t, err, stream.ErrBadBitGroup)
		require.EqualError(t, err, "stream_test: decode "+v.text+": bad bit group")
		_, again := dissect(testdata.Bytes(v.wire), v.m)
		require.EqualError(t, again, err.Error())
	}
}

// tailed has some bools and an opaque tail that may contain more.
type tailed struct {
	bools program
	tail  []byte
	open  stream.Bits
}

func (m *tailed) Walk(c *stream.Codec) {
	m.bools.Walk(c)
	c.Field("Tail").Rest(&m.tail, &m.open)
}

func TestRestOpenBits(t *testing.T) {
	for total := 1; total <= 5; total++ {
		for read := range total + 1 {
			for bits := range 1 << total {
				group := written(pattern(total, bits))[0]
				payload := []byte{anyOp, group, 0xAA, 0xBB}[:min(2+total, 4)] // also without a tail
				m := tailed{bools: pattern(read, 31), open: stream.Bits{Byte: 1, Read: 9}}
				require.NoError(t, unmarshal(payload, anyOp, &m))
				switch read {
				case 0: // the byte belongs to the tail
					require.Equal(t, tailed{tail: payload[1:], bools: program{}}, m)
				case 5: // the group was full
					require.Equal(t, tailed{bools: pattern(5, bits), tail: payload[2:]}, m)
				default:
					require.Equal(t, pattern(read, bits), m.bools)
					require.Equal(t, stream.Bits{Byte: group, Read: uint8(read)}, m.open)
				}
				for _, room := range []int{0, 1, len(payload), 100} {
					again, err := appendTo(make([]byte, 0, room), anyOp, &m)
					require.NoError(t, err)
					require.Equal(t, payload, again)
				}
			}
		}
	}
}

// Encoding fails if a bool before the tail has changed, with any capacity of dst.
func TestRestOpenBitsChanged(t *testing.T) {
	for _, v := range []struct {
		name  string
		bools program
		open  stream.Bits
		text  string
	}{
		{"no group", nil, stream.Bits{Byte: 0x61, Read: 1}, "Tail at offset 1"},
		{"no group, none read", nil, stream.Bits{Byte: 0x61}, "Tail at offset 1"},
		{"full group", pattern(5, 0), stream.Bits{Byte: 0xA0, Read: 5}, "Tail at offset 2"},
		{"another number", pattern(2, 1), stream.Bits{Byte: 0x61, Read: 1}, "Tail at offset 1"},
		{"first bool changed", pattern(2, 0), stream.Bits{Byte: 0x61, Read: 2}, "Tail at offset 1"},
		{"last bool changed", pattern(2, 3), stream.Bits{Byte: 0x61, Read: 2}, "Tail at offset 1"},
		{"count 0", pattern(1, 1), stream.Bits{Byte: 0x01, Read: 1}, "Tail at offset 1"},
		{"count 6", pattern(1, 1), stream.Bits{Byte: 0xC1, Read: 1}, "Tail at offset 1"},
		{"bool beyond the count", pattern(1, 1), stream.Bits{Byte: 0x23, Read: 1}, "Tail at offset 1"},
		{"fewer than read", pattern(2, 1), stream.Bits{Byte: 0x21, Read: 2}, "Tail at offset 1"},
	} {
		m := tailed{bools: v.bools, tail: []byte{9}, open: v.open}
		for _, prefix := range []string{"", "abc"} {
			for _, room := range []int{0, 1, 2, 3, 100} {
				dst := append(make([]byte, 0, len(prefix)+room), prefix...)
				got, err := appendTo(dst, anyOp, &m)
				require.EqualError(t, err, "stream_test: encode tailed."+v.text+": bad bit group", v.name)
				require.Equal(t, prefix, string(got), v.name)
			}
		}
	}
	// A zero Bits leaves the group to the bools before the tail.
	got, err := appendTo(nil, anyOp, &tailed{bools: pattern(2, 2), tail: []byte{9}})
	require.NoError(t, err)
	require.Equal(t, []byte{anyOp, 0x42, 9}, got)
}

// Without Bits the group must be complete. Bools after the tail may complete it.
func TestRest(t *testing.T) {
	p := append(pattern(2, 1), &rest{data: []byte{5, 6}}, new(true))
	golden(t, []byte{0x65, 5, 6}, p)
	require.ErrorIs(t, decodeBare([]byte{0x45, 5, 6}, p), stream.ErrBadBitGroup)
	require.ErrorIs(t, decodeBare([]byte{0x85, 5, 6}, p), stream.ErrBadBitGroup)
	golden(t, nil, program{&rest{}})

	// After a failure, the tail and the group are empty.
	m := tailed{bools: pattern(2, 0), tail: []byte{1}, open: stream.Bits{Byte: 0x21, Read: 1}}
	require.ErrorIs(t, unmarshal([]byte{anyOp, 0x21, 5}, anyOp, &m), stream.ErrBadBitGroup)
	require.Nil(t, m.tail)
	require.Zero(t, m.open)
	m.open = stream.Bits{Byte: 0x21, Read: 1}
	failing := walk(func(c *stream.Codec) {
		c.Bool(new(bool))
		c.Fail(io.EOF)
		c.Rest(&m.tail, &m.open)
	})
	require.ErrorIs(t, decodeBare([]byte{0x21, 5}, failing), io.EOF)
	require.Zero(t, m.open)
}
