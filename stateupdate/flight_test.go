package stateupdate_test

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const flightTick = 100 * time.Millisecond

// flight is a Flight of the player Ann in slot 1, and what another client sees of it.
type flight struct {
	t require.TestingT
	*stateupdate.Flight
	now   time.Duration
	other stateupdate.Tracker
	sent  []opcode.Message // by the last advance
}

func newFlight(t require.TestingT, class *stateupdate.Class) *flight {
	return &flight{t: t, Flight: &stateupdate.Flight{Class: class, PeerID: 3, Slot: 1, Name: "Ann"}}
}

// messages returns what Advance returns.
func (f *flight) messages() []opcode.Message {
	messages, err := f.Advance(f.now)
	require.NoError(f.t, err)
	return messages
}

// advance brings the messages of some time later to the other client.
func (f *flight) advance(d time.Duration) {
	f.now += d
	f.sent = f.sent[:0]
	for _, m := range f.messages() {
		payload, err := opcode.Marshal(m)
		require.NoError(f.t, err)
		decoded, err := opcode.Decode(payload)
		require.NoError(f.t, err)
		require.NoError(f.t, opcode.Authorize(decoded, opcode.Sender{PeerID: 3, Slot: 1}))
		_, err = f.other.Apply(decoded)
		require.NoError(f.t, err)
		f.sent = append(f.sent, decoded)
	}
}

// run calls advance ten times a second.
func (f *flight) run(d time.Duration) {
	for range d / flightTick {
		f.advance(flightTick)
	}
}

// apply brings messages of the host to both clients.
func (f *flight) apply(messages ...opcode.Message) {
	for _, m := range messages {
		_, err := f.Apply(m)
		require.NoError(f.t, err)
		_, _ = f.other.Apply(m)
	}
}

// explode returns the explosion of a ship.
func explode(t require.TestingT, id objectid.ID) opcode.Message {
	m, err := opcode.NewObjectExploding(id, objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	return m
}

// create returns the creation of an Akira.
func create(t require.TestingT, id objectid.ID, peer objectid.PeerID, slot objectid.Slot) opcode.Message {
	s := stateupdate.NewShip(id, stateupdate.Stock().Named("akira"))
	s.PeerID, s.OwnerSlot = peer, slot
	m, err := s.Creation()
	require.NoError(t, err)
	return m
}

// movers are the classes that fly.
func movers() stateupdate.Catalogue {
	return slices.DeleteFunc(stateupdate.Stock(), func(c *stateupdate.Class) bool { return c.Physics.MaxSpeed == 0 })
}

// Another client sees the ship where it is, whatever its helm and however often Advance is called. There are ten
// updates a second, and the ship keeps to the limits of its class.
func propertyFlight(t *rapid.T) {
	class := rapid.SampledFrom(movers()).Draw(t, "class")
	f := newFlight(t, class)
	f.Helm = new(stateupdate.Helm)
	f.advance(0)
	limits := class.Physics
	updates, last, began := 0, time.Duration(0), time.Duration(0)
	for range rapid.IntRange(1, 80).Draw(t, "calls") {
		if rapid.IntRange(0, 4).Draw(t, "turn") == 0 {
			*f.Helm = stateupdate.Helm{
				Throttle: rapid.Float64Range(-1.5, 1.5).Draw(t, "throttle"),
				Turn:     [3]float64{rapid.Float64Range(-1, 1).Draw(t, "pitch"), rapid.Float64Range(-1, 1).Draw(t, "roll"), rapid.Float64Range(-1, 1).Draw(t, "yaw")},
			}
		}
		before := f.Course
		f.advance(rapid.SampledFrom([]time.Duration{1, 16, 17, 60, 100, 101, 140}).Draw(t, "ms") * time.Millisecond)
		seconds := (f.now - last).Seconds() + 0.017
		for axis := range 3 {
			require.LessOrEqual(t, math.Abs(f.Course.Velocity[axis]-before.Velocity[axis]), limits.MaxAcceleration*seconds)
			require.LessOrEqual(t, math.Abs(f.Course.Spin[axis]), limits.MaxTurn+1e-9)
			require.LessOrEqual(t, math.Abs(f.Course.Position[axis]-before.Position[axis]), limits.MaxSpeed*seconds+1e-9)
		}
		last = f.now
		if len(f.sent) == 0 {
			continue
		}
		require.Len(t, f.sent, 1)
		if updates++; updates == 1 {
			began = f.now
		}
		own, seen := f.Ship(), f.other.Ship(f.Ship().ID)
		require.Equal(t, []any{own.Forward, own.Up, own.Speed}, []any{seen.Forward, seen.Up, seen.Speed})
		for axis := range 3 {
			require.InDelta(t, f.Course.Position[axis], seen.Position[axis], 0.1)
		}
	}
	if passed := f.now - began; updates > 0 {
		require.InDelta(t, passed.Seconds()/flightTick.Seconds(), updates, 2+passed.Seconds()/flightTick.Seconds()*0.4)
		require.LessOrEqual(t, updates, int(passed/flightTick)+2)
	}
}

func TestFlight(t *testing.T) { t.Parallel(); rapid.Check(t, propertyFlight) }

// Calls at exact intervals of 0.1 s have an update each, also after days, when the clock of the game is coarse.
func TestFlightPace(t *testing.T) {
	for _, began := range []time.Duration{0, time.Hour, 9 * 24 * time.Hour} {
		f := newFlight(t, stateupdate.Stock().Named("akira"))
		f.now = began
		f.advance(0)
		n := 0
		for range 600 {
			f.advance(flightTick)
			n += len(f.sent)
		}
		require.InDelta(t, 600, n, 1, began)
	}
}

// A program that calls Advance at NextDeadline only sends the same number of updates.
func TestFlightDeadline(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	calls := 0
	for ; f.now < time.Minute; calls++ {
		at, ok := f.NextDeadline()
		require.True(t, ok)
		f.advance(at - f.now)
		require.NotEmpty(t, f.sent, "call %d at %v", calls, at)
	}
	require.InDelta(t, 602, calls, 1, "a creation, an update at once, and ten a second")
	f.apply(explode(t, f.Ship().ID))
	at, ok := f.NextDeadline()
	require.True(t, ok)
	require.Equal(t, f.now+5*time.Second, at)
	f.apply(&opcode.ObjectNotFound{ObjectID: slotID(2)})
	at, _ = f.NextDeadline()
	require.Equal(t, f.now+time.Second/2, at, "a request is due before the ship")
	f.advance(time.Second)
	require.Len(t, f.sent, 1)
	f.apply(create(t, slotID(2), 4, 2))
	f.apply(&opcode.EndGame{})
	_, ok = f.NextDeadline()
	require.False(t, ok)
}

// The position of a ship depends on the helm and the time, not on the calls.
func TestFlightRate(t *testing.T) {
	courses := map[stateupdate.Course]bool{}
	for _, tick := range []time.Duration{time.Millisecond, 33 * time.Millisecond, flightTick, 900 * time.Millisecond} {
		f := newFlight(t, stateupdate.Stock().Named("birdofprey"))
		f.Helm = &stateupdate.Helm{Throttle: 0.8, Turn: [3]float64{0.1, 0.2, 0.3}}
		for f.advance(0); f.now < 19800*time.Millisecond; {
			f.advance(tick)
		}
		courses[f.Course] = true
	}
	require.Len(t, courses, 1)
}

// After a pause of the program, the ship has flown for a second at most, and the host need not refuse it.
func TestFlightGap(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Helm = &stateupdate.Helm{Throttle: 1}
	f.advance(0)
	f.run(20 * time.Second)
	before := f.Course.Position[1]
	f.advance(time.Hour)
	require.InDelta(t, 6.6, f.Course.Position[1]-before, 0.2)
	require.Len(t, f.sent, 1)
}

// A ship flies on after a clock has gone back, and the times of its updates do not go back.
func TestFlightClockGoesBack(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Helm = &stateupdate.Helm{Throttle: 1}
	f.advance(0)
	f.run(20 * time.Second)
	before, last := f.Course.Position[1], float32(f.now.Seconds())
	for range 2 { // also before the beginning
		f.now -= 15 * time.Second
		f.advance(0)
		at, ok := f.NextDeadline()
		require.True(t, ok)
		require.InDelta(t, f.now.Seconds(), at.Seconds(), 0.11)
		for range 50 {
			f.advance(flightTick)
			require.Len(t, f.sent, 1)
			require.Greater(t, f.sent[0].(*opcode.StateUpdate).GameTime, last)
			last = f.sent[0].(*opcode.StateUpdate).GameTime
		}
	}
	require.InDelta(t, 66, f.Course.Position[1]-before, 2)
}

// The law of motion: a minute of flights of all classes has the same bits on every platform.
func TestFlightBits(t *testing.T) {
	h := fnv.New64a()
	for _, class := range movers() {
		f := newFlight(t, class)
		f.Helm = new(stateupdate.Helm)
		f.advance(0)
		for i := range 600 {
			switch i % 200 {
			case 0:
				*f.Helm = stateupdate.Helm{Throttle: 1, Turn: [3]float64{0.1, -0.2, 0.3}}
			case 100:
				*f.Helm = f.Course.Toward(class.Physics, [3]float64{1, -2, 3}, [3]float64{3, 1, 2}, 0.7)
			}
			f.advance(flightTick)
			for _, m := range f.sent {
				payload, err := opcode.Marshal(m)
				require.NoError(t, err)
				_, _ = h.Write(payload)
			}
		}
	}
	require.EqualValues(t, uint64(0x5cfbcf4523afe95d), h.Sum64())
}

// Speeds and turns of the game: an Akira at full throttle, and one that turns.
func TestCourse(t *testing.T) {
	p := stateupdate.Stock().Named("akira").Physics
	m := stateupdate.NewShip(1, nil).Motion
	c := m.Course()
	for i := range 606 { // 10 s
		c.Step(p, stateupdate.Helm{Throttle: 1}, 1)
		if i == 60 {
			require.InDelta(t, 3, c.Velocity[1], 0.1, "after 1 s, by MaxAcceleration")
		}
	}
	require.InDelta(t, p.MaxSpeed, c.Velocity[1], 0.01)
	for range 606 {
		c.Step(p, stateupdate.Helm{Throttle: 1, Turn: [3]float64{2: 9}}, 1)
	}
	require.InDelta(t, p.MaxTurn, c.Spin[2], 1e-3)
	for range 606 {
		c.Step(p, stateupdate.Helm{Throttle: 1, Turn: [3]float64{2: 9}, Direct: true}, 1)
	}
	require.Greater(t, c.Spin[2], 1.0)
	require.Equal(t, 0.0, c.Position[2])
	before := c
	c.Step(nil, stateupdate.Helm{Throttle: 1}, 1)
	require.Equal(t, before.Velocity, c.Velocity)
	c = before
	other := before
	c.Step(p, stateupdate.Helm{Throttle: math.NaN(), Turn: [3]float64{math.Inf(1)}}, 1)
	other.Step(p, stateupdate.Helm{}, 1)
	require.Equal(t, other, c, "a helm that is not finite")

	// Directions that define no orientation.
	x, y, z := [3]float64{1}, [3]float64{1: 1}, [3]float64{2: 1}
	for _, v := range []struct {
		nose, roof compress.Vector3
		want       [3][3]float64
	}{
		{want: [3][3]float64{x, y, z}},
		{compress.Vector3{X: 127}, compress.Vector3{X: 127}, [3][3]float64{{1: -1}, x, z}},
		{compress.Vector3{Z: 127}, compress.Vector3{Z: 127}, [3][3]float64{{-1}, z, y}},
	} {
		m = stateupdate.Motion{Forward: v.nose, Up: v.roof}
		c = m.Course()
		require.Equal(t, v.want, [3][3]float64{c.Right, c.Forward, c.Up})
	}
	m = stateupdate.NewShip(1, nil).Motion
	c = m.Course()
	turn := c.Toward(p, [3]float64{1: -1}, z, 1).Turn
	require.Zero(t, turn[0], "the roof stays above")
	require.Zero(t, turn[1])
	require.NotZero(t, turn[2])
	require.Equal(t, [3]float64{2: turn[2]}, c.Toward(p, [3]float64{1: -1}, [3]float64{}, 1).Turn, "the roof has no direction to turn to")
}

// Toward turns the nose and the roof of every class, from every side, and stays there.
func TestToward(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(movers()).Draw(t, "class").Physics
		axis := rapid.IntRange(-100, 100)
		vector := func(name string) [3]float64 {
			return [3]float64{float64(axis.Draw(t, name)), float64(axis.Draw(t, name)), float64(axis.Draw(t, name))}
		}
		nose, roof := vector("nose"), vector("roof")
		m := stateupdate.Motion{Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}}
		c := m.Course()
		want := stateupdate.Motion{Forward: compress.EncodeVector3(float32(nose[0]), float32(nose[1]), float32(nose[2])), Up: compress.EncodeVector3(float32(roof[0]), float32(roof[1]), float32(roof[2]))}
		goal := want.Course()
		for range 6060 { // 100 s
			c.Step(p, c.Toward(p, goal.Forward, goal.Up, 1), 1)
		}
		for i := range 3 {
			require.InDelta(t, goal.Forward[i], c.Forward[i], 0.05)
			require.InDelta(t, goal.Up[i], c.Up[i], 0.05)
		}
	})
}

// A ship with a lost engine is slower, and one with more power faster.
func TestFlightEngines(t *testing.T) {
	speed := func(set func(engines *stateupdate.Status)) float64 {
		f := newFlight(t, stateupdate.Stock().Named("akira"))
		f.Helm = &stateupdate.Helm{Throttle: 1}
		f.advance(0)
		set(f.Ship().FirstOf(stateupdate.KindImpulse))
		f.run(30 * time.Second)
		return f.Course.Velocity[1]
	}
	engines := stateupdate.NewShip(1, stateupdate.Stock().Named("akira")).FirstOf(stateupdate.KindImpulse)
	require.Len(t, engines.Parts, 2)
	require.InDelta(t, 6.6, speed(func(*stateupdate.Status) {}), 0.01)
	require.InDelta(t, 3.3, speed(func(e *stateupdate.Status) { e.Parts[0] = 1 }), 0.01)
	require.InDelta(t, 1.25*6.6, speed(func(e *stateupdate.Status) { e.Power = stateupdate.PowerPercent(200) }), 0.01)
	require.Zero(t, speed(func(e *stateupdate.Status) { e.Condition = 0 }))
	require.Zero(t, speed(func(e *stateupdate.Status) { e.Off = true }))
	require.Zero(t, speed(func(e *stateupdate.Status) { e.Parts[0], e.Parts[1] = 1, 1 }))
}

// After the end of a ship, however it comes, the player has the next one after the pause, with new IDs.
func TestFlightRespawn(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	for name, end := range map[string]func(f *flight, id objectid.ID){
		"explosion": func(f *flight, id objectid.ID) { f.apply(explode(t, id)) },
		"destroyed": func(f *flight, id objectid.ID) { f.apply(&opcode.DestroyObject{ObjectID: id}) },
		"restart":   func(f *flight, id objectid.ID) { f.apply(&opcode.RestartGame{}) },
		"forgotten": func(f *flight, id objectid.ID) {
			f.Tracker.Forget(id)
			at, ok := f.NextDeadline()
			require.True(t, ok)
			require.Equal(t, f.now, at)
			f.advance(0)
		},
	} {
		f := newFlight(t, class)
		f.Pause = 3 * time.Second
		require.Nil(t, f.Ship())
		f.run(time.Second)
		first := f.Ship().ID
		require.Equal(t, slotID(1), first)
		require.Equal(t, stateupdate.Alive, f.other.Life(first))
		end(f, first)
		require.Nil(t, f.Ship(), name)
		for range 29 {
			f.advance(flightTick)
			require.Empty(t, f.sent, name)
		}
		f.apply(explode(t, first), &opcode.StateUpdate{ObjectID: first, Flags: opcode.StateSpeed}) // late
		f.run(time.Second)
		require.Equal(t, first+objectid.ID(class.Objects()), f.Ship().ID, name)
		require.Equal(t, stateupdate.Alive, f.other.Life(f.Ship().ID))
		require.Equal(t, stateupdate.Destroyed, f.other.Life(first), "the new ship takes its place")
	}
}

// After the end of the game, a player is silent until the next one.
func TestFlightGameOver(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.run(time.Second)
	f.apply(&opcode.EndGame{Reason: opcode.EndTimeUp})
	for range 200 {
		f.advance(flightTick)
		require.Empty(t, f.sent)
	}
	f.apply(&opcode.RestartGame{})
	f.run(5 * time.Second)
	require.NotEqual(t, slotID(1), f.Ship().ID)
}

// Place decides where a ship begins, and MissionInit where the next one does. Without a Helm, the program moves the ship.
func TestFlightPlace(t *testing.T) {
	place := stateupdate.Motion{
		Position: [3]float32{1, 2, 3}, Forward: compress.Vector3{X: 3, Y: 2, Z: -120}, Up: compress.Vector3{Z: 127, Y: 127},
		Speed: compress.EncodeFloat16(5),
	}
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Place = func(m *stateupdate.Motion) { *m = place }
	f.apply(&opcode.MissionInit{System: opcode.SystemMulti1 + 1})
	f.advance(flightTick)
	create := f.sent[0].(*opcode.ObjectCreateTeam)
	require.Equal(t, []any{[3]float32{1, 2, 3}, compress.EncodeFloat16(5).Float32(), "Multi2", "Ann", objectid.Slot(1), objectid.PeerID(3)},
		[]any{create.Position, create.VelocityMagnitude, create.SetName.String(), create.PlayerName.String(), create.OwnerSlot, create.NetPlayerID})
	require.Equal(t, place, f.Ship().Motion, "without the rounding of the creation")
	f.Ship().Position[0] = 50
	f.Ship().Cloaked = true
	f.Ship().FirstOf(stateupdate.KindSensor).Power = stateupdate.PowerPercent(50)
	f.run(2 * time.Second)
	seen := f.other.Ship(f.Ship().ID)
	require.InDelta(t, 50, seen.Position[0], 0.1)
	require.Equal(t, stateupdate.PowerPercent(50), seen.FirstOf(stateupdate.KindSensor).Power)
	require.InDelta(t, -1, f.Course.Forward[2], 0.01)
	f.Helm = &stateupdate.Helm{}
	f.run(20 * time.Second)
	require.InDelta(t, 50, f.Ship().Position[0], 0.5)
	require.Less(t, f.Ship().Position[2], float32(2), "it goes on from there, and stops")
	require.Zero(t, f.Ship().Speed.Float32())
}

// The host decides the condition of the player's ship, but not its motion and power.
func TestFlightCondition(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Helm = &stateupdate.Helm{Throttle: 1}
	f.run(time.Second)
	hurt := stateupdate.NewShip(f.Ship().ID, stateupdate.Stock().Named("akira"))
	hurt.Position = [3]float32{9000, 9000, 9000}
	hurt.FirstOf(stateupdate.KindHull).Condition = 100
	hurt.FirstOf(stateupdate.KindShield).Parts[2] = 50
	hurt.FirstOf(stateupdate.KindReactor).MainBattery = 20
	hurt.FirstOf(stateupdate.KindPhaser).Power = 0
	encoder, before := toOther.encoder(), f.Ship().Motion
	for i := range 10 {
		payload, err := encoder.Append(nil, seconds(100+float32(i)/10), hurt)
		require.NoError(t, err)
		m, err := opcode.Decode(payload)
		require.NoError(t, err)
		change, err := f.Apply(m)
		require.NoError(t, err)
		require.Same(t, f.Ship(), change.Ship)
		require.Zero(t, change.Motion)
	}
	s := f.Ship()
	require.Equal(t, []stateupdate.Level{100, 50, 20}, []stateupdate.Level{
		s.FirstOf(stateupdate.KindHull).Condition, stateupdate.Level(s.FirstOf(stateupdate.KindShield).Parts[2]), s.FirstOf(stateupdate.KindReactor).MainBattery,
	})
	require.Equal(t, stateupdate.PowerPercent(100), s.FirstOf(stateupdate.KindPhaser).Power)
	require.Equal(t, before, s.Motion)
	f.advance(flightTick)
	require.Less(t, f.Ship().Position[0], float32(200))

	f.apply(create(t, slotID(1)+500, 9, 1))
	require.NotNil(t, f.Ship(), "nobody else creates ships in the slot")
	f.apply(explode(t, f.Ship().ID))
	f.run(6 * time.Second)
	require.Equal(t, slotID(1)+501, f.Ship().ID, "but the IDs of a ship that may be there are not used")
}

// The IDs of a slot begin again when they are used up.
func TestFlightIDs(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Pause = time.Second
	f.run(time.Second)
	f.apply(create(t, slotID(1)+40, objectid.NoPeer, 1), create(t, slotID(2)+90, 5, 2), explode(t, f.Ship().ID)) // without a player, and of another slot
	f.run(2 * time.Second)
	require.Equal(t, slotID(1)+41, f.Ship().ID)

	f.apply(explode(t, f.Ship().ID), &opcode.DestroyObject{ObjectID: slotID(1)})
	f.apply(create(t, slotID(1), 6, 5), create(t, slotID(2)-5, 5, 4))
	f.other = stateupdate.Tracker{}
	f.run(2 * time.Second)
	require.Equal(t, slotID(1), f.Ship().ID)
	require.EqualValues(t, 3, f.Ship().PeerID, "whoever has had a ship with this ID")
	seen := map[objectid.ID]bool{}
	for range 100 {
		require.False(t, seen[f.Ship().ID])
		seen[f.Ship().ID] = true
		f.apply(explode(t, f.Ship().ID))
		f.run(2 * time.Second)
	}

	last := slotID(2) - objectid.ID(f.Class.Objects())
	for used, want := range map[objectid.ID]objectid.ID{last - 1: last, last: slotID(1)} {
		f := newFlight(t, f.Class)
		f.apply(create(t, used, 3, 1)) // of an earlier session of the player
		require.NotNil(t, f.Tracker.Ship(used))
		f.run(time.Second)
		require.Equal(t, want, f.Ship().ID)
	}
}

// Advance refuses a ship that nobody can encode, and tries again after the pause.
func TestFlightRefusesShip(t *testing.T) {
	akira := stateupdate.Stock().Named("akira")
	for name, v := range map[string]struct {
		f    stateupdate.Flight
		want string
	}{
		"class":   {stateupdate.Flight{Class: new(stateupdate.Class), PeerID: 2, Pause: -time.Second}, `stateupdate: "": invalid class: 0 subsystems, must be 1 to 128`},
		"slot":    {stateupdate.Flight{Class: akira, PeerID: 2, Slot: objectid.NoSlot}, "stateupdate: slot none, must be 0 to 15"},
		"peer ID": {stateupdate.Flight{Class: akira}, "stateupdate: peer ID 0, must be 1 to 127"},
		"name":    {stateupdate.Flight{Class: akira, PeerID: 2, Name: strings.Repeat("x", 300)}, "opcode: encode ObjectCreateTeam.PlayerName at offset 47: too long: 300 bytes, at most 255"},
	} {
		for i := range 3 {
			sent, err := v.f.Advance(time.Duration(i) * 5 * time.Second)
			require.EqualError(t, err, v.want, name)
			require.Empty(t, sent)
			require.Nil(t, v.f.Ship())
			at, ok := v.f.NextDeadline()
			require.True(t, ok)
			require.Equal(t, time.Duration(i+1)*5*time.Second, at)
		}
		v.f.Class = nil
		_, err := v.f.Advance(time.Minute)
		require.NoError(t, err)
		_, ok := v.f.NextDeadline()
		require.False(t, ok)
	}
}

// The class and the name may change for the next ship. The Tracker need not know the class.
func TestFlightClass(t *testing.T) {
	f := newFlight(t, nil)
	f.run(10 * time.Second)
	require.Nil(t, f.Ship())
	f.Class = stateupdate.Stock().Named("akira")
	mod := *f.Class
	mod.Species, mod.Name = 111, "Mod"
	f.run(time.Second)
	f.Class, f.Name = &mod, "Ann ☃"
	require.Same(t, stateupdate.Stock().Named("akira"), f.Ship().Class, "the next ship has the other")
	f.apply(explode(t, f.Ship().ID))
	f.other.Classes = stateupdate.Catalogue{&mod}
	f.run(6 * time.Second)
	require.Same(t, &mod, f.Ship().Class)
	require.Equal(t, "Ann ?", f.other.Ship(f.Ship().ID).PlayerName)
	only := newFlight(t, &mod)
	only.other.Classes = f.other.Classes
	only.advance(0)
	_, part, ok := only.Tracker.Part(only.Ship().ID + 5)
	require.True(t, ok)
	require.Equal(t, "Impulse Engines", part.String())
}

// A Flight requests a ship of which it has only updates, but not at once, not often, and never one of its own slot.
func TestFlightRequests(t *testing.T) {
	f := newFlight(t, nil)
	update := func(id objectid.ID) { f.apply(&opcode.StateUpdate{ObjectID: id, Flags: opcode.StateSpeed}) }
	update(slotID(7))
	at, ok := f.NextDeadline()
	require.True(t, ok)
	f.advance(at)
	require.Len(t, f.sent, 1)
	f.apply(&opcode.RestartGame{})
	requests := func(d time.Duration) (ids []objectid.ID) {
		for range d / flightTick {
			f.advance(flightTick)
			for _, m := range f.sent {
				ids = append(ids, m.(*opcode.RequestObject).ObjectID)
			}
		}
		return ids
	}
	update(slotID(1))
	update(slotID(2))
	require.Empty(t, requests(400*time.Millisecond))
	require.Equal(t, []objectid.ID{slotID(2)}, requests(4*time.Second))
	update(slotID(2))
	require.Equal(t, []objectid.ID{slotID(2), slotID(2)}, requests(time.Minute))
	update(slotID(2))
	require.Empty(t, requests(time.Minute))
	update(slotID(3))
	f.apply(create(t, slotID(3), 5, 3), &opcode.ObjectNotFound{ObjectID: slotID(3)}, &opcode.ObjectNotFound{ObjectID: slotID(1)})
	require.Empty(t, requests(time.Minute), "it has come")
	f.apply(&opcode.EnterSet{ObjectID: slotID(5)}, &opcode.ObjectNotFound{ObjectID: slotID(6)})
	require.Equal(t, []objectid.ID{slotID(5), slotID(6)}, requests(time.Second))
	f.apply(&opcode.RestartGame{})
	require.Empty(t, requests(time.Minute))
	for i := range objectid.ID(100) {
		update(slotID(4) + i)
	}
	first := len(requests(10 * time.Second))
	require.LessOrEqual(t, first, 4*10, "four a second")
	_, ok = f.NextDeadline()
	require.True(t, ok)
	require.Equal(t, 3*32, first+len(requests(5*time.Minute)), "32 ships, three times each")
}

// A ship that has all its updates sent, and is hit, allocates nothing.
func TestFlightAllocs(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("sovereign"))
	f.Helm = &stateupdate.Helm{Throttle: 1, Turn: [3]float64{0.1, 0.2, 0.3}}
	f.run(10 * time.Second)
	hit := newShip(f.Ship().ID, f.Ship().Class)
	encoder := toOwner.encoder()
	var decoder opcode.Decoder
	var out opcode.Encoder
	buffer, payload := make([]byte, 0, 256), make([]byte, 0, 256)
	sent := 0
	tick := func() {
		f.now += flightTick
		for i := range hit.Subsystems {
			hit.Subsystems[i].Condition--
		}
		payload, _ = encoder.Append(payload[:0], seconds(float32(f.now.Seconds())), hit)
		if m, err := decoder.Decode(payload); err == nil {
			_, _ = f.Apply(m)
		}
		for _, m := range f.messages() {
			buffer, _ = out.Append(buffer[:0], m)
			sent += len(buffer)
		}
	}
	for range 20 {
		tick()
	}
	sent = 0
	require.Zero(t, testing.AllocsPerRun(200, tick))
	require.Positive(t, sent)
}

// Ships without end leave the player's ship in the Tracker, whatever its limits.
func TestFlightFlood(t *testing.T) {
	f := newFlight(t, stateupdate.Stock().Named("akira"))
	f.Tracker.MaxShips, f.Tracker.MaxUnknown = 3, 2
	f.run(time.Second)
	for i := range objectid.ID(100) {
		f.apply(create(t, slotID(2)+40*i, 4, 2), &opcode.StateUpdate{ObjectID: slotID(3) + i, Flags: opcode.StateSpeed})
		require.NotNil(t, f.Ship())
		require.NotNil(t, f.Tracker.Ship(slotID(2)+40*i))
	}
	n := 0
	for range f.Tracker.Ships() {
		n++
	}
	require.LessOrEqual(t, n, 5)
}
