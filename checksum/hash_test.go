package checksum_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/testdata"
)

// naiveFileHash is a plain implementation of FileHash.
func naiveFileHash(data []byte) uint32 {
	var h uint32
	take := func(v uint32) { h = bits.RotateLeft32(h^v, 1) }
	n := len(data) / 4
	for i := range n {
		if i != 1 {
			take(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24)
		}
	}
	for range len(data) % 4 {
		x := uint32(data[4*n])
		if x >= 0x80 {
			x |= 0xFFFFFF00
		}
		take(x)
	}
	return h
}

// advancingFileHash hashes each byte of the rest once.
func advancingFileHash(data []byte) uint32 {
	whole := data[:len(data)/4*4]
	h := naiveFileHash(whole)
	for _, b := range data[len(whole):] {
		h = bits.RotateLeft32(h^uint32(int32(int8(b))), 1)
	}
	return h
}

// withHash returns a file of four bytes with the given hash.
func withHash[T ~uint32](h T) []byte {
	return binary.LittleEndian.AppendUint32(nil, bits.RotateLeft32(uint32(h), -1))
}

func TestStringHashVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex  testdata.Hex
		Hash testdata.Number
	}](t, "hashes.json", "stringHash")
	require.Len(t, vectors, 148)
	for _, v := range vectors {
		require.Equal(t, uint32(v.Hash), checksum.StringHash(string(v.Hex)), v.Name)
	}
}

func TestFileHashVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex    testdata.Hex
		Hash   testdata.Number
		OpenBC testdata.Number
	}](t, "hashes.json", "fileHash")
	require.Len(t, vectors, 49)
	differ := 0
	for _, v := range vectors {
		require.Equal(t, uint32(v.Hash), checksum.FileHash(v.Hex), v.Name)
		if v.OpenBC != 0 || advancingFileHash(v.Hex) != uint32(v.Hash) {
			require.Equal(t, uint32(v.OpenBC), advancingFileHash(v.Hex), v.Name)
			differ++
		}
	}
	require.Positive(t, differ)
}

// Captured hashes differ from a hash that advances through the rest only by the effect of
// the last bytes.
func TestFileHashRest(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex               testdata.Hex
		Hash, OpenBC, Xor testdata.Number
		Sent              string
	}](t, "hashes.json", "fileHashTail")
	require.Len(t, vectors, 5)
	for _, v := range vectors {
		file := append(make([]byte, 64), v.Hex...)
		require.Equal(t, uint32(v.Xor), checksum.FileHash(file)^advancingFileHash(file), v.Name)
		require.Equal(t, v.Hash, v.OpenBC^v.Xor, v.Name)
		sent := fmt.Sprintf("0x%08x", uint64(v.Hash))
		require.Equal(t, v.Sent[8:], sent[8:], v.Name)
		if v.Sent[2] != '.' {
			require.Equal(t, v.Sent, sent, v.Name)
		}
	}
}

// Four bytes that are inserted into a file can give it any hash.
func TestFourBytesGiveAnyHash(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 7))
	for length := 8; length < 64; length++ {
		data := make([]byte, length+4)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		binary.LittleEndian.PutUint32(data[8:], 0) // the inserted bytes
		want := random.Uint32()
		steps := (length-8)/4 + length%4 + 1 // rotations from the inserted word on
		binary.LittleEndian.PutUint32(data[8:], bits.RotateLeft32(want^checksum.FileHash(data), -steps))
		require.Equal(t, want, checksum.FileHash(data), "%d bytes", length)
	}
}

func TestFileHashLengths(t *testing.T) {
	random := rand.NewChaCha8([32]byte{5})
	for length := range 65 {
		for range 20 {
			data := make([]byte, length)
			_, _ = random.Read(data)
			require.Equal(t, naiveFileHash(data), checksum.FileHash(data), "%x", data)
		}
	}
	for range 20 {
		data := make([]byte, 1<<16+rand.New(random).IntN(1<<16))
		_, _ = random.Read(data)
		require.Equal(t, naiveFileHash(data), checksum.FileHash(data))
	}
}

func TestFileHashSkips(t *testing.T) {
	data := []byte("mod\x0d\n" + "1234567890")
	want := checksum.FileHash(data)
	copy(data[4:8], "****")
	require.Equal(t, want, checksum.FileHash(data), "bytes 4 to 7 of 8 or more")
	short := []byte("mod\x0d\n12")
	want = checksum.FileHash(short)
	short[4]++
	require.NotEqual(t, want, checksum.FileHash(short), "byte 4 of 7")
	short[6]++
	require.Equal(t, checksum.FileHash(short), checksum.FileHash(append(short[:6], '!')), "byte 6 of 7")
}

func TestFileHashInPieces(t *testing.T) { rapid.Check(t, propertyFileHashInPieces) }

func FuzzFileHashInPiecesProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyFileHashInPieces)) }

func propertyFileHashInPieces(t *rapid.T) {
	data := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "data")
	cuts := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "cuts")
	requirePieces(t, data, cuts)
}

// requirePieces hashes data in pieces of the given lengths, then the rest of it.
func requirePieces(t require.TestingT, data []byte, cuts []int) {
	h := checksum.NewDigest()
	done := 0
	for _, n := range append(cuts, len(data)) {
		n = min(n, len(data)-done)
		written, err := h.Write(data[done : done+n])
		require.NoError(t, err)
		require.Equal(t, n, written)
		done += n
		require.Equal(t, naiveFileHash(data[:done]), h.Hash())
	}
}

func TestNoAllocations(t *testing.T) {
	data := make([]byte, 1000)
	h := checksum.NewDigest()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = checksum.FileHash(data)
		_ = checksum.StringHash("scripts/ships")
		_, _ = h.Write(data)
		_ = h.Hash()
	}))
}

func TestWithHash(t *testing.T) {
	for _, h := range []uint32{0, 1, 0xF8A0A768, 0xFFFFFFFF} {
		require.Equal(t, h, checksum.FileHash(withHash(h)))
	}
}

func FuzzFileHash(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add([]byte("0123456789abcdef"), []byte{3, 1, 4, 1, 5})
	f.Add([]byte("\x01\x02\x03\x04\xff\xfe\xfd"), []byte{5})
	f.Fuzz(func(t *testing.T, data, pieces []byte) {
		require.Equal(t, naiveFileHash(data), checksum.FileHash(data))
		var cuts []int
		for _, n := range pieces[:min(len(pieces), 32)] {
			cuts = append(cuts, int(n))
		}
		requirePieces(t, data, cuts)
	})
}
