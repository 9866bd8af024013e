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

// advance returns the updates of a broadcaster.
func advance(t testing.TB, b *stateupdate.Broadcaster, now float32) []stateupdate.Update {
	updates, err := b.Advance(seconds(now))
	require.NoError(t, err)
	return updates
}

// sent returns the updates of a broadcaster as "3: 0x3fffffff position|subsystems".
func sent(t testing.TB, b *stateupdate.Broadcaster, now float32) (lines []string) {
	for _, u := range advance(t, b, now) {
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(u.Payload, &m))
		require.Equal(t, now, m.GameTime)
		lines = append(lines, fmt.Sprintf("%v: %v %v", u.Receiver, m.ObjectID, m.Flags))
	}
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
func TestBroadcasterRestart(t *testing.T) {
	ann, ben, cid := piloted(2, "akira", ""), piloted(3, "akira", ""), piloted(4, "akira", "Multi7")
	b := fleet(t, ann, ben, cid)
	sent(t, b, 1)
	ann.FirstOf(stateupdate.KindHull).Condition = 0
	var got []objectid.PeerID
	updates, err := b.Restart(seconds(1.01), ann.ID)
	require.NoError(t, err)
	for _, u := range updates {
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(u.Payload, &m))
		require.Equal(t, ann.ID, m.ObjectID)
		require.Zero(t, m.StartIndex)
		require.Zero(t, m.Data[0])
		got = append(got, u.Receiver)
	}
	require.Equal(t, []objectid.PeerID{2, 3}, got)
	updates, err = b.Restart(seconds(2), 0x77)
	require.NoError(t, err)
	require.Empty(t, updates, "no such ship")
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
	updates, err := b.Advance(seconds(1))
	require.Len(t, updates, 2)
	for _, u := range updates {
		require.Contains(t, string(u.Payload), "\xff\xff\x03\x40") // Ben's ship
	}
	require.ErrorIs(t, err, stateupdate.ErrOrder)
	require.EqualError(t, err, "stateupdate: ship 0x3fffffff: update: subsystems missing or out of order: 3 statuses for 11 subsystems")
	b.RemoveShip(ann.ID)
	advance(t, b, 2)

	require.ErrorIs(t, b.AddShip(ann), stateupdate.ErrOrder)
	require.EqualError(t, b.AddShip(nil), "stateupdate: nil ship")
	_, err = new(stateupdate.Encoder).Append(nil, 0, nil)
	require.EqualError(t, err, "stateupdate: nil ship")
	require.ErrorIs(t, b.AddShip(stateupdate.NewShip(1, &stateupdate.Class{Subsystems: make([]stateupdate.Subsystem, 200)})), stateupdate.ErrClass)
	for id := range objectid.ID(2048) {
		err := b.AddShip(stateupdate.NewShip(id, nil))
		require.Equal(t, id >= 1024-1, errors.Is(err, stream.ErrLimit), "%v", id)
	}
	for _, id := range []objectid.ID{ben.ID, 7} {
		require.NoError(t, b.AddShip(stateupdate.NewShip(id, nil)), "AddShip replaces a ship at the limit")
	}
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
	updates, _ := m.b.Advance(seconds(m.now))
	for _, u := range updates {
		m.updates++
		m.size += len(u.Payload)
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
		for _, u := range advance(t, m.b, m.now) {
			message, err := opcode.Decode(u.Payload)
			require.NoError(t, err)
			require.Equal(t, stateupdate.Alive, apply(t, trackers[u.Receiver], message).Ship.Life)
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
