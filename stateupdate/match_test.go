package stateupdate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// diary follows the ships of each link of the recorded match. It returns the creations,
// explosions and destructions. The function before runs before each payload and can apply
// other messages.
func diary(t *testing.T, before func(link int, d *stateupdate.Tracker)) (p *pipeline, notes [][]string) {
	p = newPipeline(testdata.Match(t))
	notes = make([][]string, len(p.links))
	p.frame(func(l *link, payload []byte) {
		i := slices.Index(p.links, l)
		before(i, &l.tracker)
		m, err := l.decoder.Decode(payload)
		require.NoError(t, err)
		change, err := l.tracker.Apply(m)
		require.NoError(t, err)
		ship := change.Ship
		require.False(t, ship != nil && ship.Life == stateupdate.Unknown, "%v", m)
		switch {
		case change.Created:
			notes[i] = append(notes[i], fmt.Sprintf("%s has %s", ship.PlayerName, ship.Class.Name))
		case len(change.Removed) > 0:
			require.Equal(t, []*stateupdate.Ship{ship}, change.Removed, "%v", m)
			require.Equal(t, stateupdate.Destroyed, ship.Life)
			notes[i] = append(notes[i], fmt.Sprintf("%s has nothing", ship.PlayerName))
		}
	})
	return p, notes
}

// The test compares the lives of the ships on all three links of the recorded match. Ann
// leaves first, then Ben.
func TestMatchLives(t *testing.T) {
	p, notes := diary(t, func(int, *stateupdate.Tracker) {})
	require.Equal(t, [][]string{
		{"Ann has Akira", "Cid has Sovereign", "Ben has Bird of Prey"},
		{"Cid has Sovereign", "Ann has Akira", "Ben has Bird of Prey", "Ann has nothing", "Ben has nothing"},
		{"Cid has Sovereign", "Ann has Akira", "Ben has Bird of Prey", "Ann has nothing"},
	}, notes)
	var ships [3][]string
	for i, l := range p.links {
		for s := range l.tracker.Ships() {
			ships[i] = append(ships[i], s.String())
		}
	}
	require.Equal(t, [3][]string{
		{
			`Akira 0x3fffffff "Ann" in "Multi1" at (-56.882 85.241 -79.611) nose (0.20472 0.62205 -0.74803) speed 4.644 hull 100%`,
			`Sovereign 0x4003ffff "Cid" in "Multi1" at (66.778 -45.37 -92.593) nose (-0.90551 -0.055118 0.40945) speed 5.156 hull 100%`,
			`Bird of Prey 0x4007ffff "Ben" in "Multi1" at (51.837 -84.383 47.398) nose (0.24409 0.82677 0.50394) speed 4.367 hull 100%`,
		},
		{
			`Sovereign 0x4003ffff "Cid" in "Multi1" at (62.277 -45.702 -91.242) nose (-0.97638 -0.086614 0.15748) speed 3.4879 hull 100%`,
		},
		{
			`Sovereign 0x4003ffff "Cid" in "Multi1" at (66.323 -45.393 -92.414) nose (-0.91339 -0.055118 0.38583) speed 5.0044 hull 100%`,
			`Bird of Prey 0x4007ffff "Ben" in "Multi1" at (52.091 -83.623 47.825) nose (0.27559 0.84252 0.44882) speed 4.5165 hull 100%`,
		},
	}, ships)
	for _, l := range p.links[1:] {
		require.Equal(t, stateupdate.Destroyed, l.tracker.Life(slotID(0)))
		require.Nil(t, l.tracker.ShipOf(2))
		require.Equal(t, "Cid", l.tracker.ShipOf(3).PlayerName)
	}
}

// The test adds a captured explosion of Ann's ship to the recorded match. The ship still moves
// while it explodes, until it is destroyed.
func TestMatchWithExplosion(t *testing.T) {
	var explosion opcode.PythonEvent
	for _, v := range testdata.Load[payload](t, "payloads.json") {
		if v.Name == "python-event-object-exploding-collision" {
			require.NoError(t, opcode.Unmarshal(v.Hex, &explosion))
		}
	}
	const link = 1 // Cid's link
	messages, died := 0, [3]float32{}
	p, notes := diary(t, func(i int, d *stateupdate.Tracker) {
		if i != link {
			return
		}
		if messages++; messages == 150 {
			change := apply(t, d, &explosion)
			require.True(t, change.Died)
			require.Equal(t, "Ann", change.Ship.PlayerName)
			require.InDelta(t, 12.9, change.Ship.Lifetime.Seconds(), 1e-6)
			require.False(t, change.Ship.Killer.Valid(), "a collision")
			died = change.Ship.Position
		}
		if messages == 300 {
			require.Equal(t, stateupdate.Dying, d.Life(slotID(0)))
			require.NotEqual(t, died, d.ShipOf(2).Position)
		}
	})
	require.Greater(t, messages, 300)
	require.Contains(t, notes[link], "Ann has nothing")
	require.Equal(t, stateupdate.Destroyed, p.links[link].tracker.Life(slotID(0)))
}
