package match

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// ship is a ship of a server, however many links show it. An object ID can be of several ships, one after another.
type ship struct {
	id     objectid.ID
	number uint32 // in the order in which the ships of the server were seen
	round  int    // of the server
	match  int
	player *Player // nil for none
	class  string
	sets   history[string] // the star systems
	dead   bool
	ended  time.Duration // of the clock, when it has died
	before *ship         // the one that had the ID before, of the same round

	fired  cause     // the last shot
	causes [16]cause // the last ones
	next   int
	fate   cause // of its death

	levels []byte // conditions of all subsystems and parts as last seen on source
	source *Link
}

const maxLives = 16 // ships with one ID that are retained

// newShip returns a ship that a link shows for the first time. The server does not know it yet.
func (l *Link) newShip(p *Player, id objectid.ID) *ship {
	s := l.server
	s.made++
	x := &ship{id: id, number: s.made, round: l.view.round, match: s.match, player: p}
	if tracked := l.tracker.Ship(id); tracked != nil {
		x.class = className(tracked)
		x.sets.add(clip(tracked.SetName), s.now())
		if s.m.Events {
			x.learn(tracked)
		}
	}
	return x
}

// addShip makes a ship the one with its ID.
func (s *server) addShip(x *ship) {
	before := s.ships[x.id]
	if before == x {
		return
	}
	if before == nil && len(s.ships) == maxShips {
		oldest := slices.MinFunc(slices.Collect(maps.Values(s.ships)), func(a, b *ship) int { return cmp.Compare(a.number, b.number) })
		delete(s.ships, oldest.id)
	}
	x.before = before
	for n, y := 0, x; y != nil; n, y = n+1, y.before {
		if n == maxLives {
			y.before = nil
		}
	}
	s.ships[x.id] = x
}

// forget makes a ship forget a player.
func (x *ship) forget(p *Player) {
	if x.player == p {
		x.player = nil
	}
	for i := range x.causes {
		if x.causes[i].by == p {
			x.causes[i] = cause{}
		}
	}
	if x.fate.by == p {
		x.fate = cause{}
	}
	if x.before != nil {
		x.before.forget(p)
	}
}

// life returns the earliest ship with an ID that the link can mean, which is of a player if p is not nil: it is later
// than the last one that the link has shown, and lives at the beginning of the link or later.
func (l *Link) life(p *Player, id objectid.ID) (found *ship) {
	last := uint32(0)
	if x, ok := l.view.ships[id]; ok {
		last = x.number
	}
	for x := l.server.ships[id]; x != nil && x.number > last; x = x.before {
		if (p == nil || x.player == p) && x.round == l.view.round && !(x.dead && x.ended < l.earliest(&l.view.game)) {
			found = x
		}
	}
	return found
}

func creationKey(id objectid.ID) uint64 { return keyOf(opcode.OpObjectCreateTeam, uint32(id)) }

// claimShip handles a ship that the client of a player creates.
func (l *Link) claimShip(p *Player, g *opcode.ObjectCreateTeam) {
	s, id := l.server, g.ObjectID
	if !s.mayOwn(p, g) {
		return
	}
	if l.view.again(p, id) {
		return
	}
	x := l.claim(p, others, creationKey(id), func(x *act) {
		l.build(p, id, x)
		x.name, x.own = clip(g.PlayerName.String()), id
	})
	if p.Slot != objectid.NoSlot { // otherwise the slot is a claim, too, and the ID can be of another player's ship
		l.view.see(id, x.ship)
	}
}

// launch begins a ship, and with it what it shows of a player of whom nothing else was seen.
func (s *server) launch(p *Player, x *act) {
	id := x.ship.id
	s.occupy(p, x.own)
	if p.Name == "" {
		s.rename(p, x.name)
	}
	if l := p.Link; l != nil && l.view.round == x.ship.round {
		if y := l.view.ships[id]; y.ship == nil || y.number < x.ship.number {
			l.view.see(id, x.ship)
		}
	}
	if x.ship.round != s.round {
		return
	}
	x.ship.match = s.match
	s.addShip(x.ship)
	if !p.state.over() {
		p.Ship = id
	}
}

// occupy gives a player without a slot the slot of an object that is its own.
func (s *server) occupy(p *Player, own objectid.ID) {
	if slot, ok := own.Slot(); ok && p.Slot == objectid.NoSlot && !p.state.over() && s.vacant(slot) {
		p.Slot = slot
	}
}

// vacant reports whether no player is known to have a slot.
func (s *server) vacant(slot objectid.Slot) bool { return s.inSlot(slot, connected) == nil }

// build makes an act the creation of a new ship.
func (l *Link) build(p *Player, id objectid.ID, x *act) {
	x.ship = l.newShip(p, id)
	if x.event = l.server.draft(Ship, p); x.event != nil {
		x.event.Ship, x.event.Class = id, x.ship.class
	}
}

// mayOwn reports whether the ship that a client creates can be its own.
func (s *server) mayOwn(p *Player, g *opcode.ObjectCreateTeam) bool {
	slot, ok := g.ObjectID.Slot()
	if p.Slot != objectid.NoSlot {
		return ok && slot == p.Slot
	}
	return ok && slot == g.OwnerSlot && s.vacant(slot)
}

// creator returns the player whose ship a message of the host creates. OpenBC may write any NetPlayerID; there, the slot
// shows the player.
func (l *Link) creator(g *opcode.ObjectCreateTeam) *Player {
	return l.holder(l.creatorID(g), clip(g.PlayerName.String()))
}

func (l *Link) creatorID(g *opcode.ObjectCreateTeam) objectid.PeerID {
	if g.OwnerSlot.Valid() && l.server.openBC(l) {
		if p := l.server.inSlot(g.OwnerSlot, connected); p != nil {
			return p.PeerID
		}
		return g.OwnerSlot.PeerID()
	}
	return g.NetPlayerID
}

// onCreation handles the creation of a ship of a player. It can be the first sign of a player who has joined before the
// capture began.
func (l *Link) onCreation(g *opcode.ObjectCreateTeam) {
	s, id := l.server, g.ObjectID
	name := clip(g.PlayerName.String())
	p := l.newcomer(l.creatorID(g), name)
	if p == nil {
		return
	}
	if p.Name == "" {
		s.rename(p, name)
	}
	s.sign(p)
	if p.Slot == objectid.NoSlot && !p.state.over() && g.OwnerSlot.Valid() {
		p.Slot = g.OwnerSlot
	}
	if l.view.again(p, id) {
		return
	}
	if !l.view.begun { // what was before the client has joined
		if y := l.life(p, id); y != nil {
			l.view.see(id, y)
			l.onSystem(id, clip(g.SetName.String()))
			return
		}
	}
	x := l.hear(p, others, creationKey(id), func(x *act) {
		if x.ship = l.life(p, id); x.ship == nil {
			l.build(p, id, x)
		}
	})
	if x != nil {
		l.view.see(id, x.ship)
	}
}

// onObject handles the creation of an object that is of no player.
func (l *Link) onObject(g *opcode.ObjectCreate) {
	x := l.life(nil, g.ObjectID)
	if x == nil || x.player != nil {
		x = l.newShip(nil, g.ObjectID)
		if l.view.round == l.server.round {
			l.server.addShip(x)
		}
	}
	l.view.see(g.ObjectID, x)
}

// onDestruction handles the end of a ship.
func (l *Link) onDestruction(id objectid.ID) {
	y, ok := l.view.ships[id]
	if !ok {
		return
	}
	y.over = true
	l.view.ships[id] = y
	l.server.sink(y.ship)
}

// sink ends a ship.
func (s *server) sink(x *ship) {
	if x.dead {
		return
	}
	x.dead, x.ended = true, s.now()
	if p := x.player; p != nil && p.Ship == x.id && s.ships[x.id] == x {
		p.Ship = objectid.None
	}
}

// learn sets the levels.
func (x *ship) learn(tracked *stateupdate.Ship) {
	x.levels = x.levels[:0]
	for i := range tracked.Subsystems {
		status := &tracked.Subsystems[i]
		x.levels = append(x.levels, byte(status.Condition))
		x.levels = append(x.levels, status.Parts...)
	}
}

// onDamage reports the subsystems that have lost condition in an update of the host. One link counts for each
// ship: the link of its player, or else the first that has shown the ship, because others show the same
// damage earlier or later.
func (l *Link) onDamage(step *Step) {
	s, tracked := l.server, step.Change.Ship
	if tracked == nil || step.Change.Subsystems.Len() == 0 || len(tracked.Subsystems) == 0 {
		return
	}
	y := l.view.ships[tracked.ID]
	x := y.ship
	switch current := s.ships[tracked.ID]; {
	case x == nil, y.behind, current != nil && current != x, l.lost(x):
		return
	}
	if own := s.linkOf(x.player); own != nil {
		x.source = own
	} else if x.source == nil || x.source.over() {
		x.source = l
	}
	if x.source != l {
		return
	}
	if len(x.levels) != levelsOf(tracked) {
		x.learn(tracked)
		return
	}
	at := 0
	for i := range tracked.Subsystems {
		status := &tracked.Subsystems[i]
		if step.Change.Subsystems.Has(i) {
			s.reportLoss(x, tracked, stateupdate.Part{Subsystem: status.Subsystem, Index: i, Child: -1}, x.levels[at], byte(status.Condition), -1)
			x.levels[at] = byte(status.Condition)
			for k, level := range status.Parts {
				part, face := stateupdate.Part{Subsystem: status.Subsystem, Index: i, Child: k}, -1
				if status.Subsystem.Kind == stateupdate.KindShield {
					part.Child, face = -1, k
				}
				s.reportLoss(x, tracked, part, x.levels[at+1+k], level, face)
				x.levels[at+1+k] = level
			}
		}
		at += 1 + len(status.Parts)
	}
}

// linkOf returns the link on which the host tells a player of the damage, or nil.
func (s *server) linkOf(p *Player) *Link {
	if p == nil || p.Link == nil || p.Link.over() || p.Link.FromHost.Datagrams == 0 {
		return nil
	}
	return p.Link
}

func levelsOf(tracked *stateupdate.Ship) (n int) {
	for i := range tracked.Subsystems {
		n += 1 + len(tracked.Subsystems[i].Parts)
	}
	return n
}

// reportLoss reports damage if a level is lower in per cent. Face is a face of the shields or -1.
func (s *server) reportLoss(x *ship, tracked *stateupdate.Ship, part stateupdate.Part, before, after byte, face int) {
	from, to := percent(before), percent(after)
	if to >= from {
		return
	}
	e := s.event(Damage, x.player, s.m.at)
	e.Ship, e.Class = tracked.ID, x.class
	if e.Part, e.From, e.To = part.String(), from, to; face >= 0 {
		e.Part += " / " + stateupdate.ShieldFace(face).String()
	}
	s.blame(x, tracked, part, face, e)
}

// percent returns a level as [stateupdate.Level.String] does: only 255 is 100 %, and only 0 is 0 %.
func percent(level byte) int {
	if level == 0 || level == 255 {
		return int(level) * 100 / 255
	}
	return min(max((200*int(level)+255)/510, 1), 99)
}

// onSystem handles the announcement that a ship is in a star system.
func (l *Link) onSystem(id objectid.ID, set string) {
	y, ok := l.view.ships[id]
	if !ok {
		return
	}
	x := y.ship
	fresh := announce(l, &x.sets, &y.sets, set, func(other *Link) int {
		if z := other.view.ships[x.id]; z.ship == x {
			return z.sets
		}
		return 0
	})
	l.view.ships[id] = y
	if !fresh || x.player == nil {
		return
	}
	if e := l.server.event(System, x.player, l.server.m.at); e != nil {
		e.Ship, e.Class, e.Text = id, x.class, set
	}
}

// shipWith returns the ship that id, or a part with that ID, belongs to on the link, or nil. Nobody knows it if the link
// may have lost another one.
func (l *Link) shipWith(id objectid.ID) *ship {
	x := l.shown(id)
	if x != nil && l.lost(x) {
		return nil
	}
	return x
}

// lost reports whether the link may have lost another ship with the ID of one that it shows: the player may have left,
// or the next one with the peer ID has joined.
func (l *Link) lost(x *ship) bool {
	return x.player != nil && (l.past(x.player) || l.mayLack(x.player))
}

// shown returns the last ship of the link with an ID, or with a part that has it, or nil.
func (l *Link) shown(id objectid.ID) *ship {
	x, ok := l.view.ships[id]
	if !ok || x.over { // the ID can be of a part of another ship now
		if tracked, _, ok := l.tracker.Part(id); ok {
			return l.view.ships[tracked.ID].ship
		}
	}
	return x.ship
}

// target returns the name of a target: of the player of the ship with the peer ID, or else of its class, or
// else its ID.
func (l *Link) target(id objectid.ID) (name string, peer objectid.PeerID) {
	if id == objectid.None {
		return "", 0
	}
	x := l.shipWith(id)
	switch {
	case x != nil && x.player != nil:
		return x.player.label(), x.player.PeerID
	case x != nil && x.class != "":
		return x.class, 0
	case x == nil && !l.begun && l.shown(id) == nil: // its creation is from before the capture
		if p := l.owner(id); p != nil {
			return p.label(), p.PeerID
		}
	}
	if tracked := l.tracker.Ship(id); l.shown(id) == x && tracked != nil && className(tracked) != "" {
		return className(tracked), 0
	}
	return id.String(), 0
}

// mayUse reports whether an object can be a player's own.
func (p *Player) mayUse(id objectid.ID) bool {
	slot, ok := id.Slot()
	return p.Slot == objectid.NoSlot || ok && slot == p.Slot
}

// claimShot handles a shot of a client.
func (l *Link) claimShot(p *Player, g opcode.Shot) {
	s := l.server
	weapon, target, ok := g.Fired()
	if !ok || !p.mayUse(weapon) {
		return
	}
	if p.Slot == objectid.NoSlot && !s.observed(p, others, s.now(), 0) {
		s.occupy(p, weapon)
	}
	if !s.m.Events {
		return
	}
	l.claim(p, others, shotKey(g, weapon, target), func(x *act) { l.shoot(p, weapon, target, x) })
}

func shotKey(g opcode.Shot, weapon, target objectid.ID) uint64 {
	return keyOf(g.Opcode(), uint32(weapon), uint32(target))
}

// onShot handles a shot that the host relays.
func (l *Link) onShot(g opcode.Shot) {
	s := l.server
	weapon, target, ok := g.Fired()
	if !ok {
		return
	}
	p := l.owner(weapon)
	if p == nil {
		if l.shipWith(weapon) != l.shown(weapon) {
			return // of a ship that the link has lost
		}
		if p = l.shooter(g, weapon); p == nil {
			p = &s.nobody
		}
	}
	if !s.m.Events {
		return
	}
	l.hear(p, others, shotKey(g, weapon, target), func(x *act) { l.shoot(p, weapon, target, x) })
}

// shooter returns the player who fires a weapon of a slot that nobody is known to have, or nil. It can be the first sign
// of a player who has joined before the capture began. The first players have the peer IDs of their slots, and in OpenBC
// all have. OpenBC writes any number as PlayerID, and does not count messages beyond 255.
func (l *Link) shooter(g opcode.Shot, weapon objectid.ID) *Player {
	slot, ok := weapon.Slot()
	if !ok || !l.server.vacant(slot) {
		return nil
	}
	peer := objectid.NoPeer
	switch g := g.(type) {
	case *opcode.TorpedoFire:
		peer = g.PlayerID
	case *opcode.BeamFire:
		peer = g.PlayerID
	}
	if l.server.openBC(l) {
		peer = slot.PeerID()
	} else if peer != slot.PeerID() && l.from[gameChannel].next <= 0xFF {
		return nil
	}
	p := l.newcomer(peer, "")
	if p == nil {
		return nil
	}
	if l.server.occupy(p, weapon); p.Slot != slot {
		return nil
	}
	l.server.sign(p)
	return p
}

// shoot makes an act a shot as the link shows it.
func (l *Link) shoot(p *Player, weapon, target objectid.ID, x *act) {
	s := l.server
	from := l.shipWith(weapon)
	x.shot = &cause{kind: shot, by: p, at: s.m.seen, ship: from}
	if p != &s.nobody {
		x.shot.struck = l.shipWith(target)
	}
	if tracked, part, ok := l.tracker.Part(weapon); ok {
		x.shot.weapon, x.shot.from = part.String(), tracked.Position
	}
	x.event = s.draft(Fire, p)
	if from != nil {
		x.event.Ship, x.event.Class = from.id, from.class
	}
	if x.event.Weapon = x.shot.weapon; x.event.Weapon == "" {
		x.event.Weapon = weapon.String()
	}
	x.event.Target, x.event.Other = l.target(target)
}

// claimCollision handles a collision, which the client of one of the ships reports. No host passes it on.
func (l *Link) claimCollision(p *Player, g *opcode.CollisionEffect) {
	if id, other, ok := g.Collided(); ok && p.mayUse(id) {
		l.collision(p, id, other)
	}
}

// onCollision handles a collision that a host passes on, as no stock host does, of a ship whose client is not
// observed.
func (l *Link) onCollision(g *opcode.CollisionEffect) {
	id, other, ok := g.Collided()
	if p := l.owner(id); ok && p != nil && p.Link == nil {
		l.hear(p, others, keyOf(g.Opcode(), uint32(id), uint32(other)), func(*act) { l.collision(p, id, other) })
	}
}

func (l *Link) collision(p *Player, id, other objectid.ID) {
	s := l.server
	if !s.m.Events {
		return
	}
	x, y := l.shipWith(id), l.shipWith(other)
	e := s.event(Collide, p, s.m.at)
	e.Target, e.Other = l.target(other)
	if x == nil {
		return
	}
	e.Ship, e.Class = id, x.class
	c := cause{kind: collision, weapon: collisionWeapon, other: cmp.Or(e.Target, "an asteroid or a planet"), at: s.m.seen}
	if y != nil {
		c.by = y.player
		y.hit(cause{kind: collision, weapon: collisionWeapon, by: x.player, other: x.class, at: s.m.seen})
	}
	x.hit(c)
}

// onDeath handles the death of a ship.
func (l *Link) onDeath(g *opcode.PythonEvent) {
	id, object, peer, ok := g.Killed()
	if !ok {
		return
	}
	s := l.server
	y, ok := l.view.ships[id]
	if !ok {
		if y.ship = l.life(nil, id); y.ship == nil { // created before the capture began
			if l.view.round != s.round {
				return // nobody knows whether another link has shown it
			}
			y.ship = l.newShip(l.owner(id), id)
			s.addShip(y.ship)
		}
	}
	y.over = true
	l.view.see(id, y.ship)
	l.view.ships[id] = y
	x := y.ship
	if x.dead {
		return
	}
	l.confirm(x)
	if s.m.Events {
		l.reportDeath(x, object, peer, g.FiringPlayerID)
	}
	s.sink(x)
}

// confirm reports a ship that only its client has shown, once the host speaks of it.
func (l *Link) confirm(x *ship) {
	if x.player == nil {
		return
	}
	for i := range x.player.acts[others].list {
		if a := &x.player.acts[others].list[i]; a.ship == x && a.state != told {
			l.server.tell(x.player, a)
		}
	}
}

// reportDeath reports a death.
func (l *Link) reportDeath(x *ship, object objectid.ID, peer, field objectid.PeerID) {
	p := x.player
	by := l.shipWith(object)
	var killer *Player
	if by != nil && by.player != nil && by.player.PeerID == peer {
		killer = by.player
	} else {
		killer = l.holder(peer, "")
	}
	if !peer.Valid() {
		if by == nil { // OpenBC writes the ID of the killer's ship
			by = l.shipWith(objectid.ID(field))
		}
		if by != nil {
			killer = by.player
		}
	}
	name := killer.label()
	if killer == nil {
		name = labelOf(peer)
	} else {
		peer = killer.PeerID
	}
	kind := Kill
	if name == "" || killer != nil && killer == p {
		kind = Explode
	}
	e := l.server.event(kind, p, l.server.m.at)
	e.Match, e.Ship, e.Class, e.Victim = x.match, x.id, x.class, p.label()
	if kind == Explode {
		l.server.explains(x, killer != nil, e)
		return
	}
	e.Killer, e.Other, e.Weapon = name, peer, l.weapon(x, killer, object)
	x.fate = cause{kind: announced, by: killer, other: name, weapon: e.Weapon}
}

// weapon returns the weapon of a kill: the object that has killed, or else the last shot at the ship or
// collision with it, or else the last shot of the killer.
func (l *Link) weapon(x *ship, killer *Player, object objectid.ID) string {
	if _, part, ok := l.tracker.Part(object); ok {
		return part.String()
	}
	s := l.server
	switch c := s.killed(x, killer); {
	case c != nil && c.weapon != "":
		return c.weapon
	case killer == nil:
		return ""
	}
	if own := s.ships[killer.Ship]; own != nil && s.within(&own.fired, hitTime) {
		return own.fired.weapon
	}
	return ""
}

func className(ship *stateupdate.Ship) string {
	switch {
	case ship == nil || ship.Life == stateupdate.Unknown:
		return ""
	case ship.Class != nil:
		return ship.Class.Name
	}
	return ship.Species.String()
}
