package cipher_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
)

// Published descriptions that are wrong do not decipher the capture. Each differs from the
// oracle in one point. See opcode/CORRECTIONS.md.
func TestWrongVariants(t *testing.T) {
	for _, v := range []struct {
		name    string
		decrypt func(datagram []byte)
		prefix  string // as printed where the variant is refuted
	}{
		{"all words derived before the rounds", decryptWordsFirst, "01907349"},
		{"ciphertext fed back", decryptCiphertextFeedback, "010179CA"},
		{"0x015A added", decryptAdded, ""}, // published without its result
		{"state reset for every byte", decryptResetPerByte, "0101774A"},
		{"first mask zero", func(d []byte) {
			first := d[1]
			oracleDecrypt(d)
			d[1] = first
		}, "01D7"},
		{"byte 0 enciphered", func(d []byte) {
			shifted := append([]byte{0}, d...)
			oracleDecrypt(shifted)
			copy(d, shifted[1:])
		}, "D7"},
		{"exclusive or with the key repeated", func(d []byte) {
			for i := range d[1:] {
				d[1+i] ^= "AlbyRules!"[i%10]
			}
		}, "0196"},
	} {
		t.Run(v.name, func(t *testing.T) {
			d := testdata.Bytes(captured)
			v.decrypt(d)
			require.NotEqual(t, testdata.Bytes(capturedPlain), d)
			require.Equal(t, testdata.Bytes(v.prefix), d[:len(v.prefix)/2])
		})
	}
}

func decryptWordsFirst(datagram []byte) {
	o := newOracle()
	for i, in := range datagram[1:] {
		var acc uint16
		var words, prevs [5]uint16
		for r := range words {
			words[r] = uint16(o.key[2*r])<<8 + uint16(o.key[2*r+1])
			if r > 0 {
				words[r] ^= words[r-1]
			}
			prevs[r] = words[r]*0x4E35 + 1
		}
		for r, w := range words {
			c := w * 0x015A
			o.sum = o.carry + (o.sum+uint16(r))*0x4E35 + c
			o.carry = c
			acc ^= o.sum ^ prevs[r]
		}
		datagram[1+i] = in ^ byte(acc) ^ byte(acc>>8)
		o.feed(datagram[1+i])
	}
}

func decryptCiphertextFeedback(datagram []byte) {
	o := newOracle()
	for i, in := range datagram[1:] {
		datagram[1+i] = in ^ o.mask()
		o.feed(in)
	}
}

func decryptResetPerByte(datagram []byte) {
	o := newOracle()
	for i, in := range datagram[1:] {
		o.sum, o.carry = 0, 0
		datagram[1+i] = in ^ o.mask()
		o.feed(datagram[1+i])
	}
}

// decryptAdded adds 0x015A to each word of the key, instead of multiplying the word by it.
func decryptAdded(datagram []byte) {
	o := newOracle()
	for i, in := range datagram[1:] {
		var acc, prev uint16
		for r := range uint16(5) {
			w := uint16(o.key[2*r])<<8 + uint16(o.key[2*r+1])
			if r > 0 {
				w ^= prev
			}
			c := w + 0x015A
			o.sum = o.carry + (o.sum+r)*0x4E35 + c
			o.carry = c
			prev = w*0x4E35 + 1
			acc ^= o.sum ^ prev
		}
		datagram[1+i] = in ^ byte(acc) ^ byte(acc>>8)
		o.feed(datagram[1+i])
	}
}

// Some documents extend the sign of each input byte. Only the low byte of the result is kept, so
// the extension changes nothing.
func TestSignExtensionChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Byte(), 2, 600).Draw(t, "datagram")
		extended := bytes.Clone(d)
		o := newOracle()
		for i, in := range extended[1:] {
			plain := int32(int8(in)) ^ int32(int8(o.mask()))
			extended[1+i] = byte(plain)
			o.feed(byte(plain))
		}
		cipher.Decrypt(d)
		require.Equal(t, extended, d)
	})
}
