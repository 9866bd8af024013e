package main

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// crowd returns a match of players with ships. The first says that it is on a modem, or not.
func crowd(t *testing.T, o options, players int, modem bool) (w *world, all []*guest) {
	o.maxPlayers, o.perIP = objectid.Slots, objectid.Slots
	w = newWorld(t, o, nil)
	for i := range players {
		g := w.connect(fmt.Sprint("Ann ", i), "", nil)
		g.modem = modem && i == 0
		g.waitForGame()
		g.launch("akira", 0)
		all = append(all, g)
	}
	w.run(2 * time.Second)
	return w, all
}

// fly lets all ships change their speed ten times a second, and returns the updates that
// each guest receives.
func fly(w *world, all []*guest, d time.Duration) (updates map[*guest][]opcode.StateUpdate) {
	for _, g := range all {
		g.updates = nil
	}
	for range d / tick {
		for _, g := range all {
			p := w.match.slots[g.slot]
			g.tell(&opcode.StateUpdate{
				ObjectID: g.id(0), GameTime: w.match.gameTime(),
				Flags: opcode.StateSpeed, Speed: p.ship.Speed ^ 1,
			})
		}
		w.run(tick)
	}
	updates = map[*guest][]opcode.StateUpdate{}
	for _, g := range all {
		updates[g] = slices.Clone(g.updates)
	}
	return updates
}

// about counts the updates of a ship, and those with subsystems.
func about(updates []opcode.StateUpdate, id objectid.ID) (n, blocks int) {
	for _, m := range updates {
		if m.ObjectID == id {
			n++
			if m.Flags&opcode.StateSubsystems != 0 {
				blocks++
			}
		}
	}
	return n, blocks
}

// The server sends updates as often as a dedicated host of the game, by the modems of both
// sides and the number of players.
func TestCadence(t *testing.T) {
	const seconds = 20
	for _, c := range []struct {
		players         int
		host, modem     bool
		interval, rest  float64 // of the first player, and of the others
		omitsSubsystems bool
	}{
		{players: 1, interval: 0.1},
		{players: 2, interval: 0.1, rest: 0.1},
		{players: 6, interval: 0.1, rest: 0.1},
		{players: 4, modem: true, interval: 0.1, rest: 0.1},
		{players: 5, modem: true, interval: 0.125, rest: 0.1},
		{players: 6, modem: true, interval: 0.125, rest: 0.1},
		{players: 1, host: true, interval: 0.1},
		{players: 1, host: true, modem: true, interval: 0.1},
		{players: 2, host: true, interval: 0.167, rest: 0.167, omitsSubsystems: true},
		{players: 2, host: true, modem: true, interval: 0.167, rest: 0.167, omitsSubsystems: true},
		{players: 3, host: true, interval: 0.5, rest: 0.5, omitsSubsystems: true},
		{players: 5, host: true, modem: true, interval: 0.5, rest: 0.5, omitsSubsystems: true},
	} {
		w, all := crowd(t, options{modem: c.host}, c.players, c.modem)
		require.Equal(t, c.host, last[*opcode.Settings](all[0]).HostModem)
		for to, updates := range fly(w, all, seconds*time.Second) {
			interval := c.rest
			if to == all[0] {
				interval = c.interval
			}
			want := seconds / interval
			for _, of := range all {
				n, blocks := about(updates, of.id(0))
				name := fmt.Sprintf("%+v: %s of %s", c, to.name, of.name)
				switch {
				case !c.omitsSubsystems:
					require.InDelta(t, want, n, 3, name)
					require.Equal(t, n, blocks, name)
				case to == of: // the subsystems of forced updates alone
					require.InDelta(t, seconds/(1+interval/2), n, 3, name)
					require.Equal(t, n, blocks, name)
				default:
					require.InDelta(t, want, n, 3, name)
					require.InDelta(t, seconds/(1+interval/2), blocks, 4, name)
				}
			}
		}
	}
}

// Modem flags that change during a match count from then on.
func TestModemChanges(t *testing.T) {
	w, all := crowd(t, options{}, 5, false)
	rate := func() int {
		n, _ := about(fly(w, all, 10*time.Second)[all[0]], all[1].id(0))
		return n
	}
	for range 2 {
		require.InDelta(t, 100, rate(), 3)
		all[0].say(&opcode.NewPlayerInGame{Modem: true})
		w.run(time.Second)
		require.InDelta(t, 80, rate(), 3)
		w.match.modem = true
		require.InDelta(t, 20, rate(), 3)
		w.match.modem = false
		all[0].say(&opcode.NewPlayerInGame{Bare: true})
		w.run(time.Second)
	}
}

// The number of players is that of the slots, whether their players have a ship or not.
func TestCadenceCountsSlots(t *testing.T) {
	w, all := crowd(t, options{modem: true}, 2, false)
	n, _ := about(fly(w, all, 10*time.Second)[all[0]], all[1].id(0))
	require.InDelta(t, 60, n, 3)
	w.connectOdd("Cat", odd{hold: true}) // loading
	w.run(time.Second)
	n, _ = about(fly(w, all, 10*time.Second)[all[0]], all[1].id(0))
	require.InDelta(t, 20, n, 3)
}

// Players get updates of the ships in the star system of their own ship, and none without
// a ship.
func TestUpdatesOfOneSystem(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob, cat, dan := w.join("Ann"), w.join("Bob"), w.join("Cat"), w.join("Dan")
	cat.set = "Multi2"
	for _, g := range []*guest{ann, bob, cat} {
		g.launch("akira", 0)
	}
	w.run(2 * time.Second)
	seen := func() (seen string) {
		for _, to := range []*guest{ann, bob, cat, dan} {
			to.updates = nil
		}
		w.run(time.Second)
		for _, to := range []*guest{ann, bob, cat, dan} {
			seen += " " + to.name + ":"
			for _, of := range []*guest{ann, bob, cat, dan} {
				if n, _ := about(to.updates, of.id(0)); n > 0 {
					seen += of.name[:1]
				}
			}
		}
		return seen
	}
	require.Equal(t, " Ann:AB Bob:AB Cat:C Dan:", seen())
	w.match.allShips = true
	require.Equal(t, " Ann:ABC Bob:ABC Cat:ABC Dan:ABC", seen())
	w.match.allShips = false
	ann.say(&opcode.HostMessage{})
	w.run(time.Second)
	require.Equal(t, " Ann: Bob:B Cat:C Dan:", seen())
	ann.set = "Multi2"
	ann.launch("galaxy", 0)
	w.run(time.Second)
	require.Equal(t, " Ann:AC Bob:B Cat:AC Dan:", seen())
}

// With -allships everybody gets all ships ten times a second, whatever the modems are.
func TestPlainUpdates(t *testing.T) {
	w, all := crowd(t, options{modem: true, allShips: true}, 3, true)
	dan := w.join("Dan")
	fly(w, all, 10*time.Second)
	for _, to := range append(all, dan) {
		for _, of := range all {
			n, blocks := about(to.updates, of.id(0))
			require.InDelta(t, 100, n, 3)
			require.Equal(t, n, blocks)
		}
	}
}

// A dying ship's last update marks all of it as destroyed. The owner's is the captured
// one. Others get it with all motion.
func TestLastUpdateOfShip(t *testing.T) {
	var destroyed []byte
	for _, v := range testdata.Load[struct {
		testdata.Vector
		Hex testdata.Hex
	}](t, "blocks.json") {
		if v.Name == "block-destroyed-own-start0" {
			destroyed = v.Hex
		}
	}
	require.NotEmpty(t, destroyed)
	w := newWorld(t, options{}, nil)
	ann, bob, cat, dan := w.join("Ann"), w.join("Bob"), w.join("Cat"), w.join("Dan")
	cat.set = "Multi2"
	ship := ann.launch("sovereign", 0)
	bob.launch("akira", 0)
	cat.launch("akira", 0)
	ann.tell(&opcode.StateUpdate{ObjectID: ann.id(0), GameTime: 10, Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}})
	w.run(1250 * time.Millisecond)
	ann.say(&opcode.HostMessage{})
	w.run(time.Second)

	of := func(g *guest) (last *opcode.StateUpdate) {
		for i := range g.updates {
			if g.updates[i].ObjectID == ann.id(0) {
				last = &g.updates[i]
			}
		}
		return last
	}
	require.Equal(t, append([]byte{byte(opcode.StateSubsystems)}, destroyed...), marshal(t, of(ann))[9:])

	final := of(bob)
	require.Equal(t, opcode.StatePosition|opcode.StateForward|opcode.StateUp|opcode.StateSpeed|opcode.StateSubsystems, final.Flags)
	require.Zero(t, final.StartIndex)
	require.Equal(t, [3]float32{1, 2, 3}, final.Position)
	var pictures stateupdate.Tracker
	ship.SetName = "Multi1"
	object, err := ship.Object()
	require.NoError(t, err)
	_, err = pictures.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	_, err = pictures.Apply(final)
	require.NoError(t, err)
	for _, kind := range []stateupdate.Kind{stateupdate.KindHull, stateupdate.KindShield} {
		status := pictures.Ship(ann.id(0)).FirstOf(kind)
		require.Zero(t, status.Condition, kind)
		for i := range status.Parts {
			require.Zero(t, status.Parts[i], kind)
		}
	}
	require.Nil(t, of(cat), "in another star system")
	require.Nil(t, of(dan), "without a ship")
	for _, g := range []*guest{ann, bob, cat, dan} {
		require.Equal(t, 1, g.count(opcode.OpPythonEvent))
	}
}
