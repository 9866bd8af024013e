package game

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// shots are messages of a shot in all their forms. Byte 5 is the player, and the object ID
// in the bytes 1 to 4 is of slot 0, whose player has the peer ID 2.
var shots = map[string]string{
	"torpedo":                    "190d0000400201000102ffff03400088d85c",
	"torpedo without target":     "190d00004002050001ff",
	"torpedo of OpenBC":          "19130000400200f1bc69",
	"torpedo of OpenBC, longer":  "190d0000400201000102ffff03400088d8005c",
	"pulse at a target":          "1a0d0000400200010203ffff0340",
	"pulse":                      "1a0d0000400200010201",
	"torpedo, all flags":         "190d00004002ff0001ff",
	"pulse with unknown flags":   "1a0d00004002000102fd",
	"torpedo with unknown flags": "190d00004002f9000102ffff03400088d85c",
}

// A shot that names its sender is passed on as it is. In a shot that names another player,
// or nobody, the host writes the sender's peer ID.
func TestShotsNameTheSender(t *testing.T) {
	for name, text := range shots {
		want, err := hex.DecodeString(text)
		require.NoError(t, err)
		for _, player := range []byte{2, 3, 4, 0, 1, 99, 255} {
			w, ann, bob, cat := three(t, options{})
			said := append([]byte(nil), want...)
			said[5] = player
			require.NoError(t, ann.Send(said, transport.Reliable))
			w.Run(time.Second)
			require.Empty(t, ann.Heard)
			for _, g := range []*guest{bob, cat} {
				require.Len(t, g.Heard, 1, "%s of %d", name, player)
				require.Equal(t, want, marshal(t, g.Heard[0]), "%s of %d", name, player)
			}
		}
	}
}

// A shot that names another player gives that player nothing.
func TestShotsDoNotMoveKills(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	shot := &opcode.TorpedoFire{TubeID: ann.Object(9), PlayerID: cat.PeerID(), Flags: opcode.TorpedoLaunched, TargetID: bob.Object(0)}
	ann.Say(shot)
	ann.Say(&opcode.BeamFire{WeaponID: ann.Object(9), PlayerID: cat.PeerID(), Flags: opcode.PulseTarget, TargetID: bob.Object(0)})
	w.Run(time.Second)
	bob.Say(&opcode.HostMessage{})
	w.Run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		_, _, player, ok := last[*opcode.PythonEvent](g).Killed()
		require.True(t, ok)
		require.Equal(t, objectid.NoPeer, player)
		require.Zero(t, last[*opcode.ScoreChange](g).KillerID)
	}
	for _, p := range w.match.players() {
		require.Zero(t, p.Kills)
	}
}
