package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// Texts and tails alias the payload, without spare capacity. The bytes of an array are
// copies.
func TestAliasing(t *testing.T) {
	payload := testdata.Bytes("a701610200626301ffeeee")
	var a, b text8
	array := [2]byte{9, 9}
	var tail []byte
	var wide text16
	m := walk(func(c *stream.Codec) {
		c.String8(&a.Text)
		c.String16(&wide.Text)
		c.String8(&b.Text)
		c.Bytes(array[:1])
		c.Rest(&tail, nil)
	})
	require.NoError(t, unmarshal(payload, anyOp, m))
	require.Equal(t, "a bc \xFF", a.String()+" "+wide.String()+" "+string(b.Text))
	require.Equal(t, [2]byte{0xEE, 9}, array)
	_ = append(a.Text, '!')
	_ = append(wide.Text, '!')
	_ = append(tail, '!')
	require.Equal(t, testdata.Bytes("a701610200626301ffeeee"), payload)
	payload[2], payload[9], payload[10] = 'A', 0, 1
	require.Equal(t, "A", a.String())
	require.Equal(t, [2]byte{0xEE, 9}, array)
	require.Equal(t, []byte{1}, tail)
}

// A text or an array beyond the end of the payload overwrites the old value with zero.
func TestBytesTooShort(t *testing.T) {
	const eof = ": unexpected EOF"
	for _, v := range []struct{ wire, text string }{
		{"", "F0 at offset 0" + eof},
		{"05", "F0 at offset 0" + eof},
		{"0561", "F0 at offset 0" + eof},
		{"00", "F1 at offset 1" + eof},
		{"0000", "F1 at offset 1" + eof},
		{"00ffff61", "F1 at offset 1" + eof},
		{"000000", "F2 at offset 3" + eof},
		{"000000aa", "F2 at offset 3" + eof},
		{"000000aabb000000", "F3 at offset 5" + eof},
		{"000000aabb02000000cc", "F3 at offset 5" + eof},
		{"000000aabbffffffffcc", "F3 at offset 5" + eof},
	} {
		p := program{&text8{stream.Text("old")}, &text16{stream.Text("old")}, &fixed{[]byte{1, 2}}, &text32{stream.Text("old")}}
		require.EqualError(t, decodeBare(testdata.Bytes(v.wire), p), "stream: decode bare."+v.text, v.wire)
		if len(v.wire) > 8 {
			p = p[3:] // the array has been read
		}
		require.Equal(t, fresh(p), p)
	}
}

// Float32s and Codes have the numbers and the codes of Value.
func TestNumbersOfFields(t *testing.T) {
	var c stream.Codec
	number, list := float32(1.5), []float32{-1, 2}
	f16, v3, text := compress.Float16(0x1234), compress.Vector3{X: 127, Y: -3, Z: 4}, stream.Text("abcd")
	v4, contact := compress.Vector4{Dir: v3, Mag: 0x3456}, compress.Contact{Dir: v3, Mag: 200}
	walk := func(c *stream.Codec) {
		c.Field("").Float32(&number)
		c.Field("").Float32s(list)
		c.Field("").Float16(&f16)
		c.Field("").Vector3(&v3)
		c.Field("").Vector4(&v4)
		c.Field("").Contact(&contact)
		c.Field("").String8(&text)
	}
	three := func(x, y, z float32) []float32 { return []float32{9, x, y, z} }
	wants := [][]float32{{9, 1.5}, {9, -1, 2}, {9, f16.Float32()}, three(v3.Float32()), three(v4.Float32()), three(contact.Float32(1)), {9}}
	codes := [][]int{{7}, {7}, {7, 0x1234}, {7, 127, -3, 4}, {7, 127, -3, 4, 0x3456}, {7, 127, -3, 4, 200}, {7}}
	i := 0
	c.Visit = func(f *stream.Field) bool {
		require.Equal(t, wants[i], f.Float32s([]float32{9}))
		require.Equal(t, codes[i], f.Codes([]int{7}))
		i++
		return true
	}
	_, err := c.Append(nil, noOp, "", walk)
	require.NoError(t, err)
	require.Equal(t, len(wants), i)
}
