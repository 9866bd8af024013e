package match

import (
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Clone returns a deep copy of the match, for example to seek in a recording. The last step belongs to the
// original. Do not call Clone within a loop over Receive.
func (m *Match) Clone() *Match {
	c := cloner{servers: map[*server]*server{}, links: map[*Link]*Link{}, players: map[*Player]*Player{}}
	c.match = &Match{Classes: m.Classes, Events: m.Events, number: m.number, clock: m.clock, count: m.count, links: make(map[linkKey]*Link)}
	for _, s := range m.servers {
		c.match.servers = append(c.match.servers, c.server(s))
	}
	for i, l := range m.indices {
		if l != nil {
			x := c.link(l)
			c.match.indices[i], c.match.links[linkKey{l.Client, l.Server}] = x, x
		}
	}
	c.match.waiting = c.all(m.waiting)
	return c.match
}

// cloner holds the copies that others refer to.
type cloner struct {
	match   *Match
	servers map[*server]*server
	links   map[*Link]*Link
	players map[*Player]*Player
}

func (c *cloner) server(s *server) *server {
	if x := c.servers[s]; x != nil {
		return x
	}
	x := new(server)
	*x = *s
	c.servers[s] = x
	x.m, x.roster, x.order = c.match, c.all(s.roster), slices.Clone(s.order)
	for i, p := range s.current {
		x.current[i] = c.player(p)
	}
	for i, p := range s.slots {
		x.slots[i] = c.player(p)
	}
	x.ships = make(map[objectid.ID]*ship, len(s.ships))
	for id, old := range s.ships {
		x.ships[id] = c.ship(old)
	}
	x.once.keys, x.once.list = slices.Clone(s.once.keys), slices.Clone(s.once.list)
	return x
}

func (c *cloner) ship(old *ship) *ship {
	x := *old
	x.player, x.source, x.levels = c.player(old.player), c.link(old.source), slices.Clone(old.levels)
	for i := range x.hits {
		x.hits[i].by = c.player(old.hits[i].by)
	}
	return &x
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
	*x = *p
	c.players[p] = x
	x.Names, x.Link, x.named, x.server = slices.Clone(p.Names), c.link(p.Link), c.link(p.named), c.server(p.server)
	return x
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
	x.observer, x.tracker, x.motion = *l.observer.Clone(), *l.tracker.Clone(), opcode.StateUpdate{}
	x.Ships, x.Player, x.server = &x.tracker, c.player(l.Player), c.server(l.server)
	return x
}
