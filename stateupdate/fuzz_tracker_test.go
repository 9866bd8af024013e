package stateupdate_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// FuzzTracker applies valid, damaged and arbitrary messages to a tracker. The tracker must
// stay within its limits, and its state must be consistent.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 1, 1, 3, 0, 1, 1, 5, 0, 2, 1, 0, 0})
	f.Add([]byte{1, 2, 2, 0, 1, 2, 8, 0, 1, 2, 1, 0, 0, 2, 6, 0, 0, 2, 6, 0})
	f.Add([]byte{1, 1, 0, 0, 1, 2, 0, 0, 1, 3, 0, 0, 1, 4, 0, 0, 1, 5, 0, 0, 0, 1, 0, 0})
	f.Add([]byte{0, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0, 0, 4, 4, 0, 0, 5, 5, 0})
	f.Add([]byte{0, 1, 30, 0, 1, 1, 4, 0, 0, 2, 7, 1, 12, 0xFF, 1, 2, 9, 1, 9, 0x20})
	f.Add([]byte{1, 0, 0, 0, 3, 0, 5, 0x14, 0xFF, 0xFF, 0xFF, 0x3F, 0})
	f.Add(bytes.Repeat([]byte{1, 1, 3, 0, 1, 1, 4, 1, 9, 0xA0}, 20))
	f.Add([]byte{0, 1, 1, 0, 4, 1, 9, 0, 1, 1, 2, 0, 0, 1, 1, 0, 4, 1, 9, 1, 22, 0xFF, 6, 1, 0, 0, 1, 1, 2, 0, 5, 0, 0, 0, 1, 1, 2, 0})
	f.Add([]byte{6, 1, 1, 0, 6, 1, 2, 0, 1, 1, 1, 0, 4, 1, 1, 0, 4, 1, 1, 0, 2, 1, 0, 0, 4, 1, 0, 0, 6, 1, 3, 1, 1, 9})
	f.Add([]byte("\x00\x00\x01\x00\x03\x00\x0b\x1f\xff\xff\xff\x3f\x02\x00\x00\x00M\x00\x00\x02\x00\x00\x00\x03\x00\x09\x1f\xff\xff\xff\x3f\x00\x00\x00\x00\x00")) // EnterSet
	f.Fuzz(func(t *testing.T, program []byte) {
		d := stateupdate.Tracker{MaxShips: 4, MaxUnknown: 3}
		p := peer{program: program[:min(len(program), 300)]} // about sixty messages
		for len(p.program) > 0 {
			m, _ := opcode.Decode(p.message())
			change, err := d.Apply(m)
			if err != nil {
				require.Contains(t, err.Error(), fmt.Sprintf("stateupdate: ship %v: ", change.ObjectID))
			}
			checkTracker(t, &d, change)
		}
	})
}

// peer produces messages from a program of bytes. A message takes four bytes, a count of
// pairs, and the pairs, each of which changes a byte of the message.
type peer struct {
	program  []byte
	encoders [64]stateupdate.Encoder
	ships    [16]*stateupdate.Ship
}

func (p *peer) next() (b byte) {
	if len(p.program) > 0 {
		b, p.program = p.program[0], p.program[1:]
	}
	return b
}

func (p *peer) message() (payload []byte) {
	op, id, what := p.next(), p.next()%16, p.next()
	if p.ships[id] == nil {
		p.ships[id] = stateupdate.NewShip(slotID(int(id)), stateupdate.Stock().Species(opcode.Species(1+what%44)))
	}
	ship := p.ships[id]
	switch op % 7 {
	case 0:
		object, _ := ship.Object()
		payload, _ = opcode.Marshal(&opcode.ObjectCreateTeam{Object: object})
	case 1:
		e := &p.encoders[int(id)*4+int(what%4)]
		e.Receiver = objectid.PeerID(what % 4)
		ship.Position[0] += float32(what) * 60
		payload, _ = e.Append(nil, seconds(float32(what)/10), ship)
	case 2:
		payload, _ = opcode.Marshal(&opcode.DestroyObject{ObjectID: ship.ID})
	case 4:
		payload, _ = opcode.Marshal(exploding(ship.ID))
	case 5:
		payload, _ = opcode.Marshal(&opcode.RestartGame{})
	case 6: // the player has a ship
		object, _ := ship.Object()
		object.ObjectID += objectid.ID(what) % 3 * 100
		payload, _ = opcode.Marshal(&opcode.ObjectCreateTeam{OwnerSlot: objectid.Slot(int8(id)), NetPlayerID: objectid.PeerID(int8(id)) + 2, Object: object})
	default:
		n := min(int(what), len(p.program))
		payload, p.program = bytes.Clone(p.program[:n]), p.program[n:]
	}
	for range p.next() % 8 {
		at, bits := p.next(), p.next()
		if len(payload) > 0 {
			payload[int(at)%len(payload)] ^= bits
		}
	}
	return payload
}

func checkTracker(t *testing.T, d *stateupdate.Tracker, change stateupdate.Change) {
	ships, created, unknown := d.Counts()
	require.Equal(t, ships, created+unknown)
	require.LessOrEqual(t, created, 4)
	require.LessOrEqual(t, unknown, 3)
	n := 0
	for s := range d.Ships() {
		n++
		require.Same(t, s, d.Ship(s.ID))
		checkShip(t, d, s)
	}
	require.Equal(t, ships, n)
	if s := change.Ship; s != nil {
		require.Equal(t, change.ObjectID, s.ID)
		require.Equal(t, s.Life == stateupdate.Destroyed, d.Ship(s.ID) == nil)
		require.Equal(t, s.Life == stateupdate.Destroyed, slices.Contains(change.Removed, s))
		require.Equal(t, s.Life, d.Life(s.ID))
		require.NotContains(t, s.String(), "\n")
	}
	if d.Life(change.ObjectID) == stateupdate.Destroyed && change.Ship == nil {
		require.Equal(t, stateupdate.Change{ObjectID: change.ObjectID, Removed: change.Removed}, change)
	}
	for _, s := range change.Removed {
		require.NotSame(t, s, d.Ship(s.ID))
	}
	require.LessOrEqual(t, d.Destroyed(), stateupdate.MaxDestroyed)
	checkPlayers(t, d)
	for i := range stateupdate.MaxSubsystems {
		require.False(t, change.Subsystems.Has(i) && i >= len(change.Ship.Subsystems))
	}
}

// checkPlayers checks that the player in a slot has one ship.
func checkPlayers(t *testing.T, d *stateupdate.Tracker) {
	owned := map[objectid.Slot]objectid.ID{}
	for s := range d.Ships() {
		if s.PeerID.Valid() && s.OwnerSlot.Valid() {
			require.Zero(t, owned[s.OwnerSlot])
			owned[s.OwnerSlot] = s.ID
			require.NotNil(t, d.ShipOf(s.PeerID))
		}
	}
}

func checkShip(t *testing.T, d *stateupdate.Tracker, s *stateupdate.Ship) {
	for _, v := range append(s.Position[:], d.Time(s.ID)) {
		require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
	}
	updates, most := d.Buffered(s.ID)
	require.LessOrEqual(t, updates, stateupdate.MaxBuffered)
	require.LessOrEqual(t, most, stateupdate.MaxBlock)
	require.LessOrEqual(t, len(*s.Blob()), stateupdate.MaxBlob)
	require.Contains(t, []stateupdate.Life{stateupdate.Unknown, stateupdate.Alive, stateupdate.Dying}, s.Life)
	require.GreaterOrEqual(t, s.Lifetime, time.Duration(0))
	if s.Class == nil {
		require.Empty(t, s.Subsystems)
		return
	}
	require.Len(t, s.Subsystems, len(s.Class.Subsystems))
	_, err := s.Class.AppendUpdate(nil, &opcode.StateUpdate{}, s.Subsystems)
	require.NoError(t, err) // every status is complete
	if _, err := s.Object(); err != nil {
		require.ErrorIs(t, err, stream.ErrRange, "a blob has at most 127 % power")
	}
}

// A peer produces the messages that its program describes.
func TestFuzzPeer(t *testing.T) {
	p := peer{program: []byte{0, 1, 0, 0, 1, 1, 2, 0, 2, 1, 0, 1, 0, 1, 3, 0, 2, 7, 8, 0, 4, 1, 0, 0, 5, 0, 0, 0, 6, 1, 1, 0}}
	for _, want := range []opcode.Code{
		opcode.OpObjectCreateTeam, opcode.OpStateUpdate, 0x15, 7, opcode.OpPythonEvent, opcode.OpRestartGame, opcode.OpObjectCreateTeam,
	} {
		require.Equal(t, want, opcode.Code(p.message()[0]))
	}
	require.Equal(t, objectid.ID(0x4003FFFF), p.ships[1].ID)
}
