package transport_test

import (
	"testing"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func BenchmarkMessages(b *testing.B) {
	d := vectorHex(b, "second-player-join")
	n := 0
	testdata.Bytewise(b, d, func() {
		for m, err := range transport.Messages(d) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(m.Body)
		}
	})
}

func BenchmarkPacket(b *testing.B) {
	d := vectorHex(b, "second-player-join")
	var p transport.Packet
	if err := p.UnmarshalBinary(d); err != nil {
		b.Fatal(err)
	}
	b.Run("UnmarshalBinary", func(b *testing.B) {
		testdata.Bytewise(b, d, func() {
			if err := p.UnmarshalBinary(d); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("AppendBinary", func(b *testing.B) {
		buf := make([]byte, 0, transport.MaxDatagram)
		testdata.Bytewise(b, d, func() {
			var err error
			if buf, err = p.AppendBinary(buf[:0]); err != nil {
				b.Fatal(err)
			}
		})
	})
}

func BenchmarkReassembler(b *testing.B) {
	fragments := fragments(0, make([]byte, 832))
	var r transport.Reassembler
	seq := uint16(0)
	testdata.Bytewise(b, make([]byte, 832), func() {
		seq++
		for i := range fragments {
			fragments[i].Seq = seq
			if _, _, err := r.Add(start, &fragments[i]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkObserver observes a datagram of each side, with an unreliable and a reliable payload
// and the Ack of the last one.
func BenchmarkObserver(b *testing.B) {
	update := wire(transport.NewUnreliable(make([]byte, 40)))
	sides := [2][]byte{from(2, update, text(0, "xy"), "01 0000 00"), from(1, update, text(0, "xy"), "01 0000 00")}
	var o transport.Observer
	seq, payloads := uint16(0), 0
	testdata.Bytewise(b, append(sides[0], sides[1]...), func() {
		seq++
		for i, d := range sides {
			at := len(d) - 8 // of the sequence number of the payload
			d[at], d[at+1] = byte(seq), byte(seq>>8)
			for m, err := range o.Receive(start, i == 1, d) {
				if err != nil {
					b.Fatal(err)
				}
				if m.Payload != nil {
					payloads++
				}
			}
		}
	})
	if payloads%4 != 0 {
		b.Fatal(payloads)
	}
}
