package rows

import (
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// Limits of what is in memory. The rows of a run are sorted. A row group has several runs: it becomes smaller by a
// common dictionary, but its rows need less memory when they are encoded.
const (
	runRows   = 4096
	runBytes  = 2 << 20 // of fields and payloads
	groupRuns = 4
	blockRows = 256 // whose values are passed to the library at once
)

// table writes a Parquet file. Rows are sorted by a key within a run, so that similar rows are next to each other. Rows
// with equal keys keep their order.
type table[R any] struct {
	file    *parquet.GenericWriter[R]
	key     func(*R) [2]string
	columns []column
	runs    int // in the current row group

	added      run[R]
	concurrent bool       // another goroutine encodes the run before
	before     run[R]     // is being encoded
	encoded    chan error // the result of the run before; nil for none
}

// run is consecutive rows.
type run[R any] struct {
	rows  []R
	bytes []byte // of the rows
}

func newTable[R any](w io.Writer, key func(*R) [2]string, concurrent bool) *table[R] {
	t := &table[R]{key: key, concurrent: concurrent, file: parquet.NewGenericWriter[R](w,
		parquet.KeyValueMetadata(VersionKey, Version), parquet.Compression(compression),
		// The JSON of similar messages begins alike.
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray), parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked),
		// Row groups have statistics. The least and the greatest JSON or payload help no query.
		parquet.DataPageStatistics(false), parquet.SkipPageBounds("fields"), parquet.SkipPageBounds("bytes"))}
	for _, f := range t.file.Schema().Fields() {
		t.columns = append(t.columns, column{optional: f.Optional()})
	}
	return t
}

// describe adds a description of the input to the metadata.
func (t *table[R]) describe(input string) { t.file.SetKeyValueMetadata(inputKey, input) }

// keep returns a copy of bytes for the next row.
func (t *table[R]) keep(b []byte) []byte {
	if len(b) == 0 {
		return b // nil is NULL
	}
	begin := len(t.added.bytes)
	t.added.bytes = append(t.added.bytes, b...)
	return t.added.bytes[begin:len(t.added.bytes):len(t.added.bytes)]
}

// add adds a row. An error may be that of an earlier row.
func (t *table[R]) add(row R) error {
	t.added.rows = append(t.added.rows, row)
	if len(t.added.rows) < runRows && len(t.added.bytes) < runBytes {
		return nil
	}
	return t.end()
}

// end ends the current run.
func (t *table[R]) end() error {
	if !t.concurrent {
		return t.encode(&t.added)
	}
	if err := t.wait(); err != nil {
		return err
	}
	t.added, t.before = t.before, t.added
	t.encoded = make(chan error, 1)
	go func() { t.encoded <- t.encode(&t.before) }()
	return nil
}

// wait waits for the other goroutine, and returns the error of the run before.
func (t *table[R]) wait() (err error) {
	if t.encoded != nil {
		err = <-t.encoded
		t.encoded = nil
	}
	return err
}

// close completes the file.
func (t *table[R]) close() error {
	if err := t.end(); err != nil {
		return err
	}
	if err := t.wait(); err != nil {
		return err
	}
	return t.file.Close()
}

// encode adds the rows of a run to the row group.
func (t *table[R]) encode(run *run[R]) error {
	for block := range slices.Chunk(t.order(run.rows), blockRows) {
		if err := t.block(reflect.ValueOf(run.rows), block); err != nil {
			return err
		}
	}
	run.rows, run.bytes = run.rows[:0], run.bytes[:0]
	if t.runs++; t.runs < groupRuns {
		return nil
	}
	t.runs = 0
	return t.file.Flush()
}

// order returns the indices of rows in the order of their keys.
func (t *table[R]) order(rows []R) (order []int) {
	byKey := map[[2]string][]int{}
	for i := range rows {
		key := t.key(&rows[i])
		byKey[key] = append(byKey[key], i)
	}
	for _, key := range slices.SortedFunc(maps.Keys(byKey), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		order = append(order, byKey[key]...)
	}
	return order
}

// block encodes the rows with some indices. The method Write of the library would be shorter, but version 0.32.0 writes
// some NULLs as empty texts.
func (t *table[R]) block(rows reflect.Value, indices []int) error {
	for i, w := range t.file.ColumnWriters() {
		c := &t.columns[i]
		c.values = c.values[:0]
		for _, row := range indices {
			c.add(rows.Index(row).Field(i))
		}
		if _, err := w.WriteRowValues(c.values); err != nil {
			return err
		}
	}
	return nil
}

// column holds the values of a column in a block of rows.
type column struct {
	optional bool
	values   []parquet.Value
	last     string // the latest text; most texts repeat
	text     parquet.Value
}

// add adds the value of a field. In an optional column, an empty text and nil are NULL.
func (c *column) add(field reflect.Value) {
	c.values = append(c.values, parquet.NullValue())
	if c.optional && field.IsZero() {
		return
	}
	if field.Kind() == reflect.Pointer {
		field = field.Elem()
	}
	v := &c.values[len(c.values)-1]
	switch field.Kind() {
	case reflect.Bool:
		*v = parquet.BooleanValue(field.Bool())
	case reflect.Int32:
		*v = parquet.Int32Value(int32(field.Int()))
	case reflect.Int64:
		*v = parquet.Int64Value(field.Int())
	case reflect.Float32:
		*v = parquet.FloatValue(float32(field.Float()))
	case reflect.Float64:
		*v = parquet.DoubleValue(field.Float())
	case reflect.Slice:
		*v = parquet.ByteArrayValue(field.Bytes())
	case reflect.String:
		if s := field.String(); s != c.last || c.text.IsNull() {
			c.last, c.text = s, parquet.ByteArrayValue([]byte(s))
		}
		*v = c.text
	}
	if c.optional {
		v.SetDefinitionLevel(1)
	}
}

// codec compresses pages.
type codec struct {
	compress.Codec
	encoders sync.Pool
}

// compression is the codec of all tables. A page has about 256 KB, so a small window suffices. The window of the library
// needs 16 MB for each goroutine.
var compression = &codec{Codec: &parquet.Zstd, encoders: sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(1),
		zstd.WithAllLitEntropyCompression(true), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
}}}

// Encode implements [compress.Codec].
func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	e := c.encoders.Get().(*zstd.Encoder)
	defer c.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
