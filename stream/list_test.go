package stream_test

import (
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A count on the wire allocates nothing before its elements are known to fit.
func TestHostileCount(t *testing.T) {
	type element [1024]byte
	var elements []element
	flat := walk(func(c *stream.Codec) {
		n := c.Field("List").Count16(len(elements), len(element{}))
		stream.Resize(c, &elements, n)
		for i := range n {
			c.Field("List").Bytes(elements[i][:])
		}
	})
	for _, size := range []int{0, 1, 1000, 65534} {
		payload := append([]byte{anyOp, 0xFF, 0xFF}, make([]byte, size)...)
		require.Less(t, allocated(func() {
			err := unmarshal(payload, anyOp, flat)
			require.EqualError(t, err, "stream_test: decode walk.List at offset 1: unexpected EOF")
		}), uint64(64<<10))
		require.Nil(t, elements)
	}

	// The payload begins as many lists as possible, each with the same count.
	payload := []byte{anyOp, 0xFF, 0x7F}
	for range 0x7FFF {
		payload = append(payload, 0xFF, 0xFF)
	}
	nested := program{&list{wide: true, shape: program{new(uint8), &list{wide: true, shape: program{new(uint8)}}}}}
	require.ErrorIs(t, unmarshal(payload, anyOp, nested), io.ErrUnexpectedEOF)

	var lists [][]element
	double := walk(func(c *stream.Codec) {
		n := c.Field("Lists").Count16(len(lists), 2)
		stream.Resize(c, &lists, n)
		for i := range n {
			c.Element("Lists", i)
			n := c.Field("N").Count16(len(lists[i]), len(element{}))
			stream.Resize(c, &lists[i], n)
			c.End()
		}
	})
	require.Less(t, allocated(func() {
		err := unmarshal(payload, anyOp, double)
		require.EqualError(t, err, "stream_test: decode walk.Lists[0].N at offset 3: unexpected EOF")
	}), uint64(40*len(payload)))
}

// A count is refused exactly if its elements do not fit.
func TestCountRoom(t *testing.T) {
	for _, wide := range []bool{false, true} {
		for _, least := range []int{-1, 0, 1, 3} {
			for n := range 8 {
				for room := range 25 {
					var got int
					m := walk(func(c *stream.Codec) {
						if wide {
							got = c.Count16(n, least)
						} else {
							got = c.Count8(n, least)
						}
						var b []byte
						c.Rest(&b, nil)
					})
					wire := []byte{anyOp, byte(n)}
					if wide {
						wire = append(wire, 0)
					}
					err := unmarshal(append(wire, make([]byte, room)...), anyOp, m)
					if n*max(1, least) <= room {
						require.NoError(t, err)
						require.Equal(t, n, got)
					} else {
						require.ErrorIs(t, err, io.ErrUnexpectedEOF)
						require.Zero(t, got)
					}
				}
			}
		}
	}
}

func TestResize(t *testing.T) {
	var c stream.Codec
	startDecoding(&c, nil, noOp)
	memory := []int{1, 2, 3, 4, 5}
	for _, v := range []struct {
		n    int
		same bool
	}{{0, true}, {1, true}, {2, true}, {5, true}, {6, false}} {
		copy(memory, []int{1, 2, 3, 4, 5})
		elements := memory[:2:5]
		stream.Resize(&c, &elements, v.n)
		require.Len(t, elements, v.n)
		require.Equal(t, make([]int, v.n), elements)
		if v.n > 0 {
			require.Equal(t, v.same, &elements[0] == &memory[0])
		}
	}
	startEncoding(&c, nil, noOp)
	stream.Resize(&c, &memory, 9)
	require.Len(t, memory, 5, "encoding")
}
