package cipher_test

import (
	"fmt"
	"testing"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

var sizes = []int{64, 128, 256, 512}

func fourOf(size int) [][]byte {
	return [][]byte{make([]byte, size), make([]byte, size), make([]byte, size), make([]byte, size)}
}

func oracleDecryptBatch(batch [][]byte) {
	for _, d := range batch {
		oracleDecrypt(d)
	}
}

func decryptEach(batch [][]byte) {
	for _, d := range batch {
		cipher.Decrypt(d)
	}
}

// BenchmarkBar checks how many times as fast as the oracle each function is, and DecryptBatch as
// Decrypt for each datagram.
func BenchmarkBar(b *testing.B) {
	for _, size := range sizes {
		d, batch := make([]byte, size), fourOf(size)
		b.Run(fmt.Sprintf("Encrypt/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, testdata.Limit{Aim: 5.5}, func() { oracleEncrypt(d) }, func() { cipher.Encrypt(d) })
		})
		b.Run(fmt.Sprintf("Decrypt/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, testdata.Limit{Aim: 4}, func() { oracleDecrypt(d) }, func() { cipher.Decrypt(d) })
		})
		b.Run(fmt.Sprintf("DecryptBatch/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, testdata.Limit{Aim: 5.5}, func() { oracleDecryptBatch(batch) }, func() { cipher.DecryptBatch(batch) })
		})
		b.Run(fmt.Sprintf("DecryptEach/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, testdata.Limit{Aim: 1.4}, func() { decryptEach(batch) }, func() { cipher.DecryptBatch(batch) })
		})
	}
}

// BenchmarkOracle measures the direct implementation.
func BenchmarkOracle(b *testing.B) {
	for _, size := range sizes {
		d := make([]byte, size)
		b.Run(fmt.Sprintf("Encrypt/%d", size), func(b *testing.B) { testdata.Bytewise(b, d, func() { oracleEncrypt(d) }) })
		b.Run(fmt.Sprintf("Decrypt/%d", size), func(b *testing.B) { testdata.Bytewise(b, d, func() { oracleDecrypt(d) }) })
	}
}

func BenchmarkEncrypt(b *testing.B) {
	for _, size := range sizes {
		d := make([]byte, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) { testdata.Bytewise(b, d, func() { cipher.Encrypt(d) }) })
	}
}

func BenchmarkDecrypt(b *testing.B) {
	for _, size := range sizes {
		d := make([]byte, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) { testdata.Bytewise(b, d, func() { cipher.Decrypt(d) }) })
	}
}

func BenchmarkDecryptBatch(b *testing.B) {
	for _, size := range sizes {
		batch := fourOf(size)
		b.Run(fmt.Sprintf("4x%d", size), func(b *testing.B) {
			testdata.Bytewise(b, make([]byte, 4*size), func() { cipher.DecryptBatch(batch) })
		})
	}
}

// BenchmarkChain compares Decrypt with its minimum work: each byte depends on the previous
// one, which selects the entry of the table.
func BenchmarkChain(b *testing.B) {
	for _, size := range sizes {
		d := make([]byte, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			testdata.Compare(b, size, func() { chain(d) }, func() { cipher.Decrypt(d) })
		})
	}
}

var chainTable [256]uint64

// chain loads, adds, folds and combines once for each byte.
//
//go:noinline
func chain(d []byte) {
	var x, k uint64
	for i := range d {
		k += 0x4E35
		y := chainTable[x>>2&0xFF] + k
		y ^= y >> 32
		y ^= uint64(d[i])<<2 ^ y>>8
		d[i] = byte(x ^ y)
		x = y
	}
}
