package rows

import (
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a row group. Its rows are sorted, and encoded by one goroutine. The limit of bytes bounds the memory.
const (
	groupRows  = 16_384
	groupBytes = 8 << 20 // of fields and payloads
)

// maxQueue is the largest number of row groups of a file that are encoded at once.
const maxQueue = 3

// row is a pointer to a row of a table.
type row[R any] interface {
	*R
	cells
}

// cells are the values of a row.
type cells interface {
	key() [2]string // rows with equal keys stay in the order in which they were written
	values(*columns)
}

// table writes a Parquet file. It encodes row groups in other goroutines if there are workers.
type table[R any, P row[R]] struct {
	file    *file
	layouts []layout
	workers Workers
	row     R // the added one
	current *group
	queue   []*group // in order; they are being encoded
	spare   []*group
}

// Workers limits the number of goroutines that encode rows: its capacity. Without capacity, there are none.
type Workers chan struct{}

// group is a row group.
type group struct {
	columns     columns
	keys        []int32 // by row: the number of its key
	numbers     map[[2]string]int32
	pages       []byte
	description format.RowGroup // of the pages
	encoded     chan error
}

func newTable[R any, P row[R]](w io.Writer, workers Workers) *table[R, P] {
	schema := parquet.SchemaOf(new(R))
	t := &table[R, P]{file: newFile(w, schema), workers: workers}
	for _, f := range schema.Fields() {
		t.layouts = append(t.layouts, layoutOf(f))
	}
	return t
}

// describe adds a description of the input to the metadata.
func (t *table[R, P]) describe(input string) { t.file.describe(inputKey, input) }

// add adds an empty row, valid until write.
func (t *table[R, P]) add() *R {
	var empty R
	t.row = empty
	return &t.row
}

// write writes the added row, and copies its bytes.
func (t *table[R, P]) write() error {
	g := t.current
	if g == nil {
		g = t.next()
		t.current = g
	}
	size := g.add(P(&t.row))
	if len(g.keys) < groupRows && size < groupBytes {
		return nil
	}
	return t.flush()
}

// next returns an empty row group.
func (t *table[R, P]) next() *group {
	if n := len(t.spare); n > 0 {
		g := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return g
	}
	g := &group{numbers: map[[2]string]int32{}, encoded: make(chan error, 1)}
	for _, l := range t.layouts {
		g.columns.all = append(g.columns.all, newColumn(l))
	}
	return g
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
		g.encoded <- g.encode()
	} else {
		go func() {
			t.workers <- struct{}{}
			err := g.encode()
			<-t.workers
			g.encoded <- err
		}()
	}
	return t.commit(min(maxQueue, cap(t.workers)))
}

// commit writes row groups until at most n wait.
func (t *table[R, P]) commit(n int) error {
	for len(t.queue) > 0 && (len(t.queue) > n || cap(t.workers) == 0) {
		g := t.queue[0]
		t.queue = t.queue[1:]
		if err := <-g.encoded; err != nil {
			return err
		}
		if err := t.file.group(g.description, g.pages); err != nil {
			return err
		}
		g.reset()
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
		err = t.file.close()
	}
	t.wait()
	return err
}

// wait waits for the goroutines.
func (t *table[R, P]) wait() {
	for _, g := range t.queue {
		<-g.encoded
	}
	t.queue = nil
}

// add adds a row. It returns the size of the fields and payloads so far.
func (g *group) add(r cells) (size int) {
	key := r.key()
	n, known := g.numbers[key]
	if !known {
		n = int32(len(g.numbers))
		g.numbers[key] = n
	}
	g.keys = append(g.keys, n)
	g.columns.next = 0
	r.values(&g.columns)
	return g.columns.size
}

func (g *group) reset() {
	g.keys, g.columns.size = g.keys[:0], 0
	clear(g.numbers)
	for i := range g.columns.all {
		g.columns.all[i].reset()
	}
}

// order returns the rows in the order of their keys.
func (g *group) order() []int32 {
	next := make([]int32, len(g.numbers)) // by key: where its next row goes
	for _, key := range g.keys {
		next[key]++
	}
	begin := int32(0)
	compare := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(g.numbers), compare) {
		count := &next[g.numbers[key]]
		begin, *count = begin+*count, begin
	}
	order := make([]int32, len(g.keys))
	for row, key := range g.keys {
		order[next[key]] = int32(row)
		next[key]++
	}
	return order
}

// encode sorts, encodes and compresses the rows.
func (g *group) encode() (err error) {
	e := <-encoders
	defer func() { encoders <- e }()
	g.pages, g.description, err = e.group(g.pages[:0], g.columns.all, g.order())
	return err
}
