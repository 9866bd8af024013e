package opcode_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
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
