package opcode_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// nested returns a response with a tree of the given depth.
func nested(depth int) []byte {
	p := testdata.Bytes("21022fcbaf4d")
	for range depth - 1 {
		p = append(p, 0, 0, 1, 1, 2, 3, 4)
	}
	return append(p, 0, 0, 0)
}

func TestTreeDepth(t *testing.T) {
	m, err := opcode.Decode(nested(16))
	require.NoError(t, err)
	checkAppend(t, m, nested(16))
	for _, depth := range []int{17, 10000} {
		_, err = opcode.Decode(nested(depth))
		require.ErrorIs(t, err, stream.ErrLimit)
		require.ErrorContains(t, err, fmt.Sprintf("nested deeper than %d directories", opcode.MaxDepth))
		require.ErrorContains(t, err, "decode ChecksumResponse.Tree.Dirs[0].Tree.Dirs[0]")
	}
	response := m.(*opcode.ChecksumResponse)
	cyclic := opcode.ChecksumResponse{Index: 2, Tree: opcode.ChecksumTree{Dirs: make([]opcode.DirChecksum, 1)}}
	cyclic.Tree.Dirs[0].Tree.Dirs = cyclic.Tree.Dirs
	_, err = opcode.Marshal(&cyclic)
	require.ErrorIs(t, err, stream.ErrLimit)
	deeper := opcode.ChecksumResponse{Index: 2, Tree: opcode.ChecksumTree{Dirs: []opcode.DirChecksum{{Tree: response.Tree}}}}
	_, err = opcode.Marshal(&deeper)
	require.ErrorIs(t, err, stream.ErrLimit)
}

// Counts that exceed the payload allocate nothing.
func TestTreeCounts(t *testing.T) {
	for _, p := range [][]byte{
		testdata.Bytes("21022fcbaf4d" + "ffff"),
		testdata.Bytes("21022fcbaf4d" + "ffff" + "0000000000000000"),
		testdata.Bytes("21022fcbaf4d" + "0000" + "ff"),
		testdata.Bytes("21022fcbaf4d" + "0000" + "02" + "0102030405060708" + "0000" + "00"),
	} {
		least := uint64(math.MaxUint64) // the runtime allocates, too, now and then
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := opcode.Decode(p)
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%x", p)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		require.Less(t, least, uint64(4096))
	}
}

// Only the first round can lack the hash of the directory, and then it has no tree.
func TestNoDirHash(t *testing.T) {
	m := opcode.ChecksumResponse{Index: 1, NoDirHash: true, Tree: opcode.ChecksumTree{Files: make([]opcode.FileChecksum, 1)}}
	payload, err := opcode.Marshal(&m)
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes("2101"+"00000000"+"0100"+"0000000000000000"+"00"), payload)
	m.Index = 0
	payload, err = opcode.Marshal(&m)
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes("2100"+"00000000"), payload)
}

func TestTreeRefusesLongLists(t *testing.T) {
	for _, tree := range []opcode.ChecksumTree{
		{Files: make([]opcode.FileChecksum, 1<<16)},
		{Dirs: make([]opcode.DirChecksum, 256)},
	} {
		dst := []byte("dst")
		got, err := opcode.Append(dst, &opcode.ChecksumResponse{Tree: tree})
		require.ErrorIs(t, err, stream.ErrTooLong)
		require.Equal(t, "dst", string(got))
	}
	full := &opcode.ChecksumResponse{Tree: opcode.ChecksumTree{
		Files: make([]opcode.FileChecksum, 1<<16-1), Dirs: make([]opcode.DirChecksum, 255),
	}}
	p, err := opcode.Marshal(full)
	require.NoError(t, err)
	again, err := opcode.Decode(p)
	require.NoError(t, err)
	q, err := opcode.Marshal(again)
	require.NoError(t, err)
	require.True(t, bytes.Equal(p, q))
}
