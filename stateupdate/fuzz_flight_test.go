package stateupdate_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Whatever a host sends, a Flight sends messages that encode and speak for its player only, requests little, and has
// its ship again after the pause.
func FuzzFlight(f *testing.F) {
	foe := stateupdate.NewShip(slotID(2), stateupdate.Stock().Named("galaxy"))
	foe.PeerID, foe.SetName = 4, "Multi1"
	create, err := foe.Creation()
	require.NoError(f, err)
	var seed []byte
	for _, m := range []opcode.Message{
		create, &opcode.StateUpdate{ObjectID: slotID(3), Flags: opcode.StateSpeed}, explode(f, slotID(1)), &opcode.EndGame{},
		&opcode.RestartGame{}, &opcode.DestroyObject{ObjectID: slotID(1)}, &opcode.MissionInit{System: 3}, &opcode.ObjectNotFound{ObjectID: 7},
		opcode.NewSubsystemStatus(slotID(1)+5, false),
		&opcode.StateUpdate{ObjectID: slotID(1), Flags: 0x1F, GameTime: 9, Position: [3]float32{float32(math.NaN()), 1e30, 0}},
	} {
		payload, err := opcode.Marshal(m)
		require.NoError(f, err)
		seed = append(append(seed, byte(len(payload))), payload...)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newFlight(t, stateupdate.Stock().Named("birdofprey"))
		l.Tracker.MaxShips, l.Tracker.MaxUnknown = 20, 20
		l.Helm = &stateupdate.Helm{Throttle: 1}
		requests := 0
		advance := func() {
			l.now += flightTick
			for _, m := range l.messages() {
				payload, err := opcode.Marshal(m)
				require.NoError(t, err)
				require.NoError(t, opcode.Validate(m))
				require.NotEmpty(t, payload)
				require.NoError(t, opcode.Authorize(m, opcode.Sender{PeerID: 3, Slot: 1}))
				if m.Opcode() == opcode.OpRequestObject {
					requests++
				}
			}
		}
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			if m, err := opcode.Decode(data[1 : 1+n]); err == nil {
				_, _ = l.Apply(m)
			}
			data = data[1+n:]
			advance()
		}
		_, err := l.Apply(&opcode.RestartGame{})
		require.NoError(t, err)
		for range 51 {
			advance()
		}
		require.NotNil(t, l.Ship())
		require.LessOrEqual(t, requests, 1+int(4*l.now/time.Second))
	})
}
