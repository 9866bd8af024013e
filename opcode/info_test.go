package opcode_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func TestInfo(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		info := op.Info()
		require.NotZero(t, info.Evidence)
		require.Equal(t, op == opcode.OpBootPlayer, info.Direction == opcode.DirNone)
		// BootPlayer is accepted before a reply to a Connect.
		require.Equal(t, op == opcode.OpStateUpdate || op == opcode.OpBootPlayer, info.Unreliable)
		for _, p := range payloads {
			require.GreaterOrEqual(t, len(p), info.MinSize)
			require.True(t, info.MaxSize == 0 || len(p) <= info.MaxSize, "%x", p)
			if len(p) == info.MinSize && len(p) > 1 && op != opcode.OpBootPlayer {
				_, err := opcode.Decode(p[:len(p)-1])
				require.Error(t, err, "%x", p)
			}
		}
	})
	require.Equal(t, opcode.Info{}, opcode.Code(0xCD).Info())
	require.Equal(t, "both forward ?", fmt.Sprint(opcode.DirBoth, " ", opcode.RelayForward, " ", opcode.Relay(99)))
}

// relays holds the rules that a message of each direction can have.
var relays = map[opcode.Direction][]opcode.Relay{
	opcode.DirNone: {opcode.RelayNone},
	opcode.DirUp:   {opcode.RelayHost},
	opcode.DirDown: {opcode.RelayAll, opcode.RelayJoin, opcode.RelayJoinAll},
	opcode.DirBoth: {opcode.RelayForward, opcode.RelayRebuild, opcode.RelayTeam, opcode.RelayAll},
}

// Every vector has the direction of its message. Observed vectors of the stock form have
// the stock size.
func TestInfoOfVectors(t *testing.T) {
	sizes := 0
	for _, v := range vectors(t) {
		op := opcode.Code(v.Opcode)
		info := op.Info()
		if !v.typed() || op == opcode.OpBootPlayer || v.Error != "" {
			continue
		}
		switch v.Dir {
		case "c2s":
			require.Contains(t, []opcode.Direction{opcode.DirUp, opcode.DirBoth}, info.Direction, v.Name)
		case "s2c":
			require.Contains(t, []opcode.Direction{opcode.DirDown, opcode.DirBoth}, info.Direction, v.Name)
		}
		if v.Kind == "observed" && info.StockSize != 0 {
			require.Len(t, v.Hex, info.StockSize, v.Name)
			sizes++
		}
	}
	require.Positive(t, sizes)
	for _, op := range types {
		info := op.Info()
		require.Contains(t, relays[info.Direction], info.Relay, "%v: the relay column does not fit the direction: see messages.txt", op)
	}
}

func TestString(t *testing.T) {
	for _, v := range []struct{ payload, want string }{
		{
			"190d0000400201df8711ffff03400088d85c",
			"TorpedoFire TubeID=0x4000000d PlayerID=2 Flags=launched Direction=(-0.26,-0.95,0.13) TargetID=0x4003ffff Offset=(0.00,-0.34,-0.11)",
		},
		{"190d0000400205007f00", "TorpedoFire TubeID=0x4000000d PlayerID=2 Flags=launched|no target Direction=(0.00,1.00,0.00)"},
		{"29ffffff3f1d7a0c95611b57e278", "Explosion ObjectID=0x3fffffff Impact=(43.16,181.57,17.86) Radius=49.978 Damage=5997.8"},
		{"2c030000000800495420574f524b53", `ChatMessage SenderID=3 Text="IT WORKS"`},
		{"350801ffff", "MissionInit PlayerLimit=8 System=Multi1 TimeLimit=255 FragLimit=255"},
		{"01", "GameInit"},
		{
			"360300000002000000c800000002000000010000000203000000c800000000000000",
			"ScoreChange KillerID=3 KillerKills=2 KillerScore=200 VictimID=2 VictimDeaths=1 Damagers[0].ID=3 Damagers[0].Score=200 Damagers[1].ID=0",
		},
		{"3600000000020000000100000000", "ScoreChange KillerID=0 VictimID=2 VictimDeaths=1 Damagers=0"},
		{
			"1cffffff3f0000c8420d0000803f0000004000004040200b684630bb5e",
			"StateUpdate ObjectID=0x3fffffff GameTime=100 Flags=position|forward|up Position=(1,2,3) HasHash=false Forward=(0.09,0.82,0.55) Up=(0.38,-0.54,0.74)",
		},
		{
			"06298100004e008000ffffff3fffff03400200000000001841",
			"PythonEvent Class=ObjectExplodingEvent Code=OBJECT_EXPLODING Source=0x3fffffff Dest=0x4003ffff FiringPlayerID=2 Lifetime=9.5",
		},
		{
			"060c0100007400800018000040ffffff3f02000040",
			"PythonEvent Class=ObjPtrEvent Code=REPAIR_COMPLETED Source=0x40000018 Dest=0x3fffffff Object=0x40000002",
		},
		{
			"1766080000f100800000000000a806000002",
			"DeletePlayerUI Class=PlayerEvent Code=NEW_PLAYER_IN_GAME Source=0x00000000 Dest=0x000006a8 PlayerID=2",
		},
		{
			"15248100005000800000000000ffffff3f010d7e00d9bb20a044",
			"CollisionEffect Class=CollisionEvent Code=OBJECT_COLLISION Source=0x00000000 Dest=0x3fffffff Contacts[0]=(0.09,0.84,0.00) Force=1281",
		},
		{
			"1205010000e0008000000000000500004002",
			"SetPhaserLevel Class=CharEvent Code=SET_PHASER_LEVEL Source=0x00000000 Dest=0x40000005 Value=high",
		},
		{
			"1207010000e0008000000000000500004002010000",
			"SetPhaserLevel Class=IntEvent Code=SET_PHASER_LEVEL Source=0x00000000 Dest=0x40000005 Value=258",
		},
		{"cd" + strings.Repeat("00", 30), "0xCD Data=" + strings.Repeat("00", 24) + "…(30 bytes)"},
		{"2c00000000" + "0001" + strings.Repeat("78", 256), `ChatMessage SenderID=0 Text="` + strings.Repeat("x", 256) + `"`},
		{"cd" + strings.Repeat("00", 24), "0xCD Data=" + strings.Repeat("00", 24)},
		{"cd2a", "0xCD Data=2a"},
	} {
		m, err := opcode.Decode(testdata.Bytes(v.payload))
		require.NoError(t, err)
		require.Equal(t, v.want, fmt.Sprint(m))
		require.Equal(t, v.want, opcode.Line(m))
	}
	require.Equal(t, "ChatMessage (opcode: encode ChatMessage.Text at offset 5: too long: 65536 bytes, at most 65535)",
		(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)}).String())
	require.Equal(t, "launched|8", opcode.TorpedoFlags(9).String())
	require.Equal(t, "0", opcode.PulseFlags(0).String())
}

// String returns one line of limited length for any message, and does not modify the message.
func TestStringOfEveryType(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			s := fmt.Sprint(m)
			require.True(t, strings.HasPrefix(s, op.String()), s)
			require.NotContains(t, s, "\n")
			require.Less(t, len(s), 1000)
			checkAppend(t, m, p)
		}
	})
	chat := &opcode.ChatMessage{Text: bytes.Repeat([]byte{0xFF}, 1<<16-1)}
	require.Less(t, len(chat.String()), 1000)
	require.Contains(t, chat.String(), "…(65535 bytes)")
	many := &opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, 200)}
	require.Less(t, len(many.String()), 1000)
	require.True(t, strings.HasSuffix(many.String(), " …"))
	long := &opcode.ChatMessage{Text: make(stream.Text, 1<<16)}
	require.Contains(t, long.String(), "too long")
}

// A line has the first 24 fields of a message, and a mark if there are more.
func TestLineHas24Fields(t *testing.T) {
	for damagers, fields := range map[int]int{0: 4, 1: 4, 20: 23, 21: 24, 22: 24, 200: 24} {
		line := opcode.Line(&opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, damagers)})
		require.Equal(t, fields, strings.Count(line, "="), line)
		require.Equal(t, damagers > 21, strings.HasSuffix(line, " …"), line)
	}
}

type swap struct {
	Ship objectid.ID
	Data []byte
}

func (m *swap) Opcode() opcode.Code  { return 0x35 }
func (m *swap) Walk(c *stream.Codec) { c.Field("Ship").ObjectID(&m.Ship) }

func TestRegister(t *testing.T) {
	payload := testdata.Bytes("35ffffff3f")
	var stock, modded opcode.Decoder
	require.NoError(t, modded.Register(0x35, func() opcode.Message { return new(swap) }))
	err := modded.Register(0x19, nil)
	require.ErrorIs(t, err, stream.ErrInvalid)
	require.EqualError(t, err, "opcode: register: invalid: TorpedoFire (0x19) is an opcode of the engine, below 0x2B")

	m, err := modded.Decode(payload)
	require.NoError(t, err)
	require.Equal(t, &swap{Ship: 0x3FFFFFFF}, m)
	require.Equal(t, "opcode_test.swap Ship=0x3fffffff", opcode.Line(m))

	m, err = stock.Decode(payload)
	require.NoError(t, err, "Register does not change other decoders")
	require.IsType(t, &opcode.MissionInit{}, m)

	m, err = modded.Decode(payload[:3])
	require.EqualError(t, err, "opcode_test: decode swap.Ship at offset 1: unexpected EOF")
	require.Equal(t, &opcode.Unknown{Op: 0x35, Data: payload[1:3]}, m)

	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = modded.Decode(payload) }))

	m, fields, err := visited(&modded, payload)
	require.Equal(t, &swap{Ship: 0x3FFFFFFF}, m)
	require.NoError(t, err)
	require.Equal(t, "Ship", fields[1].Path())
	m, fields, err = visited(&modded, testdata.Bytes("0401ff"))
	require.NoError(t, err)
	require.Equal(t, &opcode.Unknown{Op: opcode.OpBootPlayer, Data: testdata.Bytes("01ff")}, m)
	checkCover(t, testdata.Bytes("0401ff"), fields)

	require.NoError(t, modded.Register(0x35, nil))
	m, err = modded.Decode(payload)
	require.NoError(t, err)
	require.IsType(t, &opcode.MissionInit{}, m)

	// A message keeps its opcode if the registered type has another.
	require.NoError(t, modded.Register(0x60, func() opcode.Message { return new(swap) }))
	m, err = modded.Decode(testdata.Bytes("6001"))
	require.ErrorIs(t, err, stream.ErrOpcode)
	checkAppend(t, m, testdata.Bytes("6001"))
}

// Mods can register the opcodes from 0x2B, and no others.
func TestRegisterOpcodes(t *testing.T) {
	var d opcode.Decoder
	for c := range 256 {
		err := d.Register(opcode.Code(c), func() opcode.Message { return new(swap) })
		require.Equal(t, c < 0x2B, errors.Is(err, stream.ErrInvalid), "%#x: %v", c, err)
		require.Equal(t, c >= 0x2B, err == nil, "%#x", c)
	}
}

func TestValidate(t *testing.T) {
	nan := float32(math.NaN())
	for _, v := range []struct {
		m    opcode.Message
		want string // "" for a valid message
	}{
		{&opcode.Settings{PlayerSlot: 15}, ""},
		{&opcode.Settings{PlayerSlot: 20}, "Settings.PlayerSlot: 20, not 0 to 15"},
		{&opcode.Settings{GameTime: nan}, "Settings.GameTime: not a finite number"},
		{&opcode.StateUpdate{Flags: 0xA0}, "StateUpdate.Flags: subsystems and power together"},
		{&opcode.StateUpdate{Flags: opcode.StatePosition, Position: [3]float32{0, float32(math.Inf(-1))}}, "StateUpdate.Position: not a finite number"},
		{&opcode.StateUpdate{GameTime: nan}, "StateUpdate.GameTime: not a finite number"},
		{&opcode.StateUpdate{Flags: opcode.StatePosition, Position: [3]float32{nan}}, "StateUpdate.Position: not a finite number"},
		{&opcode.StateUpdate{Flags: opcode.StatePosition, Position: [3]float32{1, 2, nan}}, "StateUpdate.Position: not a finite number"},
		{&opcode.StateUpdate{Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}, GameTime: 4}, ""},
		{&opcode.StateUpdate{Flags: opcode.StatePower, Position: [3]float32{nan}}, ""}, // not on the wire
		{&opcode.StateUpdate{Flags: 0x03}, "StateUpdate.Flags: position and delta together"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 255, FragLimit: 255}, ""},
		{&opcode.MissionInit{PlayerLimit: 2, TimeLimit: 5, FragLimit: 10}, ""},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 45, FragLimit: 1}, ""},
		{&opcode.MissionInit{PlayerLimit: 1, TimeLimit: 5, FragLimit: 1}, "MissionInit.PlayerLimit: 1, not 2 to 8"},
		{&opcode.MissionInit{PlayerLimit: 9, TimeLimit: 255, FragLimit: 255}, "MissionInit.PlayerLimit: 9, not 2 to 8"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 4, FragLimit: 255}, "MissionInit.TimeLimit: 4, not 5 to 45"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 46, FragLimit: 255}, "MissionInit.TimeLimit: 46, not 5 to 45"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 5}, "MissionInit.FragLimit: 0, not 1 to 10"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 5, FragLimit: 11}, "MissionInit.FragLimit: 11, not 1 to 10"},
		{&opcode.ObjectCreate{Object: opcode.Object{ClassID: opcode.ObjectShip, VelocityMagnitude: -1}}, "ObjectCreate.VelocityMagnitude: negative"},
		{&opcode.StopFiring{Event: opcode.Event{Class: opcode.ClassBoolEvent}}, "StopFiring.Class: BoolEvent, not Event"},
		{&opcode.SubsystemStatus{Event: opcode.Event{Class: opcode.ClassBoolEvent, Value: 2}}, "SubsystemStatus.Value: 2, at most 1"},
		{&opcode.ClientEvent{Event: opcode.Event{Class: opcode.ClassIntEvent, Value: 1 << 30}}, ""},
		{&opcode.SubsystemStatus{Event: opcode.Event{Class: opcode.ClassBoolEvent, Value: 1}}, ""},
		{&opcode.PythonEvent{Event: opcode.Event{Class: opcode.ClassCharEvent}}, ""}, // the class is not checked
		{&opcode.TorpedoTypeChange{Event: opcode.Event{Class: opcode.ClassCharEvent, Value: 3}}, ""},
		{&opcode.TorpedoTypeChange{Event: opcode.Event{Class: opcode.ClassCharEvent, Value: 4}}, "TorpedoTypeChange.Value: 4, at most 3"},
		{&opcode.EndGame{Reason: 0}, ""},
		{&opcode.EndGame{Reason: 6}, ""},
		{&opcode.EndGame{Reason: 7}, "EndGame.Reason: 7, not 0 to 6"},
		{&opcode.ChatMessage{Text: make(stream.Text, 249)}, ""},
		{&opcode.TeamChatMessage{Text: make(stream.Text, 250)}, "TeamChatMessage.Text: 250 bytes, at most 249"},
		{&opcode.ScoreChange{KillerID: 2, Damagers: slices.Repeat([]opcode.DamagerScore{{ID: 3}}, 29)}, ""},
		{&opcode.ScoreChange{KillerID: 2, Damagers: slices.Repeat([]opcode.DamagerScore{{ID: 3}}, 30)}, "ScoreChange.Damagers: 262 bytes of the message, at most 254"},
		{&opcode.ScoreChange{Damagers: slices.Repeat([]opcode.DamagerScore{{ID: 3}}, 30)}, ""},
		{&opcode.ScoreChange{Damagers: slices.Repeat([]opcode.DamagerScore{{ID: 3}}, 31)}, "ScoreChange.Damagers: 262 bytes of the message, at most 254"},
		{&opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, 60)}, ""},
		{&opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, 255)}, "ScoreChange.Damagers: 1034 bytes of the message, at most 254"},
		{&opcode.StartCloaking{Event: opcode.Event{Class: opcode.ClassCharEvent}}, ""}, // an inferred layout
		{&opcode.ScoreInit{Team: opcode.TeamNone}, ""},
		{&opcode.ScoreInit{Team: 2}, "ScoreInit.Team: 2, not 0, 1 or 255"},
		{&opcode.TeamScore{Team: 2}, "TeamScore.Team: 2, not 0, 1 or 255"},
		{&opcode.TeamMessage{Team: 1}, ""},
		{&opcode.TeamMessage{Team: 254}, "TeamMessage.Team: 254, not 0, 1 or 255"},
		{&opcode.ObjectCreate{OwnerSlot: 16}, "ObjectCreate.OwnerSlot: 16, not 0 to 15"},
		{&opcode.ObjectCreate{OwnerSlot: 1, Object: opcode.Object{ObjectID: 0x22}}, ""},
		{&opcode.ObjectCreateTeam{OwnerSlot: 1, Object: opcode.Object{ObjectID: 0x3FFFFFFF}}, "ObjectCreateTeam.ObjectID: 0x3fffffff of slot 0, but OwnerSlot is 1"},
		{must(opcode.NewSetPhaserLevel(1, 2)), ""},
		{&opcode.FileTransfer{Name: stream.Text("Scripts/Multiplayer/Modifier.pyc")}, ""},
		{&opcode.GameInit{}, ""},
		{&opcode.DeletePlayerAnim{Name: make(stream.Text, 256)}, ""}, // the length is not checked
		{&opcode.DestroyObject{ObjectID: 0x403FFFFF}, ""},            // IDs are not checked
		{&opcode.ChatMessage{SenderID: -2}, ""},
	} {
		err := opcode.Validate(v.m)
		if v.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, "opcode: invalid "+v.want)
		require.ErrorIs(t, err, stream.ErrInvalid)
		_, err = opcode.Marshal(v.m)
		require.NoError(t, err, "invalid values encode")
	}
	err := opcode.Validate(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)})
	require.True(t, errors.Is(err, stream.ErrTooLong))
	require.ErrorIs(t, opcode.Validate(nil), io.ErrUnexpectedEOF)
	require.Equal(t, "<nil>", opcode.Line(nil))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Validate accepts all captured messages, and allocates nothing for them.
func TestValidateVectors(t *testing.T) {
	var e opcode.Encoder
	for _, v := range vectors(t) {
		if v.Kind != "observed" {
			continue
		}
		m, err := opcode.Decode(v.Hex)
		require.NoError(t, err)
		require.NoError(t, opcode.Validate(m), v.Name)
		require.Zero(t, testing.AllocsPerRun(10, func() { err = errors.Join(err, e.Validate(m)) }), v.Name)
		require.NoError(t, err)
	}
}

func TestShotConstructors(t *testing.T) {
	dir := compress.Vector3{X: -33, Y: -121, Z: 17}
	aim := compress.Contact{Dir: compress.Vector3{Y: -120, Z: -40}, Mag: 92}
	for want, m := range map[string]opcode.Message{
		"190d0000400201df8711ffff03400088d85c": opcode.NewTorpedoFire(0x4000000D, 2, dir, 0x4003FFFF, aim),
		"190d0000400205df8711":                 opcode.NewTorpedoFire(0x4000000D, 2, dir, objectid.None, aim),
		"1a7700004002df87110368000840":         opcode.NewBeamFire(0x40000077, 2, dir, 0x40080068),
		"1a7700004002df871101":                 opcode.NewBeamFire(0x40000077, 2, dir, objectid.None),
	} {
		got, err := opcode.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%x", got))
	}
}
