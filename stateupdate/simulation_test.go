package stateupdate_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// If updates are lost, duplicated or late, a tracker never has the state of another subsystem.
// After a second without loss, a power refresh and a round of the subsystems, it has the state
// of the ship.
func TestEncoderToTracker(t *testing.T) {
	named := map[string]role{
		"owner": fromOwner, "host to owner": toOwner, "host to other": toOther,
	}
	for _, class := range stateupdate.Stock() {
		for name, role := range named {
			t.Run(class.Key+"/"+name, func(t *testing.T) {
				for seed := range uint64(testdata.Either(2, 1)) {
					s := newSimulation(t, class, role, seed)
					s.sendWithLoss(150)
					s.sendWithoutLoss(11 + 51 + len(class.Subsystems))
					s.requireSameState()
				}
			})
		}
	}
}

// For any class, the statuses of a block and of a create blob encode and decode to the same
// values.
func propertyStatuses(t *rapid.T) {
	class := drawClass(t)
	ship := stateupdate.NewShip(slotID(0), class)
	cloaks := rapid.Bool().Draw(t, "bools of cloaks")
	for i := range ship.Subsystems {
		drawStatus(t, &ship.Subsystems[i], cloaks)
	}
	blob, err := class.AppendBlob(nil, ship.Subsystems)
	require.NoError(t, err)
	all, err := collect(class.Blob(blob))
	require.NoError(t, err)
	again, err := class.AppendBlob(nil, all)
	require.NoError(t, err)
	require.Equal(t, blob, again)

	n := len(class.Subsystems)
	start, length := rapid.IntRange(0, n-1).Draw(t, "start"), rapid.IntRange(0, n).Draw(t, "length")
	var want []stateupdate.Status
	for i := range length {
		want = append(want, blockOf(ship.Subsystems[(start+i)%n], rapid.Bool().Draw(t, "power")))
	}
	m := opcode.StateUpdate{ObjectID: ship.ID, Flags: opcode.StateFlags(rapid.Byte().Draw(t, "flags"))}
	m.Flags &^= opcode.StatePower
	m.HasHash, m.Cloak = rapid.Bool().Draw(t, "hash"), rapid.Bool().Draw(t, "cloak")
	payload, err := class.AppendUpdate(nil, &m, want)
	require.NoError(t, err)
	var got opcode.StateUpdate
	require.NoError(t, opcode.Unmarshal(payload, &got))
	all, err = collect(class.Block(&got))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()))
}

func TestStatuses(t *testing.T) { rapid.Check(t, propertyStatuses) }

func FuzzStatusesProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyStatuses)) }

// drawClass draws a class of up to twelve subsystems.
func drawClass(t *rapid.T) *stateupdate.Class {
	class := &stateupdate.Class{Species: 46, Name: "X"}
	for i := range rapid.IntRange(1, 12).Draw(t, "subsystems") {
		sub := stateupdate.Subsystem{Name: string(rune('A' + i)), Kind: stateupdate.Kind(rapid.IntRange(0, 11).Draw(t, "kind"))}
		if sub.Kind != stateupdate.KindShield {
			sub.Children = make([]stateupdate.Child, rapid.IntRange(0, 3).Draw(t, "children"))
		}
		class.Subsystems = append(class.Subsystems, sub)
	}
	require.NoError(t, class.Validate())
	return class
}

// drawStatus sets any state that a create blob can represent.
func drawStatus(t *rapid.T, s *stateupdate.Status, cloaks bool) {
	level := func() byte { return rapid.Byte().Draw(t, "level") }
	s.Condition = stateupdate.Level(level())
	for i := range s.Parts {
		s.Parts[i] = level()
	}
	switch kind := s.Subsystem.Kind; {
	case kind == stateupdate.KindReactor:
		s.MainBattery, s.BackupBattery = stateupdate.Level(level()), stateupdate.Level(level())
	case kind.Powered():
		s.Power = stateupdate.PowerPercent(level() & 0x7F)
		s.Off = rapid.Bool().Draw(t, "off") && s.Power > 0
		s.Flag = isWeapon(kind) && rapid.Bool().Draw(t, "flag")
		s.Mode = 0
		if isWeapon(kind) && kind != stateupdate.KindPulse {
			s.Mode = level()
		}
	}
	s.HasCloak = s.HasCloak && cloaks
	s.Cloaked = s.HasCloak && rapid.Bool().Draw(t, "cloaked")
}

// blockOf returns the fields of a status that a block contains.
func blockOf(s stateupdate.Status, power bool) stateupdate.Status {
	s.HasPower = power && s.Subsystem.Kind.Powered()
	if !s.HasPower {
		s.Power = 0
	}
	s.Off, s.Flag, s.Mode, s.HasCloak, s.Cloaked = false, false, 0, false, false
	return s
}

// simulation is a ship, a sender of its updates, a network, and a tracker.
type simulation struct {
	t        *testing.T
	rng      *rand.Rand
	ship     *stateupdate.Ship
	course   course
	order    [3]float32 // speed and turns of the course
	encoder  stateupdate.Encoder
	role     role
	tracker  stateupdate.Tracker
	now      float32
	base     [3]float32 // the last absolute position that was sent
	inFlight [][]byte   // updates in flight
	seen     valuesSeen
}

func newSimulation(t *testing.T, class *stateupdate.Class, role role, seed uint64) *simulation {
	s := &simulation{t: t, rng: rand.New(rand.NewPCG(seed, uint64(class.Species))), now: 1000}
	s.role, s.encoder = role, role.encoder()
	s.encoder.SetRefresh(5 * time.Second)
	s.ship = newShip(slotID(int(seed)), class)
	s.course.ship = s.ship
	for i := range levels(s.ship) {
		s.setLevel(i)
	}
	for i := range s.ship.Subsystems {
		s.setPower(i)
	}
	s.seen.add(s.ship)
	return s
}

// sendWithLoss changes the ship and loses, duplicates and delays updates. Updates may arrive
// before the creation.
func (s *simulation) sendWithLoss(ticks int) {
	object, err := s.ship.Object()
	require.NoError(s.t, err)
	createdAt := s.rng.IntN(20)
	for tick := range ticks {
		if tick == createdAt {
			_, err := s.tracker.Apply(&opcode.ObjectCreate{Object: object})
			require.NoError(s.t, err)
		}
		s.damage()
		s.tick()
		payload := s.send()
		for range s.rng.IntN(3) { // 0 copies: lost
			s.inFlight = append(s.inFlight, slices.Clone(payload))
		}
		for range s.rng.IntN(4) {
			s.deliverOne()
		}
	}
}

// sendWithoutLoss moves the ship without damage and delivers all updates in order.
func (s *simulation) sendWithoutLoss(ticks int) {
	for len(s.inFlight) > 0 {
		s.deliverOne()
	}
	for range ticks {
		s.tick()
		s.receive(s.send())
	}
}

// damage changes some subsystems.
func (s *simulation) damage() {
	for range s.rng.IntN(6) {
		s.setLevel(s.rng.IntN(len(levels(s.ship))))
	}
	if s.rng.IntN(4) == 0 {
		s.setPower(s.rng.IntN(len(s.ship.Subsystems)))
	}
	if firstOf(s.ship.Class, stateupdate.KindCloak) >= 0 && s.rng.IntN(20) == 0 {
		s.ship.Cloaked = !s.ship.Cloaked
	}
}

// setLevel sets a value that no other level of the ship ever has.
func (s *simulation) setLevel(i int) {
	all := levels(s.ship)
	*all[i] = byte(i + len(all)*s.rng.IntN((255-i)/len(all)+1))
}

// setPower sets a power that no other subsystem has in any code.
func (s *simulation) setPower(i int) {
	if !s.ship.Class.Subsystems[i].Kind.Powered() {
		return
	}
	n := len(s.ship.Subsystems)
	percent := 2 * (i + n*s.rng.IntN((62-i)/n+1))
	s.ship.Subsystems[i].Power = stateupdate.PowerPercent(uint8(percent)) + stateupdate.Power(s.rng.IntN(31))
}

// tick moves the ship for 0.1 s. Some jumps are too long for a delta.
func (s *simulation) tick() {
	if s.rng.IntN(10) == 0 {
		angle := func() float32 { return s.rng.Float32() - 0.5 }
		s.order = [3]float32{12*s.rng.Float32() - 3, angle(), angle()}
	}
	if s.rng.IntN(30) == 0 {
		s.ship.Position[s.rng.IntN(3)] += 30000*s.rng.Float32() - 15000
	}
	s.now += 0.1
	s.course.step(s.order[0], s.order[1], s.order[2])
	s.seen.add(s.ship)
}

func (s *simulation) send() []byte {
	payload, err := s.encoder.Append(nil, seconds(s.now), s.ship)
	require.NoError(s.t, err)
	var m opcode.StateUpdate
	require.NoError(s.t, opcode.Unmarshal(payload, &m))
	if m.Flags&opcode.StatePosition != 0 {
		s.base = m.Position
	}
	return payload
}

func (s *simulation) deliverOne() {
	if len(s.inFlight) == 0 {
		return
	}
	i := s.rng.IntN(len(s.inFlight))
	s.receive(s.inFlight[i])
	s.inFlight = append(s.inFlight[:i], s.inFlight[i+1:]...)
}

func (s *simulation) receive(payload []byte) {
	var m opcode.StateUpdate
	require.NoError(s.t, opcode.Unmarshal(payload, &m))
	var before *stateupdate.Ship
	if ship := s.tracker.Ship(s.ship.ID); ship != nil {
		before = ship.Clone()
	}
	change, err := s.tracker.Apply(&m)
	require.NoError(s.t, err)
	clear(payload) // the tracker must not alias the payload
	require.Same(s.t, s.tracker.Ship(s.ship.ID), change.Ship)
	require.Equal(s.t, change.Ship.Class == nil, change.Ship.Life == stateupdate.Unknown)
	require.NoError(s.t, s.seen.check(change.Ship, s.role))
	if before != nil && before.Class != nil {
		require.NoError(s.t, checkChange(before, change))
	}
}

// requireSameState compares the tracked ship with the ship.
func (s *simulation) requireSameState() {
	got := s.tracker.Ship(s.ship.ID)
	if s.role != toOwner {
		require.Equal(s.t, s.now, s.tracker.Time(got.ID))
		require.Equal(s.t, [3]any{s.ship.Forward, s.ship.Up, s.ship.Speed}, [3]any{got.Forward, got.Up, got.Speed})
		require.Equal(s.t, s.ship.Cloaked, got.Cloaked)
		require.NoError(s.t, near(s.base, s.ship.Position, got.Position))
	}
	if s.role != fromOwner {
		require.Equal(s.t, values(s.ship), values(got))
	}
	for i := range s.ship.Subsystems {
		switch power := s.ship.Subsystems[i].Power; s.role {
		case toOther:
			require.Equal(s.t, stateupdate.PowerPercent(power.Percent()), got.Subsystems[i].Power)
		case fromOwner:
			require.Equal(s.t, stateupdate.PowerSetting(setting(power)), got.Subsystems[i].Power)
		}
	}
}
