package timeline

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// trackerBefore feeds a Tracker with the datagrams of a client before a time.
func trackerBefore(all []*show.Datagram, client string, end float64) *stateupdate.Tracker {
	var observer transport.Observer
	var tracker stateupdate.Tracker
	for _, d := range all {
		if d.Time >= end || d.Client != client || transport.IsGameSpy(d.Data) {
			continue
		}
		data := bytes.Clone(d.Data)
		cipher.Decrypt(data)
		at := time.Unix(0, 0).Add(time.Duration(d.Time * float64(time.Second)))
		for m, err := range observer.Receive(at, d.Dir == recording.ToClient, data) {
			if m.NewConnection {
				tracker.Reset()
			}
			if err != nil || m.Payload == nil {
				continue
			}
			if message, err := opcode.Decode(bytes.Clone(m.Payload)); err == nil {
				_, _ = tracker.Apply(message)
			}
		}
	}
	return &tracker
}

// The world of every link at random times is the state of a Tracker that reads the recording.
func TestWorldEqualsTracker(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	all := datagrams(t, battle)
	s := load(t, Options{Every: 200}, all)
	random := rand.New(rand.NewPCG(1, 1))
	ships := 0
	info := s.Info()
	for _, l := range info.Links {
		for range 10 {
			at := info.Start + random.Float64()*(info.End-info.Start)
			tracker := trackerBefore(all, l.Client, at)
			w := window(t, s, l.Link, at, at)
			require.Empty(t, w.Changes)
			i := 0
			for ship := range tracker.Ships() {
				requireShip(t, ship, w.Snapshot.Ships[i])
				i++
			}
			require.Len(t, w.Snapshot.Ships, i)
			ships += i
		}
	}
	require.Greater(t, ships, 100)
}

func requireShip(t *testing.T, want *stateupdate.Ship, got *Ship) {
	t.Helper()
	require.Equal(t, want.ID.String(), got.ID)
	require.Equal(t, want.PlayerName, got.Name)
	require.Equal(t, want.Life.String(), got.Life)
	require.Equal(t, Vector(want.Position), *got.Position)
	x, y, z := want.Forward.Float32()
	require.Equal(t, Vector{x, y, z}, *got.Forward)
	x, y, z = want.Up.Float32()
	require.Equal(t, Vector{x, y, z}, *got.Up)
	require.Equal(t, want.Speed.Float32(), *got.Speed)
	require.Equal(t, want.Cloaked, *got.Cloaked)
	require.Len(t, got.State, len(want.Subsystems))
	for i := range want.Subsystems {
		status, state := &want.Subsystems[i], got.State[i]
		require.Equal(t, i, state.Index)
		require.Equal(t, want.Class.Subsystems[i].Name, got.Systems[i].Name)
		require.Equal(t, status.Condition.Fraction(), state.Condition)
		if want.Class.Subsystems[i].Kind == stateupdate.KindShield {
			for face, level := range state.Facings {
				require.Equal(t, stateupdate.Level(status.Parts[face]).Fraction(), level)
			}
			continue
		}
		require.Nil(t, state.Facings)
		require.Len(t, state.Parts, len(status.Parts))
		for j, part := range state.Parts {
			require.Equal(t, stateupdate.Level(status.Parts[j]).Fraction(), part)
		}
	}
}

// The order of the facings is a contract with the page.
func TestOrderOfFacings(t *testing.T) {
	for i, name := range []string{"front", "rear", "top", "bottom", "left", "right"} {
		require.Equal(t, name, stateupdate.ShieldFace(i).String())
	}
}

// Windows that follow each other give the same changes and states as one pass, wherever they are
// split and however far the checkpoints are apart.
func TestWindowsJoin(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	all := datagrams(t, battle)
	near, far := load(t, Options{Every: 50, MaxCheckpoints: 20}, all), shared(t)
	random := rand.New(rand.NewPCG(2, 2))
	info := near.Info()
	for _, l := range info.Links {
		end := after(info.End)
		page := newReplica(window(t, near, l.Link, info.Start, info.Start).Snapshot)
		var joined []string
		for at := info.Start; at < end; {
			next := min(end, at+random.Float64()*testdata.Either(5.0, 15.0))
			if random.IntN(10) == 0 {
				next = at
			}
			w := window(t, near, l.Link, at, next)
			require.Equal(t, jsonOf(t, page.snapshot()), jsonOf(t, w.Snapshot), "link %d at %v", l.Link, at)
			joined = append(joined, texts(t, w.Changes)...)
			page.apply(w.Changes)
			at = next
		}
		var whole []string
		for at := info.Start; at < end; at += MaxWindow {
			w, err := far.Window(l.Link, at, min(end, at+MaxWindow), false)
			require.NoError(t, err)
			require.Nil(t, w.Snapshot)
			whole = append(whole, texts(t, w.Changes)...)
		}
		require.True(t, slices.Equal(whole, joined), "link %d", l.Link)
		require.Equal(t, jsonOf(t, page.snapshot()), jsonOf(t, window(t, far, l.Link, end, end).Snapshot))
	}
}

// texts returns the changes as JSON.
func texts(t *testing.T, changes []Change) (all []string) {
	for _, c := range changes {
		all = append(all, jsonOf(t, c))
	}
	return all
}

// A window exactly at the time of a datagram does not have its changes before it.
func TestWindowBegins(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	s := load(t, Options{Every: 10}, datagrams(t, battle))
	w := window(t, s, 1, 0, 30)
	require.NotEmpty(t, w.Changes)
	first := w.Changes[len(w.Changes)-1]
	again := window(t, s, 1, first.Time, after(first.Time))
	require.Equal(t, first.Time, again.Changes[0].Time)
	n := 0
	for _, c := range w.Changes {
		if c.Time == first.Time {
			n++
		}
	}
	require.GreaterOrEqual(t, len(again.Changes), n)
}

func TestWindowErrors(t *testing.T) {
	t.Parallel()
	s := shared(t)
	nan := 0.0
	nan /= nan
	for _, w := range [][2]float64{{5, 4}, {0, 30.1}, {nan, 1}, {1, nan}} {
		_, err := s.Window(1, w[0], w[1], true)
		require.ErrorIs(t, err, ErrRange, w)
	}
	_, err := s.Window(9, 0, 1, true)
	require.ErrorIs(t, err, ErrNotFound)
	before := window(t, s, 1, -1e9, -1e9+30)
	require.Empty(t, before.Changes)
	require.Empty(t, before.Snapshot.Ships)
	require.Empty(t, window(t, s, 1, 1e9, 1e9+30).Changes)
}
