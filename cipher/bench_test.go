package cipher_test

import (
	"fmt"
	"testing"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

// The baseline of Encrypt and Decrypt is a direct translation of the game's algorithm.

func BenchmarkEncrypt(b *testing.B) {
	eachSize(b, func(b *testing.B, d []byte) {
		testdata.Compare(b, len(d), func() { cipher.Encrypt(d) }, func() { oracleEncrypt(d) })
	})
}

func BenchmarkDecrypt(b *testing.B) {
	eachSize(b, func(b *testing.B, d []byte) {
		testdata.Compare(b, len(d), func() { cipher.Decrypt(d) }, func() { oracleDecrypt(d) })
	})
}

// BenchmarkDecryptBatch compares DecryptBatch with a Decrypt of each datagram.
func BenchmarkDecryptBatch(b *testing.B) {
	eachSize(b, func(b *testing.B, d []byte) {
		batch := [][]byte{d, make([]byte, len(d)), make([]byte, len(d)), make([]byte, len(d))}
		testdata.Compare(b, len(batch)*len(d), func() { cipher.DecryptBatch(batch) }, func() {
			for _, d := range batch {
				cipher.Decrypt(d)
			}
		})
	})
}

func eachSize(b *testing.B, f func(b *testing.B, d []byte)) {
	for _, size := range []int{64, 512} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) { f(b, make([]byte, size)) })
	}
}
