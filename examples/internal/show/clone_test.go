package show

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport/recording"
)

// A clone decodes the rest of a capture like its original, wherever it is made. The datagrams of a
// clone do not change the original.
func TestClone(t *testing.T) {
	all := sampleDatagrams(t)
	decode := func(d *Decoder, i int) string {
		var b bytes.Buffer
		require.NoError(t, NewJSON(&b).Packet(d.Decode(&Datagram{Number: i, Client: "1", Data: bytes.Clone(all[i])})))
		return b.String()
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

// A brief decoder has the messages of another one, without their fields.
func TestBrief(t *testing.T) {
	full, brief := Decoder{Plain: true}, Decoder{Plain: true, Brief: true}
	payloads := 0
	for i, data := range sampleDatagrams(t) {
		a := full.Decode(&Datagram{Number: i, Data: bytes.Clone(data)})
		b := brief.Decode(&Datagram{Number: i, Data: bytes.Clone(data)})
		require.Len(t, b.Messages, len(a.Messages))
		for j, m := range a.Messages {
			short := b.Messages[j]
			require.Equal(t, m.Decoded, short.Decoded)
			require.Equal(t, m.Body, short.Body)
			require.Equal(t, m.Title(), short.Title())
			require.Equal(t, m.Err, short.Err)
			if m.Decoded != nil {
				payloads++
				require.Empty(t, short.parts)
				require.NotEmpty(t, m.parts)
			}
		}
	}
	require.Positive(t, payloads)
}

// A brief decoder does not look for the fields of a malformed payload.
func TestBriefOfMalformedPayload(t *testing.T) {
	for _, brief := range []bool{false, true} {
		d := Decoder{Plain: true, Brief: brief}
		m := d.Decode(&Datagram{Data: []byte{2, 1, 0x32, 5, 0, byte(opcode.OpTorpedoFire), 1}}).Messages[0]
		require.ErrorIs(t, m.Err, io.ErrUnexpectedEOF)
		require.Equal(t, brief, len(m.parts) == 0)
	}
}

// Locate sets what Decode sets, and decodes nothing.
func TestLocate(t *testing.T) {
	for _, data := range sampleDatagrams(t) {
		d := Decoder{Plain: true}
		located, decoded := &Datagram{Data: bytes.Clone(data)}, &Datagram{Data: bytes.Clone(data)}
		d.Locate(located)
		require.Equal(t, data, located.Data)
		d.Decode(decoded)
		require.Equal(t, decoded.Dir, located.Dir)
		require.Contains(t, []recording.Direction{recording.ToServer, recording.ToClient}, located.Dir)
	}
}
