package rows

import (
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Limits of a row group. Its rows are sorted, and compressed by one goroutine. The limit of bytes bounds
// the memory.
const (
	groupRows  = 16_384
	groupBytes = 4 << 20 // of fields and payloads
)

// pageBytes is the size of a page before compression. Every column has a page in memory.
const pageBytes = 1 << 20

// blockRows is the number of rows whose values are in memory at once.
const blockRows = 512

// maxQueue is the largest number of row groups of a file that are built at once.
const maxQueue = 3

// row is a pointer to a row of a table.
type row[R any] interface {
	*R
	key() [2]string // rows with equal keys stay in the order in which they were written
	values(*columns)
	keep(*arena)
}

// table writes a Parquet file. It builds row groups in other goroutines if there are workers.
type table[R any, P row[R]] struct {
	file    *parquet.GenericWriter[R]
	workers Workers
	current *group[R, P]
	queue   []*group[R, P] // in order; they are being built
	spare   []*group[R, P]
}

// Workers limits the number of goroutines that sort and compress rows: its capacity. Without capacity,
// there are none.
type Workers chan struct{}

// group is a row group.
type group[R any, P row[R]] struct {
	rows  []R
	arena arena
	out   *parquet.ConcurrentRowGroupWriter
	built chan error
}

func newTable[R any, P row[R]](w io.Writer, workers Workers) *table[R, P] {
	file := parquet.NewGenericWriter[R](w,
		parquet.KeyValueMetadata(VersionKey, Version),
		parquet.CreatedBy("bcwire dump", Version, ""),
		// The default level is a fifth faster as a whole, with 3.7 bytes more for each message of a long match.
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedBetterCompression}),
		parquet.PageBufferSize(pageBytes),
		parquet.DataPageStatistics(false), // the index has the bounds
		// The least and the greatest JSON or payload help no query.
		parquet.SkipPageBounds("fields"), parquet.SkipPageBounds("bytes"),
	)
	return &table[R, P]{file: file, workers: workers}
}

// describe adds a description of the input to the metadata.
func (t *table[R, P]) describe(input string) { t.file.SetKeyValueMetadata(inputKey, input) }

// add adds an empty row, valid until write.
func (t *table[R, P]) add() *R {
	g := t.current
	if g == nil {
		g = t.next()
		t.current = g
	}
	var empty R
	g.rows = append(g.rows, empty)
	return &g.rows[len(g.rows)-1]
}

// write writes the added row, and copies its bytes.
func (t *table[R, P]) write() error {
	g := t.current
	P(&g.rows[len(g.rows)-1]).keep(&g.arena)
	if len(g.rows) < groupRows && g.arena.size < groupBytes {
		return nil
	}
	return t.flush()
}

// next returns an empty row group.
func (t *table[R, P]) next() *group[R, P] {
	if n := len(t.spare); n > 0 {
		g := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return g
	}
	return &group[R, P]{out: t.file.BeginRowGroup(), built: make(chan error, 1)}
}

// flush ends the current row group.
func (t *table[R, P]) flush() error {
	g := t.current
	if g == nil {
		return nil
	}
	t.current = nil
	t.queue = append(t.queue, g)
	if cap(t.workers) == 0 {
		g.built <- g.build()
	} else {
		go func() {
			t.workers <- struct{}{}
			err := g.build()
			<-t.workers
			g.built <- err
		}()
	}
	return t.commit(min(maxQueue, cap(t.workers)))
}

// commit writes row groups until at most n wait.
func (t *table[R, P]) commit(n int) error {
	for len(t.queue) > 0 && (len(t.queue) > n || cap(t.workers) == 0) {
		g := t.queue[0]
		t.queue = t.queue[1:]
		if err := <-g.built; err != nil {
			return err
		}
		if _, err := g.out.Commit(); err != nil {
			return err
		}
		clear(g.rows)
		g.rows = g.rows[:0]
		g.arena.reset()
		t.spare = append(t.spare, g)
	}
	return nil
}

// close completes the file.
func (t *table[R, P]) close() error {
	err := t.flush()
	if err == nil {
		err = t.commit(0)
	}
	if err == nil {
		err = t.file.Close()
	}
	t.wait()
	return err
}

// wait waits for the goroutines.
func (t *table[R, P]) wait() {
	for _, g := range t.queue {
		<-g.built
	}
	t.queue = nil
}

// sorted returns the rows by their keys.
func (g *group[R, P]) sorted() []*R {
	byKey := map[[2]string][]*R{}
	for i := range g.rows {
		r := &g.rows[i]
		k := P(r).key()
		byKey[k] = append(byKey[k], r)
	}
	order := make([]*R, 0, len(g.rows))
	for _, k := range slices.SortedFunc(maps.Keys(byKey), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		order = append(order, byKey[k]...)
	}
	return order
}

// build sorts and compresses the rows.
func (g *group[R, P]) build() error {
	writers := g.out.ColumnWriters()
	values := make([]parquet.Value, len(writers)*blockRows)
	line := make(columns, 0, len(writers))
	for block := range slices.Chunk(g.sorted(), blockRows) {
		for i, r := range block {
			line = line[:0]
			P(r).values(&line)
			for j := range line {
				values[j*blockRows+i] = line[j]
			}
		}
		for j, w := range writers {
			if _, err := w.WriteRowValues(values[j*blockRows:][:len(block)]); err != nil {
				return err
			}
		}
	}
	return g.out.Flush()
}

// arena holds bytes in large pieces.
type arena struct {
	pieces [][]byte // the last one is in use
	spare  [][]byte
	size   int
}

const pieceBytes = 256 << 10

// keep returns a copy of bytes. It keeps nil.
func (a *arena) keep(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	a.size += len(b)
	n := len(a.pieces)
	if n == 0 || cap(a.pieces[n-1])-len(a.pieces[n-1]) < len(b) {
		a.pieces = append(a.pieces, a.piece(len(b)))
		n = len(a.pieces)
	}
	p := &a.pieces[n-1]
	start := len(*p)
	*p = append(*p, b...)
	return (*p)[start:len(*p):len(*p)]
}

// piece returns an empty piece for a number of bytes.
func (a *arena) piece(size int) []byte {
	if n := len(a.spare); n > 0 && size <= pieceBytes {
		p := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return p
	}
	return make([]byte, 0, max(size, pieceBytes))
}

// reset empties the arena. The bytes that it has returned are invalid then.
func (a *arena) reset() {
	for _, p := range a.pieces {
		if cap(p) == pieceBytes {
			a.spare = append(a.spare, p[:0])
		}
	}
	a.pieces, a.size = a.pieces[:0], 0
}
