package opcode_test

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// A peer that answers with another tree each time does not make a decoder keep the memory
// of all of them.
func TestTreeMemory(t *testing.T) {
	const wide = 255
	tree := func(deep int) []byte { // a directory of 255, of which one has 255 with 30 files each
		p := append(unhex("21022fcbaf4d"+"0000"), wide)
		p = append(p, make([]byte, 4*wide)...)
		for i := range wide {
			if i != deep {
				p = append(p, 0, 0, 0)
				continue
			}
			p = append(append(p, 0, 0, wide), make([]byte, 4*wide)...)
			for range wide {
				p = append(append(append(p, 30, 0), make([]byte, 30*8)...), 0)
			}
		}
		return p
	}
	var dec opcode.Decoder
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range wide {
		_, err := dec.Decode(tree(i))
		require.NoError(t, err)
	}
	require.Less(t, int64(heap())-int64(before), int64(1<<20))
	runtime.KeepAlive(&dec)
}

// Dissection takes at most what its doc comment says, of a field for each byte and of paths
// as long as they get.
func TestDissectMemory(t *testing.T) {
	power := make([]byte, 10+100_000)
	power[0], power[9] = 0x1C, 0x80
	tree := unhex("21022fcbaf4d")
	for range opcode.MaxDepth - 2 {
		tree = append(tree, unhex("0000"+"01"+"00000000")...)
	}
	tree = append(append(tree, 0, 0, 255), make([]byte, 255*(4+3))...)
	for _, p := range [][]byte{power, tree} {
		var fields []stream.Field
		size := allocated(func() {
			var err error
			fields, err = opcode.Dissect(p)
			require.NoError(t, err)
		})
		kept := cap(fields) * int(reflect.TypeFor[stream.Field]().Size())
		for _, f := range fields {
			kept += len(f.Path)
		}
		require.LessOrEqual(t, kept, 150*len(p))
		require.LessOrEqual(t, size, uint64(400*len(p)))
	}
}
