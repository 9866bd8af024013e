package opcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// What a lenient decoder makes of packed bools that no encoder writes.
func TestLenient(t *testing.T) {
	rules := &opcode.Settings{GameTime: 16, CollisionDamage: true, FriendlyFire: true, PlayerSlot: 7, Map: stream.Text("M")}
	strict, lenient := opcode.Decoder{}, opcode.Decoder{Lenient: true}
	for payload, want := range map[string]opcode.Message{
		"2a01":                       &opcode.NewPlayerInGame{Flag: true},
		"2a00":                       &opcode.NewPlayerInGame{},
		"1601":                       &opcode.UICollisionSetting{Enabled: true},
		"16ff":                       &opcode.UICollisionSetting{Enabled: true},
		"20 02 0100 61 0100 62 01":   &opcode.ChecksumRequest{Index: 2, Dir: stream.Text("a"), Filter: stream.Text("b"), Recursive: true},
		"00 00008041 e3 07 01004d":   rules, // a count of seven
		"00 00008041 43 07 01004d20": rules, // the third bool in a byte of its own
		"1c ffffff3f 00008041 40 01": &opcode.StateUpdate{ObjectID: 0x3FFFFFFF, GameTime: 16, Flags: opcode.StateCloak, Cloak: true},
	} {
		p := unhex(payload)
		_, err := strict.Decode(p)
		require.ErrorIs(t, err, stream.ErrBadBitGroup, payload)
		fields, err := strict.Dissect(p)
		require.ErrorIs(t, err, stream.ErrBadBitGroup, payload)
		checkCover(t, p, fields)

		m, err := lenient.Decode(p)
		require.NoError(t, err, payload)
		same(t, want, m)
		fields, err = lenient.Dissect(p)
		require.NoError(t, err, payload)
		checkCover(t, p, fields)
	}
}

// A lenient decoder is one for other errors, and for everything that is right.
func TestLenientIsStrict(t *testing.T) {
	lenient := opcode.Decoder{Lenient: true}
	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			for end := 1; end <= len(p); end++ {
				want, wantErr := opcode.Decode(p[:end])
				got, err := lenient.Decode(p[:end])
				require.Equal(t, wantErr, err)
				same(t, want, got)
			}
		}
	})
	_, err := lenient.Decode(unhex("2a0100"))
	require.EqualError(t, err, "opcode: decode NewPlayerInGame at offset 2: bytes after the last field")
	_, err = lenient.Dissect(unhex("2a0100"))
	require.EqualError(t, err, "opcode: decode NewPlayerInGame at offset 2: bytes after the last field")
	_, err = lenient.Decode(unhex("2a01"))
	require.NoError(t, err)
}

// The message of a mod may have an error of its own.
type ownError struct{ swap }

func (m *ownError) UnmarshalBinary([]byte) error { return stream.ErrBadBitGroup }
func (m *ownError) Walk(c *stream.Codec)         { c.Field("Flag").Bool(new(bool)) }

func TestLenientOwnError(t *testing.T) {
	lenient := opcode.Decoder{Lenient: true}
	require.NoError(t, lenient.Register(0x35, func() opcode.Message { return new(ownError) }))
	_, err := lenient.Decode(unhex("35"))
	require.EqualError(t, err, "stream: decode MissionInit.Flag at offset 1: unexpected EOF")
}
