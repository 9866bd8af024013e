package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Limits of a report, see the package.
const (
	maxMatches    = 16
	maxPlayers    = 64 // connections
	maxKills      = 1000
	maxLosses     = 5000
	maxPairs      = 5000 // of two players and a weapon
	maxSpans      = 500  // of a connection
	maxHighlights = 100
	maxSets       = 8
	maxSamples    = 600
	maxText       = 80     // bytes
	maxDistance   = 50_000 // units of a place on the map
)

// Times in seconds.
const (
	silence    = 2.0  // between two spans of a connection
	lastTime   = 15.0 // of a life, for its death
	sampleTime = 0.5  // between two samples, at first
	burstTime  = 10.0 // of the heaviest damage
)

// Builder collects the reports of all matches of an input. The zero value is ready to use.
type Builder struct {
	// Classes are the ship classes of a mod.
	Classes stateupdate.Catalogue
	// Aliases are the names of persons by the names that they use.
	Aliases map[string]string
	// Dropped is the number of matches that were left out at the limit.
	Dropped int

	matches []*collector // the oldest first
	last    *collector   // of the last step
}

// collector collects the report of a match.
type collector struct {
	number     int
	start, end float64
	over       bool // the host has ended the match, for a reason
	reason     string
	omitted    []string // what is only kept to a limit, and the limit
	damage     bool     // a link shows damage
	logged     bool     // the host's log of damage tells who has hit whom
	rows       []*row
	losses     []Loss
	pairs      map[pair]*tally
	peers      [128]*row // the last row with each peer ID
	kills      []Kill
	sets       []string
}

// pair is a weapon of a player and the player at whom it fires. Players are rows, or -1.
type pair struct {
	by, of int
	weapon string
}

// tally counts what a pair has done.
type tally struct {
	shots, hits int
	points      float64
	waits       bool // the last shot has not hit
}

// row is a connection of a player of a match. [collector.report] joins the connections of a person.
type row struct {
	Player
	fullName string
	here     bool
	spans    []span     // in which the client has acted
	shown    [3]float32 // the last place that the host has shown
	accounts map[string]Told

	ship, dead  objectid.ID // the living ship, and the last one that has died
	since, seen float64     // of the ship
	hull        float64     // of the ship, from 0 to 1, or NaN
	place       *Place
	attacked    map[int]float64 // the first shots at the ship, by rows

	trips   [2]struct{ sum, count float64 } // of the client's and the host's acknowledgements
	samples []sample
	least   float64 // seconds between two samples
	burst   burst   // of now
	worst   burst
}

// span is a time.
type span struct{ begin, end float64 }

// burst is the damage in some seconds.
type burst struct{ at, points float64 }

// sample is the state of a ship at a time.
type sample struct {
	at, hull, speed float64 // hull and speed may be NaN
	place           *Place  // nil if unknown
	score           int32
	begins          bool
}

// Add follows a step of a match with events. Message is the number of the message for links.
func (b *Builder) Add(step *match.Step, message int) {
	if step.Link == nil || step.Link.Match < 0 {
		return
	}
	at := step.Time.Seconds()
	c := b.collector(step.Link.Match, at)
	if !c.over {
		c.end = max(c.end, at)
	}
	var own *row
	if p := step.Sender; p != nil && p.InGame {
		if own = c.row(p.PeerID, p.Name, p.Slot, true); own != nil {
			own.Colour, own.Team, own.Told = colourOf(p), teamOf(p), Told{p.Kills, p.Deaths, p.Score}
			u, ok := step.Game.(*opcode.StateUpdate)
			ok = ok && p.Link == nil && u.Flags&opcode.StatePosition != 0 && u.Position != own.shown // a host repeats the last place
			if ok {
				own.shown = u.Position
			}
			if !step.FromHost || ok {
				own.acts(at)
			}
		}
	}
	for i := range step.Events {
		if e := &step.Events[i]; e.Match == c.number {
			b.event(c, step, e, message)
		}
	}
	switch {
	case step.Message.Type == transport.TypeAck:
		c.acknowledged(step)
	case own != nil && step.Change.Ship != nil && !c.over:
		if _, ok := step.Game.(*opcode.StateUpdate); ok {
			c.moved(own, step, at)
		}
	}
	for _, gone := range step.Change.Removed {
		for _, r := range c.rows {
			if gone.Life == stateupdate.Destroyed && r.ship == gone.ID {
				r.ends(at)
			}
		}
	}
}

// Settle follows events that have waited for more of the input.
func (b *Builder) Settle(events []match.Event, message int) {
	for i := range events {
		for _, c := range b.matches {
			if c.number == events[i].Match {
				b.event(c, nil, &events[i], message)
			}
		}
	}
}

func (b *Builder) collector(number int, at float64) *collector {
	if b.last != nil && b.last.number == number {
		return b.last
	}
	i := slices.IndexFunc(b.matches, func(c *collector) bool { return c.number == number })
	if i < 0 {
		if len(b.matches) == maxMatches {
			b.matches = slices.Delete(b.matches, 0, 1)
			b.Dropped++
		}
		i = len(b.matches)
		b.matches = append(b.matches, &collector{number: number, start: at, end: at})
	}
	b.last = b.matches[i]
	return b.last
}

// row returns the row of the player with a peer ID, or nil at the limit. A player who has left, and is in the game, has
// another connection. Otherwise an event is of the connection before: a host tells scores and damage also after a leave.
func (c *collector) row(peer objectid.PeerID, name string, seat objectid.Slot, inGame bool) *row {
	if !peer.Valid() {
		return nil
	}
	r := c.peers[peer]
	if r == nil || !r.here && (inGame || r.fullName != name) {
		if len(c.rows) == maxPlayers {
			c.omit(maxPlayers, "connections")
			return nil
		}
		r = &row{least: sampleTime, hull: math.NaN(), here: true}
		r.Team, r.Index, r.Colour = -1, len(c.rows), colourOf(&match.Player{PeerID: peer, Slot: seat, Team: opcode.TeamNone})
		c.rows = append(c.rows, r)
	}
	r.Peer, c.peers[peer] = peer, r
	if r.fullName != name || r.Name == "" {
		r.fullName = name
		if r.Name = clip(name); name == "" {
			r.Name = "peer " + peer.String()
		}
	}
	return r
}

// event follows an event, which may have waited for another step than its own. The step is nil at the end.
func (b *Builder) event(c *collector, step *match.Step, e *match.Event, message int) {
	at := e.Time.Seconds()
	name := e.Player
	if name == "peer "+e.Peer.String() {
		name = ""
	}
	r := c.row(e.Peer, name, e.Slot, e.Kind == match.Join)
	if e.Kind == match.End {
		c.over, c.reason, c.end = true, clip(e.Text), at
	}
	if e.Kind == match.Kill || e.Kind == match.Explode && e.Reason != match.Removed {
		c.died(e, r, message)
	}
	if r == nil {
		return
	}
	switch e.Kind {
	case match.Kill, match.Explode:
		r.ends(at)
	case match.Leave:
		r.ends(at)
		r.here = false
	case match.Ship:
		r.ends(at)
		r.begins(e.Ship, at)
		if class := clip(e.Class); class != "" && !slices.Contains(r.Ships, class) && len(r.Ships) < maxSets {
			r.Ships = append(r.Ships, class)
		}
	case match.Score:
		r.Told = Told{e.Kills, e.Deaths, e.Score}
	case match.Fire:
		c.fired(b.weapon(step, e), e, r, at)
	case match.Damage:
		c.damaged(b.Classes, e, r, at)
	}
}

func (r *row) begins(ship objectid.ID, at float64) {
	r.ship, r.dead, r.since, r.hull, r.place, r.attacked = ship, objectid.None, at, math.NaN(), nil, nil
}

// ends ends the life of the ship of a player.
func (r *row) ends(at float64) {
	if r.ship != objectid.None {
		r.Alive += max(0, at-r.since)
		r.ship, r.dead = objectid.None, r.ship
	}
}

// weapon returns the kind of the weapon of a shot. If the class of the ship is unknown, a message shows whether it is a
// torpedo.
func (b *Builder) weapon(step *match.Step, e *match.Event) stateupdate.Kind {
	if class := b.Classes.Named(e.Class); class != nil {
		name, _, _ := strings.Cut(e.Weapon, " / ")
		for i := range class.Subsystems {
			if class.Subsystems[i].Name == name {
				return class.Subsystems[i].Kind
			}
		}
	}
	if step != nil {
		if _, ok := step.Game.(*opcode.TorpedoFire); ok {
			return stateupdate.KindTorpedo
		}
	}
	return stateupdate.KindPhaser
}

func (c *collector) fired(weapon stateupdate.Kind, e *match.Event, r *row, at float64) {
	if weapon == stateupdate.KindTractor {
		return
	}
	r.Shots++
	if weapon == stateupdate.KindTorpedo || weapon == stateupdate.KindPulse { // both are a TorpedoFire
		r.Torpedoes++
	}
	target := c.other(e.Other, e.Target)
	if target == nil {
		return
	}
	if t := c.tally(r.Index, target.Index, e.Weapon); t != nil {
		t.shots++
		t.waits = true
	}
	if _, ok := target.attacked[r.Index]; !ok {
		if target.attacked == nil {
			target.attacked = map[int]float64{}
		}
		target.attacked[r.Index] = at
	}
}

// omit tells in the report that it has no more than a limit of something.
func (c *collector) omit(limit int, of string) {
	if text := Whole(float64(limit)) + " " + of; !slices.Contains(c.omitted, text) {
		c.omitted = append(c.omitted, text)
	}
}

// tally returns the tally of two players and a weapon, or nil at the limit.
func (c *collector) tally(by, of int, weapon string) *tally {
	if strings.HasPrefix(weapon, "0x") { // the ID of a weapon of an unknown ship
		weapon = ""
	}
	key := pair{by, of, clip(weapon)}
	if c.pairs == nil {
		c.pairs = map[pair]*tally{}
	}
	if c.pairs[key] == nil {
		if len(c.pairs) == maxPairs {
			c.omit(maxPairs, "pairs of players and weapons")
			return nil
		}
		c.pairs[key] = new(tally)
	}
	return c.pairs[key]
}

// acts follows a sign of the client.
func (r *row) acts(at float64) {
	n := len(r.spans)
	if n == 0 || at-r.spans[n-1].end > silence && n < maxSpans {
		r.spans = append(r.spans, span{at, at})
		return
	}
	r.spans[n-1].end = max(r.spans[n-1].end, at)
}

// damaged adds the points that shields or hull have lost, and what is known of their cause.
func (c *collector) damaged(classes stateupdate.Catalogue, e *match.Event, r *row, at float64) {
	c.damage = true
	class := classes.Named(e.Class)
	if class == nil {
		return
	}
	capacity, hull := capacityOf(class, e.Part)
	points := capacity * float64(e.From-e.To) / 100
	if points == 0 {
		return
	}
	if hull {
		r.HullLost += points
	} else {
		r.ShieldsLost += points
	}
	x := Loss{Time: at, Of: r.Index, By: -1, Part: clip(e.Part), From: e.From, To: e.To, Points: points, Weapon: clip(e.Weapon), Source: e.Reason, Distance: math.NaN()}
	if by := c.killer(e); by != nil {
		if !c.logged {
			by.Given += points
		}
		if x.By = by.Index; r.place != nil && by.place != nil && r.place.Map == by.place.Map {
			x.Distance = distance(r.place.Position, by.place.Position)
		}
	}
	if t := c.tally(x.By, x.Of, e.Weapon); t != nil && e.Reason != "" && !c.logged {
		if t.points += points; t.waits && e.Reason != damagelog.Collision {
			t.hits++
			t.waits = false
		}
	}
	if len(c.losses) == maxLosses {
		c.omit(maxLosses, "losses in the table Damage")
	} else {
		c.losses = append(c.losses, x)
	}
	if r.burst.points == 0 || at-r.burst.at > burstTime {
		r.burst = burst{at: at}
	}
	if r.burst.points += points; r.burst.points > r.worst.points {
		r.worst = r.burst
	}
}

// Hit follows a hit of the host's log of damage, in its place between the steps. What is derived for a match without
// a log does not count then.
func (b *Builder) Hit(h *damagelog.Hit) {
	c := b.last
	if c == nil || !h.TargetPeer.Valid() {
		return
	}
	if !c.logged {
		c.logged = true
		for _, r := range c.rows {
			r.Given = 0
		}
		for _, t := range c.pairs {
			t.hits, t.points = 0, 0
		}
	}
	of, by, points := c.other(h.TargetPeer, h.Target), -1, h.Absorbed+h.Passed
	if of == nil {
		return
	}
	if h.Peer.Valid() && h.Player != "" {
		if r := c.other(h.Peer, h.Player); r != nil {
			r.Given += points
			by = r.Index
		}
	}
	system, _, _ := strings.Cut(h.Weapon, " / ")
	for _, weapon := range []string{h.Weapon, system} { // a beam is fired by its system
		if t := c.pairs[pair{by, of.Index, clip(weapon)}]; t != nil && t.waits {
			t.hits++
			t.waits = false
			break
		}
	}
	if t := c.tally(by, of.Index, h.Weapon); t != nil {
		t.points += points
	}
}

func distance(a, b [3]float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]-b[i]) * float64(a[i]-b[i])
	}
	return math.Sqrt(sum)
}

// capacityOf returns the points of the hull or of a face of the shields, and 0 for other parts: a hit on
// them also costs hull.
func capacityOf(class *stateupdate.Class, part string) (points float64, hull bool) {
	first := true // a bridge is another hull
	for i := range class.Subsystems {
		switch s := &class.Subsystems[i]; s.Kind {
		case stateupdate.KindHull:
			if first && s.Name == part {
				return float64(s.MaxCondition), true
			}
			first = false
		case stateupdate.KindShield:
			for face, points := range s.Facings {
				if s.Name+" / "+stateupdate.ShieldFace(face).String() == part {
					return float64(points), false
				}
			}
		}
	}
	return 0, false
}

// died follows a death. The player with the victim may be unknown.
func (c *collector) died(e *match.Event, victim *row, message int) {
	k := Kill{Time: e.Time.Seconds(), Message: message, Killer: -1, Victim: -1, By: clip(e.Killer), Of: clip(e.Victim), Weapon: clip(e.Weapon), Class: clip(e.Class), Reason: clip(e.Reason), After: math.NaN(), hull: math.NaN()}
	if k.Of == "" {
		k.Of = k.Class
	}
	if victim != nil {
		victim.Deaths++
		k.Victim, k.Place = victim.Index, victim.place
	}
	if killer := c.killer(e); killer != nil {
		killer.Kills++
		k.Killer, k.hull = killer.Index, killer.hull
		if victim != nil {
			if first, ok := victim.attacked[killer.Index]; ok {
				k.After = k.Time - first
			}
		}
	}
	if len(c.kills) == maxKills {
		c.omit(maxKills, "deaths")
		return
	}
	k.Number = len(c.kills)
	c.kills = append(c.kills, k)
}

// killer returns the row of the player who gets a kill, or has caused damage, or nil.
func (c *collector) killer(e *match.Event) *row {
	if e.Killer == "" {
		return nil
	}
	return c.other(e.Other, e.Killer)
}

// other returns the row of another player than that of an event, who may have left, or nil.
func (c *collector) other(peer objectid.PeerID, name string) *row {
	switch r := c.peers[max(peer, 0)]; {
	case name == "peer "+peer.String() && r == nil:
		return c.row(peer, "", objectid.NoSlot, false)
	case name == "peer "+peer.String(), r != nil && r.fullName == name:
		return r
	}
	for _, r := range slices.Backward(c.rows) {
		if r.fullName == name && name != "" {
			return r
		}
	}
	return nil
}

// acknowledged measures a round trip on the link of a player.
func (c *collector) acknowledged(step *match.Step) {
	p := step.Link.Player
	if _, ok := step.Message.Acked.RoundTrip(time.Time{}); !ok || p == nil || !p.PeerID.Valid() {
		return
	}
	r := c.peers[p.PeerID]
	if r == nil || !r.here {
		return
	}
	side, trip := &r.trips[0], step.Link.ToHost.RoundTrip
	if step.FromHost {
		side, trip = &r.trips[1], step.Link.FromHost.RoundTrip
	}
	side.sum += trip.Seconds() * 1000
	side.count++
}

// moved follows the state of the ship of a player. If the player's own link is observed, it counts.
func (c *collector) moved(r *row, step *match.Step, at float64) {
	ship, l := step.Change.Ship, step.Sender.Link
	if l != nil && l != step.Link && l.ToHost.Datagrams > 0 || ship.ID == r.dead || ship.Life == stateupdate.Dying || ship.Life == stateupdate.Destroyed {
		return
	}
	if r.ship == objectid.None && step.Object == ship.ID {
		r.begins(ship.ID, at) // created before the recording
	}
	if r.ship != ship.ID {
		return
	}
	if hull := ship.FirstOf(stateupdate.KindHull); hull != nil {
		r.hull = float64(hull.Condition.Fraction())
	}
	s := sample{at: at, hull: r.hull, place: c.placeOf(ship), score: r.Told.Score}
	s.speed = finite(float64(ship.Speed.Float32()))
	r.place = cmp.Or(s.place, r.place)
	r.sample(s)
}

// placeOf returns the place of a ship, or nil if it is too far away or in too many star systems.
func (c *collector) placeOf(ship *stateupdate.Ship) *Place {
	for _, x := range ship.Position {
		if !(math.Abs(float64(x)) <= maxDistance) { // also NaN
			return nil
		}
	}
	name := clip(ship.SetName)
	i := slices.Index(c.sets, name)
	if i < 0 {
		if i = len(c.sets); i == maxSets {
			return nil
		}
		c.sets = append(c.sets, name)
	}
	return &Place{i, ship.Position}
}

// sample keeps a sample if the last one is old enough, the ship is another one, or the score has changed.
func (r *row) sample(s sample) {
	n := len(r.samples)
	s.begins = n == 0 || r.seen != r.since
	if !s.begins && s.at-r.samples[n-1].at < r.least && s.score == r.samples[n-1].score {
		return
	}
	r.seen = r.since
	if n == maxSamples {
		kept := r.samples[:0]
		for i, x := range r.samples {
			if i%2 == 0 {
				kept = append(kept, x)
			} else if i+1 < n {
				r.samples[i+1].begins = r.samples[i+1].begins || x.begins
			}
		}
		r.samples, r.least = kept, 2*r.least
	}
	r.samples = append(r.samples, s)
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
