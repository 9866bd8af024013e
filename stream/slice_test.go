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
		}
	}
	a, b = []byte{1, 2, 3}, []byte{4}
	_, err = appendTo(nil, anyOp, m)
	require.EqualError(t, err, "stream_test: encode walk.B at offset 4: wrong length: 1 bytes, must be 0")
}

func TestOffsetAndFailed(t *testing.T) {
	var c stream.Codec
	state := func(offset int, failed bool) {
		t.Helper()
		require.Equal(t, offset, c.Offset())
		require.Equal(t, failed, c.Failed())
	}
	c.Decode([]byte{anyOp, 1, 2}, int(anyOp))
	state(1, false)
	c.Uint16(new(uint16))
	state(3, false)
	c.Bool(new(bool))
	state(4, true)
	c.Uint32(new(uint32))
	state(8, true)
	c.Decode([]byte{1}, int(anyOp))
	require.True(t, c.Failed(), "another opcode")
	c.Decode([]byte{0x21, 7}, noOp)
	state(0, false)
	c.Bool(new(bool))
	state(1, false)
	c.Fail(io.EOF)
	require.True(t, c.Failed())

	for _, room := range []int{0, 100} { // an encoder that lacks room has not failed
		c.Append(append(make([]byte, 0, 3+room), "dst"...), int(anyOp))
		state(1, false)
		c.Uint32(new(uint32))
		c.Bool(new(true))
		c.Bool(new(true))
		state(6, false)
		c.Fail(io.EOF)
		require.True(t, c.Failed())
	}
}
