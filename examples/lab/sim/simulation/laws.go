package simulation

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

func withCombat(o *game.Options) { o.Combat = true }

// arena starts a match with combat for ships of some classes.
func (d *drill) arena(classes ...string) []*siege.Guest {
	d.start(withCombat)
	return d.crew(classes...)
}

// cadence counts the updates of ships that move all the time, with players and a host on modems or not.
func (d *drill) cadence() {
	hostModem, players := d.rng.IntN(3) == 0, 1+d.rng.IntN(7)
	d.start(func(o *game.Options) { o.Host.Settings.HostModem = hostModem })
	var crew []*siege.Guest
	for i := range players {
		g, _ := d.join("Guest "+string(rune('A'+i)), d.rng.IntN(2) == 0)
		g.Launch("galaxy", 0)
		crew = append(crew, g)
	}
	const seconds = 6
	fly := func(n int) {
		for i := range n {
			for k, g := range crew {
				d.place(g, [3]float32{float32(2000 * k), float32(i % 7), 0}, 1)
			}
			d.run(100 * time.Millisecond)
		}
	}
	fly(10)
	for _, g := range crew {
		g.Updates = nil
	}
	fly(10 * seconds)
	for _, by := range crew {
		for _, of := range crew {
			n := 0
			for _, u := range by.Updates {
				if u.ObjectID == of.Object(0) && u.Flags&(opcode.StatePosition|opcode.StateDelta) != 0 {
					n++
				}
			}
			want := seconds / interval(hostModem, by.Modem, players)
			if by != of && math.Abs(float64(n)-want) > 2+0.05*want {
				d.fail("with %d players, modems of the host %v and the player %v: %d updates in %d s, not %.0f", players, hostModem, by.Modem, n, seconds, want)
			}
		}
	}
}

// collision lets a ship collide at several points, and waits for the repairs.
func (d *drill) collision() {
	class := classes[d.rng.IntN(len(classes)-1)]
	crew := d.arena(class.Name, "galaxy")
	pilot, witness, all := crew[0], crew[1], newBodies(class)
	physics := class.Physics
	for range 1 + d.rng.IntN(2) {
		n := 1 + d.rng.IntN(5)
		var contacts []compress.Contact
		var points [][3]float64
		for range n {
			c := compress.EncodeContact(d.rng.Float32()-0.5, d.rng.Float32()-0.5, d.rng.Float32()-0.5, 1)
			x, y, z := c.Float32(float32(1))
			contacts = append(contacts, c)
			points = append(points, [3]float64{float64(x) * physics.Radius, float64(y) * physics.Radius, float64(z) * physics.Radius})
		}
		force := float32(physics.Mass * float64(n) * (0.02 + 1.5*d.rng.Float64()*d.rng.Float64()))
		m, err := opcode.NewCollisionEffect(pilot.Object(0), objectid.None, contacts, force)
		if err != nil {
			d.fail("%v", err)
		}
		pilot.Say(m)
		all.each(func(b *body) { b.collide(float64(force), points...) })
		d.run(600 * time.Millisecond)
		all.each(func(b *body) { b.repair(0.6) })
		if d.dead(pilot, witness, &all) {
			return
		}
		d.compare(pilot, witness, &all, 3)
		wait := time.Duration(5+d.rng.IntN(60)) * time.Second
		d.run(wait)
		all.each(func(b *body) { b.repair(wait.Seconds()) })
		d.compare(pilot, witness, &all, 3)
	}
	d.announced(pilot, witness, &all)
}

// dead reports whether the ship is dead, and checks that all have heard of it.
func (d *drill) dead(pilot, witness *siege.Guest, all *bodies) bool {
	n := len(d.killed(witness))
	d.agree(all, func(b *body) string {
		if (n > 0) == b.dead && n <= 1 {
			return ""
		}
		return fmt.Sprintf("the ship of %s has %d deaths, and the referee %v", pilot.Name, n, b.dead)
	})
	return n > 0
}

// compare compares the ship of a player, as another one sees it, with the bodies of the referee.
func (d *drill) compare(pilot, witness *siege.Guest, all *bodies, levels float64) {
	d.run(2 * time.Second) // until all subsystems have come
	all.each(func(b *body) { b.repair(2) })
	seen := d.seen(witness, pilot, (*all)[0].class.Name)
	d.agree(all, func(b *body) string {
		name, got, want := b.differs(seen, levels)
		if name == "" {
			return ""
		}
		return fmt.Sprintf("the %s of a %s has %.0f points, not %.0f", name, b.class.Name, got, want)
	})
}

// agree removes the bodies that contradict what is seen. It fails if all do.
func (d *drill) agree(all *bodies, contradiction func(*body) string) {
	last := ""
	*all = slices.DeleteFunc(*all, func(b *body) bool {
		why := contradiction(b)
		last = cmp.Or(why, last)
		return why != ""
	})
	if len(*all) == 0 {
		d.fail("%s", last)
	}
}

// announced checks what the server has announced of the repair list: what has entered and not left is on it.
func (d *drill) announced(pilot, witness *siege.Guest, all *bodies) {
	listed := map[objectid.ID]bool{}
	for _, m := range witness.Heard {
		e, ok := m.(*opcode.PythonEvent)
		if !ok {
			continue
		}
		if part, _, ok := e.Damaged(); ok {
			listed[part] = true
		}
		if _, part, _, ok := e.Repaired(); ok {
			delete(listed, part)
		}
		if _, part, _, ok := e.RepairFailed(); ok {
			delete(listed, part)
		}
	}
	d.agree(all, func(b *body) string {
		k := 0
		for i, s := range b.class.Subsystems {
			for c := -1; c < len(s.Children); c++ {
				id, ok := b.class.PartID(pilot.Object(0), i, c)
				if want := slices.Contains(b.list, k); ok && listed[id] != want {
					return fmt.Sprintf("part %d.%d of a %s with %.0f of %.0f points is on the announced list: %v, not %v", i, c, b.class.Name, b.points[k], b.most[k], listed[id], want)
				}
				k++
			}
		}
		return ""
	})
}

// fire lets a Kessok Heavy fire its four beams for a while at the stern of a Galaxy without shields.
func (d *drill) fire() {
	crew := d.arena("kessokheavy", "galaxy", "akira")
	shooter, target, witness, b := crew[0], crew[1], crew[2], newBody(stateupdate.Stock().Named("galaxy"))
	distance := float32(30 + d.rng.IntN(250))
	d.place(shooter, [3]float32{}, 1)
	d.place(target, [3]float32{0, distance, 0}, 1)
	target.Say(opcode.NewSubsystemStatus(d.part(target, "galaxy", stateupdate.KindShield, -1), false))
	d.run(time.Second)
	phaser := d.part(shooter, "kessokheavy", stateupdate.KindPhaser, -1)
	low := d.rng.IntN(3) == 0
	part := 0.5
	if low {
		part = 0.25
		level, _ := opcode.NewSetPhaserLevel(phaser, opcode.PhaserLow)
		shooter.Say(level)
	}
	shooter.Say(opcode.NewStartFiring(phaser, target.Object(0)))
	d.run(100 * time.Millisecond)
	begun := d.at
	seconds := 0.8 + 5*d.rng.Float64()
	for end := d.Now.Add(time.Duration(seconds * float64(time.Second))); d.Now.Before(end); {
		d.place(shooter, [3]float32{}, 1)
		d.place(target, [3]float32{0, distance, 0}, 1)
		d.run(500 * time.Millisecond)
	}
	shooter.Say(opcode.NewStopFiring(phaser))
	d.run(100 * time.Millisecond)
	lasted := d.at.Sub(begun).Seconds()
	w := bank(stateupdate.Stock().Named("kessokheavy"))
	lost := 0.0
	for beam := range 4 {
		way := float64(distance) - b.class.Physics.Radius/2
		lost += w.MaxDamage * part * min(1, w.MaxDamageDistance/way) * max(0, lasted-0.625-0.05*float64(beam))
	}
	d.run(2 * time.Second)
	ship := d.seen(witness, target, "galaxy")
	got := b.most[b.hull] * (1 - float64(ship.FirstOf(stateupdate.KindHull).Condition.Fraction()))
	repaired := 16.7 * (d.Now.Sub(begun).Seconds() - 1.1)
	if most := lost + 130; got > most || got < lost-repaired-130-0.04*lost {
		d.fail("four beams of %.2f s at %.0f GU take %.0f points, not %.0f", lasted, distance, got, lost)
	}
	for _, s := range b.class.Subsystems {
		if f := ship.FirstOf(s.Kind).Condition.Fraction(); s.Kind != stateupdate.KindHull && s.Kind != stateupdate.KindShield && f < 0.99 {
			d.fail("%s has a condition of %.2f after shots from astern", s.Name, f)
		}
	}
	target.Launch("galaxy", 500) // a ship that was hit is not exchanged for a new one
	d.run(time.Second)
	if n := len(d.killed(witness)); n != 1 {
		d.fail("a ship that was hit is exchanged for a new one, with %d deaths", n)
	}
}

// bank returns the first phaser bank of a class.
func bank(c *stateupdate.Class) *stateupdate.Weapon {
	i := slices.IndexFunc(c.Subsystems, func(s stateupdate.Subsystem) bool { return s.Kind == stateupdate.KindPhaser })
	return c.Subsystems[i].Children[0].Weapon
}

// torpedo lets a Warbird fire a torpedo at the stern of a Galaxy without shields, with a wreck between them or not.
func (d *drill) torpedo() {
	crew := d.arena("warbird", "galaxy", "akira", "akira")
	shooter, target, other, witness := crew[0], crew[1], crew[2], crew[3]
	b := newBody(stateupdate.Stock().Named("galaxy"))
	wreck := d.rng.IntN(2) == 0
	stay := func() {
		d.place(shooter, [3]float32{}, 1)
		d.place(target, [3]float32{0, 50, 0}, 1)
		if wreck {
			d.place(other, [3]float32{0, 25, 0}, 1)
		}
	}
	stay()
	target.Say(opcode.NewSubsystemStatus(d.part(target, "galaxy", stateupdate.KindShield, -1), false))
	d.run(time.Second)
	if wreck {
		m, _ := opcode.NewCollisionEffect(other.Object(0), objectid.None, []compress.Contact{compress.EncodeContact(0, 0, 0.5, 1)}, 5000)
		other.Say(m)
		d.run(500 * time.Millisecond)
		if len(d.killed(witness)) != 1 {
			d.fail("a collision of 64,000 points does not destroy an Akira")
		}
		wreck = false // it stays where it is
	}
	aim := target.Object(0)
	if d.rng.IntN(2) == 0 {
		aim = objectid.None // straight ahead, below the hull: the same hit
	}
	shooter.Say(opcode.NewTorpedoFire(d.part(shooter, "warbird", stateupdate.KindTorpedo, 0), shooter.PeerID(), compress.EncodeVector3(0, 1, 0), aim, compress.Contact{}))
	d.run(2 * time.Second)
	hull := func() float64 {
		return b.most[b.hull] * (1 - float64(d.seen(witness, target, "galaxy").FirstOf(stateupdate.KindHull).Condition.Fraction()))
	}
	stay()
	if got := hull(); got > 0 {
		d.fail("a torpedo takes %.0f points in 2 s over 50 GU", got)
	}
	for range 5 {
		stay()
		d.run(time.Second)
	}
	if got := hull(); got < 1400-60-5*17 || got > 1460 {
		d.fail("a torpedo of a Warbird takes %.0f points, not 1400", got)
	}
}

// score lets two players damage a ship of the other or of the same team, one of whom destroys it.
func (d *drill) score() {
	d.start(withCombat)
	friends := d.rng.IntN(2) == 0
	crew := d.crewOf(friends, "kessokheavy", "shuttle", "kessokheavy", "akira")
	killer, victim, helper, witness := crew[0], crew[1], crew[2], crew[3]
	stay := func() {
		d.place(killer, [3]float32{}, 1)
		d.place(victim, [3]float32{0, 30, 0}, -1)
		d.place(helper, [3]float32{0, 60, 0}, -1)
	}
	stay()
	victim.Say(opcode.NewSubsystemStatus(d.part(victim, "shuttle", stateupdate.KindShield, -1), false))
	d.run(time.Second)
	helps := d.rng.IntN(2) == 0
	volley := func(g *siege.Guest, t time.Duration) {
		phaser := d.part(g, "kessokheavy", stateupdate.KindPhaser, -1)
		g.Say(opcode.NewStartFiring(phaser, victim.Object(0)))
		for end := d.Now.Add(t); d.Now.Before(end) && len(d.killed(witness)) == 0; {
			stay()
			d.run(100 * time.Millisecond)
		}
		g.Say(opcode.NewStopFiring(phaser))
	}
	if helps {
		volley(helper, 1300*time.Millisecond)
		if len(d.killed(witness)) > 0 {
			return
		}
		d.run(200 * time.Millisecond)
	}
	volley(killer, 6*time.Second)
	d.run(500 * time.Millisecond)
	deaths, changes := d.killed(witness), hears(witness, opcode.OpScoreChange)
	if len(deaths) != 1 || len(changes) != 1 {
		d.fail("%d deaths, %d changes of scores", len(deaths), len(changes))
	}
	ship, by, peer, _ := deaths[0].Killed()
	if ship != victim.Object(0) || by != killer.Object(0) || peer != killer.PeerID() {
		d.fail("%v is destroyed by %v of %v, not %v by %v of %v", ship, by, peer, victim.Object(0), killer.Object(0), killer.PeerID())
	}
	c := changes[0].(*opcode.ScoreChange)
	kills, sign := int32(1), int32(1)
	if friends {
		kills, sign = 0, -1
	}
	d.s.meaning.note(fmt.Sprintf("kill, friends %v, helper %v", friends, helps))
	points := sign * c.KillerScore
	if c.KillerID != killer.PeerID() || c.VictimID != victim.PeerID() || c.KillerKills != kills || c.VictimDeaths != 1 || points < 20 || points > 260 {
		d.fail("the change of scores %v, friends %v", c, friends)
	}
	total := points
	for _, x := range c.Damagers {
		if x.ID != helper.PeerID() || !helps {
			d.fail("%v is among those who have damaged the ship that %v has destroyed", x.ID, killer.PeerID())
		}
		total += sign * x.Score
	}
	if helps != (len(c.Damagers) == 1) || total < 155 || total > 280 { // of 1600 points of the hull, and those of the last hits
		d.fail("%d points for a Shuttle, with %d who have helped", total, len(c.Damagers))
	}
}

// crewOf is crew with or without a team.
func (d *drill) crewOf(friends bool, classes ...string) []*siege.Guest {
	if !friends {
		return d.crew(classes...)
	}
	var all []*siege.Guest
	for i := range classes {
		g, _ := d.join("Guest "+string(rune('A'+i)), false)
		g.Say(&opcode.TeamMessage{PlayerID: g.PeerID(), Team: 1})
		all = append(all, g)
	}
	d.run(500 * time.Millisecond)
	for i, g := range all {
		g.Launch(classes[i], 0)
	}
	d.run(time.Second)
	for _, g := range all {
		g.Heard, g.Updates = nil, nil
	}
	return all
}

// late lets positions arrive in another order than they were sent in.
func (d *drill) late() {
	d.start(nil)
	crew := d.crew("galaxy", "galaxy")
	pilot, witness := crew[0], crew[1]
	now := float32(d.game.GameTime().Seconds())
	times := []float32{now, now + 1, now + 2, now + 3, now + 4}
	d.rng.Shuffle(len(times), func(i, k int) { times[i], times[k] = times[k], times[i] })
	for _, t := range times {
		pilot.Tell(&opcode.StateUpdate{ObjectID: pilot.Object(0), GameTime: t, Flags: opcode.StatePosition, Position: [3]float32{100 * (t - now), 50, 0}})
		d.run(30 * time.Millisecond)
	}
	d.run(3 * time.Second)
	if got := d.seen(witness, pilot, "galaxy").Position[0]; math.Abs(float64(got)-400) > 2 {
		d.fail("a ship is seen at %.0f, not at 400: the times of its positions were %v", got, times)
	}
}

// limits goes one beyond each documented limit.
func (d *drill) limits() {
	most := 1 + d.rng.IntN(5)
	d.start(func(o *game.Options) { o.Host.Mission.PlayerLimit = uint8(most) })
	var crew []*siege.Guest
	for i := range most + 1 {
		name := fmt.Sprintf("%c%s", 'A'+i, strings.Repeat("n", d.rng.IntN(40)))
		g, ok := d.join(name, false)
		if ok != (i < most) || len(d.game.Members()) != min(i+1, most) {
			d.fail("of at most %d players, %d are in the game", most, len(d.game.Members()))
		}
		if ok {
			crew = append(crew, g)
			if got := d.Member(d.AddrOf(g)).Name; got != name[:min(len(name), 32)] {
				d.fail("a name of %d characters is %q", len(name), got)
			}
		}
	}
	d.run(3 * time.Second)
	talker := crew[d.rng.IntN(len(crew))]
	talker.Heard = nil
	for i := range 15 {
		talker.Say(&opcode.ChatMessage{SenderID: talker.PeerID(), Text: stream.Text(fmt.Sprint("line\n ", i))})
	}
	d.run(time.Second)
	if lines := hears(talker, opcode.OpChatMessage); len(lines) != 10 {
		d.fail("of 15 lines at once, %d are relayed, not 10", len(lines))
	} else if text := lines[0].(*opcode.ChatMessage).Text.String(); text != "line 0" {
		d.fail("a line with a line break is %q", text)
	}
	d.dropped = nil
	d.run(10 * time.Second)
	for i := range 5 {
		talker.Launch("galaxy", 500*i)
	}
	d.run(time.Second)
	d.run(10 * time.Second)
	if n := slices.Index(d.dropped, "rate"); n < 0 || len(d.dropped) != 2 {
		d.fail("of 5 ships at once, these are dropped: %v", d.dropped)
	}
	d.dropped = nil
	for range 320 {
		talker.Say(opcode.NewTargetChanged(talker.Object(1000), objectid.None))
	}
	d.run(3 * time.Second)
	if n := len(d.dropped); n < 40 || n > 64 {
		d.fail("of 320 messages at once, %d are dropped, and 256 and 25 a second are allowed", n)
	}
}

// reuse lets a player destroy a ship, leave, and another one come with its peer ID, while one link is cut off. Nobody
// takes the one for the other, on that link neither. The ship dies by a collision, or by a torpedo of a ship that is
// gone.
func (d *drill) reuse() {
	torpedo := d.rng.IntN(2) == 0
	d.start(func(o *game.Options) { o.Combat = torpedo })
	for i := range objectid.Slots - 3 { // so that there is no other peer ID
		d.join(fmt.Sprint("Guest ", i), false)
	}
	crew := d.crew("warbird", "shuttle", "galaxy")
	killer, victim, witness := crew[0], crew[1], crew[2]
	cut := d.AddrOf(witness)
	d.Paths = map[netip.AddrPort]siege.Weather{}
	d.place(killer, [3]float32{}, 1)
	d.place(victim, [3]float32{0, 25, 0}, -1)
	d.run(500 * time.Millisecond)
	shot := opcode.NewTorpedoFire(d.part(killer, "warbird", stateupdate.KindTorpedo, 0), killer.PeerID(), compress.EncodeVector3(0, 1, 0), victim.Object(0), compress.Contact{})
	if torpedo {
		victim.Say(opcode.NewSubsystemStatus(d.part(victim, "shuttle", stateupdate.KindShield, -1), false))
		d.run(time.Second)
		killer.Say(shot)
		d.run(100 * time.Millisecond)
		killer.Say(&opcode.HostMessage{})
		d.run(time.Second)
	}
	if d.rng.IntN(4) > 0 {
		d.Paths[cut] = siege.Weather{Loss: 1}
	}
	d.pair, d.earlier = &match.Match{Events: true}, map[netip.AddrPort]bool{}
	for addr := range d.Clients {
		d.earlier[addr] = addr != cut
	}
	contact := []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}
	if !torpedo {
		ram, _ := opcode.NewCollisionEffect(killer.Object(0), victim.Object(0), contact, 10)
		killer.Say(ram)
		d.run(200 * time.Millisecond)
		hit, _ := opcode.NewCollisionEffect(victim.Object(0), killer.Object(0), contact, 1e6)
		victim.Say(hit)
	}
	for range 4 {
		d.place(victim, [3]float32{0, 25, 0}, -1)
		d.run(time.Second)
	}
	killer.Close()
	d.run(2 * time.Second)
	d.Drop(killer)
	next, ok := d.join("Guest N", false)
	if !ok || next.PeerID() != killer.PeerID() {
		d.fail("the next player has the peer ID %v, not %v", next.PeerID(), killer.PeerID())
	}
	next.Launch("akira", 0)
	next.Say(&opcode.ChatMessage{SenderID: next.PeerID(), Text: stream.Text("new here")})
	d.run(time.Duration(1+d.rng.IntN(15)) * time.Second)
	clear(d.Paths)
	d.run(10 * time.Second)
	for _, e := range d.eventsOf(d.pair, match.Kill) {
		if e.Victim != killer.Name && e.Killer == next.Name {
			d.fail("%s has destroyed the ship of %s, and an observer of a part has %s", killer.Name, victim.Name, e.String())
		}
	}
	for _, m := range []*match.Match{d.all, d.single[cut], d.single[d.AddrOf(victim)]} {
		deaths, lines := d.eventsOf(m, match.Kill, match.Explode), d.eventsOf(m, match.Chat)
		deaths = slices.DeleteFunc(deaths, func(e match.Event) bool { return e.Victim == killer.Name })
		if len(deaths) != 1 || deaths[0].Victim != victim.Name || deaths[0].Killer != killer.Name {
			d.fail("%s has destroyed the ship of %s, and an observer has %v", killer.Name, victim.Name, deaths)
		}
		if len(lines) != 1 || lines[0].Player != next.Name {
			d.fail("%s has said a line, and an observer has %v", next.Name, lines)
		}
	}
}

// stream lets a client send long and short payloads, urgent and not, through a bad network.
func (d *drill) stream() {
	d.start(nil)
	g := d.crew("galaxy")[0]
	addr := d.AddrOf(g)
	fine := d.rng.IntN(2) == 0
	d.Paths = map[netip.AddrPort]siege.Weather{}
	if !fine {
		d.Paths[addr] = siege.Weather{Delay: 40 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.1}
	}
	d.got[addr], d.fragments = nil, nil
	var sent [][]byte
	for range 800 {
		payload := make([]byte, 1+d.rng.IntN(400))
		if d.rng.IntN(3) == 0 {
			payload = make([]byte, 1+d.rng.IntN(3000))
		}
		for i := range payload {
			payload[i] = byte(d.rng.Uint32())
		}
		delivery := transport.Reliable
		if d.rng.IntN(3) == 0 {
			delivery |= transport.HighPriority
		}
		if err := g.Send(payload, delivery); err != nil {
			d.fail("a payload is not sent: %v", err)
		}
		sent = append(sent, payload)
		for range 100 {
			if len(sent)-len(d.got[addr]) < 14 { // a receiver has room for 16 payloads that lack fragments
				break
			}
			d.run(100 * time.Millisecond)
		}
	}
	for range 300 {
		if d.run(200 * time.Millisecond); len(d.got[addr]) >= len(sent) {
			break
		}
	}
	next := map[uint16]uint8{}
	for _, f := range d.fragments {
		if f.FragIndex != next[f.Seq] && fine {
			d.fail("fragment %d of the payload %d is sent before the fragment %d", f.FragIndex, f.Seq, next[f.Seq])
		}
		next[f.Seq] = f.FragIndex + 1
	}
	for i, want := range sent {
		if i >= len(d.got[addr]) || !bytes.Equal(want, d.got[addr][i]) {
			d.fail("payload %d of %d does not arrive, or not in order", i, len(sent))
		}
	}
	if c := d.Member(addr).Session.Counters(); c.Drops[transport.DropNoRoom] > 0 {
		d.fail("the server has no room for %d messages", c.Drops[transport.DropNoRoom])
	}
}

// comeBack lets a player leave with a score and come back, in the same round and in the next one.
func (d *drill) comeBack() {
	d.start(nil)
	crew := d.crew("galaxy", "galaxy")
	g, witness := crew[0], crew[1]
	deaths := 1 + d.rng.IntN(3)
	for i := range deaths {
		if i > 0 {
			g.Launch("galaxy", 500*i)
			d.run(3 * time.Second)
		}
		g.Say(&opcode.HostMessage{})
		d.run(time.Second)
	}
	again := func(want int) {
		g.Close()
		d.run(2 * time.Second)
		d.Drop(g)
		witness.Heard = nil
		next, ok := d.join(crew[0].Name, false)
		if !ok {
			d.fail("a player cannot come back")
		}
		g = next
		d.run(time.Second)
		if m := d.Member(d.AddrOf(g)); int(m.Deaths) != want {
			d.fail("a player comes back with %d deaths, not %d", m.Deaths, want)
		}
		if told := hears(witness, opcode.OpScore); len(told) != 1 || int(told[0].(*opcode.Score).Deaths) != want {
			d.fail("others are told %v of a player who comes back with %d deaths", told, want)
		}
	}
	again(deaths)
	again(deaths)
	d.game.Command("restart")
	d.run(6 * time.Second)
	again(0)
}

// console checks commands and heartbeats.
func (d *drill) console() {
	d.start(nil)
	name := []string{"Ann", "'A'", `"B"`, "C D"}[d.rng.IntN(4)]
	g, _ := d.join(name, false)
	d.join("A", false)
	quote := []string{"%s", "%q", "`%s`", "'%s'", "\"%s"}[d.rng.IntN(5)]
	arg := fmt.Sprintf(quote, name)
	// A quoted string encloses a name, and any other argument is a name as it stands.
	kicked := quote == "%q" || quote == "%s" && name != `"B"`
	d.game.Command("kick " + arg)
	d.run(2 * time.Second)
	if d.InGame(d.AddrOf(g)) == kicked {
		d.fail("kick %s: the player %s is still in the game: %v", arg, name, !kicked)
	}
	d.game.Command("say hello")
	d.run(time.Second)
	d.run(time.Minute)
	var master gamespy.Master
	server := netip.AddrPortFrom(siege.ServerAddr.Addr(), gamespy.DefaultPort)
	for _, b := range d.beats {
		challenge, to, err := master.Receive(d.ServerTime(), server, b)
		if err != nil || to != server {
			d.fail("the heartbeat %q", b)
		}
		for _, answer := range d.game.Query(d.ServerTime(), netip.AddrPortFrom(to.Addr(), gamespy.MasterPort), challenge) {
			_, _, err = master.Receive(d.ServerTime(), server, answer)
		}
		if err != nil || len(master.Servers(d.ServerTime())) != 1 {
			d.fail("a master does not list the server: %v", err)
		}
	}
	if n := len(d.beats); n < 1 || n > 10 {
		d.fail("%d heartbeats in about a minute", n)
	}
	d.game.Command("end")
	d.run(2 * time.Second)
	if ends := d.eventsOf(d.all, match.End); len(ends) != 1 {
		d.fail("the console has ended the round, and an observer has %v", ends)
	}
}
