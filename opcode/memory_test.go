package opcode_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// A decoder does not retain the memory of all trees of a peer that sends another tree each time.
func TestTreeMemory(t *testing.T) {
	const wide = 255
	tree := func(deep int) []byte { // a directory of 255, of which one has 255 with 30 files each
		p := append(testdata.Bytes("21022fcbaf4d"+"0000"), wide)
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

// A decoder reuses the lists of a tree of up to 64 KiB, where a directory counts as 1 KiB.
func TestReusedTrees(t *testing.T) {
	for _, v := range []struct {
		dirs, files int
		below       int // files of the last directory
		reused      bool
	}{
		{0, 8192, 0, true},
		{0, 8193, 0, false},
		{64, 0, 0, true},
		{65, 0, 0, false},
		{32, 4096, 0, true},
		{32, 4097, 0, false},
		{32, 3096, 1000, true},
		{32, 3096, 1001, false},
	} {
		tree := opcode.ChecksumTree{Files: make([]opcode.FileChecksum, v.files), Dirs: make([]opcode.DirChecksum, v.dirs)}
		if v.below > 0 {
			tree.Dirs[v.dirs-1].Tree.Files = make([]opcode.FileChecksum, v.below)
		}
		payload, err := opcode.Marshal(&opcode.ChecksumResponse{Index: 1, Tree: tree})
		require.NoError(t, err)
		var dec opcode.Decoder
		n := testing.AllocsPerRun(10, func() { _, _ = dec.Decode(payload) })
		require.Equal(t, v.reused, n == 0, "%d directories, %d files", v.dirs, v.files)
	}
}

// The largest message for its payload is a tree whose directories have one directory each. It takes
// at most about ten times the memory of the payload.
func TestMessageMemory(t *testing.T) {
	payload := append(testdata.Bytes("21022fcbaf4d"+"0000"+"ff"), make([]byte, 4*255)...)
	for range 255 {
		for range opcode.MaxDepth - 2 {
			payload = append(payload, 0, 0, 1, 1, 2, 3, 4)
		}
		payload = append(payload, 0, 0, 0)
	}
	var err error
	size := allocated(func() { _, err = opcode.Decode(payload) })
	require.NoError(t, err)
	require.LessOrEqual(t, size, uint64(10*len(payload)+1024), "%d bytes", len(payload))
}

// Dissect takes at most the memory that its doc comment states. The worst messages have a field
// for each byte, or the most groups. The ratio depends on the length, because slices grow in
// steps.
func TestDissectMemory(t *testing.T) {
	dissect := func(p []byte) {
		var fields []stream.Field
		size := allocated(func() { _, fields, _ = opcode.Dissect(p) })
		kept := cap(fields) * int(reflect.TypeFor[stream.Field]().Size())
		for _, f := range fields {
			if f.Group != nil {
				kept += int(reflect.TypeFor[stream.Group]().Size()) / 2 // a group has at least two fields
			}
		}
		require.LessOrEqual(t, kept, 240*len(p)+2048, "%d bytes", len(p))
		most := 400*len(p) + 3072
		if testdata.UnderRace {
			most += most / 2
		}
		require.LessOrEqual(t, size, uint64(most), "%d bytes", len(p))
	}
	for _, op := range types {
		dissect([]byte{byte(op)}) // once for what is allocated once
		for length := range 40 {
			dissect(append([]byte{byte(op)}, make([]byte, length)...))
		}
	}
	power := make([]byte, 10+100_000)
	power[0], power[9] = 0x1C, 0x80
	step := testdata.Either(1, 9)
	for n := 0; n < 1000; n += step {
		dissect(power[:10+2*n])
	}
	dissect(power)
	for _, depth := range []int{0, 8, opcode.MaxDepth - 2} {
		head := testdata.Bytes("21022fcbaf4d")
		for range depth {
			head = append(head, testdata.Bytes("0000"+"01"+"00000000")...)
		}
		for n := 0; n < 256; n += step {
			dissect(append(append(slices.Clip(head), 0, 0, byte(n)), make([]byte, n*(4+3))...))
		}
	}
}
