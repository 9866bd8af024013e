package player

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of what is kept of ships. Sixteen players have sixteen; the rest is room.
const (
	MaxShips     = 256
	maxUnknown   = 32
	maxDestroyed = 64
)

// otherShips is the ships of other players and of the host.
type otherShips struct {
	tracker   stateupdate.Tracker
	owners    map[objectid.ID]int32     // of those that were created; 0 is the host
	ships     map[int32]objectid.ID     // of players
	destroyed [maxDestroyed]objectid.ID // whose updates may still be under way
	removed   int                       // ships so far
	wanted    []wanted
	asked     time.Duration // when the host was asked last
}

func newOtherShips() otherShips {
	return otherShips{
		tracker: stateupdate.Tracker{MaxShips: MaxShips, MaxUnknown: maxUnknown},
		owners:  map[objectid.ID]int32{},
		ships:   map[int32]objectid.ID{},
		asked:   -askEvery,
	}
}

// remember notes that a ship is gone: updates of it that arrive late are ignored.
func (s *otherShips) remember(id objectid.ID) {
	s.destroyed[s.removed%maxDestroyed] = id
	s.removed++
}

// restore notes that there is a ship again with the ID of one that was destroyed.
func (s *otherShips) restore(id objectid.ID) {
	for i := range s.destroyed {
		if s.destroyed[i] == id {
			s.destroyed[i] = objectid.None
		}
	}
}

// Ships iterates over the ships of other players with the peer IDs of their owners,
// in the order of object IDs. The owner 0 is the host.
func (p *Player) Ships() iter.Seq2[int32, *stateupdate.Ship] {
	return func(yield func(int32, *stateupdate.Ship) bool) {
		for _, id := range slices.Sorted(maps.Keys(p.others.owners)) {
			owner, there := p.others.owners[id]
			if there && !yield(owner, p.others.tracker.Ship(id)) {
				return
			}
		}
	}
}

// created takes a new ship: of a player, or of the host. A player has one at a time, and
// nobody is told when the one before is removed.
func (p *Player) created(o *opcode.Object, owner int32) {
	s, id := &p.others, o.ObjectID
	if _, known := s.owners[id]; known || p.flight.is(id) || o.ClassID != opcode.ObjectShip {
		return
	}
	if !valid(owner) {
		owner = 0
	}
	if before, ok := s.ships[owner]; ok {
		p.gone(ShipDestroyed{ID: before})
	}
	change, err := s.tracker.Apply(&opcode.ObjectCreate{Object: *o})
	if err != nil {
		p.counters.Inapplicable++
	}
	if !change.Created {
		return
	}
	if change.Evicted != nil {
		p.gone(ShipDestroyed{ID: change.Evicted.ID})
	}
	s.owners[id] = owner
	if owner != 0 {
		s.ships[owner] = id
	}
	s.restore(id)
	s.forget(id)
	p.ids.Observe(id)
	p.present(owner, clip(change.Ship.PlayerName))
	p.event(ShipCreated{Owner: p.peer(owner), ID: id, Species: o.Species})
}

// update takes what the host says of a ship.
func (p *Player) update(m *opcode.StateUpdate) {
	if p.flight.is(m.ObjectID) {
		p.flight.applyCondition(m, &p.counters)
		return
	}
	if slices.Contains(p.others.destroyed[:], m.ObjectID) {
		return
	}
	change, err := p.others.tracker.Apply(m)
	if err != nil {
		p.counters.Inapplicable++
	}
	if change.Unknown {
		p.want(m.ObjectID)
	}
}

// exploding takes the news that a ship dies.
func (p *Player) exploding(e *opcode.Event) {
	if e.Code == opcode.ETObjectExploding && e.Class == opcode.ClassObjectExplodingEvent {
		p.gone(ShipDestroyed{ID: e.Dest, Exploded: true, Killer: p.peer(e.FiringPlayerID)})
	}
}

// gone forgets a ship. The player chooses another one in place of its own.
func (p *Player) gone(e ShipDestroyed) {
	owner, known := p.others.owners[e.ID]
	own := p.flight.is(e.ID)
	if own {
		owner = p.ID()
		p.flight.ship = nil
	} else if !known {
		return
	}
	delete(p.others.owners, e.ID)
	delete(p.others.ships, owner)
	p.others.tracker.Forget(e.ID)
	p.others.remember(e.ID)
	e.Owner = p.peer(owner)
	p.event(e)
	if own && p.state == InGame {
		p.lobby()
	}
}

// What is not known may be on its way: the player waits before it asks the host, does
// not ask for one thing often, nor for many in a second.
const (
	askAfter  = 500 * time.Millisecond
	askAgain  = 5 * time.Second
	askTimes  = 3
	askEvery  = 250 * time.Millisecond
	maxWanted = 32
)

// wanted is a ship that the player does not know.
type wanted struct {
	id    objectid.ID
	due   time.Duration
	times int
}

// want notes a ship that the player does not know. Beyond the limit the oldest is dropped.
func (p *Player) want(id objectid.ID) {
	s := &p.others
	_, known := s.owners[id]
	known = known || p.flight.is(id) || slices.ContainsFunc(s.wanted, func(w wanted) bool { return w.id == id })
	if known {
		return
	}
	if len(s.wanted) == maxWanted {
		s.wanted = slices.Delete(s.wanted, 0, 1)
	}
	s.wanted = append(s.wanted, wanted{id: id, due: p.clock.now + askAfter})
}

// forget notes that a ship is not wanted any more.
func (s *otherShips) forget(id objectid.ID) {
	s.wanted = slices.DeleteFunc(s.wanted, func(w wanted) bool { return w.id == id })
}

// request asks the host for a ship, if one is due.
func (p *Player) request() {
	s, now := &p.others, p.clock.now
	if now < s.asked+askEvery {
		return
	}
	for i := range s.wanted {
		w := &s.wanted[i]
		if now < w.due {
			continue
		}
		s.asked = now
		w.due = now + askAgain
		if w.times++; w.times >= askTimes {
			w.due = never // stays, so that it is not wanted again
		}
		_ = p.Send(&opcode.RequestObject{ObjectID: w.id}) // is counted
		return
	}
}

// due returns when request has something to do.
func (s *otherShips) due() time.Duration {
	due := never
	for i := range s.wanted {
		due = min(due, s.wanted[i].due)
	}
	return max(due, s.asked+askEvery)
}
