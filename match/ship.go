package match

import (
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// ship is a ship of a server, however many links show it.
type ship struct {
	player *Player // nil for none
	class  string
	set    string
	dead   bool

	shot   stateupdate.Part // the last weapon that it has fired, if shotAt is not 0
	shotAt time.Duration
	hits   [8]hit // the last shots at it and collisions with it
	next   int

	levels []byte // conditions of all subsystems and parts as last seen on source
	source *Link
}

// hit is a shot at a ship, or a collision.
type hit struct {
	by        *Player
	weapon    stateupdate.Part
	at        time.Duration
	collision bool
}

// collisionTime is the longest time from a collision to the death that it causes.
const collisionTime = 3 * time.Second

// hitTime is the longest time from a shot to the death that it causes.
const hitTime = time.Minute

// collisionWeapon is the weapon of a kill by a collision.
const collisionWeapon = "collision"

// addShip adds a ship.
func (s *server) addShip(id objectid.ID, tracked *stateupdate.Ship) *ship {
	if s.ships[id] == nil {
		if len(s.order) == maxShips {
			delete(s.ships, s.order[0])
			s.order = slices.Delete(s.order, 0, 1)
		}
		s.order = append(s.order, id)
	} else {
		i := slices.Index(s.order, id)
		s.order = append(slices.Delete(s.order, i, i+1), id)
	}
	x := &ship{}
	s.ships[id] = x
	if s.m.Events && tracked != nil {
		x.learn(tracked)
	}
	return x
}

// removed follows the end of ships, except at a limit of the tracker. A client can only end its own. An end
// that other links have shown may be late: the ID may be of another ship. A creation ends an earlier ship with
// the same ID on the link, but other links may have shown the new ship.
func (s *server) removed(step *Step) {
	var creator *Player
	switch g := step.Game.(type) {
	case *opcode.RestartGame:
		return
	case *opcode.ObjectCreateTeam:
		creator = step.Sender
	case *opcode.DestroyObject:
		if !s.first(keyOf(aboutEndOfShip, int64(g.ObjectID)), step.Link, step.FromHost) {
			return
		}
	}
	for _, gone := range step.Change.Removed {
		if x := s.ships[gone.ID]; creator != nil && !s.news(creator, gone.ID) {
			continue
		} else if gone.Life == stateupdate.Destroyed && x != nil && (step.FromHost || x.player == step.Sender) {
			x.dead = true
			if x.player != nil && x.player.Ship == gone.ID {
				x.player.Ship = objectid.None
			}
		}
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

// damaged reports the subsystems that have lost condition in an update of the host. One link counts for each
// ship: the link of its player, or else the first that has shown the ship, because others show the same
// damage earlier or later.
func (s *server) damaged(step *Step) {
	tracked := step.Change.Ship
	if tracked == nil || step.Change.Subsystems.Len() == 0 || len(tracked.Subsystems) == 0 {
		return
	}
	x := s.ships[tracked.ID]
	if x == nil {
		return
	}
	if own := s.linkOf(x.player); own != nil {
		x.source = own
	} else if !x.source.live() {
		x.source = step.Link
	}
	if x.source != step.Link {
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
			s.lost(x, tracked, stateupdate.Part{Subsystem: status.Subsystem, Index: i, Child: -1}, x.levels[at], byte(status.Condition), "")
			x.levels[at] = byte(status.Condition)
			for k, level := range status.Parts {
				part, face := stateupdate.Part{Subsystem: status.Subsystem, Index: i, Child: k}, ""
				if status.Subsystem.Kind == stateupdate.KindShield {
					part.Child, face = -1, " / "+stateupdate.ShieldFace(k).String()
				}
				s.lost(x, tracked, part, x.levels[at+1+k], level, face)
				x.levels[at+1+k] = level
			}
		}
		at += 1 + len(status.Parts)
	}
}

// linkOf returns the link on which the host tells a player of the damage, or nil.
func (s *server) linkOf(p *Player) *Link {
	if p == nil || !p.Link.live() || p.Link.FromHost.Datagrams == 0 {
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

// lost reports damage if a level is lower in per cent.
func (s *server) lost(x *ship, tracked *stateupdate.Ship, part stateupdate.Part, before, after byte, face string) {
	from, to := percent(before), percent(after)
	if to >= from {
		return
	}
	e := s.event(Damage, x.player)
	e.Ship, e.Class = tracked.ID, x.class
	e.Part, e.From, e.To = part.String()+face, from, to
}

// percent returns a level as [stateupdate.Level.String] does: only 255 is 100 %, and only 0 is 0 %.
func percent(level byte) int {
	if level == 0 || level == 255 {
		return int(level) * 100 / 255
	}
	return min(max((200*int(level)+255)/510, 1), 99)
}

// entered follows a ship to another star system.
func (s *server) entered(step *Step, g *opcode.EnterSet) {
	x, set := s.ships[g.ObjectID], clip(g.SetName())
	if !step.FromHost || x == nil || !s.first(textKey(keyOf(aboutSystem, int64(g.ObjectID)), set), step.Link, true) || x.set == set {
		return
	}
	x.set = set
	if s.m.Events && x.player != nil {
		e := s.event(System, x.player)
		e.Ship, e.Class, e.Text = g.ObjectID, x.class, set
	}
}

// weaponName returns the name of a weapon, or its ID.
func weaponName(part stateupdate.Part, id objectid.ID) string {
	if part.Subsystem == nil {
		return id.String()
	}
	return part.String()
}

// shipWith returns the ship that an ID or a part of which it is, with its ID.
func (l *Link) shipWith(id objectid.ID) (*ship, objectid.ID) {
	if x := l.server.ships[id]; x != nil {
		return x, id
	}
	if tracked, _, ok := l.tracker.Part(id); ok {
		return l.server.ships[tracked.ID], tracked.ID
	}
	return nil, objectid.None
}

// target returns the name of a target: of the player of the ship with the peer ID, or else of its class, or
// else its ID.
func (l *Link) target(id objectid.ID) (name string, peer objectid.PeerID) {
	if id == objectid.None {
		return "", 0
	}
	x, _ := l.shipWith(id)
	switch {
	case x != nil && x.player != nil:
		return x.player.label(), x.player.PeerID
	case x != nil && x.class != "":
		return x.class, 0
	}
	if tracked := l.tracker.Ship(id); tracked != nil && className(tracked) != "" {
		return className(tracked), 0
	}
	return id.String(), 0
}

// mayUse reports whether the object of a message can be the sender's. A client speaks only for itself.
func (step *Step) mayUse(id objectid.ID) bool {
	if step.FromHost {
		return true
	}
	slot, ok := id.Slot()
	return step.Sender != nil && (!ok || step.Sender.Slot == objectid.NoSlot || slot == step.Sender.Slot)
}

// fired follows a shot.
func (s *server) fired(step *Step, g opcode.Shot) {
	weapon, target, ok := g.Fired()
	l := step.Link
	if !ok || !s.m.Events || !step.mayUse(weapon) || !s.first(keyOf(aboutShot, int64(g.Opcode()), int64(weapon), int64(target)), l, step.FromHost) {
		return
	}
	p := step.Sender
	x, id := l.shipWith(weapon)
	if x != nil {
		x.shot, x.shotAt = step.Part, s.now()+1
	}
	if at, _ := l.shipWith(target); at != nil && p != nil {
		at.hit(hit{by: p, weapon: step.Part, at: s.now()})
	}
	e := s.event(Fire, p)
	if x != nil { // no restart on another link has ended the ship
		e.Ship, e.Class = id, x.class
	}
	e.Weapon = weaponName(step.Part, weapon)
	e.Target, e.Other = l.target(target)
}

// hit records a hit.
func (x *ship) hit(h hit) {
	x.hits[x.next] = h
	x.next = (x.next + 1) % len(x.hits)
}

// collided follows a collision, which the client of one of the ships reports.
func (s *server) collided(step *Step, g *opcode.CollisionEffect) {
	id, other, ok := g.Collided()
	l := step.Link
	if !ok || !s.m.Events || !step.mayUse(id) || !s.first(keyOf(aboutCollision, int64(id), int64(other)), l, step.FromHost) {
		return
	}
	x, _ := l.shipWith(id)
	y, _ := l.shipWith(other)
	if x != nil && y != nil {
		x.hit(hit{by: y.player, at: s.now(), collision: true})
		y.hit(hit{by: x.player, at: s.now(), collision: true})
	}
	e := s.event(Collide, step.Sender)
	if x != nil {
		e.Ship, e.Class = id, x.class
	}
	e.Target, e.Other = l.target(other)
}

// pythonEvent follows the death of a ship.
func (s *server) pythonEvent(step *Step, g *opcode.PythonEvent) {
	id, object, peer, ok := g.Killed()
	l := step.Link
	if !ok || !step.FromHost || !s.firstSince(l.joined, keyOf(aboutDeath, int64(id)), l) { // an ID can be of the ship of another player since
		return
	}
	x := s.ships[id]
	if x == nil { // created before the capture began
		x = s.addShip(id, nil)
		x.player, x.class = s.owner(id), className(l.tracker.Ship(id))
	}
	if x.dead {
		return
	}
	x.dead = true
	p := x.player
	if s.m.Events {
		s.died(step, x, id, object, peer, g.FiringPlayerID)
	}
	if p != nil && p.Ship == id {
		p.Ship = objectid.None
	}
}

// died reports a death.
func (s *server) died(step *Step, x *ship, id, object objectid.ID, peer, field objectid.PeerID) {
	l, p := step.Link, x.player
	killer := s.player(peer)
	by, _ := l.shipWith(object)
	if by != nil && by.player != nil && by.player.PeerID == peer {
		killer = by.player // who may have left, while another player has the peer ID
	}
	if !peer.Valid() {
		if by == nil { // OpenBC writes the ID of the killer's ship
			by, _ = l.shipWith(objectid.ID(field))
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
	e := s.event(kind, p)
	e.Ship, e.Class, e.Victim = id, x.class, p.label()
	if kind == Explode {
		return
	}
	e.Killer, e.Other, e.Weapon = name, peer, l.weapon(x, killer, object)
}

// weapon returns the weapon of a kill: the object that has killed, or else the last shot at the ship or
// collision with it, or else the last shot of the killer.
func (l *Link) weapon(x *ship, killer *Player, object objectid.ID) string {
	if _, part, ok := l.tracker.Part(object); ok {
		return part.String()
	}
	s := l.server
	var last *hit
	for i := range x.hits {
		h := &x.hits[(x.next+i)%len(x.hits)]
		age := s.now() - h.at
		if killer != nil && h.by == killer && age <= hitTime && (!h.collision || age <= collisionTime) {
			last = h
		}
	}
	switch {
	case last != nil && last.collision:
		return collisionWeapon
	case last != nil && last.weapon.Subsystem != nil:
		return last.weapon.String()
	case killer == nil:
		return ""
	}
	if own := s.ships[killer.Ship]; own != nil && own.shotAt != 0 && s.now()-own.shotAt <= hitTime && own.shot.Subsystem != nil {
		return own.shot.String()
	}
	return ""
}

// spoken follows a line of chat.
func (s *server) spoken(step *Step, g *opcode.ChatMessage, kind EventKind) {
	l, from := step.Link, objectid.Host
	if !step.FromHost {
		if step.Sender == nil {
			return
		}
		from = step.Sender.PeerID
	}
	peer := opcode.Speaker(step.Game, from, s.openBC(l))
	p := s.player(peer)
	if step.FromHost && p == nil && peer.Valid() && !l.begun {
		p = s.begin(peer)
	}
	if step.FromHost && p != nil && !p.entered && !p.seen && !l.begun {
		s.enter(p)
	}
	step.Sender = p
	if !s.m.Events || s.repeated(step, g, peer) {
		return
	}
	e := s.event(kind, p)
	if p == nil {
		e.Player, e.Peer = labelOf(peer), max(peer, 0)
	}
	e.Text = clip(g.Text.String())
}

// chatTime is the longest time from a line of a client to a line of the host that differs.
const chatTime = 3 * time.Second

// repeated reports whether a line was seen before. A line of the host is the line of its speaker, also if the
// text differs: the host may have changed it.
func (s *server) repeated(step *Step, g *opcode.ChatMessage, peer objectid.PeerID) bool {
	l, now := step.Link, s.now()
	op := int64(step.Game.Opcode())
	key := func(peer objectid.PeerID) uint64 { return textKey(keyOf(aboutChat, op, int64(peer)), g.Text) }
	speaker := keyOf(aboutSpeaker, op, int64(peer))
	if s.once.match(key(peer), 0, l, step.FromHost, now, window) {
		return true
	}
	if step.FromHost {
		if s.once.match(0, speaker, l, true, now, chatTime) {
			return true
		}
	}
	x := s.once.add(key(peer), now)
	x.carry(l, step.FromHost, now)
	if !step.FromHost {
		x.alt = speaker
	}
	return false
}
