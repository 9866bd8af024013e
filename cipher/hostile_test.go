package cipher_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

// Datagrams that are too short, too long or not enciphered, and batches of them. Every
// datagram deciphers to something, without an error, and no other memory changes.
func TestHostile(t *testing.T) {
	t.Run("Datagram", hostileDatagrams)
	t.Run("DecryptBatch", hostileBatches)
	t.Run("Overlap", hostileOverlaps)
}

func hostileDatagrams(t *testing.T) {
	for _, v := range []struct {
		name          string
		in, decrypted []byte
	}{
		{"nothing", nil, nil},
		{"peer ID alone", testdata.Bytes("FF"), testdata.Bytes("FF")},
		{"count alone", testdata.Bytes("02D6"), testdata.Bytes("0200")},
		{"largest count alone", testdata.Bytes("0229"), testdata.Bytes("02FF")},
		{"plain where enciphered is due", testdata.Bytes(capturedPlain), testdata.Bytes("01D74943AAF7558D")},
		{"one bit flipped, all behind it lost", testdata.Bytes("01D73268C3BF76DB"), testdata.Bytes("010102FF902AA64F")},
		{"peer ID flipped, nothing lost", testdata.Bytes("FED73368C3BF76DB"), testdata.Bytes("FE010306C0000002")},
		{"cut short", testdata.Bytes("01D73368C3"), testdata.Bytes("01010306C0")},
		{"largest of UDP", make([]byte, 65507), nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			want := bytes.Clone(v.in)
			oracleDecrypt(want)
			if len(v.in) < 100 {
				require.Equal(t, v.decrypted, want)
			}
			memory := append(bytes.Clone(v.in), 0xEE, 0xEE)
			d := memory[:len(v.in)]
			cipher.Decrypt(d)
			require.True(t, bytes.Equal(want, d), "%x", d[:min(len(d), 20)])
			cipher.Encrypt(d)
			require.True(t, bytes.Equal(v.in, d))
			require.Equal(t, []byte{0xEE, 0xEE}, memory[len(v.in):], "the memory after the datagram is unchanged")
		})
	}
}

func hostileBatches(t *testing.T) {
	for _, v := range []struct {
		name    string
		lengths []int
	}{
		{"no datagrams", nil},
		{"fewer than lanes", []int{9, 8, 7}},
		{"all empty", make([]int, 9)},
		{"a thousand without a message", slices.Repeat([]int{1}, 1000)},
		{"longest among shortest", []int{2, 1, 65507, 0, 2, 2}},
		{"all shortest, then the longest", []int{2, 2, 2, 2, 65507}},
		{"lanes run dry one after the other", []int{5, 4, 3, 2, 0, 0, 6, 1, 7}},
	} {
		t.Run(v.name, func(t *testing.T) { checkBatch(t, rand.New(rand.NewPCG(5, 6)), v.lengths) })
	}
	t.Run("nil datagrams", func(t *testing.T) {
		batch := [][]byte{nil, testdata.Bytes(captured), nil, nil, nil, nil}
		cipher.DecryptBatch(batch)
		require.Equal(t, [][]byte{nil, testdata.Bytes(capturedPlain), nil, nil, nil, nil}, batch)
	})
}

// Overlapping datagrams of a batch decipher to anything, but no other memory changes.
func hostileOverlaps(t *testing.T) {
	for _, v := range []struct {
		name  string
		parts [][2]int // of the memory, all within 10 to 90
	}{
		{"four times the same", [][2]int{{10, 90}, {10, 90}, {10, 90}, {10, 90}}},
		{"shifted by a byte", [][2]int{{10, 87}, {11, 88}, {12, 89}, {13, 90}}},
		{"one in the other", [][2]int{{10, 90}, {40, 50}, {44, 46}, {45, 45}, {20, 80}}},
	} {
		t.Run(v.name, func(t *testing.T) {
			memory := bytes.Repeat([]byte{0xEE}, 100)
			batch := make([][]byte, len(v.parts))
			for i, p := range v.parts {
				batch[i] = memory[p[0]:p[1]]
			}
			cipher.DecryptBatch(batch)
			require.Equal(t, bytes.Repeat([]byte{0xEE}, 11), memory[:11], "the memory before the datagrams is unchanged")
			require.Equal(t, bytes.Repeat([]byte{0xEE}, 10), memory[90:])
		})
	}
}
