package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

const anyOp uint8 = 0xA7

// A program encodes like the oracle and decodes to the same values, also over old values.
func propertyPrograms(t *rapid.T) {
	p, choose := drawProgram(t)
	want := written(p, anyOp)
	got, err := appendTo(nil, anyOp, p)
	require.NoError(t, err)
	require.Equal(t, want, got)
	finite := true
	require.NoError(t, (&stream.Codec{Visit: func(f *stream.Field) bool {
		for _, x := range f.Float32s(nil) {
			finite = finite && x-x == 0
		}
		return true
	}}).Decode(got, int(anyOp), "", fresh(p).Walk))
	require.Equal(t, finite, new(stream.Codec).Encodes(p.Walk))

	q := fresh(p)
	fill(q, choose)
	require.NoError(t, unmarshal(got, anyOp, q))
	require.Equal(t, want, written(q, anyOp))
}

func TestPrograms(t *testing.T)         { rapid.Check(t, propertyPrograms) }
func FuzzProgramsProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyPrograms)) }

// A payload that was cut, extended or changed gives the same result as the oracle.
func propertyProgramsDamaged(t *rapid.T) {
	p, choose := drawProgram(t)
	payload := written(p, anyOp)
	for range choose(3) {
		payload[choose(len(payload))] = byte(choose(256))
	}
	switch n := choose(len(payload)); choose(3) {
	case 0:
		payload = payload[:n]
	case 1:
		payload = append(payload, payload[n:]...)
	}
	agree(t, p, payload)
}

func TestProgramsDamaged(t *testing.T)         { rapid.Check(t, propertyProgramsDamaged) }
func FuzzProgramsDamagedProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyProgramsDamaged)) }

func drawProgram(t *rapid.T) (program, func(n int) int) {
	choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
	p := build(choose, 0)
	fill(p, choose)
	return p, choose
}

// FuzzStream decodes any payload with any program.
func FuzzStream(f *testing.F) {
	for _, v := range []struct {
		shape []byte
		wire  string
	}{
		{nil, "a7"},
		{[]byte{3, 23, 0, 23}, "a74205"},                           // two bools around a byte
		{[]byte{6, 23, 23, 23, 23, 23, 23}, "a7bf21"},              // six bools
		{[]byte{3, 23, 23, 23}, "a741"},                            // more bools than announced
		{[]byte{4, 6, 7, 9, 10}, "a70000807fffffff3f010203040506"}, // ends within a field
		{[]byte{3, 12, 13, 14, 2}, "a702616203006364650000"},       // texts and bytes
		{[]byte{2, 15, 16, 1}, "a70100000061" + "010080ff"},        // a long text and a NaN
		{[]byte{1, 18, 1, 2, 23, 2}, "a7020001434500024600"},       // a list of bytes, bools and shorts
		{[]byte{1, 19, 1, 1, 18, 1, 0}, "a7ffffffff"},              // a list in a list, without elements
		{[]byte{1, 23, 1, 1}, "a7610708"},                          // a tail that may contain two bools
	} {
		f.Add(v.shape, testdata.Bytes(v.wire))
	}
	f.Fuzz(func(t *testing.T, choices, payload []byte) {
		shape := build(func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			i := int(choices[0]) % n
			choices = choices[1:]
			return i
		}, 0)
		agree(t, shape, payload)
	})
}
