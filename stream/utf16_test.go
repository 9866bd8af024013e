package stream_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/stream"
)

func TestUTF16(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Cady": "C\x00a\x00d\x00y\x00", "ß€": "\xdf\x00\xac\x20", "😀": "\x3d\xd8\x00\xde", "a\x00b": "a\x00\x00\x00b\x00",
	} {
		got, err := stream.NewUTF16(s)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.Equal(t, s, got.String())
	}
	_, err := stream.NewUTF16("a\xff")
	require.ErrorIs(t, err, stream.ErrText)
	require.EqualError(t, err, `stream: character cannot be encoded: "\xff" at offset 1 is not UTF-8`)
	require.Equal(t, "a\uFFFDb", stream.UTF16("a\x00\x3d\xd8b\x00c").String(), "an unpaired surrogate and an odd byte")
}

// A valid string round-trips. An odd number of bytes does not encode.
func TestUTF16RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		u, err := stream.NewUTF16(s)
		require.NoError(t, err)
		require.Equal(t, s, u.String())
		_, err = appendTo(nil, anyOp, program{&wide32{append(u, 0)}})
		require.ErrorIs(t, err, stream.ErrRange)
		require.ErrorContains(t, err, fmt.Sprintf("wrong length: %d bytes, must be even", len(u)+1))
	})
}
