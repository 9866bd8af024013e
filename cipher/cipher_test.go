package cipher_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

type vector struct {
	testdata.Vector
	Plain  testdata.Hex
	Cipher testdata.Hex
}

func TestVectors(t *testing.T) {
	for _, v := range testdata.Load[vector](t, "cipher.json") {
		t.Run(v.Name, func(t *testing.T) {
			require.Equal(t, v.Cipher, encrypted(v.Plain, cipher.Encrypt))
			require.Equal(t, v.Plain, encrypted(v.Cipher, cipher.Decrypt))
			require.Equal(t, v.Cipher, encrypted(v.Plain, oracleEncrypt))
			require.Equal(t, v.Plain, encrypted(v.Cipher, oracleDecrypt))
		})
	}
}

func encrypted(datagram testdata.Hex, f func([]byte)) testdata.Hex {
	d := append(testdata.Hex{}, datagram...)
	f(d)
	return d
}

// The only captured ciphertext: a host assigns peer ID 2.
const (
	captured      = "01D73368C3BF76DB"
	capturedPlain = "01010306C0000002"
)

func TestCapture(t *testing.T) {
	d := testdata.Bytes(captured)
	cipher.Decrypt(d)
	require.Equal(t, testdata.Bytes(capturedPlain), d)
	cipher.Encrypt(d)
	require.Equal(t, testdata.Bytes(captured), d)
}

// A long datagram is compared by its digest. Byte i is i modulo 256, and byte 0 is 2.
func TestPattern512(t *testing.T) {
	d := make([]byte, 513)
	for i := range d {
		d[i] = byte(i)
	}
	d[0] = 2
	cipher.Encrypt(d[:512])
	require.Equal(t, "4e0a7ec2844d16d4fedc53239c31d1a53b342851c4c6d6d6291f758e45b2211b",
		fmt.Sprintf("%x", sha256.Sum256(d[:512])))
	require.Equal(t, byte(0), d[512], "the byte after the datagram is unchanged")
}

func TestFirstMaskIsConstant(t *testing.T) {
	for peer := range 256 {
		for count := range 256 {
			d := []byte{byte(peer), byte(count)}
			cipher.Encrypt(d)
			require.Equal(t, []byte{byte(peer), byte(count) ^ 0xD6}, d)
		}
	}
}

// Every length up to more than the largest datagram gives the result of the oracle.
func TestAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2049 {
		plain := make([]byte, n)
		for i := range plain {
			plain[i] = byte(r.Uint32())
		}
		check(t, plain)
	}
}

func check(t *testing.T, plain []byte) {
	t.Helper()
	want := bytes.Clone(plain)
	oracleEncrypt(want)
	got := bytes.Clone(plain)
	cipher.Encrypt(got)
	if !bytes.Equal(want, got) {
		t.Fatalf("Encrypt(%x)\n got %x\nwant %x", plain, got, want)
	}
	cipher.Decrypt(got)
	if !bytes.Equal(plain, got) {
		t.Fatalf("Decrypt(%x)\n got %x\nwant %x", want, got, plain)
	}
}

// A batch of datagrams of any lengths deciphers to the plaintext that the oracle
// enciphered.
func propertyDecryptBatch(t *rapid.T) {
	lengths := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 700)), 0, 20).Draw(t, "lengths")
	seed := rapid.Uint64().Draw(t, "seed")
	checkBatch(t, rand.New(rand.NewPCG(seed, 0)), lengths)
}

func TestDecryptBatch(t *testing.T)         { rapid.Check(t, propertyDecryptBatch) }
func FuzzDecryptBatchProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyDecryptBatch)) }

// checkBatch deciphers datagrams of these lengths together. It requires the plaintext, and
// that Encrypt agrees with the oracle.
func checkBatch(t require.TestingT, r *rand.Rand, lengths []int) {
	plain := make([][]byte, len(lengths))
	enciphered := make([][]byte, len(lengths))
	batch := make([][]byte, len(lengths))
	for i, n := range lengths {
		plain[i] = make([]byte, n)
		for j := range plain[i] {
			plain[i][j] = byte(r.Uint32())
		}
		enciphered[i] = bytes.Clone(plain[i])
		oracleEncrypt(enciphered[i])
		batch[i] = bytes.Clone(enciphered[i])
	}
	cipher.DecryptBatch(batch)
	require.Equal(t, plain, batch)
	for _, d := range batch {
		cipher.Encrypt(d)
	}
	require.Equal(t, enciphered, batch)
}

// Goroutines use the functions at the same time, each on its own datagrams.
func TestConcurrentUse(t *testing.T) {
	var group sync.WaitGroup
	for seed := range uint64(8) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 7))
			for range 50 {
				checkBatch(t, r, []int{r.IntN(600), r.IntN(600), r.IntN(600), r.IntN(600), r.IntN(600)})
			}
		})
	}
	group.Wait()
}

func TestAllocs(t *testing.T) {
	d := make([]byte, 512)
	batch := [][]byte{make([]byte, 100), make([]byte, 200), nil, d, make([]byte, 3)}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		cipher.Encrypt(d)
		cipher.Decrypt(d)
		cipher.DecryptBatch(batch)
	}))
}

func FuzzCipher(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(testdata.Bytes(captured))
	f.Add(bytes.Repeat([]byte{0x80, 0x7F}, 30))
	f.Fuzz(func(t *testing.T, d []byte) {
		check(t, d)
		batch := [][]byte{bytes.Clone(d), bytes.Clone(d[:len(d)/2]), bytes.Clone(d[len(d)/3:]), nil, bytes.Clone(d)}
		want := [][]byte{bytes.Clone(d), bytes.Clone(d[:len(d)/2]), bytes.Clone(d[len(d)/3:]), nil, bytes.Clone(d)}
		cipher.DecryptBatch(batch)
		for i, w := range want {
			oracleDecrypt(w)
			if !bytes.Equal(w, batch[i]) {
				t.Fatalf("datagram %d of the batch\n got %x\nwant %x", i, batch[i], w)
			}
		}
	})
}
