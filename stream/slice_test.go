package stream_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// Slice decodes a fixed number of bytes without copying them.
func TestSlice(t *testing.T) {
	var a, b []byte
	m := walk(func(c *stream.Codec) {
		c.Field("A").Slice(&a, 3)
		c.Field("B").Slice(&b, 0)
	})
	payload := []byte{anyOp, 1, 2, 3}
	b = []byte("old")
	require.NoError(t, unmarshal(payload, anyOp, m))
	require.Equal(t, []byte{1, 2, 3}, a)
	require.Nil(t, b)
	payload[2] = 9
	require.Equal(t, []byte{1, 9, 3}, a, "copied")
	require.Equal(t, 3, cap(a))
	again, err := appendTo(nil, anyOp, m)
	require.NoError(t, err)
	require.Equal(t, payload, again)

	require.EqualError(t, unmarshal(payload[:3], anyOp, m), "stream_test: decode walk.A at offset 1: unexpected EOF")
	require.Nil(t, a)
	for _, wrong := range [][]byte{nil, {1, 2}, {1, 2, 3, 4}} {
		a, b = wrong, nil
		for _, room := range []int{0, 100} {
			again, err := appendTo(append(make([]byte, 0, room), "dst"...), anyOp, m)
			require.EqualError(t, err, fmt.Sprintf("stream_test: encode walk.A at offset 1: wrong length: %d bytes, must be 3", len(wrong)))
			require.ErrorIs(t, err, stream.ErrRange)
			require.Equal(t, "dst", string(again))
			require.False(t, new(stream.Codec).Encodes(m.Walk))
		}
	}
	a, b = []byte{1, 2, 3}, []byte{4}
	_, err = appendTo(nil, anyOp, m)
	require.EqualError(t, err, "stream_test: encode walk.B at offset 4: wrong length: 1 bytes, must be 0")
}

// After an error, the offset exceeds the payload.
func TestOffset(t *testing.T) {
	var c stream.Codec
	startDecoding(&c, []byte{anyOp, 1, 2}, int(anyOp))
	require.Equal(t, 1, c.Offset())
	c.Uint16(new(uint16))
	require.Equal(t, 3, c.Offset())
	c.Bool(new(bool))
	require.Equal(t, 4, c.Offset())
	c.Uint32(new(uint32))
	require.Equal(t, 8, c.Offset())
	startDecoding(&c, []byte{1}, int(anyOp))
	require.Greater(t, c.Offset(), 1, "another opcode")
	startDecoding(&c, []byte{0x21, 7}, noOp)
	require.Zero(t, c.Offset())
	c.Bool(new(bool))
	require.Equal(t, 1, c.Offset())
	c.Fail(io.EOF)
	require.Greater(t, c.Offset(), 2)

	for _, room := range []int{0, 100} { // an encoder that lacks room has not failed
		startEncoding(&c, append(make([]byte, 0, 3+room), "dst"...), int(anyOp))
		require.Equal(t, 1, c.Offset())
		c.Uint32(new(uint32))
		c.Bool(new(true))
		c.Bool(new(true))
		require.Equal(t, 6, c.Offset())
	}
}

// PeekRest returns what Rest decodes next, and leaves it.
func TestPeekRest(t *testing.T) {
	var c stream.Codec
	var tail, want []byte
	var bits, wantBits stream.Bits
	m := walk(func(c *stream.Codec) {
		c.Bool(new(bool))
		tail, bits = c.PeekRest()
		c.Rest(&want, &wantBits)
	})
	for _, payload := range [][]byte{{0x21}, {0x41, 7, 8}, {0x61, 9}, {0x01, 9}, {}} {
		err := c.Decode(payload, noOp, "x", m.Walk)
		require.Equal(t, wantBits, bits, "%v, %v", payload, err)
		require.Equal(t, want, tail, "%v, %v", payload, err)
	}
	startEncoding(&c, make([]byte, 9), noOp)
	tail, bits = c.PeekRest()
	require.Empty(t, tail)
	require.Zero(t, bits)
}
