package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
)

// For any payloads of a host, the player keeps its limits, and another game can begin.
func FuzzPayloads(f *testing.F) {
	seed := func(messages ...opcode.Message) {
		var all []byte
		for _, m := range messages {
			b := payload(f, m)
			all = append(append(all, byte(len(b))), b...)
		}
		f.Add(all)
	}
	for code := range 256 {
		if m := opcode.New(opcode.Code(code)); code == 0xFF || opcode.Code(code).Info().MinSize > 0 {
			seed(m)
		}
	}
	ship := otherShip(f, 3, 1)
	seed(ship, &opcode.StateUpdate{ObjectID: ship.ObjectID, Flags: opcode.StateSpeed}, exploding(f, ship.ObjectID, 2), ship)
	seed(opcode.NewPlayerJoined(3), ship, opcode.NewPlayerLeft(3), &opcode.EndGame{}, &opcode.RestartGame{})
	f.Fuzz(func(t *testing.T, data []byte) {
		l := joinedPlayer(t)
		data = data[:min(len(data), 4096)]
		for len(data) > 0 {
			n := min(1+int(data[0]), len(data))
			l.pass(data[1:n])
			data = data[n:]
			l.advance(50 * time.Millisecond)
		}
		requireLimits(t, l.player)
		if l.player.Err() != nil {
			require.NotZero(t, l.player.Counters().Received[opcode.OpBootPlayer])
			return
		}
		l.pass(payload(t, &opcode.RestartGame{}))
		l.waitUntil("a ship", 5*time.Second, func() bool { return l.player.State() == InGame })
	})
}
