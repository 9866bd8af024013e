package stateupdate_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// piloted returns the ship of a player in a star system.
func piloted(peer objectid.PeerID, class, set string) *stateupdate.Ship {
	s := stateupdate.NewShip(slotID(int(peer)-2), stateupdate.Stock().Named(class))
	s.PeerID, s.SetName = peer, set
	return s
}

// fleet returns a broadcaster with ships, and a receiver for the player of each ship.
func fleet(t testing.TB, ships ...*stateupdate.Ship) *stateupdate.Broadcaster {
	b := new(stateupdate.Broadcaster)
	for _, s := range ships {
		require.NoError(t, b.AddShip(s))
		b.AddReceiver(s.PeerID)
	}
	return b
}

// sent returns the updates of a broadcaster as "3: 0x3fffffff position|subsystems".
func sent(t testing.TB, b *stateupdate.Broadcaster, now float32) (lines []string) {
	for peer, payload := range b.Updates(now) {
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(payload, &m))
		require.Equal(t, now, m.GameTime)
		lines = append(lines, fmt.Sprintf("%v: %v %v", peer, m.ObjectID, m.Flags))
	}
	require.NoError(t, b.Err())
	slices.Sort(lines)
	return lines
}

// A player gets the subsystems of the player's own ship, and full updates of the other ships
// in the same star system.
func TestBroadcasterSendsStarSystem(t *testing.T) {
	ann, ben, cid := piloted(2, "akira", "Multi1"), piloted(3, "birdofprey", "Multi1"), piloted(4, "galaxy", "Multi2")
	b := fleet(t, ann, ben, cid)
	station := stateupdate.NewShip(0x22, stateupdate.Stock().Named("fedstarbase"))
	station.SetName = "Multi2"
	require.NoError(t, b.AddShip(station))
	b.AddReceiver(5) // has no ship yet
	require.Equal(t, []string{
		"2: 0x3fffffff subsystems",
		"2: 0x4003ffff position|forward|up|speed|subsystems|cloak",
		"3: 0x3fffffff position|forward|up|speed|subsystems",
		"3: 0x4003ffff subsystems",
		"4: 0x00000022 position|forward|up|speed|subsystems",
		"4: 0x4007ffff subsystems",
	}, sent(t, b, 1))

	b.AddReceiver(5).All = true
	b.RemoveReceiver(3)
	b.RemoveReceiver(77)
	ben.Position[0]++
	ben.SetName = "Multi2"
	require.Equal(t, []string{
		"2: 0x3fffffff subsystems",
		"4: 0x00000022 subsystems",
		"4: 0x4003ffff position|forward|up|speed|subsystems|cloak",
		"4: 0x4007ffff subsystems",
		"5: 0x00000022 position|forward|up|speed|subsystems",
		"5: 0x3fffffff position|forward|up|speed|subsystems",
		"5: 0x4003ffff position|forward|up|speed|subsystems|cloak",
		"5: 0x4007ffff position|forward|up|speed|subsystems",
	}, sent(t, b, 1.1))
}

// Adding a receiver or a ship again sends the complete state again. Other encoders continue.
func TestBroadcasterResendsStateAfterReplacement(t *testing.T) {
	ann, ben := piloted(2, "akira", ""), piloted(3, "akira", "")
	b := fleet(t, ann, ben)
	full, more := "position|forward|up|speed|subsystems", "subsystems"
	of := func(now float32) (flags string) {
		for _, line := range sent(t, b, now) {
			flags += line[strings.LastIndex(line, " "):]
		}
		return strings.TrimSpace(flags)
	}
	require.Equal(t, strings.Join([]string{more, full, full, more}, " "), of(1))
	require.Equal(t, strings.Join([]string{more, more, more, more}, " "), of(1.2))
	b.AddReceiver(2)
	require.Equal(t, strings.Join([]string{more, full, more, more}, " "), of(1.4))
	require.NoError(t, b.AddShip(ann))
	require.Equal(t, strings.Join([]string{more, more, full, more}, " "), of(1.6))
	b.RemoveShip(ann.ID)
	b.RemoveShip(0x77)
	require.Equal(t, more, of(1.8), "Ann has no ship, and Ben has his own")
}

// If a player is added again, the earlier Receiver has no effect.
func TestBroadcasterIgnoresEarlierReceiver(t *testing.T) {
	b := fleet(t, piloted(2, "akira", "Multi1"), piloted(3, "akira", "Multi2"))
	earlier := b.AddReceiver(2)
	b.AddReceiver(2)
	earlier.All = true
	require.Equal(t, []string{"2: 0x3fffffff subsystems", "3: 0x4003ffff subsystems"}, sent(t, b, 1))
	b.AddReceiver(2).All = true
	require.Len(t, sent(t, b, 2), 3)
}

// The last update of a destroyed ship goes to all receivers of the ship and contains its first
// subsystems.
func TestShipUpdates(t *testing.T) {
	ann, ben, cid := piloted(2, "akira", ""), piloted(3, "akira", ""), piloted(4, "akira", "Multi7")
	b := fleet(t, ann, ben, cid)
	sent(t, b, 1)
	ann.FirstOf(stateupdate.KindHull).Condition = 0
	require.NoError(t, b.AddShip(ann))
	var got []objectid.PeerID
	for peer, payload := range b.ShipUpdates(1.01, ann.ID) {
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(payload, &m))
		require.Equal(t, ann.ID, m.ObjectID)
		require.Zero(t, m.StartIndex)
		require.Zero(t, m.Data[0])
		got = append(got, peer)
	}
	require.Equal(t, []objectid.PeerID{2, 3}, got)
	for range b.ShipUpdates(2, 0x77) {
		require.Fail(t, "no such ship")
	}
	for range b.ShipUpdates(3, ann.ID) {
		break
	}
}

// A receiver on a modem gets fewer updates in a large match. A receiver with All gets updates in
// every call. The distance does not matter.
func TestBroadcasterCadence(t *testing.T) {
	var ships []*stateupdate.Ship
	for peer := range objectid.PeerID(5) {
		ships = append(ships, piloted(peer+2, "akira", ""))
	}
	ships[1].Position[0] = 15000
	b := fleet(t, ships...)
	b.Dedicated = true
	b.AddReceiver(6).Modem = true
	b.AddReceiver(9).All = true
	count := func() map[string]int {
		counts := map[string]int{}
		for tick := range 60 * 10 { // ten seconds, 60 times a second
			for _, s := range ships {
				s.Speed ^= 1
			}
			for _, line := range sent(t, b, float32(tick)/60) {
				counts[line[:strings.LastIndex(line, " ")]]++
			}
		}
		return counts
	}
	counts := count()
	require.InDelta(t, 100, counts["2: 0x4003ffff"], 2, "far away")
	require.InDelta(t, 100, counts["2: 0x3fffffff"], 2, "the own ship")
	require.InDelta(t, 80, counts["6: 0x400fffff"], 2, "seven players, and a modem")
	require.Equal(t, 600, counts["9: 0x3fffffff"])

	b.RemoveReceiver(9)
	b.Players, b.Modem = 2, true
	require.InDelta(t, 60, count()["2: 0x400bffff"], 2, "the host is on a modem")
	b.Dedicated, b.Players = false, 0
	b.RemoveReceiver(5)
	b.RemoveReceiver(4)
	b.RemoveReceiver(3)
	require.InDelta(t, 60, count()["2: 0x400bffff"], 2, "two players, and the host is the third")
}

// A ship that cannot be encoded is skipped; the other ships are sent.
func TestBroadcasterErrors(t *testing.T) {
	ann, ben := piloted(2, "akira", ""), piloted(3, "akira", "")
	b := fleet(t, ann, ben)
	ann.Subsystems = ann.Subsystems[:3]
	n := 0
	for _, payload := range b.Updates(1) {
		require.Contains(t, string(payload), "\xff\xff\x03\x40") // Ben's ship
		n++
	}
	require.Equal(t, 2, n)
	require.ErrorIs(t, b.Err(), stateupdate.ErrOrder)
	require.EqualError(t, b.Err(), "stateupdate: ship 0x3fffffff: update: subsystems missing or out of order: 3 statuses for 11 subsystems")
	b.RemoveShip(ann.ID)
	for range b.Updates(2) {
		break
	}
	require.NoError(t, b.Err(), "the last iteration had no error")

	require.ErrorIs(t, b.AddShip(ann), stateupdate.ErrOrder)
	require.EqualError(t, b.AddShip(nil), "stateupdate: nil ship")
	_, err := new(stateupdate.Encoder).Append(nil, 0, nil)
	require.EqualError(t, err, "stateupdate: nil ship")
	require.ErrorIs(t, b.AddShip(stateupdate.NewShip(1, &stateupdate.Class{Subsystems: make([]stateupdate.Subsystem, 200)})), stateupdate.ErrClass)
	for id := range objectid.ID(2048) {
		err := b.AddShip(stateupdate.NewShip(id, nil))
		require.Equal(t, id >= 1024-1, errors.Is(err, stream.ErrLimit), "%v", id)
	}
	require.NoError(t, b.AddShip(stateupdate.NewShip(7, nil)), "AddShip replaces a ship at the limit")
}

// The loop body may change the broadcaster.
func TestBroadcasterChangesInItsLoop(t *testing.T) {
	for name, change := range map[string]func(b *stateupdate.Broadcaster, peer objectid.PeerID, ship objectid.ID){
		"the ship is removed":     func(b *stateupdate.Broadcaster, _ objectid.PeerID, ship objectid.ID) { b.RemoveShip(ship) },
		"the receiver is removed": func(b *stateupdate.Broadcaster, peer objectid.PeerID, _ objectid.ID) { b.RemoveReceiver(peer) },
		"all ships are removed":   func(b *stateupdate.Broadcaster, _ objectid.PeerID, _ objectid.ID) { removeAll(b) },
		"a ship is replaced": func(b *stateupdate.Broadcaster, _ objectid.PeerID, ship objectid.ID) {
			_ = b.AddShip(stateupdate.NewShip(ship, nil))
		},
		"a receiver is added": func(b *stateupdate.Broadcaster, peer objectid.PeerID, _ objectid.ID) { b.AddReceiver(peer + 10) },
	} {
		t.Run(name, func(t *testing.T) {
			var ships []*stateupdate.Ship
			for peer := range objectid.PeerID(8) {
				ships = append(ships, piloted(peer+2, "akira", ""))
			}
			b := fleet(t, ships...)
			n := 0
			for peer, payload := range b.Updates(1) {
				var m opcode.StateUpdate
				require.NoError(t, opcode.Unmarshal(payload, &m))
				change(b, peer, m.ObjectID)
				n++
			}
			require.NotZero(t, n)
			require.LessOrEqual(t, n, 8*(8+127))
			require.NoError(t, b.Err())
			for range b.Updates(2) { // the broadcaster still works
			}
			require.NoError(t, b.Err())
		})
	}
}

func removeAll(b *stateupdate.Broadcaster) {
	for slot := range 8 {
		b.RemoveShip(slotID(slot))
	}
}

// Removing a ship in the loop body does not skip the next ship.
func TestBroadcasterRemovesInItsLoop(t *testing.T) {
	ann, ben, cid := piloted(2, "akira", ""), piloted(3, "akira", ""), piloted(4, "akira", "")
	b := fleet(t, ann, ben, cid)
	seen := map[objectid.ID]int{}
	for _, payload := range b.Updates(1) {
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(payload, &m))
		seen[m.ObjectID]++
		b.RemoveShip(ann.ID)
	}
	require.Equal(t, map[objectid.ID]int{ann.ID: 1, ben.ID: 3, cid.ID: 3}, seen)
}

// Sixteen ships that constantly move and lose condition are sent to sixteen players without
// allocations.
func TestBroadcasterAllocs(t *testing.T) {
	m := newArmada(t)
	for range 20 {
		m.tick()
	}
	require.Zero(t, testing.AllocsPerRun(50, m.tick))
	require.NotZero(t, m.size)
}

// armada is a match with sixteen moving ships.
type armada struct {
	b       *stateupdate.Broadcaster
	ships   []*stateupdate.Ship
	courses []course
	now     float32
	updates int
	size    int
}

func newArmada(t testing.TB) *armada {
	playable := stateupdate.Stock()[:15]
	m := new(armada)
	for i := range 16 {
		s := piloted(objectid.PeerID(i+2), playable[i%15].Key, "Multi1")
		m.ships = append(m.ships, s)
		m.courses = append(m.courses, course{ship: s})
	}
	m.b = fleet(t, m.ships...)
	return m
}

// move moves and damages the ships for a tenth of a second.
func (m *armada) move() {
	m.now += 0.1
	for i, s := range m.ships {
		m.courses[i].step(5, 0.2, 0.1)
		s.Subsystems[i%len(s.Subsystems)].Condition--
	}
}

func (m *armada) tick() {
	m.move()
	for _, payload := range m.b.Updates(m.now) {
		m.updates++
		m.size += len(payload)
	}
}

// BenchmarkBroadcaster encodes one second of a match with 16 ships for 16 players.
func BenchmarkBroadcaster(b *testing.B) {
	m := newArmada(b)
	b.ReportAllocs()
	m.updates = 0
	for b.Loop() {
		for range 10 {
			m.tick()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(m.updates), "ns/update")
}

// The trackers of the players get the state of the ships from the updates.
func TestTrackersFollowBroadcaster(t *testing.T) {
	m := newArmada(t)
	trackers := map[objectid.PeerID]*stateupdate.Tracker{}
	for _, s := range m.ships {
		d := new(stateupdate.Tracker)
		trackers[s.PeerID] = d
		for _, other := range m.ships {
			create, err := other.Creation()
			require.NoError(t, err)
			apply(t, d, create)
		}
	}
	for range 50 {
		m.move()
		for peer, payload := range m.b.Updates(m.now) {
			message, err := opcode.Decode(payload)
			require.NoError(t, err)
			require.False(t, apply(t, trackers[peer], message).Unknown)
		}
	}
	for peer, d := range trackers {
		for _, s := range m.ships {
			got := d.Ship(s.ID)
			if s.PeerID != peer {
				require.InDeltaSlice(t, s.Position[:], got.Position[:], 0.5)
				require.Equal(t, [2]compress.Vector3{s.Forward, s.Up}, [2]compress.Vector3{got.Forward, got.Up})
			}
			for i := range s.Subsystems {
				require.InDelta(t, int(s.Subsystems[i].Condition), int(got.Subsystems[i].Condition), 10)
			}
		}
	}
}
