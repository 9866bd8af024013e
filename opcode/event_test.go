package opcode_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// The constructors return the messages of the game, captured if there are captured bytes.
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
		{"subsystem-status-off", opcode.NewSubsystemStatus(0x40000033, false)},
		{"subsystem-status-on", opcode.NewSubsystemStatus(0x40000033, true)},
		{"python-event2-changed-target", opcode.NewTargetChanged(target, 0x3FFFFFFF)},
		{"repair-list-priority", opcode.NewRepairListPriority(0x40000018, 0x40000002)},
		{"set-phaser-level-low", must(opcode.NewSetPhaserLevel(weapon, opcode.PhaserLow))},
		{"torpedo-type-change", must(opcode.NewTorpedoTypeChange(0x40000008, 1))},
		{"python-event-object-exploding-self-destruct", must(opcode.NewObjectExploding(0x3FFFFFFF, objectid.None, 0, 9.5))},
		{"python-event-add-to-repair-list-cloak", opcode.NewDamaged(0x40000002, 0x40000018)},
		{"collision-effect-661", must(opcode.NewCollisionEffect(0x4003FFFF, objectid.None, []compress.Contact{
			{Dir: compress.Vector3{X: 39, Y: 119, Z: 17}, Mag: 184},
		}, 661.1189575195312))},
	} {
		got, err := opcode.Marshal(v.m)
		require.NoError(t, err)
		require.Equal(t, named[v.vector], got, v.vector)
	}
	for _, v := range []struct {
		want string
		m    opcode.Message
	}{
		{"060c0100007400800018000040ffffff3f02000040", opcode.NewRepaired(0x3FFFFFFF, 0x40000002, 0x40000018)},
		{"060c0100007500800018000040ffffff3f02000040", opcode.NewRepairFailed(0x3FFFFFFF, 0x40000002, 0x40000018)},
		{"102a810000ec00800000000000210000400" + "64d756c7469320000803f000000400000404000008040", must(opcode.NewStartWarp(0x40000021, "Multi2", [4]float32{1, 2, 3, 4}))},
		{"1766080000f1008000000000000000000002", opcode.NewPlayerJoined(2)},
		{"176608000005000600000000000000000003", opcode.NewPlayerLeft(3)},
	} {
		got, err := opcode.Marshal(v.m)
		require.NoError(t, err)
		require.Equal(t, v.want, fmt.Sprintf("%x", got))
	}
	require.Zero(t, opcode.NewPlayerJoined(objectid.NoPeer).PlayerID)
	require.Zero(t, must(opcode.NewObjectExploding(1, 0, objectid.NoPeer, 9.5)).FiringPlayerID)
	require.EqualValues(t, 127, opcode.NewPlayerLeft(127).PlayerID)
	require.Equal(t, opcode.PhaserHigh, opcode.PhaserLevel(must(opcode.NewSetPhaserLevel(weapon, opcode.PhaserHigh)).Value))
}

// Every message with the layout of an event implements EventMessage.
func TestEnvelope(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		m, err := opcode.Decode(v.Hex)
		event, ok := m.(opcode.EventMessage)
		_, class := v.Fields["class"]
		require.Equal(t, class, ok && err == nil, v.Name)
		if ok && err == nil {
			n++
			require.Equal(t, v.Hex[13], byte(event.Envelope().Dest), v.Name)
		}
	}
	require.Greater(t, n, 16)
}

// The constructors return an error for arguments out of range.
func TestConstructorsRefuseInvalidArguments(t *testing.T) {
	nan := float32(math.NaN())
	for name, err := range map[string]error{
		"level":    second(opcode.NewSetPhaserLevel(1, 3)),
		"slot":     second(opcode.NewTorpedoTypeChange(1, 4)),
		"lifetime": second(opcode.NewObjectExploding(1, 2, 3, nan)),
		"negative": second(opcode.NewObjectExploding(1, 2, 3, -1)),
		"force":    second(opcode.NewCollisionEffect(1, 2, nil, nan)),
		"params":   second(opcode.NewStartWarp(1, "Multi1", [4]float32{3: nan})),
	} {
		require.ErrorIs(t, err, stream.ErrInvalid, name)
	}
	require.NoError(t, second(opcode.NewObjectExploding(1, 2, 3, 0)))
	require.ErrorIs(t, second(opcode.NewCollisionEffect(1, 2, make([]compress.Contact, 256), 1)), stream.ErrTooLong)
	require.ErrorIs(t, second(opcode.NewStartWarp(1, strings.Repeat("x", 256), [4]float32{})), stream.ErrTooLong)
	require.ErrorIs(t, second(opcode.NewStartWarp(1, "\u65e5", [4]float32{})), stream.ErrText)
}

func second[M any](_ M, err error) error { return err }

func TestMalformedPayloadsAreErrors(t *testing.T) {
	for _, v := range []struct {
		payload string
		err     string
		is      error
	}{
		{"0701010000df008000", "decode StartFiring.Source at offset 9: unexpected EOF", io.ErrUnexpectedEOF},
		// A count of two contacts and one present. Nothing is allocated for them.
		{"15248100005000800000000000ffffff3f020d7e00d9bb20a0", "decode CollisionEffect.Contacts at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		{"15248100005000800000000000ffffff3fff0d7e00d9bb20a044", "decode CollisionEffect.Contacts at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		// A cut force.
		{"15248100005000800000000000ffffff3f010d7e00d9bb20a0", "decode CollisionEffect.Force at offset 22: unexpected EOF", io.ErrUnexpectedEOF},
		{"36000000000200000001000000ff", "decode ScoreChange.Damagers at offset 13: unexpected EOF", io.ErrUnexpectedEOF},
		{"3600000000020000000100000002030000000100000003000000", "decode ScoreChange.Damagers[1].Score at offset 26: unexpected EOF", io.ErrUnexpectedEOF},
		{"2000ffff736372", "decode ChecksumRequest.Dir at offset 2: unexpected EOF", io.ErrUnexpectedEOF},
		{"1fffff0340ffffffff4d", "decode EnterSet.Set at offset 5: unexpected EOF", io.ErrUnexpectedEOF},
		{"03000208800000ffffff3f01", "decode ObjectCreateTeam.Position at offset 12: unexpected EOF", io.ErrUnexpectedEOF},
		{"1601", "decode UICollisionSetting.Enabled at offset 1: bad bit group", stream.ErrBadBitGroup},
		{"1641", "decode UICollisionSetting.Enabled at offset 1: bad bit group", stream.ErrBadBitGroup},
		{"102a810000ec008000000000002100004006", "decode StartWarp.Name at offset 17: unexpected EOF", io.ErrUnexpectedEOF},
		{"0801010000da008000000000000500004000", "decode StopFiring at offset 17: bytes after the last field", stream.ErrTrailing},
	} {
		_, err := opcode.Decode(testdata.Bytes(v.payload))
		require.EqualError(t, err, "opcode: "+v.err)
		require.ErrorIs(t, err, v.is)
	}
}

// An event of an unexpected class keeps the fields of that class.
func TestUnexpectedClassKeepsFields(t *testing.T) {
	m, err := opcode.Decode(testdata.Bytes("1505010000e0008000000000000500004002"))
	require.NoError(t, err)
	e := m.(*opcode.CollisionEffect)
	require.Equal(t, opcode.ClassCharEvent, e.Class)
	require.Equal(t, int32(2), e.Value)
	require.Empty(t, e.Contacts)
}

func TestEventRefusesLongValues(t *testing.T) {
	for _, v := range []struct {
		e    opcode.Event
		want string
	}{
		{opcode.Event{Class: opcode.ClassCharEvent, Value: 256}, "256, not 0 to 255"},
		{opcode.Event{Class: opcode.ClassCharEvent, Value: -1}, "-1, not 0 to 255"},
		{opcode.Event{Class: opcode.ClassBoolEvent, Value: 1 << 20}, "1048576, not 0 to 255"},
		{opcode.Event{Class: opcode.ClassShortEvent, Value: 1 << 15}, "32768, not -32768 to 32767"},
	} {
		_, err := opcode.Marshal(&opcode.ClientEvent{Event: v.e})
		require.ErrorIs(t, err, stream.ErrRange)
		require.EqualError(t, err, "opcode: encode ClientEvent.Value at offset 17: number out of range: "+v.want)
	}
	_, err := opcode.Marshal(&opcode.StartWarp{Event: opcode.Event{Class: opcode.ClassWarpEvent, Name: make(stream.Text, 256)}})
	require.ErrorIs(t, err, stream.ErrTooLong)
	contacts := opcode.CollisionEffect{Event: opcode.Event{Class: opcode.ClassCollisionEvent}}
	stream.Resize(new(stream.Codec), &contacts.Contacts, 256)
	_, err = opcode.Marshal(&contacts)
	require.ErrorIs(t, err, stream.ErrTooLong)
}

// Names and numbers agree with the documents of the protocol.
func TestEnumAnchors(t *testing.T) {
	for want, v := range map[string]fmt.Stringer{
		"OBJECT_EXPLODING": opcode.EventCode(0x80004E), "OBJECT_COLLISION": opcode.EventCode(0x800050),
		"TARGET_WAS_CHANGED": opcode.EventCode(0x800058), "SUBSYSTEM_STATE_CHANGED": opcode.EventCode(0x80006C),
		"REPAIR_COMPLETED": opcode.EventCode(0x800074), "REPAIR_INCREASE_PRIORITY": opcode.EventCode(0x800076),
		"START_FIRING_NOTIFY": opcode.EventCode(0x8000D8), "ADD_TO_REPAIR_LIST": opcode.EventCode(0x8000DF),
		"SET_PHASER_LEVEL": opcode.EventCode(0x8000E0), "START_WARP": opcode.EventCode(0x8000ED),
		"NEW_PLAYER_IN_GAME": opcode.EventCode(0x8000F1), "NETWORK_DELETE_PLAYER": opcode.EventCode(0x60005),
		"INPUT_SELF_DESTRUCT": opcode.EventCode(0x8001DD), "0x12345678": opcode.EventCode(0x12345678),
		"BoolEvent": opcode.EventClass(0x104), "ObjPtrEvent": opcode.EventClass(0x10C), "PlayerEvent": opcode.EventClass(0x866),
		"CollisionEvent": opcode.EventClass(0x8124), "WarpEvent": opcode.EventClass(0x812A), "0x0100": opcode.EventClass(0x100),
		"Object": opcode.ObjectClass(0x8003), "Ship": opcode.ObjectClass(0x8008), "Torpedo": opcode.ObjectClass(0x8009), "TorpedoTube": opcode.ObjectClass(0x802F),
		"Akira": opcode.Species(1), "BirdOfPrey": opcode.Species(6), "CardFreighter": opcode.Species(16), "FedStarbase": opcode.Species(30),
		"Amagon": opcode.Species(35), "Enterprise": opcode.Species(37), "BorgCube": opcode.Species(45), "46": opcode.Species(46),
		"photon": opcode.TorpedoType(2), "quantum": opcode.TorpedoType(3), "romulan cannon": opcode.TorpedoType(15), "16": opcode.TorpedoType(16),
		"Multi1": opcode.System(1), "Poseidon": opcode.System(9), "time up": opcode.EndReason(1), "-1": opcode.EndReason(-1),
		"high": opcode.PhaserLevel(2), "none": opcode.Team(255),
		"too many players": opcode.RefusalReason(2), "5": opcode.RefusalReason(5),
		"dock 2": opcode.TractorMode(5),
	} {
		require.Equal(t, want, v.String())
	}
}

// Receivers replace a code with the ending _NOTIFY by an existing code, which is not on the wire.
func TestReceiversHaveCodesWithoutNotify(t *testing.T) {
	named := map[string]opcode.EventCode{}
	for code := opcode.EventCode(0x800001); code <= 0x80010B; code++ {
		named[code.String()] = code
	}
	for code, want := range map[opcode.EventCode]opcode.EventCode{
		opcode.ETStartFiringNotify: 0x8000D7, opcode.ETStopFiringNotify: 0x8000D9, opcode.ETStopFiringAtTargetNotify: 0x8000DB,
		opcode.ETSubsystemStateChangedNotify: 0x80006C, opcode.ETStartCloakingNotify: 0x8000E3, opcode.ETStopCloakingNotify: 0x8000E5,
		opcode.ETStartWarpNotify: 0x8000ED, opcode.ETNetTorpedoTypeChangedNotify: 0x8000FD,
	} {
		received, notify := strings.CutSuffix(code.String(), "_NOTIFY")
		require.True(t, notify, code)
		require.Equal(t, want, named[received], code)
	}
	require.Equal(t, "HOST_"+opcode.ETObjectCollision.String(), opcode.EventCode(0x8000FC).String())
}

// The codes of the network group, and of the game up to the input events, have names without gaps.
// One input event is known.
func TestEventCodesHaveNames(t *testing.T) {
	for _, v := range []struct{ first, last opcode.EventCode }{{0x60001, 0x60007}, {0x800001, 0x80010B}, {0x8001DD, 0x8001DD}} {
		for code := v.first - 1; code <= v.last+1; code++ {
			unnamed := code < v.first || code > v.last
			require.Equal(t, unnamed, strings.HasPrefix(code.String(), "0x"), "%#x: %v", uint32(code), code)
		}
	}
}

// Every value of enums.txt prints as its name, and other values as their number.
func TestEnums(t *testing.T) {
	text, err := os.ReadFile("enums.txt")
	require.NoError(t, err)
	types := map[string]func(uint32) fmt.Stringer{
		"EventClass":    func(v uint32) fmt.Stringer { return opcode.EventClass(v) },
		"EventCode":     func(v uint32) fmt.Stringer { return opcode.EventCode(v) },
		"ObjectClass":   func(v uint32) fmt.Stringer { return opcode.ObjectClass(v) },
		"Species":       func(v uint32) fmt.Stringer { return opcode.Species(v) },
		"TorpedoType":   func(v uint32) fmt.Stringer { return opcode.TorpedoType(v) },
		"System":        func(v uint32) fmt.Stringer { return opcode.System(v) },
		"EndReason":     func(v uint32) fmt.Stringer { return opcode.EndReason(v) },
		"RefusalReason": func(v uint32) fmt.Stringer { return opcode.RefusalReason(v) },
		"PhaserLevel":   func(v uint32) fmt.Stringer { return opcode.PhaserLevel(v) },
		"Team":          func(v uint32) fmt.Stringer { return opcode.Team(v) },
		"TractorMode":   func(v uint32) fmt.Stringer { return opcode.TractorMode(v) },
	}
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
		}
		require.Equal(t, fmt.Sprintf(heading[2], 0xEE), value(0xEE).String(), heading[0])
	}
}

// The velocity of a captured ship is 5.12 along its nose.
func TestVelocity(t *testing.T) {
	o := opcode.Object{VelocityDir: compress.Vector3{X: -54, Y: 84, Z: 77}, VelocityMagnitude: 5.1244555}
	x, y, z := o.VelocityDir.Float32()
	require.InDeltaSlice(t, []float32{-2.179, 3.389, 3.107},
		[]float32{x * o.VelocityMagnitude, y * o.VelocityMagnitude, z * o.VelocityMagnitude}, 0.001)
}
