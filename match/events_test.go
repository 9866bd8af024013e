package match_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// duel returns a match of Ann in an Akira and Ben in a Galaxy. Their events are forgotten.
func duel(t *testing.T) *game {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Fly("2", "Galaxy", 1, base(1, 0))
	g.Lines()
	return g
}

// part returns the ID of a part of a class.
func (g *game) part(class string, ship objectid.ID, name string) objectid.ID {
	c := stateupdate.Stock().Named(class)
	for i := range c.Subsystems {
		for k := -1; k < len(c.Subsystems[i].Children); k++ {
			p := stateupdate.Part{Subsystem: &c.Subsystems[i], Index: i, Child: k}
			if p.String() == name {
				id, ok := c.PartID(ship, i, k)
				require.True(g.t, ok)
				return id
			}
		}
	}
	require.Fail(g.t, "no such part", name)
	return objectid.None
}

// torpedo lets Ann or Ben fire a torpedo at the other one.
func (g *game) torpedo(client string) {
	weapon, target := g.part("Akira", base(0, 0), "Torpedoes / Forward Torp 2"), base(1, 0)
	if client == "2" {
		weapon, target = g.part("Galaxy", base(1, 0), "Torpedoes / Aft Torpedo 1"), base(0, 0)
	}
	m := opcode.NewTorpedoFire(weapon, g.names[client], compress.Vector3{Y: 127}, target, compress.Contact{})
	g.Client(client, m)
	g.Others(client, m)
}

func (g *game) beam(client string, target objectid.ID) {
	m := &opcode.StartFiring{Event: opcode.Event{
		Class: opcode.ClassStartFiringEvent, Code: opcode.ETStartFiringNotify, Dest: g.part("Akira", base(0, 0), "Phasers"), TargetID: target,
	}}
	g.Client(client, m)
	g.Others(client, m)
}

func (g *game) collide(client string, ship, other objectid.ID) {
	m, err := opcode.NewCollisionEffect(ship, other, nil, 1000)
	require.NoError(g.t, err)
	g.Client(client, m)
}

// Each shot stands once, with its weapon and its target.
func TestShots(t *testing.T) {
	g := duel(t)
	g.torpedo("1")
	g.torpedo("1")
	g.torpedo("2")
	g.beam("1", objectid.None)
	g.beam("1", 0x400FFFFF)
	require.Equal(t, base(0, 0), g.last.Ship.ID)
	require.Equal(t, "Phasers", g.last.Part.String())
	require.Equal(t, "Ann", g.last.Sender.Name, "relayed by the host")
	require.True(t, g.last.FromHost)
	require.Equal(t, []string{
		"Ann fires Torpedoes / Forward Torp 2 at Ben", "Ann fires Torpedoes / Forward Torp 2 at Ben", "Ben fires Torpedoes / Aft Torpedo 1 at Ann",
		"Ann fires Phasers", "Ann fires Phasers at 0x400fffff",
	}, g.Lines())
}

// A weapon of an unknown ship is an ID.
func TestShotsOfUnknownShips(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.torpedo("1")
	require.Equal(t, []string{"Ann fires " + g.part("Akira", base(0, 0), "Torpedoes / Forward Torp 2").String() + " at 0x4003ffff"}, g.Lines())
}

// A shot is late if the host has restarted the match on another link. The tracker of the link still has the
// ship, and the match does not.
func TestShotDuringRestart(t *testing.T) {
	g := duel(t)
	g.Host("2", &opcode.RestartGame{})
	g.torpedo("1")
	require.Equal(t, []string{"the match restarts", "Ann fires Torpedoes / Forward Torp 2 at Ben"}, g.Lines())
}

// A kill has the weapon of the last shot of the killer at the ship, or of a collision.
func TestKills(t *testing.T) {
	const torpedoes, phasers = "Torpedoes / Forward Torp 2", "Phasers"
	ann, ben := base(0, 0), base(1, 0)
	for name, c := range map[string]struct {
		play func(g *game)
		want string
	}{
		"last shot":              {func(g *game) { g.beam("1", ben); g.torpedo("1"); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (" + torpedoes + ")"},
		"shot at another":        {func(g *game) { g.torpedo("1"); g.beam("1", 0x10); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (" + torpedoes + ")"},
		"only shots at others":   {func(g *game) { g.beam("1", 0x10); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (" + phasers + ")"},
		"no shot":                {func(g *game) { g.Die(ben, ann, 2) }, "kill: Ann destroys Ben"},
		"shot of long ago":       {func(g *game) { g.torpedo("1"); g.Wait(61 * time.Second); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben"},
		"weapon in the message":  {func(g *game) { g.torpedo("1"); g.Die(ben, g.part("Akira", ann, "Tractors"), 2) }, "kill: Ann destroys Ben (Tractors)"},
		"collision":              {func(g *game) { g.torpedo("1"); g.collide("2", ben, ann); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (collision)"},
		"collision of the other": {func(g *game) { g.collide("1", ann, ben); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (collision)"},
		"shot after a collision": {func(g *game) { g.collide("2", ben, ann); g.torpedo("1"); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben (" + torpedoes + ")"},
		"earlier collision":      {func(g *game) { g.collide("2", ben, ann); g.Wait(4 * time.Second); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben"},
		"self-destruct":          {func(g *game) { g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes"},
		"own torpedo":            {func(g *game) { g.Die(ben, ben, 3) }, "explode: Ben explodes: destroys itself"},
		"own wish": {func(g *game) {
			g.torpedo("1")
			g.Client("2", &opcode.HostMessage{})
			g.Die(ben, objectid.None, objectid.NoPeer)
		}, "explode: Ben explodes: destroys itself"},
		"rammed":                {func(g *game) { g.torpedo("1"); g.collide("2", ben, ann); g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes: rammed by Ann"},
		"asteroid":              {func(g *game) { g.collide("2", ben, objectid.None); g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes: collides with an asteroid or a planet"},
		"after a torpedo":       {func(g *game) { g.torpedo("1"); g.Wait(3 * time.Second); g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes: 3 s after " + torpedoes + " of Ann"},
		"long after a torpedo":  {func(g *game) { g.torpedo("1"); g.Wait(16 * time.Second); g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes"},
		"after the leave":       {func(g *game) { g.All(opcode.NewPlayerLeft(3)); g.Die(ben, objectid.None, objectid.NoPeer) }, "explode: Ben explodes: " + match.Removed},
		"unknown killer":        {func(g *game) { g.Die(ben, objectid.None, 9) }, "kill: peer 9 destroys Ben"},
		"OpenBC's killer":       {func(g *game) { g.Die(ben, ann, objectid.PeerID(ann)) }, "kill: Ann destroys Ben"},
		"OpenBC's killer alone": {func(g *game) { g.Die(ben, objectid.None, objectid.PeerID(ann)) }, "kill: Ann destroys Ben"},
		"told again later":      {func(g *game) { g.Die(ben, ann, 2); g.Wait(time.Minute); g.Die(ben, ann, 2) }, "kill: Ann destroys Ben"},
	} {
		t.Run(name, func(t *testing.T) {
			g := duel(t)
			c.play(g)
			require.Equal(t, []string{c.want}, g.Kinds(match.Kill, match.Explode))
		})
	}
}

// Kinds returns the events of some kinds in words, with the kind.
func (g *game) Kinds(kinds ...match.EventKind) (lines []string) {
	for _, e := range g.events {
		for _, kind := range kinds {
			if e.Kind == kind {
				lines = append(lines, string(kind)+": "+e.String())
			}
		}
	}
	return lines
}

// The fields of a kill are those of the victim, besides the killer and the weapon.
func TestKillFields(t *testing.T) {
	g := duel(t)
	g.torpedo("1")
	g.Die(base(1, 0), base(0, 0), 2)
	e := g.events[1]
	require.Equal(t, match.Event{
		Time: e.Time, Kind: match.Kill, Player: "Ben", Peer: 3, Slot: 1, Client: "2", Ship: base(1, 0), Class: "Galaxy",
		Victim: "Ben", Killer: "Ann", Other: 2, Weapon: "Torpedoes / Forward Torp 2",
	}, e)
}

// The target of a shot or a collision has the peer ID of its player. Two players can have one name.
func TestTargetFields(t *testing.T) {
	g := duel(t)
	g.torpedo("1")
	g.collide("2", base(1, 0), base(0, 0))
	for i, other := range []objectid.PeerID{3, 2} {
		require.Equal(t, other, g.events[i].Other, g.events[i])
	}
	require.Equal(t, []string{"Ben", "Ann"}, []string{g.events[0].Target, g.events[1].Target})
}

// A client reports collisions and shots of its own ship only, and the host alone reports deaths, damage and
// scores.
func TestForgedEvents(t *testing.T) {
	g := duel(t)
	weapon := g.part("Akira", base(0, 0), "Torpedoes / Forward Torp 2")
	g.Client("2", opcode.NewTorpedoFire(weapon, 2, compress.Vector3{Y: 127}, base(1, 0), compress.Contact{}))
	g.collide("2", base(0, 0), base(1, 0))
	death, err := opcode.NewObjectExploding(base(0, 0), base(1, 0), 3, 9.5)
	require.NoError(t, err)
	forged := g.creation(2, "Galaxy", 0, base(0, 0))
	forged.ObjectID += 64
	g.Client("2", death, opcode.NewScoreChange(2, 1, 3, 9, 9000), &opcode.EndGame{}, &opcode.RestartGame{}, &opcode.EnterSet{ObjectID: base(1, 0), Set: stream.Text("x")},
		opcode.NewPlayerLeft(2), opcode.NewPlayerJoined(9), &opcode.DeletePlayerAnim{Name: stream.Text("Ann")}, &opcode.Score{PlayerID: 3, Kills: 9}, settings(5),
		&opcode.DestroyObject{ObjectID: base(0, 0)}, forged, &opcode.BootPlayer{}, missionInit(), &opcode.ScoreInit{PlayerID: 3, Kills: 9})
	require.Empty(t, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Ben] true"}, g.Roster())
	for p := range g.m.Players() {
		require.Equal(t, base(p.Slot, 0), p.Ship)
		require.Zero(t, p.Kills)
		require.NotNil(t, p.Link.Ships.Ship(base(0, 0)))
		require.NotNil(t, p.Link.Ships.Ship(base(1, 0)))
	}
}

// Collisions with objects of nobody, and chat of a team.
func TestOtherEvents(t *testing.T) {
	g := duel(t)
	g.collide("1", base(0, 0), objectid.None)
	g.collide("1", base(0, 0), base(1, 0))
	station := stateupdate.NewShip(0x10, stateupdate.Stock().Species(opcode.SpeciesFedStarbase))
	m, err := station.Creation()
	require.NoError(t, err)
	g.All(m)
	g.collide("1", base(0, 0), 0x10)
	g.beam("1", 0x10)
	line := &opcode.TeamChatMessage{SenderID: 2, Text: stream.Text("to us")}
	g.Client("1", line)
	g.All(line)
	require.Equal(t, []string{
		"Ann collides", "Ann collides with Ben", "Ann collides with " + station.Class.Name, "Ann fires Phasers at " + station.Class.Name, "Ann to the team: to us",
	}, g.Lines())
}

// update returns an update with the state of a subsystem.
func (g *game) update(ship *stateupdate.Ship, at int, time float32) *opcode.StateUpdate {
	m := &opcode.StateUpdate{ObjectID: ship.ID, GameTime: time, Flags: opcode.StateSubsystems}
	payload, err := ship.Class.AppendUpdate(nil, m, ship.Subsystems[at:at+1])
	require.NoError(g.t, err)
	decoded, err := opcode.Decode(payload)
	require.NoError(g.t, err)
	return decoded.(*opcode.StateUpdate)
}

// hull returns an update with the hull of an Akira, the first ship of slot 0.
func (g *game) hull(condition stateupdate.Level, time float32) *opcode.StateUpdate {
	ship := stateupdate.NewShip(base(0, 0), stateupdate.Stock().Named("Akira"))
	hull := int(ship.FirstOf(stateupdate.KindHull).Index)
	ship.Subsystems[hull].Condition = condition
	return g.update(ship, hull, time)
}

// Damage is what a block of the host lowers in per cent, on the link of the ship's player. Repairs are
// no damage, and neither is what other links or the client show.
func TestDamage(t *testing.T) {
	g := duel(t)
	ship := stateupdate.NewShip(base(0, 0), stateupdate.Stock().Named("Akira"))
	update := func(at int, time float32) *opcode.StateUpdate { return g.update(ship, at, time) }
	shields := int(ship.FirstOf(stateupdate.KindShield).Index)
	hull := int(ship.FirstOf(stateupdate.KindHull).Index)
	torpedoes := int(ship.FirstOf(stateupdate.KindTorpedo).Index)
	ship.Subsystems[shields].Parts[stateupdate.FaceLeft] = 100
	ship.Subsystems[hull].Condition = 254
	ship.Subsystems[torpedoes].Parts[1] = 0
	for i, at := range []int{shields, hull, torpedoes} {
		g.Client("1", update(at, float32(i)))
		g.All(update(at, float32(i)))
	}
	ship.Subsystems[hull].Condition = 253 // 99 %, as before
	g.Host("1", update(hull, 4))
	ship.Subsystems[shields].Parts[stateupdate.FaceLeft] = 200
	g.Host("1", update(shields, 5))
	ship.Subsystems[hull].Condition = 1
	g.Host("2", update(hull, 6))
	g.Host("1", update(hull, 6))
	ship.Subsystems[torpedoes].Condition = 128
	g.Host("1", update(torpedoes, 6))
	require.Equal(t, []string{
		"Ann Shield Generator / left: 100% to 39%", "Ann Hull: 100% to 99%", "Ann Torpedoes / Forward Torp 2: 100% to 0%", "Ann Hull: 99% to 1%",
		"Ann Torpedoes: 100% to 50%",
	}, g.Lines())

	ship.Subsystems[hull].Condition = 0
	g.Leave("1")
	g.Host("2", update(hull, 7))
	e := g.events[len(g.events)-1]
	require.Equal(t, []any{base(0, 0), "Akira"}, []any{e.Ship, e.Class})
	require.Equal(t, []string{"Ann leaves (left)", "Ann Hull: 1% to 0%"}, g.Lines(), "another link counts without that of the player")
}

// Damage is of the announced killer, the partner of a collision, or the last shot whose time and face fit, else of
// nobody.
func TestWhoCausesDamage(t *testing.T) {
	const none, nobody = objectid.None, objectid.NoPeer
	ann, ben := base(0, 0), base(1, 0)
	for name, c := range map[string]struct {
		play func(g *game)
		part string // that the Galaxy of Ben loses
		want string
	}{
		"shot":                   {func(g *game) { g.beam("1", ben) }, "Hull", "Ann, Phasers, shot"},
		"last shot":              {func(g *game) { g.beam("1", ben); g.torpedo("1") }, "front", "Ann, Torpedoes / Forward Torp 2, shot"},
		"face on the other side": {func(g *game) { g.beam("1", ben) }, "rear", ", , "},
		"shot of long ago":       {func(g *game) { g.beam("1", ben); g.Wait(16 * time.Second) }, "Hull", ", , "},
		"shot at another":        {func(g *game) { g.beam("1", 0x10) }, "Hull", ", , "},
		"forged shot": {func(g *game) {
			g.Client("1", &opcode.StartFiring{Event: opcode.Event{Class: opcode.ClassStartFiringEvent, Code: opcode.ETStartFiringNotify, Dest: g.part("Akira", ann, "Phasers"), TargetID: ben}})
		}, "Hull", ", , "},
		"collision":                 {func(g *game) { g.torpedo("1"); g.collide("2", ben, ann) }, "Hull", "Ann, collision, collision"},
		"collision of the other":    {func(g *game) { g.collide("1", ann, ben) }, "rear", "Ann, collision, collision"},
		"shot after a collision":    {func(g *game) { g.collide("2", ben, ann); g.Wait(2 * time.Second); g.torpedo("1") }, "Hull", "Ann, Torpedoes / Forward Torp 2, shot"},
		"asteroid":                  {func(g *game) { g.beam("1", ben); g.collide("2", ben, none) }, "Hull", ", collision, collision"},
		"kill":                      {func(g *game) { g.beam("1", ben); g.Die(ben, ann, 2) }, "Hull", "Ann, Phasers, kill"},
		"shields of a killed ship":  {func(g *game) { g.beam("1", ben); g.Die(ben, ann, 2) }, "front", ", , "},
		"hull of the dying phase":   {func(g *game) { g.beam("1", ben); g.Die(ben, ann, 2); g.Wait(2 * time.Second) }, "Hull", ", , "},
		"rammed":                    {func(g *game) { g.collide("2", ben, ann); g.Die(ben, none, nobody) }, "Hull", "Ann, collision, collision"},
		"self-destruction":          {func(g *game) { g.beam("1", ben); g.Client("2", &opcode.HostMessage{}); g.Die(ben, none, nobody) }, "Hull", ", , "},
		"explosion without a cause": {func(g *game) { g.beam("1", ben); g.Die(ben, none, nobody) }, "Hull", ", , "},
	} {
		t.Run(name, func(t *testing.T) {
			g := duel(t)
			place := &opcode.StateUpdate{ObjectID: ann, GameTime: 1, Flags: opcode.StatePosition, Position: [3]float32{5, 100, 5}} // ahead of Ben
			g.Client("1", place)
			g.Others("1", place)
			c.play(g)
			ship := stateupdate.NewShip(ben, stateupdate.Stock().Named("Galaxy"))
			at := ship.FirstOf(stateupdate.KindShield)
			switch c.part {
			case "front":
				at.Parts[stateupdate.FaceFront] = 100
			case "rear":
				at.Parts[stateupdate.FaceRear] = 100
			default:
				at = ship.FirstOf(stateupdate.KindHull)
				at.Condition = 100
			}
			g.Host("2", g.update(ship, int(at.Index), 2))
			e := g.events[len(g.events)-1]
			require.Equal(t, match.Damage, e.Kind)
			require.Equal(t, c.want, e.Killer+", "+e.Weapon+", "+e.Reason)
		})
	}
}

// The faces of a ship turn with it.
func TestFacesOfATurnedShip(t *testing.T) {
	x, y, z := compress.Vector3{X: 127}, compress.Vector3{Y: 127}, compress.Vector3{Z: 127}
	for _, v := range []struct {
		forward, up compress.Vector3
		starboard   [3]float32 // a place
	}{
		{y, z, [3]float32{100, 0, 0}},
		{z, y, [3]float32{-100, 0, 0}},
		{x, z, [3]float32{0, -100, 0}},
		{y, x, [3]float32{0, 0, -100}},
	} {
		for face, killer := range map[stateupdate.ShieldFace]string{stateupdate.FaceRight: "Ann", stateupdate.FaceLeft: ""} {
			g := duel(t)
			ann := &opcode.StateUpdate{ObjectID: base(0, 0), GameTime: 1, Flags: opcode.StatePosition, Position: v.starboard}
			ben := &opcode.StateUpdate{ObjectID: base(1, 0), GameTime: 1, Flags: opcode.StatePosition | opcode.StateForward | opcode.StateUp, Forward: v.forward, Up: v.up}
			g.All(ann, ben)
			g.beam("1", base(1, 0))
			ship := stateupdate.NewShip(base(1, 0), stateupdate.Stock().Named("Galaxy"))
			shields := ship.FirstOf(stateupdate.KindShield)
			shields.Parts[face] = 100
			g.Host("2", g.update(ship, int(shields.Index), 2))
			require.Equal(t, killer, g.events[len(g.events)-1].Killer, "%v", v)
		}
	}
}

// Every kind of event has words.
func TestWords(t *testing.T) {
	for want, e := range map[string]match.Event{
		"Ann joins":                             {Kind: match.Join, Player: "Ann"},
		"Ann is now Amy":                        {Kind: match.Rename, Player: "Amy", Text: "Ann"},
		"Ann leaves (kicked)":                   {Kind: match.Leave, Player: "Ann", Reason: "kicked"},
		"Ann flies Akira":                       {Kind: match.Ship, Player: "Ann", Class: "Akira"},
		"Ann enters Albirea":                    {Kind: match.System, Player: "Ann", Text: "Albirea"},
		"Ann fires Phasers":                     {Kind: match.Fire, Player: "Ann", Weapon: "Phasers"},
		"Ann fires Phasers at Ben":              {Kind: match.Fire, Player: "Ann", Weapon: "Phasers", Target: "Ben"},
		"Ann Hull: 50% to 25%":                  {Kind: match.Damage, Player: "Ann", Part: "Hull", From: 50, To: 25},
		"Starbase Hull: 50% to 25%":             {Kind: match.Damage, Class: "Starbase", Part: "Hull", From: 50, To: 25},
		"0x00000010 explodes":                   {Kind: match.Explode, Ship: 0x10},
		"Ben destroys Ann":                      {Kind: match.Kill, Player: "Ann", Killer: "Ben"},
		"Ben destroys Ann (collision)":          {Kind: match.Kill, Player: "Ann", Killer: "Ben", Weapon: "collision"},
		"Ann collides":                          {Kind: match.Collide, Player: "Ann"},
		"Ann collides with Ben":                 {Kind: match.Collide, Player: "Ann", Target: "Ben"},
		"Ann: hello":                            {Kind: match.Chat, Player: "Ann", Text: "hello"},
		"Ann to the team: hello":                {Kind: match.TeamChat, Player: "Ann", Text: "hello"},
		"Ann has 1 kills, 2 deaths, 300 points": {Kind: match.Score, Player: "Ann", Kills: 1, Deaths: 2, Score: 300},
		"the match ends: over":                  {Kind: match.End, Text: "over"},
		"the match restarts":                    {Kind: match.Restart},
		"other":                                 {Kind: "other"},
	} {
		require.Equal(t, want, e.String())
	}
}

// The weapon of a kill is neither one that the killer fires later, nor one of a shot that the host does not pass on.
func TestKillWithoutAKnownWeapon(t *testing.T) {
	death, err := opcode.NewObjectExploding(base(1, 0), base(0, 0), 2, 9.5)
	require.NoError(t, err)
	t.Run("later shot", func(t *testing.T) {
		g := duel(t)
		g.next("1s2cgame")
		g.Host("1", death)
		g.Wait(time.Second)
		g.beam("1", objectid.None)
		g.Wait(46 * time.Second)
		g.Host("1", missionInit())
		require.Equal(t, []string{"kill: Ann destroys Ben"}, g.Kinds(match.Kill))
	})
	t.Run("refused shot", func(t *testing.T) {
		g := duel(t)
		g.Client("1", &opcode.StartFiring{Event: opcode.Event{
			Class: opcode.ClassStartFiringEvent, Code: opcode.ETStartFiringNotify, Dest: g.part("Akira", base(0, 0), "Phasers"),
		}})
		g.All(death)
		require.Equal(t, []string{"kill: Ann destroys Ben"}, g.Kinds(match.Kill))
	})
}
