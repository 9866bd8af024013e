//go:build !386 && !arm && !mips && !mipsle

package stream_test

import (
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// zeroOp is the first byte of memory that was never written.
const zeroOp uint8 = 0

// A payload or buffer of any length beyond the limit fails. The test needs a gigabyte of
// address space, which a 32-bit machine may not have.
func TestHuge(t *testing.T) {
	huge := mapped(t, 1<<30+1)
	nothing := walk(func(*stream.Codec) {})
	for _, n := range []int{1<<28 + 1, 1 << 30, len(huge)} {
		for _, m := range []stream.Walker{nothing, program{&rest{}}} {
			require.ErrorIs(t, unmarshal(huge[:n], zeroOp, m), stream.ErrTooLong)
			require.EqualError(t, decodeBare(huge[:n], m), "stream: decode bare at offset 0: "+tooLong(min(n, 1<<30-1)))
		}
		got, err := appendTo(huge[:n], zeroOp, nothing)
		require.EqualError(t, err, "stream_test: encode walk at offset 0: "+tooLong(n))
		require.Len(t, got, n)
		_, err = appendBare(huge[:0], walk(func(c *stream.Codec) { c.Bytes(huge[:n]) }))
		require.ErrorIs(t, err, stream.ErrTooLong)
	}
	got, err := appendTo(huge[:0], zeroOp, walk(func(c *stream.Codec) { c.Fail(io.ErrNoProgress) }))
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.Empty(t, got)
	require.NoError(t, decodeBare(huge[:1<<28], program{&rest{}}), "exactly at the limit")
}

// A payload that exceeds the limit during encoding fails before any byte is copied.
func TestHugeEncoding(t *testing.T) {
	huge := mapped(t, 1<<28)
	m := walk(func(c *stream.Codec) {
		c.Field("Data").Bytes(huge[:1<<28-3])
		c.Field("Last").Uint16(new(uint16))
	})
	var c stream.Codec
	startEncoding(&c, nil, int(anyOp))
	m.Walk(&c)
	require.Equal(t, 1<<28, c.Offset(), "exactly at the limit")
	got, err := appendTo([]byte("a"), anyOp, m)
	require.EqualError(t, err, "stream_test: encode walk.Last at offset 268435454: "+tooLong(1<<28+1))
	require.Equal(t, "a", string(got), "the byte before the payload")
}

// tooLong returns the error text for a payload of n bytes.
func tooLong(n int) string { return fmt.Sprintf("too long: %d bytes, at most %d", n, 1<<28) }

// mapped returns n bytes that use no physical memory until they are touched, unlike the
// heap.
func mapped(t *testing.T, n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(b)) })
	return b
}
