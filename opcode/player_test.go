package opcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Every field that names a player has a method that returns its peer ID, or NoPeer if the number
// is not a peer ID.
func TestPeerIDsOfFields(t *testing.T) {
	for name, of := range map[string]func(n int) objectid.PeerID{
		"TorpedoFire.PlayerID": func(n int) objectid.PeerID { return (&opcode.TorpedoFire{PlayerID: uint8(n)}).Player() },
		"BeamFire.PlayerID":    func(n int) objectid.PeerID { return (&opcode.BeamFire{PlayerID: uint8(n)}).Player() },
		"Event.PlayerID of a joiner": func(n int) objectid.PeerID {
			m := opcode.NewPlayerJoined(99)
			m.PlayerID = uint8(n)
			player, _ := m.Joined()
			return player
		},
		"Event.PlayerID of a leaver": func(n int) objectid.PeerID {
			m := opcode.NewPlayerLeft(99)
			m.PlayerID = uint8(n)
			player, _ := m.Left()
			return player
		},
		"Object.PlayerID": func(n int) objectid.PeerID { return (&opcode.Object{PlayerID: uint8(n)}).Shooter() },
		"ObjectCreateTeam.NetPlayerID": func(n int) objectid.PeerID {
			return (&opcode.ObjectCreateTeam{NetPlayerID: int8(n), Object: opcode.Object{PlayerID: 99}}).Player()
		},
	} {
		requirePeers(t, name, of, map[int]objectid.PeerID{0: -1, 1: 1, 2: 2, 127: 127, 128: -1, 255: -1})
	}
	for name, of := range map[string]func(n int) objectid.PeerID{
		"ChatMessage.SenderID":     func(n int) objectid.PeerID { return (&opcode.ChatMessage{SenderID: int32(n)}).Sender() },
		"TeamChatMessage.SenderID": func(n int) objectid.PeerID { return (&opcode.TeamChatMessage{SenderID: int32(n)}).Sender() },
		"TeamMessage.PlayerID":     func(n int) objectid.PeerID { return (&opcode.TeamMessage{PlayerID: int32(n)}).Player() },
		"Score.PlayerID":           func(n int) objectid.PeerID { return (&opcode.Score{PlayerID: int32(n)}).Player() },
		"ScoreInit.PlayerID":       func(n int) objectid.PeerID { return (&opcode.ScoreInit{PlayerID: int32(n)}).Player() },
		"ScoreChange.KillerID":     func(n int) objectid.PeerID { return (&opcode.ScoreChange{KillerID: int32(n), VictimID: 99}).Killer() },
		"ScoreChange.VictimID":     func(n int) objectid.PeerID { return (&opcode.ScoreChange{KillerID: 99, VictimID: int32(n)}).Victim() },
		"DamagerScore.ID":          func(n int) objectid.PeerID { return opcode.DamagerScore{ID: int32(n)}.Player() },
		"Event.FiringPlayerID": func(n int) objectid.PeerID {
			m := must(opcode.NewObjectExploding(1, 2, 99, 9.5))
			m.FiringPlayerID = int32(n)
			_, _, player, _ := m.Killed()
			return player
		},
	} {
		requirePeers(t, name, of, map[int]objectid.PeerID{
			0: -1, 1: 1, 2: 2, 127: 127, 128: -1, 255: -1, 258: -1, -1: -1, -254: -1, 1<<31 - 1: -1, -1 << 31: -1,
		})
	}
}

func requirePeers(t *testing.T, name string, of func(n int) objectid.PeerID, want map[int]objectid.PeerID) {
	t.Helper()
	for n, peer := range want {
		require.Equal(t, peer, of(n), "%s %d", name, n)
	}
}

func TestSlotsOfFields(t *testing.T) {
	for n, want := range map[int]objectid.Slot{0: 0, 15: 15, 16: -1, 127: -1, 128: -1, 255: -1} {
		require.Equal(t, want, (&opcode.Settings{PlayerSlot: uint8(n)}).Slot(), n)
		require.Equal(t, want, (&opcode.ObjectCreate{OwnerSlot: int8(n)}).Slot(), n)
		require.Equal(t, want, (&opcode.ObjectCreateTeam{OwnerSlot: int8(n)}).Slot(), n)
	}
}
