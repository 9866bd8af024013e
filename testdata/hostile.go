package testdata

import (
	"bytes"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// Hostile is a malformed input and its expected result.
type Hostile struct {
	Name   string
	In     []byte
	Want   error // expected error for errors.Is, or nil
	Offset int   // expected offset in the error, or NoOffset
}

// NoOffset is the offset if there is no error, or if the error has none.
const NoOffset = -1

// TryHostile passes every input to decode, which returns the error and its offset. A row is
// a [Hostile] or a package's type derived from it. TryHostile fails if the error or the
// offset differs, if decode writes to its input, or if it allocates more than 64 KiB plus
// 64 times the length of the input.
func TryHostile[R ~struct {
	Name   string
	In     []byte
	Want   error
	Offset int
}](t *testing.T, rows []R, decode func(in []byte) (offset int, err error)) {
	t.Helper()
	for _, r := range rows {
		row := Hostile(r)
		t.Run(row.Name, func(t *testing.T) {
			in := bytes.Clone(row.In)
			before := allocated()
			offset, err := decode(in)
			if got, most := allocated()-before, uint64(64<<10+64*len(in)); got > most {
				t.Errorf("allocates %d bytes for an input of %d bytes", got, len(in))
			}
			if !errors.Is(err, row.Want) || offset != row.Offset {
				t.Errorf("% X\ngot  %v, offset %d\nwant %v, offset %d", head(row.In), err, offset, row.Want, row.Offset)
			}
			if !bytes.Equal(in, row.In) {
				t.Errorf("decode wrote to its input")
			}
		})
	}
}

// Bytes decodes hex digits and ignores spaces.
func Bytes(digits string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

func head(b []byte) []byte { return b[:min(len(b), 64)] }

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
