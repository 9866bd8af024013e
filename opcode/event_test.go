package opcode_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// The constructors give what the game sends: the vectors, captured where there are any.
func TestConstructors(t *testing.T) {
	const weapon, target objectid.ID = 0x40000005, 0x4003FFFF
	named := map[string][]byte{}
	for _, v := range vectors(t) {
		named[v.Name] = v.Hex
	}
	for _, v := range []struct {
		vector string
		m      opcode.Message
	}{
		{"start-firing", opcode.NewStartFiring(weapon, objectid.None)},
		{"stop-firing", opcode.NewStopFiring(weapon)},
		{"stop-firing-at-target", opcode.NewStopFiringAtTarget(weapon, target)},
		{"subsystem-status-off", opcode.NewSubsystemStatus(0x40000033, false)},
		{"subsystem-status-on", opcode.NewSubsystemStatus(0x40000033, true)},
		{"python-event2-changed-target", opcode.NewTargetChanged(target, 0x3FFFFFFF)},
		{"repair-list-priority", opcode.NewRepairListPriority(0x40000018, 0x40000002)},
		{"set-phaser-level-low", opcode.NewSetPhaserLevel(weapon, opcode.PhaserLow)},
		{"torpedo-type-change", opcode.NewTorpedoTypeChange(0x40000008, 1)},
		{"python-event-object-exploding-self-destruct", opcode.NewObjectExploding(0x3FFFFFFF, objectid.None, 0, 9.5)},
	} {
		got, err := v.m.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, named[v.vector], got, v.vector)
	}
	for _, v := range []struct {
		want string
		m    opcode.Message
	}{
		{"0b01010000df0080000200004018000040", opcode.NewAddToRepairList(0x40000002, 0x40000018)},
		{"0e01010000e20080000000000018000040", opcode.NewStartCloaking(0x40000018)},
		{"0f01010000e40080000000000018000040", opcode.NewStopCloaking(0x40000018)},
		{"1766080000f1008000000000000000000002", opcode.NewPlayerJoined(2)},
		{"176608000005000600000000000000000003", opcode.NewPlayerLeft(3)},
	} {
		got, err := v.m.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, v.want, fmt.Sprintf("%x", got))
	}
	require.True(t, opcode.NewPlayerJoined(2).Joined())
	require.False(t, opcode.NewPlayerLeft(2).Joined())
	require.Equal(t, opcode.PhaserHigh, opcode.NewSetPhaserLevel(weapon, opcode.PhaserHigh).Level())
}

// The table of sent and received codes.
func TestReceiverCode(t *testing.T) {
	const any opcode.EventCode = 0x12345678
	for op, want := range map[opcode.Code][2]opcode.EventCode{
		0x07: {0x8000D8, 0x8000D7}, 0x08: {0x8000DA, 0x8000D9}, 0x09: {0x8000DC, 0x8000DB},
		0x0A: {0x8000DD, 0x80006C}, 0x0B: {0x8000DF, 0x8000DF}, 0x0C: {any, any},
		0x0E: {0x8000E2, 0x8000E3}, 0x0F: {0x8000E4, 0x8000E5}, 0x10: {0x8000EC, 0x8000ED},
		0x11: {0x800076, 0x800076}, 0x12: {0x8000E0, 0x8000E0}, 0x15: {0x800050, 0x8000FC},
		0x1B: {0x8000FE, 0x8000FD}, 0x06: {any, any}, 0x0D: {0x800058, 0x800058}, 0x17: {0x8000F1, 0x8000F1},
	} {
		require.Equal(t, want[1], opcode.ReceiverCode(op, want[0]), "%v", op)
	}
}

func TestEventErrors(t *testing.T) {
	for _, v := range []struct {
		payload string
		err     string
		is      error
	}{
		{"0701010000df008000", "decode StartFiring.Source at offset 9: unexpected EOF", io.ErrUnexpectedEOF},
		// Two contacts announced and one there: nothing is allocated for them.
		{"15248100005000800000000000ffffff3f020d7e00d9bb20a0", "decode CollisionEffect.Contacts at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		{"15248100005000800000000000ffffff3fff0d7e00d9bb20a044", "decode CollisionEffect.Contacts at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		// A force that is cut.
		{"15248100005000800000000000ffffff3f010d7e00d9bb20a0", "decode CollisionEffect.Force at offset 22: unexpected EOF", io.ErrUnexpectedEOF},
		{"102a810000ec008000000000002100004006", "decode StartWarp.Name at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		{"0801010000da008000000000000500004000", "decode StopFiring at offset 17: bytes after the last field", stream.ErrTrailing},
	} {
		_, err := opcode.Decode(unhex(v.payload))
		require.EqualError(t, err, "opcode: "+v.err)
		require.ErrorIs(t, err, v.is)
	}
}

// An event of a class that its opcode never has keeps its extension.
func TestForeignClass(t *testing.T) {
	m, err := opcode.Decode(unhex("1505010000e0008000000000000500004002"))
	require.NoError(t, err)
	e := m.(*opcode.CollisionEffect)
	require.Equal(t, opcode.ClassCharEvent, e.Class)
	require.Equal(t, int32(2), e.Value)
	require.Empty(t, e.Contacts)
}

func TestEventRefuses(t *testing.T) {
	for _, e := range []opcode.Event{
		{Class: opcode.ClassCharEvent, Value: 256},
		{Class: opcode.ClassCharEvent, Value: -1},
		{Class: opcode.ClassBoolEvent, Value: 1 << 20},
		{Class: opcode.ClassShortEvent, Value: 1 << 15},
	} {
		_, err := (&opcode.ClientEvent{Event: e}).MarshalBinary()
		require.ErrorIs(t, err, stream.ErrRange)
		require.EqualError(t, err, "opcode: encode ClientEvent.Value at offset 17: number out of range")
	}
	_, err := (&opcode.StartWarp{Event: opcode.Event{Class: opcode.ClassWarpEvent, Name: make(stream.Text, 256)}}).MarshalBinary()
	require.ErrorIs(t, err, stream.ErrTooLong)
	contacts := opcode.CollisionEffect{Event: opcode.Event{Class: opcode.ClassCollisionEvent}}
	stream.Resize(new(stream.Codec), &contacts.Contacts, 256)
	_, err = contacts.MarshalBinary()
	require.ErrorIs(t, err, stream.ErrTooLong)
}

// Every value of enums.txt prints its name, and others their number.
func TestEnums(t *testing.T) {
	text, err := os.ReadFile("enums.txt")
	require.NoError(t, err)
	types := map[string]func(uint32) fmt.Stringer{
		"EventClass":  func(v uint32) fmt.Stringer { return opcode.EventClass(v) },
		"EventCode":   func(v uint32) fmt.Stringer { return opcode.EventCode(v) },
		"ObjectClass": func(v uint32) fmt.Stringer { return opcode.ObjectClass(v) },
		"Species":     func(v uint32) fmt.Stringer { return opcode.Species(v) },
		"TorpedoType": func(v uint32) fmt.Stringer { return opcode.TorpedoType(v) },
		"System":      func(v uint32) fmt.Stringer { return opcode.System(v) },
		"EndReason":   func(v uint32) fmt.Stringer { return opcode.EndReason(v) },
		"PhaserLevel": func(v uint32) fmt.Stringer { return opcode.PhaserLevel(v) },
	}
	n := 0
	for _, section := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] {
		lines := strings.Split(section, "\n")
		heading := strings.Fields(lines[0])
		value := types[heading[0]]
		require.NotNil(t, value, heading[0])
		for _, line := range lines[1:] {
			f := strings.SplitN(line, " ", 3)
			v, err := strconv.ParseUint(f[0], 0, 32)
			require.NoError(t, err)
			require.Equal(t, f[len(f)-1], value(uint32(v)).String())
			n++
		}
		require.Equal(t, fmt.Sprintf(heading[2], 0xEE), value(0xEE).String(), heading[0])
	}
	require.Equal(t, 415, n)
}
