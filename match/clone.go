package match

import (
	"maps"
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

// Clone returns a deep copy of the match, for example to seek in a recording. The last step belongs to the
// original. Do not call Clone within a loop over Receive.
func (m *Match) Clone() *Match {
	m.finish()
	c := cloner{servers: map[*server]*server{}, links: map[*Link]*Link{}, players: map[*Player]*Player{}, ships: map[*ship]*ship{}}
	c.match = &Match{Classes: m.Classes, Events: m.Events, NewDecoder: m.NewDecoder, number: m.number, clock: m.clock, count: m.count, at: m.at, seen: m.seen, routine: m.routine, links: make(map[linkKey]*Link), events: slices.Clone(m.events)}
	for _, s := range m.servers {
		c.match.servers = append(c.match.servers, c.server(s))
	}
	for key, l := range m.links {
		c.match.links[key] = c.link(l)
	}
	for _, l := range m.unproven {
		c.match.unproven = append(c.match.unproven, c.link(l))
	}
	c.match.waiting, c.match.claimants = c.all(m.waiting), c.all(m.claimants)
	return c.match
}

// cloner holds the copies that others refer to.
type cloner struct {
	match   *Match
	servers map[*server]*server
	links   map[*Link]*Link
	players map[*Player]*Player
	ships   map[*ship]*ship
}

func (c *cloner) server(s *server) *server {
	if x := c.servers[s]; x != nil {
		return x
	}
	x := new(server)
	*x = *s
	c.servers[s], c.players[&s.nobody] = x, &x.nobody
	c.into(&x.nobody, &s.nobody)
	x.m, x.roster = c.match, c.all(s.roster)
	x.links = nil
	for _, l := range s.links {
		x.links = append(x.links, c.link(l))
	}
	x.ships = make(map[objectid.ID]*ship, len(s.ships))
	for id, old := range s.ships {
		x.ships[id] = c.ship(old)
	}
	return x
}

func (c *cloner) ship(old *ship) *ship {
	if old == nil {
		return nil
	}
	if x := c.ships[old]; x != nil {
		return x
	}
	x := new(ship)
	*x = *old
	c.ships[old] = x
	x.player, x.source, x.levels, x.before = c.player(old.player), c.link(old.source), slices.Clone(old.levels), c.ship(old.before)
	x.sets.list = slices.Clone(old.sets.list)
	for i := range x.causes {
		x.causes[i].by = c.player(old.causes[i].by)
	}
	x.fate.by = c.player(old.fate.by)
	return x
}

func (c *cloner) all(players []*Player) (all []*Player) {
	for _, p := range players {
		all = append(all, c.player(p))
	}
	return all
}

func (c *cloner) player(p *Player) *Player {
	if p == nil {
		return nil
	}
	if x := c.players[p]; x != nil {
		return x
	}
	x := new(Player)
	c.players[p] = x
	c.into(x, p)
	return x
}

// into copies a player.
func (c *cloner) into(x, p *Player) {
	*x = *p
	x.Names, x.Since, x.Link, x.server = slices.Clone(p.Names), slices.Clone(p.Since), c.link(p.Link), c.server(p.server)
	x.names.list, x.scores.list = slices.Clone(p.names.list), slices.Clone(p.scores.list)
	for to := range x.acts {
		x.acts[to].list = slices.Clone(p.acts[to].list)
		for i := range x.acts[to].list {
			a := &x.acts[to].list[i]
			if a.ship = c.ship(a.ship); a.event != nil {
				e := *a.event
				a.event = &e
			}
			if a.shot != nil {
				y := *a.shot
				y.by, y.ship, y.struck = c.player(y.by), c.ship(y.ship), c.ship(y.struck)
				a.shot = &y
			}
		}
	}
}

func (c *cloner) link(l *Link) *Link {
	if l == nil {
		return nil
	}
	if x := c.links[l]; x != nil {
		return x
	}
	x := new(Link)
	*x = *l
	c.links[l] = x
	x.observer, x.tracker = *l.observer.Clone(), *l.tracker.Clone()
	x.Ships, x.Player, x.server = &x.tracker, c.player(l.Player), c.server(l.server)
	for i := range l.from {
		x.from[i], x.to[i] = l.from[i].clone(), l.to[i].clone()
	}
	if l.repeats != nil {
		r := *l.repeats
		x.repeats = &r
	}
	x.view.gone = c.player(l.view.gone)
	for _, all := range []*seats{&x.view.system, &x.view.game} {
		for i, old := range all {
			if old != nil {
				own := *old
				own.player, own.doubt = c.player(old.player), c.player(old.doubt)
				all[i] = &own
			}
		}
	}
	x.view.ships = maps.Clone(l.view.ships)
	for id, y := range x.view.ships {
		y.ship = c.ship(y.ship)
		x.view.ships[id] = y
	}
	return x
}
