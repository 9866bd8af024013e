package testdata

import (
	"bytes"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// Hostile is bytes that somebody sends on purpose, and what must come of them.
type Hostile struct {
	Name   string
	In     []byte
	Want   error // what the error is, for errors.Is; nil if In is read without one
	Offset int   // that the error tells, or NoOffset
}

// NoOffset is the offset of an error that has none, and of no error.
const NoOffset = -1

// TryHostile gives every input to decode, which returns the error and its offset. Rows are
// [Hostile], or a type of the package that is made of it. TryHostile fails
// when another error or offset comes back, when decode writes to its input, and when it
// allocates more than 64 KiB and 64 times the input.
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
				t.Errorf("allocates %d bytes for %d", got, len(in))
			}
			if !errors.Is(err, row.Want) || offset != row.Offset {
				t.Errorf("% X\ngot  %v, offset %d\nwant %v, offset %d", head(row.In), err, offset, row.Want, row.Offset)
			}
			if !bytes.Equal(in, row.In) {
				t.Errorf("wrote to its input")
			}
		})
	}
}

// Bytes returns the bytes of hex digits; spaces do not count.
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
