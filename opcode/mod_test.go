package opcode_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// raid is a message of a mod with fields of every kind: a conditional field, a packed bool, a text
// and a list.
type raid struct {
	Leader  objectid.ID
	Loud    bool
	Speed   float32
	Target  objectid.ID // if Loud
	Motto   stream.Text
	Members []int32
}

func (*raid) Opcode() opcode.Code { return 0x60 }

func (m *raid) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = raid{Members: m.Members} // Target is not always on the wire
	}
	c.Field("Leader").ObjectID(&m.Leader)
	c.Field("Loud").Bool(&m.Loud)
	c.Field("Speed").Float32(&m.Speed)
	if m.Loud {
		c.Field("Target").ObjectID(&m.Target)
	}
	c.Field("Motto").String8(&m.Motto)
	n := c.Field("Members").Count8(len(m.Members), 4)
	stream.Resize(c, &m.Members, n)
	for i := range n {
		c.Element("Members", i)
		c.Field("").Int32(&m.Members[i])
		c.End()
	}
}

const (
	loudRaid  = "60 ffffff3f 21 0000803f ffff0340 03 616263 02 07000000 08000000"
	quietRaid = "60 ffff0340 20 00000040 00 00"
)

// raiders returns a decoder with the message registered.
func raiders(t testing.TB, zero func() opcode.Message) *opcode.Decoder {
	t.Helper()
	dec := new(opcode.Decoder)
	require.NoError(t, dec.Register(0x60, zero))
	return dec
}

func newRaid() opcode.Message { return new(raid) }

// Every decoding function returns the type of the mod, which encodes to the same bytes.
func TestModRoundTrip(t *testing.T) {
	for _, text := range []string{loudRaid, quietRaid} {
		dec := raiders(t, newRaid)
		payload := testdata.Bytes(text)
		var want raid
		require.NoError(t, opcode.Unmarshal(payload, &want))
		dissected, fields, err := visited(dec, payload)
		require.NoError(t, err)
		checkCover(t, payload, fields)
		decoded, err := dec.Decode(payload)
		require.NoError(t, err)
		for _, m := range []opcode.Message{decoded, dissected} {
			require.Equal(t, opcode.Code(0x60), m.Opcode())
			require.Equal(t, &want, m)
			checkAppend(t, m, payload)
		}
	}
}

// Decoding overwrites all fields of the previous message, also after a decode that fails.
func TestModDirtyEqualsZero(t *testing.T) {
	dec := raiders(t, newRaid)
	for _, dirt := range []string{loudRaid, quietRaid} {
		for _, text := range []string{loudRaid, quietRaid} {
			payload := append(testdata.Bytes(text), 0)
			for end := 1; end <= len(payload); end++ {
				_, err := dec.Decode(testdata.Bytes(dirt))
				require.NoError(t, err)
				got, gotErr := dec.Decode(payload[:end])
				want, wantErr := raiders(t, newRaid).Decode(payload[:end])
				require.Equal(t, wantErr, gotErr)
				require.Equal(t, opcode.Line(want), opcode.Line(got))
			}
		}
	}
}

// A Decoder and an Encoder allocate nothing for messages of mods in the steady state.
func TestModAllocs(t *testing.T) {
	for name, v := range map[string]struct {
		zero    func() opcode.Message
		payload string
	}{
		"text":       {func() opcode.Message { return new(Swap) }, "35 ffffff3f 05 03 616263"},
		"empty list": {newRaid, quietRaid},
		"list":       {newRaid, loudRaid},
	} {
		payload := testdata.Bytes(v.payload)
		var dec opcode.Decoder
		var enc opcode.Encoder
		require.NoError(t, dec.Register(opcode.Code(payload[0]), v.zero))
		buf := make([]byte, 0, 256)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			m, err := dec.Decode(payload)
			if err == nil {
				buf, err = enc.Append(buf[:0], m)
			}
			if err != nil || !bytes.Equal(buf, payload) {
				t.Fatal(err)
			}
		}), name)
	}
}

// Errors and lines have the name of the mod's type. A failed encoding does not change dst.
func TestModNames(t *testing.T) {
	long := &raid{Motto: make([]byte, 256)}
	dst, err := opcode.Append([]byte("dst"), long)
	require.Equal(t, "dst", string(dst))
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.ErrorContains(t, err, "opcode_test: encode raid.Motto at offset 10: too long")
	dec := raiders(t, newRaid)
	_, err = dec.Decode(testdata.Bytes(loudRaid)[:12])
	require.EqualError(t, err, "opcode_test: decode raid.Target at offset 10: unexpected EOF")
	_, _, err = visited(dec, testdata.Bytes(loudRaid)[:12])
	require.EqualError(t, err, "opcode_test: decode raid.Target at offset 10: unexpected EOF")
	m, err := dec.Decode(append(testdata.Bytes(quietRaid), 0))
	require.ErrorIs(t, err, stream.ErrTrailing)
	require.Equal(t, "opcode_test.raid Leader=0x4003ffff Loud=false Speed=2 Motto=\"\" Members=0", opcode.Line(m))

	require.NoError(t, opcode.Validate(m))
	require.ErrorIs(t, opcode.Validate(&raid{Speed: float32(math.NaN())}), stream.ErrInvalid)
	require.ErrorIs(t, opcode.Authorize(m, bob), opcode.ErrUnknownMessage)
	require.ErrorIs(t, opcode.Authorize(&modShot{}, bob), opcode.ErrDirection)
}

// A tolerant decoder also accepts wrong bit groups in messages of mods.
func TestModTolerant(t *testing.T) {
	dec := raiders(t, newRaid)
	plain := testdata.Bytes("60 ffff0340 01 00000040 ffffff3f 00 00")
	_, err := dec.Decode(plain)
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
	dec.Tolerant = true
	m, err := dec.Decode(plain)
	require.NoError(t, err)
	require.True(t, m.(*raid).Loud)
}

// owned is a message of a mod that speaks for a player and a ship.
type owned struct {
	Player objectid.PeerID
	Ship   objectid.ID
}

func (*owned) Opcode() opcode.Code { return 0x61 }

func (m *owned) Walk(c *stream.Codec) {
	c.Field("Player").PeerID8(&m.Player)
	c.Field("Ship").ObjectID(&m.Ship)
}

func (m *owned) Authorize(from opcode.Sender) error {
	switch {
	case m.Player != from.PeerID:
		return fmt.Errorf("owned: %w: peer %v", opcode.ErrForged, m.Player)
	case m.Ship != from.Ship:
		return fmt.Errorf("owned: %w: ship %v", opcode.ErrForged, m.Ship)
	}
	return nil
}

// stolen is a type of a mod with the opcode of an engine message.
type stolen struct{ owned }

func (*stolen) Opcode() opcode.Code { return opcode.OpTorpedoFire }

// embedding is a message of a mod that embeds a stock message, whose rules are not its own.
type embedding struct{ opcode.StartFiring }

func (*embedding) Opcode() opcode.Code { return 0x62 }

// Authorize asks a mod's message with a script opcode. Its refusals read like the stock ones.
func TestModAuthorize(t *testing.T) {
	require.NoError(t, opcode.Authorize(&owned{bob.PeerID, bob.Ship}, bob))
	err := opcode.Authorize(&owned{2, bob.Ship}, bob)
	require.ErrorIs(t, err, opcode.ErrForged)
	require.EqualError(t, err, "owned: forged: peer 2")
	require.EqualError(t, opcode.Authorize(&owned{bob.PeerID, 7}, bob), "owned: forged: ship 0x00000007")

	require.ErrorIs(t, opcode.Authorize(&stolen{owned{bob.PeerID, bob.Ship}}, bob), opcode.ErrDirection)
	require.ErrorIs(t, opcode.Authorize(&embedding{}, bob), opcode.ErrUnknownMessage)
}
