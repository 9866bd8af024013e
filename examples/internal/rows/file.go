package rows

import (
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/bcwire/bcwire/examples/internal/replace"
)

// Limits of a row group. Engines read row groups in parallel and skip those whose statistics do not
// match. DuckDB's own groups have as many rows. The limit of bytes bounds the memory of the writer.
const (
	groupRows  = 122_880
	groupBytes = 128 << 20 // before compression
)

// pageBytes is the size of a page before compression. Every column has a page in memory.
const pageBytes = 256 << 10

// dictionaryBytes is the size of a dictionary at which a column continues without.
const dictionaryBytes = 1 << 20

// File is a Parquet file that takes its name when it is complete. Until then a file that had the
// name before stays.
type File struct {
	name  string
	temp  *os.File
	rows  *parquet.GenericWriter[Row]
	one   [1]Row
	limit group
	group group // the current one
}

// group is the size of a row group. Its bytes are those before compression.
type group struct{ rows, bytes int }

// Create begins a file in the directory of the name.
func Create(name string) (*File, error) {
	// Programs that read all files of a directory take those that end in .parquet.
	temp, err := replace.Temp(name)
	if err != nil {
		return nil, err
	}
	return newFile(name, temp), nil
}

func newFile(name string, temp *os.File) *File {
	return &File{name: name, temp: temp, limit: group{groupRows, groupBytes}, rows: parquet.NewGenericWriter[Row](temp,
		parquet.KeyValueMetadata(VersionKey, Version),
		parquet.CreatedBy("bcwire dump", Version, ""),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.PageBufferSize(pageBytes),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		// The least and the greatest JSON or payload help no query.
		parquet.SkipPageBounds("fields"), parquet.SkipPageStatistics("fields"),
		parquet.SkipPageBounds("bytes"), parquet.SkipPageStatistics("bytes"),
	)}
}

// Write writes a row. It does not retain the bytes of the row.
func (f *File) Write(r *Row) error {
	f.one[0] = *r
	if _, err := f.rows.Write(f.one[:]); err != nil {
		return err
	}
	f.group.rows++
	f.group.bytes += r.size()
	if f.group.rows < f.limit.rows && f.group.bytes < f.limit.bytes {
		return nil
	}
	f.group = group{}
	return f.rows.Flush()
}

// Close completes the file and gives it its name.
func (f *File) Close() error {
	err := f.rows.Close()
	if err == nil {
		err = f.temp.Chmod(0o644)
	}
	if closing := f.temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.temp.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.temp.Name())
	}
	return err
}

// Discard removes a file that is not complete.
func (f *File) Discard() {
	f.temp.Close()
	os.Remove(f.temp.Name())
}
