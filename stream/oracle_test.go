package stream_test

import (
	"encoding/binary"
	"io"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// A program is a message built at run time: pointers to its fields in wire order. The
// package walks it with a Codec. The writer and reader below are slow, independent
// implementations of the published description. They share only the errors with the
// package.
type program []any

type (
	text8  struct{ stream.Text }
	text16 struct{ stream.Text }
	text32 struct{ stream.Text }
	wide32 struct{ stream.UTF16 }
	fixed  struct{ b []byte }
	list   struct {
		wide  bool    // Count16
		shape program // of an element; begins with a byte, so it is never empty
		elems []program
	}
	rest struct {
		data []byte
		keep bool // store the open group
		open stream.Bits
	}
)

func (p program) Walk(c *stream.Codec) {
	for i, f := range p {
		c.Field("F" + strconv.Itoa(i))
		switch f := f.(type) {
		case *bool:
			c.Bool(f)
		case *uint8:
			c.Uint8(f)
		case *int8:
			c.Int8(f)
		case *uint16:
			c.Uint16(f)
		case *int16:
			c.Int16(f)
		case *uint32:
			c.Uint32(f)
		case *int32:
			c.Int32(f)
		case *float32:
			c.Float32(f)
		case *objectid.ID:
			c.ObjectID(f)
		case *compress.Float16:
			c.Float16(f)
		case *compress.Vector3:
			c.Vector3(f)
		case *compress.Vector4:
			c.Vector4(f)
		case *compress.Contact:
			c.Contact(f)
		case *text8:
			c.String8(&f.Text)
		case *text16:
			c.String16(&f.Text)
		case *text32:
			c.String32(&f.Text)
		case *wide32:
			c.WString32(&f.UTF16)
		case []float32:
			c.Float32s(f)
		case *fixed:
			c.Bytes(f.b)
		case *list:
			f.walk(c)
		case *rest:
			if f.keep {
				c.Rest(&f.data, &f.open)
			} else {
				c.Rest(&f.data, nil)
			}
		}
	}
}

func (l *list) walk(c *stream.Codec) {
	count := c.Count8
	if l.wide {
		count = c.Count16
	}
	n := count(len(l.elems), least(l.shape))
	stream.Resize(c, &l.elems, n)
	for i := range n {
		if c.Decoding() {
			l.elems[i] = fresh(l.shape)
		}
		c.Element("L", i)
		l.elems[i].Walk(c)
		c.End()
	}
}

// least returns the minimum encoded size of p.
func least(p program) (n int) {
	for _, f := range p {
		switch f := f.(type) {
		case *bool, *rest:
		case *text8:
			n++
		case *text16:
			n += 2
		case *text32, *wide32:
			n += 4
		case *fixed:
			n += len(f.b)
		case *list:
			n += f.prefix()
		default:
			n += binary.Size(f)
		}
	}
	return n
}

func (l *list) prefix() int {
	if l.wide {
		return 2
	}
	return 1
}

// fresh returns a program with the same fields, all zero.
func fresh(p program) program {
	q := make(program, len(p))
	for i, f := range p {
		switch f := f.(type) {
		case *fixed:
			q[i] = &fixed{make([]byte, len(f.b))}
		case []float32:
			q[i] = make([]float32, len(f))
		case *list:
			q[i] = &list{wide: f.wide, shape: f.shape}
		case *rest:
			q[i] = &rest{keep: f.keep}
		default:
			q[i] = reflect.New(reflect.TypeOf(f).Elem()).Interface()
		}
	}
	return q
}

type writer struct {
	buf  []byte
	mark int
	mask byte
}

// written returns the bytes before, followed by the encoded program.
func written(p program, before ...byte) []byte {
	w := writer{buf: before}
	w.put(p)
	return w.buf
}

func (w *writer) put(p program) {
	for _, f := range p {
		switch f := f.(type) {
		case *bool:
			w.bool(*f)
		case *text8:
			w.buf = append(append(w.buf, byte(len(f.Text))), f.Text...)
		case *text16:
			w.buf = append(le.AppendUint16(w.buf, uint16(len(f.Text))), f.Text...)
		case *text32:
			w.buf = append(le.AppendUint32(w.buf, uint32(len(f.Text))), f.Text...)
		case *wide32:
			w.buf = append(le.AppendUint32(w.buf, uint32(len(f.UTF16)/2)), f.UTF16...)
		case *fixed:
			w.buf = append(w.buf, f.b...)
		case *list:
			w.buf = append(w.buf, byte(len(f.elems)), byte(len(f.elems)>>8))[:len(w.buf)+f.prefix()]
			for _, e := range f.elems {
				w.put(e)
			}
		case *rest:
			if f.open.Read != 0 {
				w.buf[w.mark] = f.open.Byte
			}
			w.buf = append(w.buf, f.data...)
		default:
			w.buf, _ = binary.Append(w.buf, le, f)
		}
	}
}

func (w *writer) bool(v bool) {
	if w.mask == 0 {
		w.mark = len(w.buf)
		w.buf = append(w.buf, 0)
		w.mask = 1
	}
	if v {
		w.buf[w.mark] |= w.mask
	}
	w.buf[w.mark] += 0x20
	if w.mask <<= 1; w.mask == 0x20 {
		w.mask = 0
	}
}

// bools returns the number of bools in the open group.
func (w *writer) bools() int {
	if w.mask == 0 {
		return 0
	}
	return bits.TrailingZeros8(w.mask)
}

type reader struct {
	buf   []byte
	pos   int
	mark  int
	read  int // bools of the group at mark
	count int // of that group; 0 if none is open
	err   error
	at    int // offset of err

	tolerant bool
}

// message reads a whole payload.
func (r *reader) message(op byte, p program) {
	if b := r.take(1); b != nil && b[0] != op {
		r.fail(0, stream.ErrOpcode)
	}
	r.get(p)
	if r.read < r.count && !r.tolerant {
		r.fail(r.mark, stream.ErrBadBitGroup)
	}
	if r.pos < len(r.buf) {
		r.fail(r.pos, stream.ErrTrailing)
	}
}

func (r *reader) fail(at int, err error) {
	if r.err == nil {
		r.at, r.err = at, err
	}
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.buf)-r.pos { // negative: an int of 32 bits overflowed
		r.fail(r.pos, io.ErrUnexpectedEOF)
		return nil
	}
	r.pos += n
	return r.buf[r.pos-n : r.pos]
}

func (r *reader) get(p program) {
	for _, f := range p {
		if r.err != nil {
			return
		}
		start := r.pos
		switch f := f.(type) {
		case *bool:
			*f = r.bool()
		case *text8:
			f.Text = r.take(r.length(1))
		case *text16:
			f.Text = r.take(r.length(2))
		case *text32:
			f.Text = r.take(r.length(4))
		case *wide32:
			f.UTF16 = r.take(2 * r.length(4))
		case *fixed:
			copy(f.b, r.take(len(f.b)))
		case *list:
			n := r.length(f.prefix())
			if r.err == nil && n*least(f.shape) > len(r.buf)-r.pos {
				r.fail(start, io.ErrUnexpectedEOF)
			}
			for range n {
				if r.err != nil {
					return
				}
				f.elems = append(f.elems, fresh(f.shape))
				r.get(f.elems[len(f.elems)-1])
			}
			continue // the element has recorded the error
		case *rest:
			if f.keep && r.count != 0 {
				if r.read < r.count || !r.tolerant {
					bools := r.buf[r.mark] & (1<<r.count - 1)
					f.open = stream.Bits{Byte: byte(r.count)<<5 | bools, Read: uint8(r.read)}
				}
				r.count = 0
			}
			f.data = r.take(len(r.buf) - r.pos)
		default:
			if b := r.take(binary.Size(f)); b != nil {
				_, _ = binary.Decode(b, le, f)
			}
		}
		if r.err == io.ErrUnexpectedEOF {
			r.at = start
		}
	}
}

func (r *reader) length(size int) (n int) {
	for i, b := range r.take(size) {
		n |= int(b) << (8 * i)
	}
	return n
}

func (r *reader) bool() bool {
	if r.count == 0 || r.read == r.count && r.tolerant {
		b := r.take(1)
		if b == nil {
			return false
		}
		r.mark, r.read, r.count = r.pos-1, 0, int(b[0]/32)
		if r.tolerant {
			r.count = min(max(r.count, 1), 5)
		} else if r.count == 0 || r.count > 5 || int(b[0]%32) >= 1<<r.count {
			r.fail(r.mark, stream.ErrBadBitGroup)
			return false
		}
	}
	if r.read == r.count {
		r.fail(r.mark, stream.ErrBadBitGroup)
		return false
	}
	v := r.buf[r.mark]&(1<<r.read) != 0
	if r.read++; r.read == 5 {
		r.count, r.read = 0, 0
	}
	return v
}

// build makes a program of zero fields. choose(n) returns a number below n.
func build(choose func(n int) int, depth int) program {
	var p program
	for range choose(12) {
		p = append(p, field(choose, depth))
	}
	if depth == 0 && choose(4) == 1 {
		p = append(p, &rest{keep: choose(2) == 1})
	}
	return p
}

func field(choose func(n int) int, depth int) any {
	switch choose(24) {
	case 0:
		return new(uint8)
	case 1:
		return new(int8)
	case 2:
		return new(uint16)
	case 3:
		return new(int16)
	case 4:
		return new(uint32)
	case 5:
		return new(int32)
	case 6:
		return new(float32)
	case 7:
		return new(objectid.ID)
	case 8:
		return new(compress.Float16)
	case 9:
		return new(compress.Vector3)
	case 10:
		return new(compress.Vector4)
	case 11:
		return new(compress.Contact)
	case 12:
		return new(text8)
	case 13:
		return new(text16)
	case 14:
		return &fixed{make([]byte, choose(9))}
	case 15:
		return new(text32)
	case 16:
		return make([]float32, choose(4))
	case 17:
		return new(wide32)
	case 18, 19:
		if depth < 3 {
			return &list{wide: choose(2) == 1, shape: append(program{new(uint8)}, build(choose, depth+1)...)}
		}
	}
	return new(bool)
}

// fill sets the fields of a program to values.
func fill(p program, choose func(n int) int) {
	octets := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(choose(256))
		}
		return b
	}
	for i, f := range p {
		switch f := f.(type) {
		case *bool:
			*f = choose(2) == 1
		case *text8:
			f.Text = octets(choose(20))
		case *text16:
			f.Text = octets(choose(20))
		case *text32:
			f.Text = octets(choose(20))
		case *wide32:
			f.UTF16 = octets(2 * choose(10))
		case *fixed:
			copy(f.b, octets(len(f.b)))
		case *list:
			f.elems = make([]program, choose(4))
			for i := range f.elems {
				f.elems[i] = fresh(f.shape)
				fill(f.elems[i], choose)
			}
		case *rest:
			f.data = octets(choose(20))
			w := writer{}
			w.put(p[:i])
			if n := w.bools(); f.keep && n > 0 {
				f.open.Read = uint8(n)
				for range choose(6 - n) { // bools of the tail
					w.bool(choose(2) == 1)
				}
				f.open.Byte = w.buf[w.mark]
			}
		default:
			_, _ = binary.Decode(octets(binary.Size(f)), le, f)
		}
	}
}

// agree decodes a payload with the package and with the oracle. It requires the same error
// and values, a byte-exact round trip, and a dissection without gaps or overlaps.
func agree(t require.TestingT, shape program, payload []byte) {
	const op = anyOp
	want, got := fresh(shape), fresh(shape)
	r := reader{buf: payload}
	r.message(op, want)
	err := unmarshal(payload, op, got)
	require.ErrorIs(t, err, r.err)
	if r.err != nil {
		var located *stream.Error
		require.ErrorAs(t, err, &located)
		require.Equal(t, r.at, located.Offset, "%v", err)
	}
	if r.err == nil || r.err == stream.ErrTrailing {
		require.Equal(t, written(want), written(got))
		again, err := appendTo(nil, op, got)
		require.NoError(t, err)
		require.Equal(t, payload[:r.pos], again)
	}
	fields, again := dissect(payload, fresh(shape))
	if err != nil {
		require.EqualError(t, again, err.Error())
	}
	covers(t, payload, fields, again)
	agreeTolerant(t, shape, payload)
}

// agreeTolerant requires that a tolerant Codec and the oracle agree on error and values.
func agreeTolerant(t require.TestingT, shape program, payload []byte) {
	want, got := fresh(shape), fresh(shape)
	r := reader{buf: payload, tolerant: true}
	r.message(anyOp, want)
	err := unmarshalTolerant(payload, got)
	require.ErrorIs(t, err, r.err)
	require.NotErrorIs(t, err, stream.ErrBadBitGroup)
	if r.err == nil || r.err == stream.ErrTrailing {
		require.Equal(t, written(want), written(got))
	}
	if r.err != nil {
		var located *stream.Error
		require.ErrorAs(t, err, &located)
		require.Equal(t, r.at, located.Offset, "%v", err)
	}
}

// covers requires that the fields cover every byte once and in order, and that the last
// field has the error.
func covers(t require.TestingT, payload []byte, fields []stream.Field, err error) {
	end := 0
	for i, f := range fields {
		if len(f.Raw) > 0 {
			require.Equal(t, end, f.Offset, f.Path())
			require.Equal(t, payload[end:end+len(f.Raw)], f.Raw, f.Path())
		}
		end += len(f.Raw)
		if failed := i == len(fields)-1 && err != nil; failed {
			require.Equal(t, err, f.Err)
			require.Nil(t, f.Value())
		} else {
			require.NoError(t, f.Err)
			require.True(t, f.Value() != nil, f.Path()) // a nil Text is a value
		}
	}
	require.Equal(t, len(payload), end)
}
