package opcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// block returns an update with subsystems and the given flags.
func block(flags opcode.StateFlags, data string, bits stream.Bits) *opcode.StateUpdate {
	m := &opcode.StateUpdate{ObjectID: 0x3FFFFFFF, GameTime: 16, Flags: flags, StartIndex: 8, Data: testdata.Bytes(data), Bits: bits}
	if flags&opcode.StatePosition != 0 {
		m.Position = [3]float32{1, 2, 3}
	}
	m.Cloak = flags&opcode.StateCloak != 0
	return m
}

// A tolerant decoder accepts packed bools that no encoder writes.
func TestTolerant(t *testing.T) {
	rules := &opcode.Settings{GameTime: 16, CollisionDamage: true, HostModem: true, PlayerSlot: 7, Map: stream.Text("M")}
	strict, tolerant := opcode.Decoder{}, opcode.Decoder{Tolerant: true}
	for payload, want := range map[string]opcode.Message{
		"2a01":                       &opcode.NewPlayerInGame{Modem: true},
		"2a00":                       &opcode.NewPlayerInGame{},
		"1601":                       &opcode.UICollisionSetting{Enabled: true},
		"16ff":                       &opcode.UICollisionSetting{Enabled: true},
		"20 02 0100 61 0100 62 01":   &opcode.ChecksumRequest{Index: 2, Dir: stream.Text("a"), Filter: stream.Text("b"), Recursive: true},
		"00 00008041 e3 07 01004d":   rules, // a count of seven
		"00 00008041 43 07 01004d20": rules, // the third bool in a byte of its own
		"1c ffffff3f 00008041 40 01": &opcode.StateUpdate{ObjectID: 0x3FFFFFFF, GameTime: 16, Flags: opcode.StateCloak, Cloak: true},
		// After a plain bool, the bools of a block are in another byte.
		"1c ffffff3f 00008041 60 01 08 60ff":               block(0x60, "60ff", stream.Bits{}),
		"1c ffffff3f 00008041 21 " + place + " 00 08 60ff": block(0x21, "60ff", stream.Bits{}),
		// After a group with room, they are in its byte, whose count is corrected.
		"1c ffffff3f 00008041 21 " + place + " e0 08 ff": block(0x21, "ff", stream.Bits{Byte: 0xA0, Read: 1}),
		"1c ffffff3f 00008041 60 5d 08 ff":               block(0x60, "ff", stream.Bits{Byte: 0x41, Read: 1}),
	} {
		p := testdata.Bytes(payload)
		_, err := strict.Decode(p)
		require.ErrorIs(t, err, stream.ErrBadBitGroup, payload)
		_, fields, err := visited(&strict, p)
		require.ErrorIs(t, err, stream.ErrBadBitGroup, payload)
		checkCover(t, p, fields)

		m, err := tolerant.Decode(p)
		require.NoError(t, err, payload)
		same(t, want, m)
		require.NoError(t, opcode.Validate(m), payload)
		again, err := opcode.Marshal(m)
		require.NoError(t, err, payload)
		require.NotEqual(t, p, again, "%s: no encoder writes these bytes", payload)
		m, fields, err = visited(&tolerant, p)
		require.NoError(t, err, payload)
		same(t, want, m)
		checkCover(t, p, fields)

		tolerant.Tolerant = false
		_, err = tolerant.Decode(p)
		require.ErrorIs(t, err, stream.ErrBadBitGroup, payload)
		tolerant.Tolerant = true
	}
}

// A tolerant decoder returns the same results as a strict one for valid payloads and other errors.
func TestTolerantKeepsOtherErrors(t *testing.T) {
	tolerant := opcode.Decoder{Tolerant: true}
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			for end := 1; end <= len(p); end++ {
				want, wantErr := opcode.Decode(p[:end])
				got, err := tolerant.Decode(p[:end])
				require.Equal(t, wantErr, err)
				same(t, want, got)
			}
		}
	})
	_, err := tolerant.Decode(testdata.Bytes("2a0100"))
	require.EqualError(t, err, "opcode: decode NewPlayerInGame at offset 2: bytes after the last field")
	_, _, err = visited(&tolerant, testdata.Bytes("2a0100"))
	require.EqualError(t, err, "opcode: decode NewPlayerInGame at offset 2: bytes after the last field")
	_, err = tolerant.Decode(testdata.Bytes("2a01"))
	require.NoError(t, err)
}

// visited returns the fields that a decoder passes.
func visited(d *opcode.Decoder, payload []byte) (m opcode.Message, fields []stream.Field, err error) {
	m, err = d.Visit(payload, func(f *stream.Field) bool {
		fields = append(fields, *f)
		return true
	})
	return m, fields, err
}
