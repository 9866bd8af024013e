package show

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A clone decodes the rest of a capture like its original, wherever it is made. The datagrams of a
// clone do not change the original.
func TestClone(t *testing.T) {
	all := sampleDatagrams(t)
	decode := func(d *Decoder, i int) string {
		return string(NewJSON().Append(nil, d.Decode(&Datagram{Number: i, Client: "1", Data: bytes.Clone(all[i])})))
	}
	for at := range all {
		original := &Decoder{Plain: true}
		for i := range at {
			decode(original, i)
		}
		clone, other := original.Clone(), original.Clone()
		for i := range all {
			decode(other, len(all)-1-i)
		}
		for i := at; i < len(all); i++ {
			require.Equal(t, decode(original, i), decode(clone, i))
		}
	}
}

// A Packet whose memory is used again has the same messages as a new one.
func TestFollow(t *testing.T) {
	fresh, reused := Decoder{Plain: true}, Decoder{Plain: true}
	var p Packet
	for i, data := range specimens(t) {
		want := NewJSON().Append(nil, fresh.Decode(&Datagram{Number: i, Data: bytes.Clone(data)}))
		dg := &Datagram{Number: i, Data: data}
		reused.locator.Locate(dg)
		reused.Follow(&p, dg)
		require.Equal(t, string(want), string(NewJSON().Append(nil, &p)))
	}
}
