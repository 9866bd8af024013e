package game

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// A player can neither damage another ship with a collision nor act as another ship.
func TestForgedCombat(t *testing.T) {
	a := newArena(t, options{collisions: true}, "galaxy", "galaxy", 8)
	contact := []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}
	collision, err := opcode.NewCollisionEffect(a.bob.Object(0), a.ann.Object(0), contact, 1e6)
	require.NoError(t, err)
	forged := []opcode.Message{
		collision,
		opcode.NewStartFiring(a.part(a.cat, stateupdate.KindPhaser, -1), a.bob.Object(0)),
		opcode.NewTorpedoFire(a.part(a.bob, stateupdate.KindTorpedo, 0), a.bob.PeerID(), compress.EncodeVector3(0, 1, 0), a.ann.Object(0), compress.Contact{}),
		opcode.NewSubsystemStatus(a.part(a.bob, stateupdate.KindShield, -1), false),
		opcode.NewStopFiring(a.part(a.bob, stateupdate.KindPhaser, -1)),
		&opcode.StateUpdate{ObjectID: a.bob.Object(0), GameTime: 60, Flags: opcode.StatePosition, Position: [3]float32{500}},
	}
	for _, m := range forged {
		a.ann.Say(m)
	}
	a.Run(5 * time.Second)
	require.Equal(t, len(forged), dropped(a.world, "forged"))
	for _, g := range []*guest{a.ann, a.bob, a.cat} {
		shields, parts := lost(a.ship(g))
		require.Zero(t, shields+parts)
	}
}

// A player cannot save a damaged ship by another one: the ship counts as destroyed.
func TestShipInPlaceOfDamagedShip(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "galaxy", 30)
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.Run(5 * time.Second)
	require.NotEmpty(t, a.named("Bob").damage)
	a.bob.Launch("galaxy", 100)
	a.Run(time.Second)
	require.EqualValues(t, 1, a.named("Bob").Deaths)
	require.Positive(t, a.named("Ann").Points)
	require.Equal(t, a.bob.Object(100), a.named("Bob").ship.ID)
	shields, parts := lost(a.match.world.Ship(a.bob.Object(100)))
	require.Zero(t, shields+parts)
}

// A player cannot save a damaged ship by leaving either: the player comes back with a death, and those who
// have damaged the ship have their points.
func TestLeaveWithDamagedShip(t *testing.T) {
	for _, damaged := range []bool{true, false} {
		a := newArena(t, options{}, "kessokheavy", "galaxy", 30)
		if damaged {
			a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
			a.Run(5 * time.Second)
		}
		a.bob.Close()
		a.Run(time.Second)
		require.Equal(t, damaged, a.named("Ann").Points > 0)
		require.Zero(t, a.named("Ann").Kills)
		require.Equal(t, damaged, a.cat.Count(opcode.OpScoreChange) == 1)
		a.Join("Bob")
		require.Equal(t, damaged, a.named("Bob").Deaths == 1)
	}
}

// A player who changes to the team of its attacker is no friend before the next ship.
func TestChangeOfSides(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "shuttle", 30)
	a.ann.Say(&opcode.TeamMessage{PlayerID: a.ann.PeerID(), Team: opcode.TeamOne})
	a.bob.Say(&opcode.TeamMessage{PlayerID: a.bob.PeerID(), Team: opcode.TeamTwo})
	a.Run(2 * time.Second)
	a.bob.Say(&opcode.TeamMessage{PlayerID: a.bob.PeerID(), Team: opcode.TeamOne})
	a.Run(time.Second)
	require.Equal(t, opcode.TeamOne, a.named("Bob").Team)
	a.destroyBob()
	require.EqualValues(t, 1, a.named("Ann").Kills)
	require.Positive(t, a.named("Ann").Points)

	a.bob.Launch("shuttle", 0)
	a.Run(time.Second)
	a.place(a.bob, [3]float32{0, 30, 0}, -1)
	a.destroyBob()
	require.EqualValues(t, 1, a.named("Ann").Kills, "the next ship is a friend's")
}

// Nor has a player new torpedoes by another ship: one that has fired counts as destroyed. A ship that has done
// nothing may be exchanged.
func TestShipInPlaceOfShipThatFired(t *testing.T) {
	a := newArena(t, options{collisions: true}, "galaxy", "galaxy", 30)
	for n, use := range map[int]func(){
		0: func() {},
		1: func() {
			tube := a.part(a.ann, stateupdate.KindTorpedo, 0)
			a.ann.Say(opcode.NewTorpedoFire(tube, a.ann.PeerID(), compress.EncodeVector3(0, 1, 0), objectid.None, compress.Contact{}))
		},
		2: func() {
			m, err := opcode.NewCollisionEffect(a.ann.Object(0), objectid.None, []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}, 10)
			require.NoError(t, err)
			a.ann.Say(m)
		},
	} {
		before := a.named("Ann").Deaths
		a.ann.Launch("galaxy", 0)
		a.Run(time.Second)
		use()
		a.Run(2 * time.Second)
		a.ann.Launch("akira", 100)
		a.Run(time.Second)
		require.Equal(t, before+int32(min(n, 1)), a.named("Ann").Deaths, n)
		require.Equal(t, a.ann.Object(100), a.named("Ann").ship.ID)
	}
}

// A ship without a cloaking device is not cloaked, and a ship that fires takes the damage of a beam.
func TestCloakOfAttacker(t *testing.T) {
	loss := func(class string, cloaked, fires bool) float64 {
		a := newArena(t, options{}, "galaxy", class, 30)
		for i := range 80 {
			a.bob.Tell(&opcode.StateUpdate{ObjectID: a.bob.Object(0), GameTime: 10 + float32(i), Flags: opcode.StateCloak, Cloak: cloaked})
			if i == 10 {
				if fires {
					a.bob.Say(opcode.NewStartFiring(a.part(a.bob, stateupdate.KindPhaser, -1), a.ann.Object(0)))
				}
				a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
			}
			a.Run(tick)
		}
		shields, parts := lost(a.ship(a.bob))
		return shields + parts
	}
	require.Greater(t, loss("galaxy", true, false), 100.0)
	require.Less(t, loss("kessokheavy", true, false), 100.0)
	require.Greater(t, loss("kessokheavy", true, true), 100.0)
}

// On a strict server, a ship is nowhere where it cannot be, also between two checks of its speed.
func TestShortJumps(t *testing.T) {
	a := newArena(t, options{strict: true, collisions: true}, "galaxy", "galaxy", 30)
	a.Run(time.Second) // a ship may have any place in its first two seconds
	far := 0
	for i := range 100 {
		at := [3]float32{0, 30, 0}
		if i%20 != 0 {
			at[0] = 1e5
		}
		if i%50 == 0 {
			m, err := opcode.NewCollisionEffect(a.bob.Object(0), objectid.None, []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}, 0)
			require.NoError(t, err)
			a.bob.Say(m)
		}
		a.place(a.bob, at, -1)
		a.Run(tick)
		if math.Abs(a.ship(a.bob).Position[0]) > 100 {
			far++
		}
	}
	require.Zero(t, far)
}

// Between two rounds, the flights and shots of players are not noted.
func TestPauseWithoutCombat(t *testing.T) {
	a := newArena(t, options{strict: true, pause: time.Minute}, "galaxy", "galaxy", 30)
	a.match.End(opcode.EndOver)
	for i := range 100 {
		a.place(a.ann, [3]float32{0, 0.6 * float32(i), 0}, 1)
		a.ann.Say(opcode.NewTorpedoFire(a.part(a.ann, stateupdate.KindTorpedo, 0), a.ann.PeerID(), compress.EncodeVector3(0, 1, 0), a.cat.Object(700), compress.Contact{}))
		a.Run(tick)
	}
	require.Zero(t, a.noted)
	require.Zero(t, dropped(a.world, improbable))
	require.Equal(t, [3]float32{0, 0.6 * 99, 0}, a.named("Ann").ship.Position)
}

// comeAndGo lets a dozen strangers come, each from an address of its own, act, and go.
func (a *arena) comeAndGo(stay time.Duration, act func(*guest)) {
	all := make([]*guest, 12)
	for i := range all {
		all[i] = a.Connect("Eve", "", nil)
	}
	for _, g := range all {
		g.WaitForGame()
		act(g)
	}
	a.Run(stay)
	for _, g := range all {
		g.Close()
	}
	a.Run(200 * time.Millisecond)
	for _, g := range all {
		a.Remove(g)
	}
}

// Strangers who come, let their ships explode and go leave no wrecks, so that there is room for the ships of the others.
func TestWrecksOfStrangers(t *testing.T) {
	a := newArena(t, options{maxPlayers: objectid.Slots, collisions: true}, "akira", "akira", 30)
	ships := 0
	for range 10 {
		a.comeAndGo(200*time.Millisecond, func(g *guest) {
			for range 3 {
				ships += 100
				g.Launch("shuttle", ships)
				collision, err := opcode.NewCollisionEffect(g.Object(ships), objectid.None, []compress.Contact{{}}, 1e9)
				require.NoError(t, err)
				g.Say(collision)
			}
		})
	}
	a.Join("Dan").Launch("galaxy", 0)
	a.Run(time.Second)
	require.True(t, a.match.fights(a.named("Dan")))
}

// A ship does not remember all strangers who come, hit it and go, but is damaged.
func TestHitsOfStrangers(t *testing.T) {
	a := newArena(t, options{maxPlayers: objectid.Slots}, "akira", "galaxy", 1000)
	for range 3 {
		a.comeAndGo(time.Second, func(g *guest) {
			g.Launch("kessokheavy", 0)
			a.place(g, [3]float32{0, 970, 0}, 1)
			a.Run(100 * time.Millisecond)
			g.Say(opcode.NewStartFiring(a.part(g, stateupdate.KindPhaser, -1), a.bob.Object(0)))
		})
	}
	require.NotEmpty(t, a.named("Bob").damage)
	require.LessOrEqual(t, len(a.named("Bob").damage), objectid.Slots)
}
