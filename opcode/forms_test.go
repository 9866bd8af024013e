package opcode_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// The tests in this file are about messages that have more than one form.

// A DeletePlayerAnim fits either the length of the game or the length of OpenBC, never both.
func TestDeletePlayerAnimHasOneForm(t *testing.T) {
	for n := range math.MaxUint16 + 1 { // of the name in OpenBC's form
		rest := n + 2 // bytes after the opcode
		// The low half of the stock length is OpenBC's length.
		require.NotEqual(t, uint16(rest-4), uint16(n), "%d", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := stream.Text(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "name"))
		form := rapid.SampledFrom([]opcode.NameForm{opcode.NameStock, opcode.NameOpenBC}).Draw(t, "form")
		payload, err := opcode.Marshal(&opcode.DeletePlayerAnim{Form: form, Name: name})
		require.NoError(t, err)
		var m opcode.DeletePlayerAnim
		require.NoError(t, opcode.Unmarshal(payload, &m))
		require.Equal(t, form, m.Form)
		require.True(t, bytes.Equal(name, m.Name))
		again, err := opcode.Marshal(&m)
		require.NoError(t, err)
		require.Equal(t, payload, again)
	})
}

func TestFormStrings(t *testing.T) {
	require.Equal(t, "stock, OpenBC, raw", opcode.NameStock.String()+", "+opcode.NameOpenBC.String()+", "+opcode.NameRaw.String())
	require.Equal(t, "no target", opcode.TorpedoBare.String())
	require.Equal(t, []string{"?", "?"}, []string{opcode.TorpedoForm(9).String(), (opcode.RelayJoinAll + 1).String()})
}

// A BootPlayer has two bytes. Payloads of any other length are Unknown, and a decoder reuses it.
func TestBootPlayerHasTwoBytes(t *testing.T) {
	var dec opcode.Decoder
	for n := 1; n <= 6; n++ {
		payload := []byte{0x04, 2, 3, 4, 5, 6}[:n]
		dissected, _, err := opcode.Dissect(payload)
		require.NoError(t, err)
		decoded, err := opcode.Decode(payload)
		require.NoError(t, err)
		reused, err := dec.Decode(payload)
		require.NoError(t, err)
		for _, m := range []opcode.Message{dissected, decoded, reused} {
			_, unknown := m.(*opcode.Unknown)
			require.Equal(t, n != 2, unknown, "%d bytes: %T", n, m)
			checkAppend(t, m, payload)
		}
		require.Zero(t, testing.AllocsPerRun(10, func() { _, _ = dec.Decode(payload) }), "%d bytes", n)
	}
}

// A renamed Settings keeps all bytes after the map. It has a NewName only if the count fits the
// length.
func TestSettingsNewName(t *testing.T) {
	head := []byte("\x00\x00\x00\x80\x3F\x64\x00\x01\x00M")
	rapid.Check(t, func(t *rapid.T) {
		rest := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "rest")
		if rapid.Bool().Draw(t, "counted") {
			rest = append(binary.LittleEndian.AppendUint32(nil, uint32(len(rest)/2)), rest...)
		}
		payload := append(bytes.Clone(head), rest...)
		m, err := opcode.Decode(payload)
		require.NoError(t, err)
		s := m.(*opcode.Settings)
		fits := len(rest) >= 4 && int64(binary.LittleEndian.Uint32(rest))*2 == int64(len(rest)-4)
		require.Equal(t, !fits, s.Opaque)
		if fits {
			require.Equal(t, string(rest[4:]), string(s.NewName))
		} else {
			require.Equal(t, string(rest), string(s.Rest))
		}
		again, err := opcode.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, payload, again)
	})
}

// A torpedo has typed fields only if its two names agree with the length of the body.
func TestTorpedoBodyLength(t *testing.T) {
	want := opcode.ObjectCreate{OwnerSlot: 3, Object: opcode.Object{
		ClassID: opcode.ObjectTorpedo, ObjectID: 0x40000050, Species: opcode.Species(2),
		Position: [3]float32{1, 2, 3}, Orientation: [4]float32{1}, VelocityMagnitude: 25,
		Name: stream.Text("a name"), SetName: stream.Text("Multi1"), ParentID: objectid.All, TargetID: 7, PlayerID: 2, Flag: 1,
	}}
	payload, err := opcode.Marshal(&want)
	require.NoError(t, err)
	for _, resize := range []int{-1, 0, 1} {
		p := append(bytes.Clone(payload), 0)[:len(payload)+resize]
		m, err := opcode.Decode(p)
		require.NoError(t, err)
		got := m.(*opcode.ObjectCreate)
		require.Equal(t, resize != 0, got.Opaque)
		if resize == 0 {
			require.Equal(t, &want, got)
			require.Equal(t, opcode.Species(2), got.Species)
		} else {
			require.Equal(t, string(p[11:]), string(got.Raw))
		}
	}
}

// The description of a form is "" for the form of the stock game.
func TestDialect(t *testing.T) {
	for want, m := range map[string]opcode.Message{
		"offset of five bytes":            &opcode.TorpedoFire{Form: opcode.TorpedoLongOffset},
		"length of two bytes":             &opcode.DeletePlayerAnim{Form: opcode.NameOpenBC},
		"only the opcode":                 &opcode.NewPlayerInGame{Bare: true},
		"the stock game does not send it": &opcode.BootPlayer{},
	} {
		require.Equal(t, want, opcode.Dialect(m))
	}
	for _, m := range []opcode.Message{
		nil, &opcode.TorpedoFire{}, &opcode.DeletePlayerAnim{}, &opcode.DeletePlayerAnim{Form: opcode.NameRaw}, &opcode.NewPlayerInGame{}, &opcode.StateUpdate{},
	} {
		require.Empty(t, opcode.Dialect(m))
	}
}
