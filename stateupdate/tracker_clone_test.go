package stateupdate_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// states returns copies of all ships of a tracker.
func states(d *stateupdate.Tracker) map[objectid.ID]*stateupdate.Ship {
	all := map[objectid.ID]*stateupdate.Ship{}
	for s := range d.Ships() {
		all[s.ID] = s.Clone()
	}
	return all
}

// Messages to a tracker do not change its clone, and vice versa. The same messages give the
// same changes, errors and states in both.
func TestTrackerClone(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 14))
		program := make([]byte, 400)
		for i := range program {
			program[i] = byte(rng.IntN(40)) // few bytes of a message are changed
		}
		p := peer{program: program}
		original := &stateupdate.Tracker{MaxShips: 4, MaxUnknown: 3}
		for range rng.IntN(80) {
			_, _ = original.Apply(p.decoded())
		}
		clone := original.Clone()
		require.Equal(t, states(original), states(clone))

		var rest []opcode.Message
		for len(p.program) > 0 {
			rest = append(rest, p.decoded())
		}
		cloned := states(clone)
		want := outcomes(original, rest)
		require.Equal(t, cloned, states(clone), "messages to the tracker reach the clone")
		ended := states(original)
		require.Equal(t, want, outcomes(clone, rest))
		require.Equal(t, ended, states(clone))
		require.Equal(t, ended, states(original), "messages to the clone reach the tracker")
	}
}

// decoded returns the next message of the program, or nil if it does not decode.
func (p *peer) decoded() opcode.Message {
	m, _ := opcode.Decode(p.message())
	return m
}

// outcome is a Change without its pointers, and the text of the error.
type outcome struct {
	change        stateupdate.Change
	ship, removed objectid.ID
	text          string
}

// outcomes applies messages and returns their outcomes.
func outcomes(d *stateupdate.Tracker, messages []opcode.Message) (all []outcome) {
	for _, m := range messages {
		change, err := d.Apply(m)
		o := outcome{change: change}
		if change.Ship != nil {
			o.ship, o.change.Ship = change.Ship.ID, nil
		}
		for _, s := range change.Removed {
			o.removed = 31*o.removed + s.ID
		}
		o.change.Removed = nil
		if err != nil {
			o.text = err.Error()
		}
		all = append(all, o)
	}
	return all
}

// A Tracker can be copied, if only the copy is used afterwards.
func TestTrackerMoves(t *testing.T) {
	before := stateupdate.Tracker{MaxShips: 2}
	apply(t, &before, createdAs(t, 1, 0))
	apply(t, &before, createdAs(t, 2, 1))
	d := before
	apply(t, &d, of(1, opcode.StateUpdate{}))
	require.EqualValues(t, 2, removed(apply(t, &d, createdAs(t, 3, 2))).ID)
	require.Len(t, apply(t, &d, &opcode.RestartGame{}).Removed, 2)
	ships, created, _ := d.Counts()
	require.Zero(t, ships+created)
}

// A clone has its own buffered updates and times of power settings.
func TestTrackerCloneOwnsItsBuffers(t *testing.T) {
	var original stateupdate.Tracker
	for i := range stateupdate.MaxBuffered {
		m := withBlock(0, "01")
		m.Data[0] = byte(i)
		apply(t, &original, m)
	}
	clone := original.Clone()
	apply(t, &original, withBlock(0, "ff"))
	ship := apply(t, clone, creation(t, opcode.SpeciesAkira)).Ship
	require.Equal(t, stateupdate.Level(stateupdate.MaxBuffered-1), ship.Subsystems[0].Condition)

	second := clone.Clone()
	settings := motion(9, opcode.StatePower)
	settings.Power = []opcode.PowerEntry{{Index: 5, Value: 1}}
	apply(t, clone, settings)
	settings.GameTime = 8
	require.True(t, apply(t, second, settings).Subsystems.Has(5), "the second clone has only older settings")
}

// Changing the ships of a clone does not change the tracker.
func TestTrackerCloneOwnsItsShips(t *testing.T) {
	var original stateupdate.Tracker
	apply(t, &original, creation(t, opcode.SpeciesAkira))
	classless := creation(t, 46)
	classless.ObjectID, classless.OwnerSlot = slotID(1), 1
	_, err := original.Apply(classless)
	require.ErrorIs(t, err, stateupdate.ErrNoClass)
	want := states(&original)
	for s := range original.Clone().Ships() {
		for _, p := range levels(s) {
			*p ^= 0xFF
		}
		copy(*s.Blob(), bytes.Repeat([]byte{7}, len(*s.Blob())))
		s.Position[0]++
	}
	require.Equal(t, want, states(&original))
	empty := new(stateupdate.Tracker).Clone()
	require.True(t, apply(t, empty, creation(t, opcode.SpeciesAkira)).Created)
}
