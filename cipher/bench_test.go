package cipher_test

import (
	"fmt"
	"testing"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

var sizes = []int{64, 128, 256, 512}

// BenchmarkBar holds the package to its bars: how many times as fast as the oracle.
func BenchmarkBar(b *testing.B) {
	for _, size := range sizes {
		d := make([]byte, size)
		batch := [][]byte{make([]byte, size), make([]byte, size), make([]byte, size), make([]byte, size)}
		b.Run(fmt.Sprintf("Encrypt/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, 5.5, func() { oracleEncrypt(d) }, func() { cipher.Encrypt(d) })
		})
		b.Run(fmt.Sprintf("Decrypt/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, 4, func() { oracleDecrypt(d) }, func() { cipher.Decrypt(d) })
		})
		b.Run(fmt.Sprintf("DecryptBatch/%d", size), func(b *testing.B) {
			testdata.AtLeast(b, 5.5, func() {
				for _, d := range batch {
					oracleDecrypt(d)
				}
			}, func() { cipher.DecryptBatch(batch) })
		})
	}
}

func BenchmarkEncrypt(b *testing.B) { benchmark(b, cipher.Encrypt) }
func BenchmarkDecrypt(b *testing.B) { benchmark(b, cipher.Decrypt) }

func benchmark(b *testing.B, f func([]byte)) {
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				f(d)
			}
		})
	}
}

func BenchmarkDecryptBatch(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("4x%d", size), func(b *testing.B) {
			batch := [][]byte{make([]byte, size), make([]byte, size), make([]byte, size), make([]byte, size)}
			b.SetBytes(int64(4 * size))
			b.ReportAllocs()
			for b.Loop() {
				cipher.DecryptBatch(batch)
			}
		})
	}
}
