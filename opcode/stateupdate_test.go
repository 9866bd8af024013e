package opcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// A block of an unknown ship keeps its bit group. The message does not encode if its bools have
// changed.
func TestStateUpdateKeepsBits(t *testing.T) {
	payload := testdata.Bytes("1cffffff3f0000c8427d0000803f0000004000004040667f000000007f000000ffff64ffffffffffff")
	m, err := opcode.Decode(payload)
	require.NoError(t, err)
	s := m.(*opcode.StateUpdate)
	require.Equal(t, stream.Bits{Byte: 0x66, Read: 2}, s.Bits)
	checkAppend(t, s, payload)

	s.Cloak = false
	_, err = opcode.Marshal(s)
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
	s.Bits = stream.Bits{}
	p, err := opcode.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, byte(0x40), p[22], "two bools, both false")
}

// WalkHead stops before Data.
func TestStateUpdateHead(t *testing.T) {
	payload := testdata.Bytes("1cffffff3f0000c8422400007f08" + "ff64")
	var c stream.Codec
	c.Fits(payload, int(payload[0]), func(*stream.Codec) {})
	var m opcode.StateUpdate
	m.WalkHead(&c)
	require.Equal(t, 2, c.Remaining())
	require.Equal(t, opcode.StateUpdate{
		ObjectID: 0x3FFFFFFF, GameTime: 100, Flags: 0x24, Forward: compress.Vector3{Z: 127}, StartIndex: 8,
	}, m)
}

// WalkHead walks all fields except the block of subsystems, for every payload.
func TestWalkHeadStopsBeforeBlock(t *testing.T) {
	blocks := 0
	for _, op := range []opcode.Code{opcode.OpObjectCreate, opcode.OpObjectCreateTeam, opcode.OpStateUpdate} {
		for _, p := range payloads(t, op) {
			want, err := opcode.Decode(p)
			require.NoError(t, err)
			left := 0
			switch m := want.(type) {
			case *opcode.ObjectCreate:
				left, m.SubsystemsRaw = len(m.SubsystemsRaw), nil
			case *opcode.ObjectCreateTeam:
				left, m.SubsystemsRaw = len(m.SubsystemsRaw), nil
			case *opcode.StateUpdate:
				left, m.Data, m.Bits = len(m.Data), nil, stream.Bits{}
			}
			blocks += min(left, 1)
			var c stream.Codec
			c.Fits(p, int(p[0]), func(*stream.Codec) {})
			got := opcode.New(op)
			got.(interface{ WalkHead(*stream.Codec) }).WalkHead(&c)
			require.Equal(t, left, c.Remaining(), "%x", p)
			same(t, want, got)
		}
	}
	require.Greater(t, blocks, 5)
}

// With the flags of both tails, all remaining bytes are Data.
func TestStateUpdateWithBothTails(t *testing.T) {
	m, err := opcode.Decode(testdata.Bytes("1cffffff3f0000c842" + "a0" + "00" + "ff" + "01cc"))
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes("ff01cc"), m.(*opcode.StateUpdate).Data)
	require.Empty(t, m.(*opcode.StateUpdate).Power)
}
