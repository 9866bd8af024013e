package rows

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// random sets all fields of a struct that is a row, or leaves optional ones empty.
func random(rng *rand.Rand, row any) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		text := strings.Repeat("x", rng.IntN(3)) + string(rune('a'+rng.IntN(20)))
		optional := strings.Contains(v.Type().Field(i).Tag.Get("parquet"), ",optional")
		if optional && rng.IntN(2) == 0 {
			continue
		}
		switch f.Interface().(type) {
		case string:
			f.SetString(text)
		case *string:
			f.Set(reflect.ValueOf(&text))
		case []byte:
			f.SetBytes([]byte(`"` + text + `"`))
		case bool:
			f.SetBool(rng.IntN(2) == 0)
		case int32, int64:
			f.SetInt(rng.Int64N(1000))
		case *int32:
			f.Set(reflect.ValueOf(number(rng.IntN(100_000))))
		case float32, float64:
			f.SetFloat(float64(float32(rng.NormFloat64())))
		case *float32:
			x := float32(rng.NormFloat64())
			f.Set(reflect.ValueOf(&x))
		case *float64:
			x := rng.NormFloat64()
			f.Set(reflect.ValueOf(&x))
		default:
			panic(f.Type())
		}
	}
}

// requireRows writes random rows, which must be read again, ordered by their keys.
func requireRows[R any](t *testing.T, key func(*R) [2]string, concurrent bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var file bytes.Buffer
	table := newTable(&file, key, concurrent)
	want, nulls := map[[2]string][]R{}, make([]int64, reflect.TypeFor[R]().NumField())
	const rows = 1300
	for range rows {
		var r R
		random(rng, &r)
		k := key(&r)
		want[k] = append(want[k], r)
		for i := range nulls {
			if f := reflect.TypeFor[R]().Field(i); strings.Contains(f.Tag.Get("parquet"), ",optional") && reflect.ValueOf(r).Field(i).IsZero() {
				nulls[i]++
			}
		}
		require.NoError(t, table.add(r))
	}
	require.NoError(t, table.close())
	p, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	for i, c := range p.RowGroups()[0].ColumnChunks() {
		require.Equal(t, nulls[i], c.(*parquet.FileColumnChunk).NullCount(), p.Schema().Columns()[i])
	}
	got, err := parquet.Read[R](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Len(t, got, rows)
	last := [2]string{}
	for i := range got {
		k := key(&got[i])
		require.LessOrEqual(t, last[0]+"\x00"+last[1], k[0]+"\x00"+k[1], "%d", i)
		require.Equal(t, want[k][0], got[i])
		want[k], last = want[k][1:], k
	}
}

func TestRowsAreRead(t *testing.T) {
	for _, concurrent := range []bool{false, true} {
		requireRows(t, (*Message).key, concurrent)
		requireRows(t, (*Event).key, concurrent)
		requireRows(t, (*State).key, concurrent)
	}
}

// A row has a copy of the bytes of its message. Empty bytes are not NULL.
func TestBytesAreKept(t *testing.T) {
	table := newTable(io.Discard, (*Message).key, false)
	payload := []byte("payload")
	first, second := table.keep(payload), table.keep([]byte("other"))
	clear(payload)
	require.Equal(t, []string{"payload", "other"}, []string{string(first), string(second)})
	require.Nil(t, table.keep(nil))
	require.NotNil(t, table.keep([]byte{}))
}

// The metadata has the version of the schema.
func TestVersion(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, newTable(&file, (*Event).key, false).close())
	p, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	version, ok := p.Lookup(VersionKey)
	require.True(t, ok)
	require.Equal(t, Version, version)
	require.Zero(t, p.NumRows())
}

const groupRows, groupBytes = groupRuns * runRows, groupRuns * runBytes

// A row group ends at a number of rows, and earlier if they are long. Row groups keep their order.
func TestRowGroups(t *testing.T) {
	for name, c := range map[string]struct{ rows, length, groups int }{
		"short rows": {3*(groupRuns*runRows) + 1, 0, 4},
		"long rows":  {33, groupBytes / 16, 3},
	} {
		for _, concurrent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, %t", name, concurrent), func(t *testing.T) {
				var file bytes.Buffer
				table := newTable(&file, (*Message).key, concurrent)
				text := []byte(`"` + strings.Repeat("x", c.length) + `"`)
				for i := range c.rows {
					require.NoError(t, table.add(Message{Datagram: int64(i), Fields: table.keep(text)}))
				}
				require.NoError(t, table.close())
				p, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
				require.NoError(t, err)
				require.Len(t, p.RowGroups(), c.groups)
				type short struct {
					Datagram int64 `parquet:"datagram"`
				}
				got, err := parquet.Read[short](bytes.NewReader(file.Bytes()), int64(file.Len()))
				require.NoError(t, err)
				require.Len(t, got, c.rows)
				for i := range got {
					require.EqualValues(t, i, got[i].Datagram)
				}
			})
		}
	}
}

// brokenWriter fails after a number of bytes.
type brokenWriter struct{ room int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	n := min(len(b), w.room)
	if w.room -= n; n < len(b) {
		return n, os.ErrClosed
	}
	return n, nil
}

// An error of the file is the error of the table, at the latest in close.
func TestBrokenFile(t *testing.T) {
	for _, concurrent := range []bool{false, true} {
		for _, room := range []int{0, 10, 100_000} {
			table := newTable(&brokenWriter{room}, (*Message).key, concurrent)
			var failed error
			payload, random := make([]byte, 20), rand.NewChaCha8([32]byte{})
			for i := 0; i < 5*(groupRuns*runRows) && failed == nil; i++ {
				_, _ = random.Read(payload)
				failed = table.add(Message{Datagram: int64(i), Bytes: table.keep(payload)})
			}
			if failed == nil {
				failed = table.close()
			}
			require.ErrorIs(t, failed, os.ErrClosed)
		}
	}
}

// The statistics of a row group are the bounds of its values, without NaN and NULL. JSON and payloads have none.
func TestStatistics(t *testing.T) {
	var file bytes.Buffer
	table := newTable(&file, (*Message).key, false)
	for _, r := range []Message{
		{Name: "b", Time: math.NaN(), Datagram: 300, Seq: number(-1), Fields: []byte("{}")},
		{Name: "a", Time: -1.5, Datagram: 2},
		{Time: math.Inf(1), Datagram: 7, Reliable: true, Seq: number(70_000)},
	} {
		require.NoError(t, table.add(r))
	}
	require.NoError(t, table.close())
	p, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	type bounds struct {
		least, most any
		nulls       int64
	}
	want := map[string]bounds{
		"name": {"a", "b", 1}, "time": {-1.5, math.Inf(1), 0}, "datagram": {int64(2), int64(300), 0},
		"seq": {int32(-1), int32(70_000), 1}, "reliable": {false, true, 0}, "fields": {nil, nil, 2}, "note": {nil, nil, 3},
	}
	for _, c := range p.RowGroups()[0].ColumnChunks() {
		chunk := c.(*parquet.FileColumnChunk)
		b, ok := want[p.Schema().Columns()[c.Column()][0]]
		if !ok {
			continue
		}
		least, most, has := chunk.Bounds()
		require.Equal(t, b.least != nil, has)
		require.EqualValues(t, b.nulls, chunk.NullCount())
		if has {
			require.Equal(t, b.least, valueOf(least))
			require.Equal(t, b.most, valueOf(most))
		}
	}
}

func valueOf(v parquet.Value) any {
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return v.Int32()
	case parquet.Int64:
		return v.Int64()
	case parquet.Double:
		return v.Double()
	}
	return v.String()
}
