package opcode_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// checkFast compares the fast path of StateUpdate with its walk.
func checkFast(t testing.TB, payload []byte) {
	t.Helper()
	var want opcode.StateUpdate
	wantErr := walk(payload, &want)
	var got opcode.StateUpdate
	gotErr := opcode.Unmarshal(payload, &got)
	if wantErr != nil || gotErr != nil {
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr), "%x", payload)
	}
	same(t, &want, &got)
	group := want.Bits.Byte
	for _, bits := range []stream.Bits{want.Bits, {}, {Byte: group ^ 1, Read: 1}, {Byte: group, Read: 2}, {Byte: 0x43, Read: 2}, {Byte: 0x20, Read: 1}, {Byte: 0xC0, Read: 1}, {Byte: 0x47, Read: 1}, {Read: 1}} {
		for bools := range 4 {
			m := want
			m.Bits, m.HasHash, m.Cloak = bits, m.HasHash != (bools&1 != 0), m.Cloak != (bools&2 != 0)
			checkFastAppend(t, &m)
		}
	}
}

// checkFastAppend compares the encoding of a StateUpdate with its walk.
func checkFastAppend(t testing.TB, m *opcode.StateUpdate) {
	want, wantErr := new(stream.Codec).Append([]byte("before"), int(m.Opcode()), "opcode.StateUpdate", m.Walk)
	got, err := opcode.Append([]byte("before"), m)
	if (wantErr != nil || err != nil) && fmt.Sprint(wantErr) != fmt.Sprint(err) || !bytes.Equal(want, got) {
		t.Fatalf("%+v\n%x %v\n%x %v", *m, want, wantErr, got, err)
	}
}

// walk decodes a payload with the walk of a message.
func walk(payload []byte, m opcode.Message) error {
	return new(stream.Codec).Decode(payload, int(m.Opcode()), "opcode."+m.Opcode().String(), m.Walk)
}

// The fast path agrees with the walk for all flags and bit groups, and for payloads cut at any
// byte.
func TestStateUpdateFastPath(t *testing.T) {
	tail := testdata.Bytes("0000803f0000004000004040" + "00" + "37fb" + "1d7a0c9561" + "7f0000" + "00007f" + "3ffe" + "00" + "010203")
	for flags := range 256 {
		for _, group := range testdata.Bytes("00202122404143446066a0bfc0e0ff") {
			p := append(testdata.Bytes("1cffffff3f0000c842"), byte(flags))
			p = append(p, tail...)
			if flags&int(opcode.StatePosition) != 0 {
				p[22] = group
			} else {
				p = bytes.ReplaceAll(p, []byte{0x3f, 0xfe, 0x00}, []byte{0x3f, 0xfe, group})
			}
			for end := len(p); end >= 9; end -= testdata.Either(1, 5) {
				checkFast(t, p[:end])
				if group != 0x21 && group != 0x43 {
					break
				}
			}
		}
	}
}

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

func FuzzStateUpdate(f *testing.F) {
	for _, p := range payloads(f, opcode.OpStateUpdate) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, payload []byte) { checkFast(t, payload) })
}
