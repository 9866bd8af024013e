package rows

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// window is the distance within which zstd finds equal bytes. A larger one needs memory and finds no more.
const window = 2 << 20

// maxEncoders is the number of row groups of all tables that are encoded at once. Each needs the memory of a row
// group. Encoding is a third of the work.
const maxEncoders = 4

// encoders are the encoders of all tables that are not in use.
var encoders = func() chan *encoder {
	all := make(chan *encoder, maxEncoders)
	for range maxEncoders {
		all <- new(encoder)
	}
	return all
}()

// newCompressor returns a compressor of pages. The next better level takes twice the time, with 3.5 bytes less for
// each message of a long match.
func newCompressor() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithAllLitEntropyCompression(true),
		zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
}

// encoder encodes the columns of a row group. It reuses its memory.
type encoder struct {
	zstd         *zstd.Encoder
	out          []byte // pages, of the caller
	packed       []byte // a page, compressed
	data         []byte // a page
	levels       []byte // of the rows of an optional column: 0 is NULL
	codes        []int32
	words        []int64
	shared, rest []int32 // bytes of a value that are those of the value before, and the number of the others
	bytes        []byte
}

// group appends the pages of a row group, whose rows are in the given order. The offsets of its description are
// those in the pages.
func (e *encoder) group(pages []byte, columns []column, order []int32) (_ []byte, g format.RowGroup, err error) {
	if e.zstd == nil {
		if e.zstd, err = newCompressor(); err != nil {
			return pages, g, err
		}
	}
	e.out, g.NumRows = pages, int64(len(order))
	for i := range columns {
		chunk, err := e.column(&columns[i], order)
		if err != nil {
			return e.out, g, err
		}
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: chunk})
		g.TotalByteSize += chunk.TotalUncompressedSize
		g.TotalCompressedSize += chunk.TotalCompressedSize
	}
	return e.out, g, nil
}

// column encodes a column: its dictionary and a page.
func (e *encoder) column(c *column, order []int32) (m format.ColumnMetaData, err error) {
	m = format.ColumnMetaData{
		Type: format.Type(c.kind), Encoding: c.encodings, PathInSchema: c.path, Codec: format.Zstd,
		NumValues: int64(len(order)),
	}
	h := format.PageHeader{Type: format.DictionaryPage}
	if c.encoding == format.RLEDictionary {
		m.DictionaryPageOffset = int64(len(e.out))
		h.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(c.distinct()), Encoding: format.Plain})
		if err := e.page(&m, &h, nil, c.values); err != nil {
			return m, err
		}
	}
	levels, err := e.values(c, order)
	if err != nil {
		return m, err
	}
	nulls := 0
	if c.optional {
		nulls = len(order) - len(e.codes)
	}
	m.Statistics = c.statistics(nulls)
	m.DataPageOffset = int64(len(e.out))
	h = format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2.Set(format.DataPageHeaderV2{
		NumValues: int32(len(order)), NumNulls: int32(nulls), NumRows: int32(len(order)), Encoding: c.encoding,
		DefinitionLevelsByteLength: int32(len(levels)), IsCompressed: thrift.New(true),
	})
	return m, e.page(&m, &h, levels, e.data)
}

// page appends a page to the output.
func (e *encoder) page(m *format.ColumnMetaData, h *format.PageHeader, levels, data []byte) error {
	e.packed = e.zstd.EncodeAll(data, e.packed[:0])
	h.UncompressedPageSize = int32(len(levels) + len(data))
	h.CompressedPageSize = int32(len(levels) + len(e.packed))
	h.CRC = int32(crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, e.packed))
	header, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	m.TotalUncompressedSize += int64(len(header)) + int64(h.UncompressedPageSize)
	m.TotalCompressedSize += int64(len(header)) + int64(h.CompressedPageSize)
	e.out = append(append(append(e.out, header...), levels...), e.packed...)
	return err
}

// values encodes the values of a column as data. It returns the levels of an optional column.
func (e *encoder) values(c *column, order []int32) (levels []byte, err error) {
	e.pick(c, order)
	e.data = e.data[:0]
	switch c.encoding {
	case format.RLEDictionary:
		err = e.numbers(c)
	case format.DeltaByteArray:
		err = e.prefixes(c)
	case format.DeltaBinaryPacked:
		e.words = e.words[:0]
		for _, code := range e.codes {
			e.words = append(e.words, int64(c.words[code]))
		}
		e.data, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.data, e.words)
	case format.ByteStreamSplit:
		for shift := 0; shift < 8*len(c.appendPlain(nil, 0)); shift += 8 {
			for _, code := range e.codes {
				e.data = append(e.data, byte(c.words[code]>>shift))
			}
		}
	default:
		e.plain(c)
	}
	if c.optional && err == nil {
		levels, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, e.levels)
	}
	return levels, err
}

// pick sets the numbers of the values that are not NULL, and the levels.
func (e *encoder) pick(c *column, order []int32) {
	e.levels, e.codes = e.levels[:0], e.codes[:0]
	if c.codes == nil {
		e.codes = append(e.codes, order...)
		return
	}
	n := len(order)
	e.levels, e.codes = slices.Grow(e.levels, n)[:n], slices.Grow(e.codes, n)[:n]
	k := 0
	for i, row := range order { // without a jump for NULL, which nobody predicts
		code := c.codes[row]
		present := byte(^uint32(code) >> 31)
		e.codes[k], e.levels[i] = code, present
		k += int(present)
	}
	e.codes = e.codes[:k]
}

// numbers encodes the numbers of values in a dictionary. A number has whole bytes, because zstd finds equal bytes
// and not equal bits.
func (e *encoder) numbers(c *column) (err error) {
	width := (bits.Len(uint(max(1, c.distinct())-1)) + 7) / 8 * 8
	e.bytes, err = (&rle.Encoding{BitWidth: width}).EncodeInt32(e.bytes, e.codes)
	e.data = append(append(e.data, byte(width)), e.bytes...)
	return err
}

// prefixes encodes bytes without the beginning that they share with the bytes before.
func (e *encoder) prefixes(c *column) (err error) {
	e.shared, e.rest = e.shared[:0], e.rest[:0]
	var before []byte
	for _, code := range e.codes {
		b := c.value(code)
		n := commonPrefix(before, b)
		e.shared, e.rest = append(e.shared, int32(n)), append(e.rest, int32(len(b)-n))
		before = b
	}
	var lengths delta.BinaryPackedEncoding
	if e.data, err = lengths.EncodeInt32(e.data, e.shared); err != nil {
		return err
	}
	if e.bytes, err = lengths.EncodeInt32(e.bytes, e.rest); err != nil {
		return err
	}
	e.data = append(e.data, e.bytes...)
	for i, code := range e.codes {
		e.data = append(e.data, c.value(code)[e.shared[i]:]...)
	}
	return nil
}

// commonPrefix returns the number of bytes with which both begin.
func commonPrefix(a, b []byte) (n int) {
	for n+8 <= len(a) && n+8 <= len(b) {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// plain encodes numbers one after the other. A boolean is a bit.
func (e *encoder) plain(c *column) {
	for i, code := range e.codes {
		switch {
		case c.kind != parquet.Boolean:
			e.data = c.appendPlain(e.data, c.words[code])
		case i%8 == 0:
			e.data = append(e.data, byte(c.words[code]))
		default:
			e.data[i/8] |= byte(c.words[code]) << (i % 8)
		}
	}
}
