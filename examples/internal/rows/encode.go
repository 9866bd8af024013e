package rows

import (
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// window is the distance within which zstd finds equal bytes.
const window = 2 << 20

// compressor returns the compressor of all pages. The default level takes half of the time of this one, and 3.3
// bytes more for each message of a long match.
var compressor = sync.OnceValue(func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constant
	}
	return z
})

// encoders are shared by all tables, because an encoder has the memory of a row group.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder encodes the columns of a row group. It reuses its memory.
type encoder struct {
	out     []byte // pages, of the caller
	packed  []byte // a page, compressed
	data    []byte // a page
	levels  []byte // of the rows of an optional column: 0 is NULL
	codes   []int32
	words   []int64
	bytes   []byte
	offsets []uint32
}

// group appends the pages of a row group, whose rows are in the given order. The offsets of its description are
// those in the pages.
func (e *encoder) group(pages []byte, columns []column, order []int32) ([]byte, format.RowGroup, error) {
	e.out = pages
	g := format.RowGroup{NumRows: int64(len(order))}
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
		Type: format.Type(c.kind), Encoding: c.encodings, PathInSchema: c.path, Codec: format.Zstd, NumValues: int64(len(order)),
	}
	h := format.PageHeader{Type: format.DictionaryPage}
	if c.encoding == format.RLEDictionary {
		m.DictionaryPageOffset = int64(len(e.out))
		h.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(len(c.texts) + len(c.numbers)), Encoding: format.Plain})
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
	e.packed = compressor().EncodeAll(data, e.packed[:0])
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
	e.data = e.data[:0]
	switch c.encoding {
	case format.RLEDictionary:
		e.pick(c, order)
		e.data, err = new(rle.DictionaryEncoding).EncodeInt32(e.data, e.codes)
	case format.DeltaByteArray:
		e.pick(c, order)
		e.bytes, e.offsets = e.bytes[:0], append(e.offsets[:0], 0)
		for _, code := range e.codes {
			e.bytes = append(e.bytes, c.value(code)...)
			e.offsets = append(e.offsets, uint32(len(e.bytes)))
		}
		e.data, err = new(delta.ByteArrayEncoding).EncodeByteArray(e.data, e.bytes, e.offsets)
	case format.DeltaBinaryPacked:
		e.words = e.words[:0]
		for _, row := range order {
			e.words = append(e.words, int64(c.words[row]))
		}
		e.data, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.data, e.words)
	case format.ByteStreamSplit:
		for shift := 0; shift < 8*len(c.appendPlain(nil, 0)); shift += 8 {
			for _, row := range order {
				e.data = append(e.data, byte(c.words[row]>>shift))
			}
		}
	default:
		e.plain(c, order)
	}
	if c.optional && err == nil {
		levels, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, e.levels)
	}
	return levels, err
}

// pick sets the numbers of the values that are not NULL, and the levels.
func (e *encoder) pick(c *column, order []int32) {
	e.levels, e.codes = e.levels[:0], e.codes[:0]
	for _, row := range order {
		if code := c.codes[row]; code == null {
			e.levels = append(e.levels, 0)
		} else {
			e.levels, e.codes = append(e.levels, 1), append(e.codes, code)
		}
	}
}

// plain encodes numbers one after the other. A boolean is a bit.
func (e *encoder) plain(c *column, order []int32) {
	for i, row := range order {
		switch {
		case c.kind != parquet.Boolean:
			e.data = c.appendPlain(e.data, c.words[row])
		case i%8 == 0:
			e.data = append(e.data, byte(c.words[row]))
		default:
			e.data[i/8] |= byte(c.words[row]) << (i % 8)
		}
	}
}
