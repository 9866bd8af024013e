package stream_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// walk is a message that consists of its Walk method.
type walk func(c *stream.Codec)

func (w walk) Walk(c *stream.Codec) { w(c) }

// golden requires that the fields encode to wire and that wire decodes to the fields.
func golden(t *testing.T, wire []byte, fields program) {
	t.Helper()
	require.Equal(t, wire, written(fields), "oracle")
	got, err := appendBare(nil, fields)
	require.NoError(t, err)
	require.Equal(t, wire, got)
	read := fresh(fields)
	require.NoError(t, decodeBare(wire, read))
	require.Equal(t, fields, read)
}

func TestStreamVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex testdata.Hex
		Ops []struct {
			Op    string
			Value json.RawMessage
		}
	}](t, "primitives.json", "stream")
	require.Len(t, vectors, 8)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			var p program
			for _, op := range v.Ops {
				if op.Op == "bytes" {
					var h testdata.Hex
					require.NoError(t, json.Unmarshal(op.Value, &h))
					p = append(p, &fixed{h})
					continue
				}
				if op.Op == "f64" { // no message has one
					var v float64
					require.NoError(t, json.Unmarshal(op.Value, &v))
					p = append(p, &fixed{le.AppendUint64(nil, math.Float64bits(v))})
					continue
				}
				f := map[string]any{
					"bool": new(bool), "u8": new(uint8), "u16": new(uint16), "u32": new(uint32),
					"i32": new(int32), "f32": new(float32),
				}[op.Op]
				require.NoError(t, json.Unmarshal(op.Value, f))
				p = append(p, f)
			}
			golden(t, v.Hex, p)
		})
	}
}

func TestPublishedSequences(t *testing.T) {
	for wire, p := range map[string]program{
		"20":                         bools(false),
		"6105":                       {new(true), new(uint8(5)), new(false), new(false)},
		"4205":                       {new(false), new(uint8(5)), new(true)},
		"bfaa21":                     append(bools(true, true, true, true, true), new(uint8(0xAA)), new(true)),
		"2500" + "ffffffff0000803f":  {new(uint16(0x25)), new(int32(-1)), new(float32(1))},
		"00000542":                   {new(float32(33.25))},
		"07004170702e707963":         {&text16{stream.Text("App.pyc")}},
		"074170702e707963":           {&text8{stream.Text("App.pyc")}},
		"0300000061ff00":             {&text32{stream.Text("a\xff\x00")}},
		"0000":                       {&text16{}},
		"00000000":                   {&text32{}},
		"0200000061003dd8":           {&wide32{stream.UTF16("a\x00\x3d\xd8")}},
		"00":                         {&text8{}},
		"03610062":                   {&text8{stream.Text("a\x00b")}},
		"0102030405060708090a0b0c0d": {&fixed{testdata.Bytes("0102030405060708090a0b0c0d")}},
	} {
		t.Run(wire, func(t *testing.T) { golden(t, testdata.Bytes(wire), p) })
	}
}

func TestPrimitives(t *testing.T) {
	for _, v := range []struct {
		wire  string
		value any
	}{
		{"20", new(false)},
		{"21", new(true)},
		{"00", new(uint8(0))},
		{"7f", new(uint8(127))},
		{"ff", new(uint8(255))},
		{"80", new(int8(-128))},
		{"ff", new(int8(-1))},
		{"7f", new(int8(127))},
		{"0100", new(uint16(1))},
		{"0080", new(uint16(0x8000))},
		{"ffff", new(uint16(math.MaxUint16))},
		{"0080", new(int16(math.MinInt16))},
		{"feff", new(int16(-2))},
		{"ff7f", new(int16(math.MaxInt16))},
		{"00000080", new(uint32(1 << 31))},
		{"ffffffff", new(uint32(math.MaxUint32))},
		{"00000080", new(int32(math.MinInt32))},
		{"ffffff7f", new(int32(math.MaxInt32))},
		{"00000080", new(float32(math.Copysign(0, -1)))},
		{"01000000", new(float32(math.SmallestNonzeroFloat32))},
		{"000080ff", new(float32(math.Inf(-1)))},
		{"ffff7f7f", new(float32(math.MaxFloat32))},
		{"0000803f00000080", []float32{1, float32(math.Copysign(0, -1))}},
		{"ffffff3f", new(objectid.ID(0x3FFFFFFF))},
		{"ffffffff", new(objectid.ID(-1))},
		{"00000000", new(objectid.ID(0))},
		{"1b57", new(compress.Float16(0x571B))},
		{"ffff", new(compress.Float16(0xFFFF))},
		{"7f8100", &compress.Vector3{X: 127, Y: -127}},
		{"80ff01", &compress.Vector3{X: -128, Y: -1, Z: 1}},
		{"1d7a0c9561", &compress.Vector4{Dir: compress.Vector3{X: 29, Y: 122, Z: 12}, Mag: 0x6195}},
		{"0088d85c", &compress.Contact{Dir: compress.Vector3{Y: -120, Z: -40}, Mag: 92}},
	} {
		wire := testdata.Bytes(v.wire)
		golden(t, wire, program{v.value})
		for n := range wire {
			read := fresh(program{v.value})
			_, err := binary.Decode(testdata.Bytes("5a5a5a5a5a5a5a5a"), le, read[0]) // an old value
			require.NoError(t, err)
			err = decodeBare(wire[:n], read)
			require.EqualError(t, err, "stream: decode bare.F0 at offset 0: unexpected EOF", "%T", v.value)
			if n == 0 {
				require.Equal(t, fresh(read), read, "a read past the end gives zero")
			}
		}
	}
}

// A peer ID and a slot of one byte are signed. Encoding refuses what does not fit, with any room.
func TestPeerIDAndSlot(t *testing.T) {
	var peer objectid.PeerID
	var slot objectid.Slot
	m := walk(func(c *stream.Codec) {
		c.Field("Peer").PeerID8(&peer)
		c.Field("Slot").Slot8(&slot)
	})
	for b := range 256 {
		wire := []byte{byte(b), byte(255 - b)}
		peer, slot = 1000, 1000
		require.NoError(t, decodeBare(wire, m))
		require.Equal(t, objectid.PeerID(int8(b)), peer)
		require.Equal(t, objectid.Slot(int8(255-b)), slot)
		again, err := appendBare(nil, m)
		require.NoError(t, err)
		require.Equal(t, wire, again)
	}
	slot = 1000
	require.EqualError(t, decodeBare([]byte{1}, m), "stream: decode bare.Slot at offset 1: unexpected EOF")
	require.Zero(t, slot, "a read past the end gives zero")
	fields, err := dissect([]byte{anyOp, 0xFF, 2}, m)
	require.NoError(t, err)
	require.Equal(t, []any{objectid.NoPeer, objectid.Slot(2)}, []any{fields[1].Value(), fields[2].Value()})

	for _, wrong := range []int32{-129, 128, 255, math.MinInt32, math.MaxInt32} {
		for _, room := range []int{0, 100} {
			peer, slot = objectid.PeerID(wrong), 0
			dst, err := appendBare(make([]byte, 0, room), m)
			require.EqualError(t, err, fmt.Sprintf("stream: encode bare.Peer at offset 0: number out of range: %d, not -128 to 127", wrong))
			require.ErrorIs(t, err, stream.ErrRange)
			require.Empty(t, dst)
			peer, slot = 0, objectid.Slot(wrong)
			_, err = appendBare(make([]byte, 0, room), m)
			require.ErrorIs(t, err, stream.ErrRange)
			require.ErrorContains(t, err, "bare.Slot at offset 1")
		}
	}
}

// Encodes finds numbers that are not finite, and text that does not fit.
func TestEncodes(t *testing.T) {
	var c stream.Codec
	for _, x := range []float32{1, float32(math.NaN()), -2, float32(math.Inf(1)), float32(math.Inf(-1)), 0} {
		p := program{new(x), new(float32(1))}
		require.Equal(t, x-x == 0, c.Encodes(p.Walk), x)
	}
	require.False(t, c.Encodes(program{&text8{make(stream.Text, 256)}}.Walk))
}

// Quiet and signalling NaNs with any payload keep their bits.
func TestNaN(t *testing.T) {
	for _, b := range []uint32{0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FBFFFFF, 0xFFFFFFFF, 0x7FC12345} {
		var f, array [1]float32
		wire := le.AppendUint32(nil, b)
		wire = le.AppendUint32(wire, b)
		p := program{&f[0], array[:]}
		require.NoError(t, decodeBare(wire, p))
		require.Equal(t, b, math.Float32bits(f[0]))
		require.Equal(t, b, math.Float32bits(array[0]))
		got, err := appendBare(nil, p)
		require.NoError(t, err)
		require.Equal(t, wire, got)
	}
}

// sample is a message with every primitive, a list and a tail.
func sample() program {
	return program{
		new(uint8(1)), new(true), new(int8(-2)), new(uint16(3)), new(false), new(int16(-4)), new(uint32(5)), new(int32(-6)),
		new(float32(7)), new(objectid.ID(9)), new(compress.Float16(10)), &compress.Vector3{X: 11},
		&compress.Vector4{Mag: 12}, &compress.Contact{Mag: 14}, &text8{stream.Text("fifteen")},
		&text16{stream.Text("sixteen")}, &fixed{[]byte{17, 18}},
		&list{shape: program{new(uint8), new(bool)}, elems: []program{{new(uint8(19)), new(true)}, {new(uint8(20)), new(false)}}},
		&list{wide: true, shape: program{new(uint8)}, elems: []program{{new(uint8(21))}}},
		&rest{data: []byte{22, 23}},
	}
}

// Any capacity of dst gives the same result. Enough capacity is used, and no byte outside
// the payload changes.
func TestAppendRoom(t *testing.T) {
	m := sample()
	want := written(m, anyOp)
	for _, prefix := range []string{"", "abc"} {
		for _, room := range []int{0, 1, 2, len(want) / 2, len(want) - 1, len(want), len(want) + 1, 1000} {
			t.Run(prefix+strconv.Itoa(room), func(t *testing.T) {
				memory := make([]byte, len(prefix)+room+8)
				for i := range memory {
					memory[i] = 0xEE
				}
				dst := memory[: copy(memory, prefix) : len(prefix)+room]
				got, err := appendTo(dst, anyOp, m)
				require.NoError(t, err)
				require.Equal(t, prefix+string(want), string(got))
				require.Equal(t, prefix, string(dst))
				fits := room >= len(want)
				require.Equal(t, fits, &got[0] == &memory[0])
				end := cap(dst)
				if fits {
					end = len(got)
				}
				for i, b := range memory[end:] {
					require.Equal(t, byte(0xEE), b, "byte %d behind", i)
				}
				bare, err := appendBare(dst, m)
				require.NoError(t, err)
				require.Equal(t, prefix+string(want[1:]), string(bare))
			})
		}
	}
	got, err := appendTo(nil, anyOp, program{})
	require.NoError(t, err)
	require.Equal(t, []byte{anyOp}, got)
}

// An error states by how much a limit is exceeded and returns dst with the same memory,
// length and capacity.
func TestAppendError(t *testing.T) {
	for text, v := range map[string]struct {
		p    program
		want string
	}{
		"String8 of 256":   {program{new(true), &text8{make(stream.Text, 256)}, new(uint32(1)), new(true)}, "256 bytes, at most 255"},
		"String16 of 64K":  {program{new(true), &text16{make(stream.Text, 1<<16)}, new(uint32(1)), new(true)}, "65536 bytes, at most 65535"},
		"Count8 of 256":    {program{new(true), &list{elems: make([]program, 256)}, new(uint32(1)), new(true)}, "256 elements, at most 255"},
		"Count16 of 64K":   {program{new(true), &list{wide: true, elems: make([]program, 1<<16)}, new(uint32(1)), new(true)}, "65536 elements, at most 65535"},
		"a second failure": {program{new(true), &list{elems: make([]program, 300)}, &text8{make(stream.Text, 301)}}, "300 elements, at most 255"},
	} {
		t.Run(text, func(t *testing.T) {
			p := v.p
			for _, room := range []int{0, 1, 2, 4, 1 << 17} {
				dst := append(make([]byte, 0, 3+room), "abc"...)
				got, err := appendTo(dst, anyOp, p)
				require.EqualError(t, err, "stream_test: encode program.F1 at offset 2: too long: "+v.want)
				require.ErrorIs(t, err, stream.ErrTooLong)
				var located *stream.Error
				require.ErrorAs(t, err, &located)
				require.True(t, located.Encoding)
				require.Equal(t, "abc", string(got))
				require.Equal(t, cap(dst), cap(got))
				require.Same(t, &dst[0], &got[0])
			}
			got, err := appendTo(nil, anyOp, p)
			require.ErrorIs(t, err, stream.ErrTooLong)
			require.Nil(t, got)
		})
	}
	for _, p := range []program{
		{&text8{make(stream.Text, 255)}},
		{&text16{make(stream.Text, 1<<16-1)}},
		{&list{shape: program{new(uint8)}, elems: filled(255)}},
		{&list{wide: true, shape: program{new(uint8)}, elems: filled(1<<16 - 1)}},
	} {
		got, err := appendTo(nil, anyOp, p)
		require.NoError(t, err, "exactly at the limit")
		require.NoError(t, unmarshal(got, anyOp, fresh(p)))
	}
}

// filled returns n elements of one byte.
func filled(n int) []program {
	elems := make([]program, n)
	for i := range elems {
		elems[i] = program{new(uint8(i))}
	}
	return elems
}

// Goroutines may encode the same message at the same time; the race detector checks this.
func TestConcurrentAppend(t *testing.T) {
	m := sample()
	want := written(m, anyOp)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			var buf []byte
			if i%2 == 0 {
				buf = make([]byte, 0, len(want))
			}
			for range 100 {
				got, err := appendTo(buf, anyOp, m)
				if err != nil || string(got) != string(want) {
					t.Errorf("%x, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}

// A Codec may be used again after any walk.
func TestCodecReuse(t *testing.T) {
	var c stream.Codec
	v := false
	walk := func(c *stream.Codec) { c.Bool(&v) }
	for range 2 {
		c.Tolerant = false
		require.ErrorIs(t, c.Decode([]byte{anyOp, 0x60}, int(anyOp), "x", walk), stream.ErrBadBitGroup)
		require.False(t, c.Fits([]byte{0x60}, noOp, walk))
		c.Tolerant = true
		require.True(t, c.Fits([]byte{0x60}, noOp, walk))
		require.NoError(t, c.Decode([]byte{0x60}, noOp, "x", func(c *stream.Codec) {
			require.True(t, c.Decoding())
			require.Equal(t, 1, c.Remaining())
			walk(c)
		}))
		v = true
		got, err := c.Append(make([]byte, 1, 10), noOp, "x", func(c *stream.Codec) {
			require.False(t, c.Decoding())
			require.Zero(t, c.Remaining())
			walk(c)
		})
		require.NoError(t, err)
		require.Equal(t, []byte{0, 0x21}, got)
	}
}

func TestPeekUint(t *testing.T) {
	var c stream.Codec
	startDecoding(&c, []byte{anyOp, 1, 2, 3, 4, 0xFF}, int(anyOp))
	for _, v := range []struct {
		ahead, size int
		want        uint32
	}{
		{0, 0, 0},
		{0, 1, 1},
		{4, 1, 0xFF},
		{5, 1, 0},
		{-1, 1, 0},
		{0, 2, 0x0201},
		{3, 2, 0xFF04},
		{4, 2, 0},
		{0, 3, 0x030201},
		{0, 4, 0x04030201},
		{1, 4, 0xFF040302},
		{2, 4, 0},
		{math.MaxInt, 4, 0},
		{0, math.MaxInt, 0},
		{0, -1, 0},
		{3, math.MinInt, 0},
	} {
		require.Equal(t, v.want, c.PeekUint(v.ahead, v.size), "%d bytes at %d", v.size, v.ahead)
	}
	require.Equal(t, 5, c.Remaining(), "peeking does not move the cursor")
	c.Uint32(new(uint32))
	c.Uint16(new(uint16))
	require.Zero(t, c.PeekUint(0, 1), "past the end")
	startDecoding(&c, []byte{1}, noOp)
	c.Fail(io.EOF)
	require.Zero(t, c.PeekUint(0, 1), "after an error")
	require.Zero(t, c.PeekUint(0, 0), "no bytes after an error")
	startEncoding(&c, []byte{1, 2, 3, 4}, noOp)
	require.Zero(t, c.PeekUint(0, 4), "when encoding")
}

// An error of the message fails the walk in both directions.
func TestFail(t *testing.T) {
	var after uint8
	m := walk(func(c *stream.Codec) {
		var n uint8
		c.Field("Before").Uint8(&n)
		c.Field("Depth").Uint8(&n)
		c.Fail(io.ErrNoProgress)
		require.Zero(t, c.Remaining())
		c.Field("After").Uint8(&after)
		c.Fail(io.ErrClosedPipe)
	})
	after = 7
	err := unmarshal([]byte{anyOp, 1, 2, 3}, anyOp, m)
	require.EqualError(t, err, "stream_test: decode walk.Depth at offset 2: "+io.ErrNoProgress.Error())
	require.Zero(t, after)
	after = 7
	_, err = appendTo(make([]byte, 5), anyOp, m)
	require.EqualError(t, err, "stream_test: encode walk.Depth at offset 2: "+io.ErrNoProgress.Error())
	require.EqualValues(t, 7, after)
}

// Decoding and encoding allocate nothing. A failed walk allocates only its error.
func TestAllocs(t *testing.T) {
	allocs := func(t *testing.T, want float64, what string, f func()) {
		t.Helper()
		f() // allocates the memory that a reused message retains
		require.Equal(t, want, testing.AllocsPerRun(100, f), what)
	}
	buf := make([]byte, 0, 64)
	var c stream.Codec
	for _, m := range messages() {
		t.Run(m.name, func(t *testing.T) {
			allocs(t, 0, "decode", func() { _ = m.decode(&c, m.wire) })
			allocs(t, 0, "encode", func() { buf, _ = m.encode(&c, buf[:0]) })
			other := append([]byte{0xFF}, m.wire[1:]...)
			for _, bad := range [][]byte{nil, m.wire[:1], m.wire[:len(m.wire)-7], append(m.wire, 0), other} {
				require.Error(t, m.decode(&c, bad))
				allocs(t, 1, "failure", func() { _ = m.decode(&c, bad) })
			}
		})
	}
	short, position := make([]byte, 11), [3]float32{}
	allocs(t, 1, "floats", func() {
		if c.Decode(short, noOp, "bare", func(c *stream.Codec) { c.Float32s(position[:]) }) == nil {
			t.Error("decoded")
		}
	})
	bad := testdata.Bytes(stateHex)
	bad[22] = 0x60
	var s state
	require.ErrorIs(t, s.decode(&c, bad), stream.ErrBadBitGroup)
	allocs(t, 1, "bit group", func() { _ = s.decode(&c, bad) })
}
