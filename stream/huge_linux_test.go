package stream_test

import (
	"io"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// No length of payload or buffer passes for success, whatever the cursor does.
func TestHuge(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("takes a gigabyte of address space")
	}
	// Unlike memory of the heap, pages that nobody touches cost nothing.
	huge, err := syscall.Mmap(-1, 0, 1<<30+1, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(huge)) })
	nothing := walk(func(*stream.Codec) {})
	for _, n := range []int{1<<28 + 1, 1 << 30, len(huge)} {
		for _, m := range []stream.Walker{nothing, program{&rest{}}} {
			require.ErrorIs(t, stream.Unmarshal(huge[:n], 0, m), stream.ErrTooLong)
			require.EqualError(t, decodeBare(huge[:n], m), "stream: decode bare at offset 0: too long")
		}
		got, err := stream.Append(huge[:n], 0, nothing)
		require.EqualError(t, err, "stream_test: encode walk at offset 0: too long")
		require.Len(t, got, n)
		_, err = appendBare(huge[:0], walk(func(c *stream.Codec) { c.Bytes(huge[:n]) }))
		require.ErrorIs(t, err, stream.ErrTooLong)
	}
	got, err := stream.Append(huge[:0], 0, walk(func(c *stream.Codec) { c.Fail(io.ErrNoProgress) }))
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.Empty(t, got)
	require.NoError(t, decodeBare(huge[:1<<28], program{&rest{}}), "exactly at the limit")
}
