package rows

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// layout describes a column.
type layout struct {
	path      thrift.Slice[string]
	kind      parquet.Kind
	optional  bool
	encoding  format.Encoding
	encodings thrift.Slice[format.Encoding] // of all pages and levels
}

// layoutOf returns the layout of a field. Without a tag, the encoding of bytes leaves out the beginning that they
// share with the value before, because the JSON of similar messages begins alike.
func layoutOf(f parquet.Field) layout {
	l := layout{path: thrift.Slice[string]{f.Name()}, kind: f.Type().Kind(), optional: f.Optional()}
	switch e := f.Encoding(); {
	case e != nil:
		l.encoding = e.Encoding()
	case l.kind == parquet.ByteArray:
		l.encoding = format.DeltaByteArray
	case l.kind == parquet.Int32:
		l.encoding = format.DeltaBinaryPacked
	}
	l.encodings = thrift.Slice[format.Encoding]{l.encoding, format.RLE}
	if l.encoding == format.RLEDictionary {
		l.encodings = append(l.encodings, format.Plain)
	}
	return l
}

// null is the number of the value NULL.
const null = -1

// column holds the values of a column in a row group. A dictionary has each value once.
type column struct {
	layout
	codes  []int32  // by row: the number of the value, or null; nil if it is the row
	words  []uint64 // numbers without a dictionary
	values []byte   // bytes, or the dictionary in the encoding Plain
	ends   []int    // of the values of bytes

	texts    map[string]int32 // the dictionary
	numbers  map[uint64]int32
	recent   [recentTexts]recentText
	last     int32 // the number of the latest number in the dictionary, or null
	lastWord uint64

	least, most         uint64 // numbers
	leastText, mostText string
}

// recentText is a text in a dictionary. Most texts repeat, and with them their memory. It is found without hashing
// and comparing the text.
type recentText struct {
	data   *byte
	size   int
	number int32
}

// recentTexts is the number of texts that are found by their memory. It is prime.
const recentTexts = 31

func newColumn(l layout) column {
	c := column{layout: l, texts: map[string]int32{}, numbers: map[uint64]int32{}}
	c.reset()
	return c
}

// reset removes all values, and keeps the memory.
func (c *column) reset() {
	clear(c.texts)
	clear(c.numbers)
	*c = column{
		layout: c.layout, codes: c.codes[:0], words: c.words[:0], values: c.values[:0], ends: c.ends[:0],
		texts: c.texts, numbers: c.numbers, last: null,
	}
	switch c.kind {
	case parquet.Float:
		c.least, c.most = uint64(math.Float32bits(float32(math.Inf(1)))), uint64(math.Float32bits(float32(math.Inf(-1))))
	case parquet.Double:
		c.least, c.most = math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1))
	default:
		c.least, c.most = math.MaxInt64, 1<<63
	}
}

func (c *column) null() { c.codes = append(c.codes, null) }

func (c *column) text(s string) {
	data := unsafe.StringData(s)
	r := &c.recent[uintptr(unsafe.Pointer(data))%recentTexts]
	if r.data != data || r.size != len(s) || data == nil {
		*r = recentText{data, len(s), c.textNumber(s)}
	}
	c.codes = append(c.codes, r.number)
}

// textNumber returns the number of a text in the dictionary.
func (c *column) textNumber(s string) int32 {
	n, known := c.texts[s]
	if !known {
		if n = int32(len(c.texts)); n == 0 {
			c.leastText, c.mostText = s, s
		}
		c.texts[s] = n
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(s))), s...)
		c.leastText, c.mostText = min(c.leastText, s), max(c.mostText, s)
	}
	return n
}

func (c *column) bytes(b []byte) {
	c.codes = append(c.codes, int32(len(c.ends)))
	c.values = append(c.values, b...)
	c.ends = append(c.ends, len(c.values))
}

// distinct returns the number of values in the dictionary.
func (c *column) distinct() int { return len(c.texts) + len(c.numbers) }

// value returns bytes by their number.
func (c *column) value(code int32) []byte {
	if code == 0 {
		return c.values[:c.ends[0]]
	}
	return c.values[c.ends[code-1]:c.ends[code]]
}

// number adds an integer, whose sign is extended, or the bits of a float.
func (c *column) number(word uint64) {
	if c.encoding != format.RLEDictionary {
		if c.optional {
			c.codes = append(c.codes, int32(len(c.words)))
		}
		c.words = append(c.words, word)
		c.bound(word)
		return
	}
	if c.last == null || word != c.lastWord {
		n, known := c.numbers[word]
		if !known {
			n = int32(len(c.numbers))
			c.numbers[word] = n
			c.values = c.appendPlain(c.values, word)
			c.bound(word)
		}
		c.last, c.lastWord = n, word
	}
	c.codes = append(c.codes, c.last)
}

// bound extends the bounds by a number. NaN is in no bounds.
func (c *column) bound(word uint64) {
	if c.less(word, c.least) {
		c.least = word
	}
	if c.less(c.most, word) {
		c.most = word
	}
}

func (c *column) less(a, b uint64) bool {
	switch c.kind {
	case parquet.Float:
		return math.Float32frombits(uint32(a)) < math.Float32frombits(uint32(b))
	case parquet.Double:
		return math.Float64frombits(a) < math.Float64frombits(b)
	}
	return int64(a) < int64(b)
}

// appendPlain appends a number in the encoding Plain.
func (c *column) appendPlain(dst []byte, word uint64) []byte {
	switch c.kind {
	case parquet.Boolean:
		return append(dst, byte(word))
	case parquet.Int32, parquet.Float:
		return binary.LittleEndian.AppendUint32(dst, uint32(word))
	}
	return binary.LittleEndian.AppendUint64(dst, word)
}

// statistics returns the bounds of the values. The least and the greatest JSON or payload help no query.
func (c *column) statistics(nulls int) format.Statistics {
	s := format.Statistics{NullCount: int64(nulls)}
	switch {
	case len(c.texts) > 0:
		s.MinValue, s.MaxValue = []byte(c.leastText), []byte(c.mostText)
	case c.kind != parquet.ByteArray && !c.less(c.most, c.least):
		s.MinValue, s.MaxValue = c.appendPlain(nil, c.least), c.appendPlain(nil, c.most)
	}
	return s
}
