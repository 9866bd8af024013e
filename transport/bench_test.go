package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// BenchmarkFraming reads and writes the messages of a datagram.
func BenchmarkFraming(b *testing.B) {
	d := vectorHex(b, "second-player-join")
	var p transport.Packet
	require.NoError(b, p.UnmarshalBinary(d))
	n := 0
	read := func() {
		for m, err := range transport.Messages(d) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(m.Body)
		}
	}
	b.Run("Read", func(b *testing.B) {
		b.SetBytes(int64(len(d)))
		b.ReportAllocs()
		for b.Loop() {
			read()
		}
	})
	b.Run("Write", func(b *testing.B) {
		b.SetBytes(int64(len(d)))
		b.ReportAllocs()
		buf := make([]byte, 0, transport.MaxDatagram)
		for b.Loop() {
			var err error
			if buf, err = p.AppendBinary(buf[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
