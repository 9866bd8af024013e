package opcode_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

func TestInfo(t *testing.T) {
	docs := typeDocs(t)
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		info := op.Info()
		require.NotEqual(t, opcode.Unseen, info.Evidence)
		require.Equal(t, op == opcode.OpBootPlayer, info.Direction == opcode.None)
		require.Equal(t, op == opcode.OpStateUpdate, info.Unreliable)
		require.Contains(t, docs[op.String()], "Evidence: "+info.Evidence.String())
		for _, p := range payloads {
			require.GreaterOrEqual(t, len(p), info.MinSize)
			require.True(t, info.MaxSize == 0 || len(p) <= info.MaxSize, "%x", p)
			if len(p) == info.MinSize {
				_, err := opcode.Decode(p[:len(p)-1])
				require.True(t, err != nil || openEnded(op), "%x", p)
			}
		}
	})
	require.Equal(t, opcode.Info{}, opcode.Code(0xCD).Info())
	require.Equal(t, opcode.RelayForward, opcode.OpTorpedoFire.Info().Relay)
	require.Equal(t, opcode.Up, opcode.OpNewPlayerInGame.Info().Direction)
	require.Equal(t, "both forward observed ?", fmt.Sprint(opcode.Both, " ", opcode.RelayForward, " ", opcode.Observed, " ", opcode.Relay(99)))
}

func TestString(t *testing.T) {
	for _, v := range []struct{ payload, want string }{
		{
			"190d0000400201df8711ffff03400088d85c",
			"TorpedoFire tube=0x4000000d type=photon flags=launched direction=(-0.26,-0.95,0.13) target=0x4003ffff offset=(0.00,-0.34,-0.11)",
		},
		{"190d0000400205007f00", "TorpedoFire tube=0x4000000d type=photon flags=launched|no target direction=(0.00,1.00,0.00)"},
		{"29ffffff3f1d7a0c95611b57e278", "Explosion object=0x3fffffff impact=(43.16,181.57,17.86) radius=49.978 damage=5997.8"},
		{"2c030000000800495420574f524b53", `ChatMessage sender=3 text="IT WORKS"`},
		{"350801ffff", "MissionInit playerLimit=8 system=Multi1 timeLimit=255 fragLimit=255"},
		{"01", "GameInit"},
		{
			"360300000002000000c800000002000000010000000203000000c800000000000000",
			"ScoreChange killer=3 killerKills=2 killerScore=200 victim=2 victimDeaths=1 damagers[0].id=3 damagers[0].score=200 damagers[1].id=0",
		},
		{"3600000000020000000100000000", "ScoreChange killer=0 victim=2 victimDeaths=1 damagers=0"},
		{
			"1cffffff3f0000c8420d0000803f0000004000004040200b684630bb5e",
			"StateUpdate object=0x3fffffff gameTime=100 flags=position|forward|up position=(1,2,3) hasHash=false forward=(0.09,0.82,0.55) up=(0.38,-0.54,0.74)",
		},
		{"cd" + strings.Repeat("00", 30), "0xCD data=" + strings.Repeat("00", 24) + "…(30 bytes)"},
		{"cd2a", "0xCD data=2a"},
	} {
		m, err := opcode.Decode(unhex(v.payload))
		require.NoError(t, err)
		require.Equal(t, v.want, fmt.Sprint(m))
		require.Equal(t, v.want, opcode.Line(m))
	}
	require.Equal(t, "ChatMessage (opcode: encode ChatMessage.Text at offset 5: too long)",
		(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)}).String())
	require.Equal(t, "launched|8", opcode.TorpedoFlags(9).String())
	require.Equal(t, "0", opcode.PulseFlags(0).String())
}

// One line of bounded length, whatever is in the message, and no write to it.
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

			var log bytes.Buffer
			slog.New(slog.NewTextHandler(&log, nil)).Info("got", "message", m)
			require.Contains(t, log.String(), "message.opcode="+op.String())
		}
	})
	many := &opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, 200)}
	require.Less(t, len(many.String()), 1000)
	require.True(t, strings.HasSuffix(many.String(), " …"))
	long := &opcode.ChatMessage{Text: make(stream.Text, 1<<16)}
	require.Contains(t, long.LogValue().String(), "too long")
}

type swap struct {
	Ship objectid.ID
	Data []byte
}

func (m *swap) Opcode() opcode.Code                     { return 0x35 }
func (m *swap) UnmarshalBinary(p []byte) error          { return stream.Unmarshal(p, 0x35, m) }
func (m *swap) AppendBinary(dst []byte) ([]byte, error) { return stream.Append(dst, 0x35, m) }
func (m *swap) MarshalBinary() ([]byte, error)          { return m.AppendBinary(nil) }
func (m *swap) Walk(c *stream.Codec)                    { c.Field("Ship").ObjectID(&m.Ship) }

func TestRegister(t *testing.T) {
	payload := unhex("35ffffff3f")
	var stock, modded opcode.Decoder
	modded.Register(0x35, func() opcode.Message { return new(swap) })

	m, err := modded.Decode(payload)
	require.NoError(t, err)
	require.Equal(t, &swap{Ship: 0x3FFFFFFF}, m)
	require.Equal(t, "MissionInit ship=0x3fffffff", opcode.Line(m))

	m, err = stock.Decode(payload)
	require.NoError(t, err, "another decoder is not concerned")
	require.IsType(t, &opcode.MissionInit{}, m)

	m, err = modded.Decode(payload[:3])
	require.EqualError(t, err, "opcode_test: decode swap.Ship at offset 1: unexpected EOF")
	require.Equal(t, &opcode.Unknown{Op: 0x35, Data: payload[1:3]}, m)

	require.Less(t, testing.AllocsPerRun(100, func() { _, _ = modded.Decode(payload) }), 2.0)
}

func TestValidate(t *testing.T) {
	nan := float32(math.NaN())
	for _, v := range []struct {
		m    opcode.Message
		want string // "" if it makes sense
	}{
		{&opcode.Settings{PlayerSlot: 15}, ""},
		{&opcode.Settings{PlayerSlot: 200}, "Settings.PlayerSlot: no such slot"},
		{&opcode.Settings{GameTime: nan}, "Settings.GameTime: not a finite number"},
		{&opcode.StateUpdate{Flags: 0xA0}, "StateUpdate.Flags: subsystems and power"},
		{&opcode.StateUpdate{Flags: opcode.StatePosition, Position: [3]float32{0, float32(math.Inf(-1))}}, "StateUpdate.Position: not a finite number"},
		{&opcode.StateUpdate{Flags: opcode.StatePower, Position: [3]float32{nan}}, ""}, // not on the wire
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 255, FragLimit: 255}, ""},
		{&opcode.MissionInit{PlayerLimit: 9, TimeLimit: 255, FragLimit: 255}, "MissionInit.PlayerLimit: not 2 to 8"},
		{&opcode.MissionInit{PlayerLimit: 8, FragLimit: 255}, "MissionInit.TimeLimit: no time"},
		{&opcode.MissionInit{PlayerLimit: 8, TimeLimit: 5}, "MissionInit.FragLimit: no frags"},
		{&opcode.ObjectCreate{OwnerSlot: 16}, "ObjectCreate.OwnerSlot: no such slot"},
		{&opcode.ObjectCreate{OwnerSlot: 1, Object: opcode.Object{ObjectID: 0x22}}, ""},
		{&opcode.ObjectCreateTeam{OwnerSlot: 1, Object: opcode.Object{ObjectID: 0x3FFFFFFF}}, "ObjectCreateTeam.ObjectID: of another slot"},
		{opcode.NewSetPhaserLevel(1, 3), "SetPhaserLevel.Value: no such level"},
		{opcode.NewSetPhaserLevel(1, 2), ""},
		{&opcode.FileTransfer{Name: stream.Text("Scripts/Multiplayer/Modifier.pyc")}, ""},
		{&opcode.FileTransfer{Name: stream.Text("../x")}, "FileTransfer.Name: leaves the directory"},
		{&opcode.FileTransfer{Name: stream.Text("C:x")}, "FileTransfer.Name: leaves the directory"},
		{&opcode.FileTransfer{Name: stream.Text("/x")}, "FileTransfer.Name: leaves the directory"},
		{&opcode.FileTransfer{Name: stream.Text(`a\..\..\x`)}, "FileTransfer.Name: leaves the directory"},
		{&opcode.GameInit{}, ""},
	} {
		err := opcode.Validate(v.m)
		if v.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, "opcode: invalid "+v.want)
		require.ErrorIs(t, err, opcode.ErrInvalid)
		if _, bad := v.m.(*opcode.FileTransfer); !bad {
			_, err = v.m.MarshalBinary()
			require.NoError(t, err, "it travels all the same")
		}
	}
	err := opcode.Validate(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)})
	require.True(t, errors.Is(err, stream.ErrTooLong))
}

// What has been captured makes sense.
func TestValidateVectors(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Kind != "observed" {
			continue
		}
		m, err := opcode.Decode(v.Hex)
		require.NoError(t, err)
		require.NoError(t, opcode.Validate(m), v.Name)
	}
}

func TestShotConstructors(t *testing.T) {
	dir := compress.Vector3{X: -33, Y: -121, Z: 17}
	aim := compress.Contact{Dir: compress.Vector3{Y: -120, Z: -40}, Mag: 92}
	for want, m := range map[string]opcode.Message{
		"190d0000400201df8711ffff03400088d85c": opcode.NewTorpedoFire(0x4000000D, opcode.TorpedoPhoton, dir, 0x4003FFFF, aim),
		"190d0000400205df8711":                 opcode.NewTorpedoFire(0x4000000D, opcode.TorpedoPhoton, dir, objectid.None, aim),
		"1a7700004002df87110368000840":         opcode.NewBeamFire(0x40000077, dir, 0x40080068),
		"1a7700004002df871101":                 opcode.NewBeamFire(0x40000077, dir, objectid.None),
	} {
		got, err := m.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%x", got))
	}
}
