package checksum_test

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkBar compares the hashes with plain loops.
func BenchmarkBar(b *testing.B) {
	file := make([]byte, 16<<10)
	name := string(make([]byte, 1<<10))
	var sum uint32
	b.Run("FileHash", func(b *testing.B) {
		testdata.AtMost(b, testdata.Limit{Aim: 1.5}, func() { sum += plainWords(file) }, func() { sum += checksum.FileHash(file) })
	})
	b.Run("FileHash/parts", func(b *testing.B) {
		h := checksum.NewDigest()
		testdata.AtMost(b, testdata.Limit{Aim: 1.5}, func() { sum += plainWords(file) }, func() { _, _ = h.Write(file) })
	})
	b.Run("StringHash", func(b *testing.B) {
		testdata.AtMost(b, testdata.Limit{Aim: 1.5}, func() { sum += plainLanes(name) }, func() { sum += checksum.StringHash(name) })
	})
	b.Run("StringHash/short", func(b *testing.B) {
		testdata.AtMost(b, testdata.Limit{Aim: 1.5}, func() { sum += plainLanes("MissionShared.pyc") }, func() { sum += checksum.StringHash("MissionShared.pyc") })
	})
	_ = sum
}

//go:noinline
func plainWords(data []byte) (h uint32) {
	for len(data) >= 4 {
		h = bits.RotateLeft32(h^binary.LittleEndian.Uint32(data), 1)
		data = data[4:]
	}
	return h
}

var plainTable = [4][256]byte{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}

//go:noinline
func plainLanes(s string) uint32 {
	var h0, h1, h2, h3 byte
	for i := range len(s) {
		h0 = plainTable[0][s[i]^h0]
		h1 = plainTable[1][s[i]^h1]
		h2 = plainTable[2][s[i]^h2]
		h3 = plainTable[3][s[i]^h3]
	}
	return uint32(h0)<<24 | uint32(h1)<<16 | uint32(h2)<<8 | uint32(h3)
}

func BenchmarkFileHash(b *testing.B) {
	data := make([]byte, 16<<10)
	testdata.Bytewise(b, data, func() { checksum.FileHash(data) })
}

func BenchmarkStringHash(b *testing.B) {
	const name = "MissionShared.pyc"
	testdata.Bytewise(b, []byte(name), func() { checksum.StringHash(name) })
}
