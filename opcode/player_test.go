package opcode_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Fields that hold a peer ID or a slot have that type. A field of one byte is signed, keeps every
// value, and refuses a number that does not fit. A field of four bytes keeps every number.
func TestPlayerFields(t *testing.T) {
	narrow, wide := map[string]bool{}, map[string]bool{}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			for _, f := range fields {
				v := reflect.ValueOf(m).Elem().FieldByName(f.Path())
				if !v.IsValid() || v.Type() != reflect.TypeFor[objectid.PeerID]() && v.Type() != reflect.TypeFor[objectid.Slot]() {
					continue
				}
				least, most := int64(-1<<31), int64(1<<31-1)
				if len(f.Raw) == 1 {
					least, most = -128, 127
					narrow[op.String()+"."+f.Path()] = true
				} else {
					wide[op.String()+"."+f.Path()] = true
				}
				for _, n := range []int64{least, -2, -1, 1, 2, 15, 16, most} {
					v.SetInt(n)
					payload, err := opcode.Marshal(m)
					require.NoError(t, err)
					again := opcode.New(op)
					require.NoError(t, opcode.Unmarshal(payload, again))
					require.Equal(t, n, reflect.ValueOf(again).Elem().FieldByName(f.Path()).Int(), f.Path())
				}
				before := v.Int()
				for _, n := range []int64{-1 << 31, -129, 128, 255, 1<<31 - 1} {
					v.SetInt(n)
					_, err := opcode.Marshal(m)
					if n < least || n > most {
						require.ErrorIs(t, err, stream.ErrRange)
						require.ErrorContains(t, err, f.Path())
					} else {
						require.NoError(t, err)
					}
				}
				v.SetInt(before)
			}
		}
	})
	for _, name := range []string{
		"Settings.PlayerSlot", "ObjectCreate.OwnerSlot", "ObjectCreateTeam.OwnerSlot", "ObjectCreateTeam.NetPlayerID",
		"ObjectCreate.PlayerID", "TorpedoFire.PlayerID", "BeamFire.PlayerID", "DeletePlayerUI.PlayerID",
	} {
		require.Contains(t, narrow, name)
	}
	for _, name := range []string{
		"ChatMessage.SenderID", "TeamChatMessage.SenderID", "TeamMessage.PlayerID", "Score.PlayerID", "ScoreInit.PlayerID",
		"ScoreChange.KillerID", "ScoreChange.VictimID", "PythonEvent.FiringPlayerID",
	} {
		require.Contains(t, wide, name)
	}
}

// The byte 0xFF is no peer, and events return NoPeer for every number that is no peer ID.
func TestPeersOfEvents(t *testing.T) {
	for n, want := range map[objectid.PeerID]objectid.PeerID{0: -1, 1: 1, 2: 2, 127: 127, 128: -1, 255: -1, -1: -1} {
		joined := opcode.NewPlayerJoined(99)
		joined.PlayerID = n
		player, ok := joined.Joined()
		require.True(t, ok)
		require.Equal(t, want, player)
		left := opcode.NewPlayerLeft(99)
		left.PlayerID = n
		player, ok = left.Left()
		require.True(t, ok)
		require.Equal(t, want, player)
		died := must(opcode.NewObjectExploding(1, 2, 99, 9.5))
		died.FiringPlayerID = n
		_, _, player, ok = died.Killed()
		require.True(t, ok)
		require.Equal(t, want, player)
	}
	payload, err := opcode.Marshal(opcode.NewPlayerLeft(5))
	require.NoError(t, err)
	payload[len(payload)-1] = 0xFF
	decoded, err := opcode.Decode(payload)
	require.NoError(t, err)
	require.Equal(t, objectid.NoPeer, decoded.(*opcode.DeletePlayerUI).PlayerID)
}

func TestPlayerConstructors(t *testing.T) {
	chat := must(opcode.NewChatMessage(3, "grüß dich"))
	require.Equal(t, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("gr\xfc\xdf dich")}, chat)
	_, err := opcode.NewChatMessage(3, "日本")
	require.ErrorIs(t, err, stream.ErrText)
	_, err = opcode.NewChatMessage(3, string(make([]byte, opcode.MaxChat+1)))
	require.ErrorIs(t, err, stream.ErrInvalid)

	require.Equal(t, &opcode.ScoreChange{KillerID: 3, KillerKills: 4, KillerScore: 4000, VictimID: 2, VictimDeaths: 5}, opcode.NewScoreChange(2, 5, 3, 4, 4000))
	require.Equal(t, &opcode.ScoreChange{VictimID: 2, VictimDeaths: 5}, opcode.NewScoreChange(2, 5, objectid.NoPeer, 4, 4000))
}
