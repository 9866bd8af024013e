package game

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
		g := w.Connect(fmt.Sprint("Ann ", i), "", nil)
		g.Modem = modem && i == 0
		g.WaitForGame()
		g.Launch("akira", 0)
		all = append(all, g)
	}
	w.Run(2 * time.Second)
	return w, all
}

// fly lets all ships change their speed ten times a second, and returns the updates that
// each guest receives.
func fly(w *world, all []*guest, d time.Duration) (updates map[*guest][]opcode.StateUpdate) {
	for _, g := range all {
		g.Updates = nil
	}
	for range d / tick {
		for _, g := range all {
			p := w.seat(g.Slot)
			g.Tell(&opcode.StateUpdate{
				ObjectID: g.Object(0), GameTime: float32(w.match.GameTime().Seconds()),
				Flags: opcode.StateSpeed, Speed: p.ship.Speed ^ 1,
			})
		}
		w.Run(tick)
	}
	updates = map[*guest][]opcode.StateUpdate{}
	for _, g := range all {
		updates[g] = slices.Clone(g.Updates)
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
				n, blocks := about(updates, of.Object(0))
				name := fmt.Sprintf("%+v: %s of %s", c, to.Name, of.Name)
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
		n, _ := about(fly(w, all, 10*time.Second)[all[0]], all[1].Object(0))
		return n
	}
	for range 2 {
		require.InDelta(t, 100, rate(), 3)
		all[0].Say(&opcode.NewPlayerInGame{Modem: true})
		w.Run(time.Second)
		require.InDelta(t, 80, rate(), 3)
		w.match.options.Host.Settings.HostModem = true
		require.InDelta(t, 20, rate(), 3)
		w.match.options.Host.Settings.HostModem = false
		all[0].Say(&opcode.NewPlayerInGame{Bare: true})
		w.Run(time.Second)
	}
}

// The number of players is that of the slots, whether their players have a ship or not.
func TestCadenceCountsSlots(t *testing.T) {
	w, all := crowd(t, options{modem: true}, 2, false)
	n, _ := about(fly(w, all, 10*time.Second)[all[0]], all[1].Object(0))
	require.InDelta(t, 60, n, 3)
	w.connectOdd("Cat", odd{hold: true}) // loading
	w.Run(time.Second)
	n, _ = about(fly(w, all, 10*time.Second)[all[0]], all[1].Object(0))
	require.InDelta(t, 20, n, 3)
}

// Players get updates of the ships in the star system of their own ship, and none without
// a ship.
func TestUpdatesOfOneSystem(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob, cat, dan := w.Join("Ann"), w.Join("Bob"), w.Join("Cat"), w.Join("Dan")
	cat.Set = "Multi2"
	for _, g := range []*guest{ann, bob, cat} {
		g.Launch("akira", 0)
	}
	w.Run(2 * time.Second)
	seen := func() (seen string) {
		for _, to := range []*guest{ann, bob, cat, dan} {
			to.Updates = nil
		}
		w.Run(time.Second)
		for _, to := range []*guest{ann, bob, cat, dan} {
			seen += " " + to.Name + ":"
			for _, of := range []*guest{ann, bob, cat, dan} {
				if n, _ := about(to.Updates, of.Object(0)); n > 0 {
					seen += of.Name[:1]
				}
			}
		}
		return seen
	}
	require.Equal(t, " Ann:AB Bob:AB Cat:C Dan:", seen())
	w.match.options.AllShips = true
	require.Equal(t, " Ann:ABC Bob:ABC Cat:ABC Dan:ABC", seen())
	w.match.options.AllShips = false
	ann.Say(&opcode.HostMessage{})
	w.Run(time.Second)
	require.Equal(t, " Ann: Bob:B Cat:C Dan:", seen())
	ann.Set = "Multi2"
	ann.Launch("galaxy", 0)
	w.Run(time.Second)
	require.Equal(t, " Ann:AC Bob:B Cat:AC Dan:", seen())
}

// With -allships everybody gets all ships ten times a second, whatever the modems are.
func TestPlainUpdates(t *testing.T) {
	w, all := crowd(t, options{modem: true, allShips: true}, 3, true)
	dan := w.Join("Dan")
	fly(w, all, 10*time.Second)
	for _, to := range append(all, dan) {
		for _, of := range all {
			n, blocks := about(to.Updates, of.Object(0))
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
	ann, bob, cat, dan := w.Join("Ann"), w.Join("Bob"), w.Join("Cat"), w.Join("Dan")
	cat.Set = "Multi2"
	ship := ann.Launch("sovereign", 0)
	bob.Launch("akira", 0)
	cat.Launch("akira", 0)
	ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(0), GameTime: 10, Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}})
	w.Run(1250 * time.Millisecond)
	ann.Say(&opcode.HostMessage{})
	w.Run(time.Second)

	of := func(g *guest) (last *opcode.StateUpdate) {
		for i := range g.Updates {
			if g.Updates[i].ObjectID == ann.Object(0) {
				last = &g.Updates[i]
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
		status := pictures.Ship(ann.Object(0)).FirstOf(kind)
		require.Zero(t, status.Condition, kind)
		for i := range status.Parts {
			require.Zero(t, status.Parts[i], kind)
		}
	}
	require.Nil(t, of(cat), "in another star system")
	require.Nil(t, of(dan), "without a ship")
	for _, g := range []*guest{ann, bob, cat, dan} {
		require.Equal(t, 1, g.Count(opcode.OpPythonEvent))
	}
}
