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
)

// However many updates are lost, doubled and late, a picture never has the state of another
// subsystem; and once the network is clean for a force interval, a power refresh and a
// round of the subsystems, it is the ship.
func TestEncoderToDecoder(t *testing.T) {
	roles := map[string]stateupdate.Role{
		"owner": stateupdate.Owner, "host to owner": stateupdate.HostToOwner, "host to other": stateupdate.HostToOther,
	}
	for _, class := range stateupdate.StockClasses() {
		for name, role := range roles {
			t.Run(class.Key+"/"+name, func(t *testing.T) {
				for seed := range uint64(2) {
					f := newFlight(t, class, role, seed)
					f.noise(150)
					f.clean(11 + 51 + len(class.Subsystems))
					f.arrived()
				}
			})
		}
	}
}

// Whatever a class is made of, any statuses of consecutive subsystems come back from their
// block, and those of all from their create blob.
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
	require.NoError(t, got.UnmarshalBinary(payload))
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

// drawStatus gives a subsystem any state that a create blob can tell.
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
		s.Flag = kind.Weapon() && rapid.Bool().Draw(t, "flag")
		s.Mode = 0
		if kind.Weapon() && kind != stateupdate.KindPulse {
			s.Mode = level()
		}
	}
	s.HasCloak = s.HasCloak && cloaks
	s.Cloaked = s.HasCloak && rapid.Bool().Draw(t, "cloaked")
}

// blockOf returns what a block tells of a status.
func blockOf(s stateupdate.Status, power bool) stateupdate.Status {
	s.HasPower = power && s.Subsystem.Kind.Powered()
	if !s.HasPower {
		s.Power = 0
	}
	s.Off, s.Flag, s.Mode, s.HasCloak, s.Cloaked = false, false, 0, false, false
	return s
}

// flight is a ship, a peer that tells of it, a network, and a peer that hears of it.
type flight struct {
	t       *testing.T
	rng     *rand.Rand
	ship    *stateupdate.Ship
	course  course
	order   [3]float32 // speed and turns of the course
	encoder stateupdate.Encoder
	decoder stateupdate.Tracker
	now     float32
	base    [3]float32 // the last absolute position that was sent
	late    [][]byte   // updates on the way
	had     history
}

func newFlight(t *testing.T, class *stateupdate.Class, role stateupdate.Role, seed uint64) *flight {
	f := &flight{t: t, rng: rand.New(rand.NewPCG(seed, uint64(class.Species))), now: 1000}
	f.encoder.Role, f.encoder.PowerRefresh = role, 5*time.Second
	f.ship = stateupdate.NewShip(slotID(int(seed)), class)
	f.course.ship = f.ship
	for i := range levels(f.ship) {
		f.setLevel(i)
	}
	for i := range f.ship.Subsystems {
		f.setPower(i)
	}
	f.had.note(f.ship)
	return f
}

// noise lets the ship change and the network do its worst, which includes that updates
// come before the ship is created.
func (f *flight) noise(ticks int) {
	object, err := f.ship.Object()
	require.NoError(f.t, err)
	createdAt := f.rng.IntN(20)
	for tick := range ticks {
		if tick == createdAt {
			_, err := f.decoder.Apply(&opcode.ObjectCreate{Object: object})
			require.NoError(f.t, err)
		}
		f.harm()
		f.tick()
		payload := f.send()
		for range f.rng.IntN(3) { // 0 copies: lost
			f.late = append(f.late, slices.Clone(payload))
		}
		for range f.rng.IntN(4) {
			f.deliverOne()
		}
	}
}

// clean lets the ship fly on, unharmed, and every update arrive in its turn.
func (f *flight) clean(ticks int) {
	for len(f.late) > 0 {
		f.deliverOne()
	}
	for range ticks {
		f.tick()
		f.receive(f.send())
	}
}

// harm changes some subsystems.
func (f *flight) harm() {
	for range f.rng.IntN(6) {
		f.setLevel(f.rng.IntN(len(levels(f.ship))))
	}
	if f.rng.IntN(4) == 0 {
		f.setPower(f.rng.IntN(len(f.ship.Subsystems)))
	}
	if f.ship.Class.CanCloak() && f.rng.IntN(20) == 0 {
		f.ship.Cloaked = !f.ship.Cloaked
	}
}

// setLevel gives a level a value that no other level of the ship ever has.
func (f *flight) setLevel(i int) {
	all := levels(f.ship)
	*all[i] = byte(i + len(all)*f.rng.IntN((255-i)/len(all)+1))
}

// setPower gives a subsystem a power setting that no other has, nor another code for it.
func (f *flight) setPower(i int) {
	if !f.ship.Class.Subsystems[i].Kind.Powered() {
		return
	}
	n := len(f.ship.Subsystems)
	percent := 2 * (i + n*f.rng.IntN((62-i)/n+1))
	f.ship.Subsystems[i].Power = stateupdate.PowerPercent(uint8(percent)) + stateupdate.Power(f.rng.IntN(31))
}

// tick flies a tenth of a second; sometimes the ship jumps, farther than a delta reaches.
func (f *flight) tick() {
	if f.rng.IntN(10) == 0 {
		angle := func() float32 { return f.rng.Float32() - 0.5 }
		f.order = [3]float32{12*f.rng.Float32() - 3, angle(), angle()}
	}
	if f.rng.IntN(30) == 0 {
		f.ship.Position[f.rng.IntN(3)] += 30000*f.rng.Float32() - 15000
	}
	f.now += 0.1
	f.course.step(f.order[0], f.order[1], f.order[2])
	f.had.note(f.ship)
}

func (f *flight) send() []byte {
	payload, err := f.encoder.Append(nil, f.now, f.ship)
	require.NoError(f.t, err)
	var m opcode.StateUpdate
	require.NoError(f.t, m.UnmarshalBinary(payload))
	if m.Flags&opcode.StatePosition != 0 {
		f.base = m.Position
	}
	return payload
}

func (f *flight) deliverOne() {
	if len(f.late) == 0 {
		return
	}
	i := f.rng.IntN(len(f.late))
	f.receive(f.late[i])
	f.late = append(f.late[:i], f.late[i+1:]...)
}

func (f *flight) receive(payload []byte) {
	var m opcode.StateUpdate
	require.NoError(f.t, m.UnmarshalBinary(payload))
	before := snapshot(f.decoder.Ship(f.ship.ID))
	change, err := f.decoder.Apply(&m)
	require.NoError(f.t, err)
	clear(payload) // the decoder keeps nothing of it
	require.Same(f.t, f.decoder.Ship(f.ship.ID), change.Ship)
	require.Equal(f.t, change.Ship.Class == nil, change.Unknown)
	require.NoError(f.t, f.had.check(change.Ship, f.encoder.Role))
	if before != nil && before.Class != nil {
		require.NoError(f.t, checkChange(before, change))
	}
}

// arrived compares the picture with the ship.
func (f *flight) arrived() {
	got := f.decoder.Ship(f.ship.ID)
	if f.encoder.Role != stateupdate.HostToOwner {
		require.Equal(f.t, f.now, got.GameTime)
		require.Equal(f.t, [3]any{f.ship.Forward, f.ship.Up, f.ship.Speed}, [3]any{got.Forward, got.Up, got.Speed})
		require.Equal(f.t, f.ship.Cloaked, got.Cloaked)
		require.NoError(f.t, near(f.base, f.ship.Position, got.Position))
	}
	if f.encoder.Role != stateupdate.Owner {
		require.Equal(f.t, values(f.ship), values(got))
	}
	for i := range f.ship.Subsystems {
		switch power := f.ship.Subsystems[i].Power; f.encoder.Role {
		case stateupdate.HostToOther:
			require.Equal(f.t, stateupdate.PowerPercent(power.Percent()), got.Subsystems[i].Power)
		case stateupdate.Owner:
			require.Equal(f.t, stateupdate.PowerSetting(power.Setting()), got.Subsystems[i].Power)
		}
	}
}
