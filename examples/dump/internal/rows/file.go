package rows

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// magic begins and ends a file of Parquet.
const magic = "PAR1"

// file writes a file of Parquet. Each column of a row group is a page, so that its statistics are those of the
// page.
type file struct {
	w      io.Writer
	offset int64 // 0 until the first row group
	footer format.FileMetaData
}

// newFile returns a file for the columns of a schema, which have no columns inside.
func newFile(w io.Writer, schema *parquet.Schema) *file {
	root := format.SchemaElement{Name: schema.Name()}
	root.NumChildren.Set(int32(len(schema.Fields())))
	f := &file{w: w, footer: format.FileMetaData{
		Version: 2, CreatedBy: "bcwire dump version " + Version, Schema: thrift.Slice[format.SchemaElement]{root},
	}}
	for _, column := range schema.Fields() {
		t := column.Type()
		e := format.SchemaElement{Name: column.Name()}
		e.Type.Set(*t.PhysicalType())
		e.RepetitionType.Set(format.Required)
		if column.Optional() {
			e.RepetitionType.Set(format.Optional)
		}
		if logical := t.LogicalType(); logical != nil {
			e.LogicalType = *logical
		}
		if converted := t.ConvertedType(); converted != nil {
			e.ConvertedType.Set(*converted)
		}
		f.footer.Schema = append(f.footer.Schema, e)
		f.footer.ColumnOrders = append(f.footer.ColumnOrders, *t.ColumnOrder())
	}
	f.describe(VersionKey, Version)
	return f
}

// describe adds a value to the metadata.
func (f *file) describe(key, value string) {
	f.footer.KeyValueMetadata = append(f.footer.KeyValueMetadata, format.KeyValue{Key: key, Value: value})
}

// group writes a row group, whose offsets are those in its pages.
func (f *file) group(g format.RowGroup, pages []byte) error {
	if err := f.begin(); err != nil {
		return err
	}
	g.FileOffset = f.offset
	g.Ordinal = int16(len(f.footer.RowGroups))
	for i := range g.Columns {
		m := &g.Columns[i].MetaData
		if m.DataPageOffset += f.offset; len(m.Encoding) > 2 { // with a dictionary
			m.DictionaryPageOffset += f.offset
		}
	}
	f.footer.RowGroups = append(f.footer.RowGroups, g)
	f.footer.NumRows += g.NumRows
	return f.write(pages)
}

func (f *file) begin() error {
	if f.offset > 0 {
		return nil
	}
	return f.write([]byte(magic))
}

func (f *file) write(b []byte) error {
	n, err := f.w.Write(b)
	f.offset += int64(n)
	return err
}

// close writes the end of the file.
func (f *file) close() error {
	if err := f.begin(); err != nil {
		return err
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &f.footer)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return f.write(append(footer, magic...))
}
