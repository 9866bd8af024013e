package opcode_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// checkVisit requires that a used decoder passes the fields, the message and the error of Dissect.
func checkVisit(t testing.TB, d *opcode.Decoder, payload []byte) {
	t.Helper()
	dissected, want, wantErr := opcode.Dissect(payload)
	m, got, err := visited(d, payload)
	same(t, dissected, m)
	require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
	require.Len(t, got, len(want))
	for i := range want {
		if want[i].Path() != got[i].Path() || fmt.Sprint(want[i].Err) != fmt.Sprint(got[i].Err) {
			t.Fatalf("%x: %s (%v) is visited as %s (%v)", payload, want[i].Path(), want[i].Err, got[i].Path(), got[i].Err)
		}
		want[i].Err, got[i].Err = nil, nil
		want[i].Group, got[i].Group = nil, nil
	}
	require.Equal(t, want, got)
}

// Visit passes the fields of Dissect for every prefix of a payload and for damaged payloads.
func TestVisit(t *testing.T) {
	var d opcode.Decoder
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			for end := range len(p) + 1 {
				checkVisit(t, &d, p[:end])
			}
			checkVisit(t, &d, append(p[:len(p):len(p)], 0))
			for i := range p {
				p[i] ^= 0x81
				checkVisit(t, &d, p)
				p[i] ^= 0x81
			}
		}
	})
}

// A decoder forgets the function of a visit.
func TestDecodeAfterVisit(t *testing.T) {
	var d opcode.Decoder
	visits := 0
	for range 2 {
		_, err := d.Visit([]byte{byte(opcode.OpGameInit)}, func(*stream.Field) bool { visits++; return true })
		require.NoError(t, err)
		_, err = d.Decode([]byte{byte(opcode.OpGameInit)})
		require.NoError(t, err)
	}
	require.Equal(t, 2, visits)
}

// Visiting a valid payload allocates nothing. Dissect allocates the message, the fields and a codec.
func TestVisitAllocs(t *testing.T) {
	var d opcode.Decoder
	sum := int64(0)
	visit := func(f *stream.Field) bool {
		if f.Type() != nil {
			sum += f.Int() + int64(len(f.Bytes())+len(f.Name))
		}
		return true
	}
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			_, err := d.Visit(p, visit)
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(10, func() { _, _ = d.Visit(p, visit) }), "%x", p)
			m, fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			if !hasLists(m) && len(fields) <= 14 {
				require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _, _ = opcode.Dissect(p) }), 7.0, "%x", p)
			}
		}
	})
	require.NotZero(t, sum)
}

// Visit ends when its function returns false, and still decodes the message.
func TestVisitStops(t *testing.T) {
	var d opcode.Decoder
	n := 0
	m, err := d.Visit([]byte{0x2C, 1, 0, 0, 0, 2, 0, 'g', 'g'}, func(*stream.Field) bool { n++; return n < 2 })
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, "gg", m.(*opcode.ChatMessage).Text.String())
}
