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

// Limits of the ships that a player tracks. Sixteen players have sixteen ships.
const (
	maxShips     = 256
	maxUnknown   = 32
	maxDestroyed = 64
)

// Limits of requests. An unknown ship may be on its way, so the player waits before it requests
// the ship, and sends few requests for one ship and in one second.
const (
	requestDelay    = 500 * time.Millisecond
	requestAgain    = 5 * time.Second
	requestInterval = 250 * time.Millisecond
	maxRequests     = 3 // for one ship
	maxWanted       = 32
)

// otherShips are the ships of other players and of the host.
type otherShips struct {
	tracker   stateupdate.Tracker
	owners    map[objectid.ID]objectid.PeerID // of created ships; NoPeer if nobody plays the ship
	ships     map[objectid.PeerID]objectid.ID // of players
	destroyed []objectid.ID                   // oldest first; their late updates are ignored
	wanted    []wanted                        // unknown ships, oldest first
	requested time.Duration                   // the time of the last request
}

// wanted is a ship that the player does not know.
type wanted struct {
	id    objectid.ID
	due   time.Duration
	times int
}

func newOtherShips() otherShips {
	return otherShips{
		tracker:   stateupdate.Tracker{MaxShips: maxShips, MaxUnknown: maxUnknown},
		owners:    map[objectid.ID]objectid.PeerID{},
		ships:     map[objectid.PeerID]objectid.ID{},
		requested: -requestInterval,
	}
}

// Ships iterates over the ships of others with the peer IDs of their owners, in the order of
// object IDs. The owner of a ship that nobody plays is NoPeer. The next call of another method
// may change the state of a ship.
func (p *Player) Ships() iter.Seq2[objectid.PeerID, *stateupdate.Ship] {
	return func(yield func(objectid.PeerID, *stateupdate.Ship) bool) {
		for _, id := range slices.Sorted(maps.Keys(p.others.owners)) {
			owner, exists := p.others.owners[id]
			if exists && !yield(owner, p.others.tracker.Ship(id)) {
				return
			}
		}
	}
}

// created handles a new ship. A player has one ship at a time, and no message reports that the
// ship before is removed.
func (p *Player) created(o *opcode.Object, owner objectid.PeerID) {
	s, id := &p.others, o.ObjectID
	if _, known := s.owners[id]; known || p.flight.is(id) || o.ClassID != opcode.ObjectShip {
		return
	}
	if before, ok := s.ships[owner]; ok {
		p.gone(before)
	}
	change, err := s.tracker.Apply(&opcode.ObjectCreate{Object: *o})
	if err != nil {
		p.counters.Inapplicable++
	}
	if !change.Created {
		return
	}
	if change.Evicted != nil {
		p.gone(change.Evicted.ID)
	}
	s.owners[id] = owner
	if owner.Valid() {
		s.ships[owner] = id
	}
	s.destroyed = slices.DeleteFunc(s.destroyed, func(d objectid.ID) bool { return d == id })
	s.wanted = slices.DeleteFunc(s.wanted, func(w wanted) bool { return w.id == id })
	p.ids.Observe(id)
	p.joined(owner, change.Ship.PlayerName)
	p.report("%s has %v %v", p.name(owner), o.Species, id)
}

// update handles the state of a ship.
func (p *Player) update(m *opcode.StateUpdate) {
	if p.flight.is(m.ObjectID) {
		if p.flight.applyCondition(m) != nil {
			p.counters.Inapplicable++
		}
		return
	}
	if slices.Contains(p.others.destroyed, m.ObjectID) {
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

// exploding handles the explosion of a ship.
func (p *Player) exploding(m *opcode.PythonEvent) {
	ship, _, killer, ok := m.Killed()
	if !ok {
		return
	}
	by := ""
	if killer.Valid() {
		by = " to " + p.name(killer)
	}
	if owner, ok := p.remove(ship); ok {
		p.report("%s loses %v%s", p.name(owner), ship, by)
	}
}

// gone handles a ship that is removed without an explosion.
func (p *Player) gone(id objectid.ID) {
	if owner, ok := p.remove(id); ok {
		p.report("%v of %s is gone", id, p.name(owner))
	}
}

// remove removes a ship and returns its owner. It reports false if there is no such ship. If the
// ship is the player's own, the player chooses another.
func (p *Player) remove(id objectid.ID) (owner objectid.PeerID, ok bool) {
	s := &p.others
	owner, ok = s.owners[id]
	if p.flight.is(id) {
		owner, ok, p.flight.ship = p.id, true, nil
		if p.state == InGame {
			p.choose(p.options.Choose)
		}
	}
	if ok {
		delete(s.owners, id)
		delete(s.ships, owner)
		s.tracker.Forget(id)
		s.destroyed = append(s.destroyed[max(0, len(s.destroyed)-maxDestroyed+1):], id)
	}
	return owner, ok
}

// want notes an unknown ship. Beyond the limit the oldest is dropped.
func (p *Player) want(id objectid.ID) {
	s := &p.others
	if _, known := s.owners[id]; known || p.flight.is(id) ||
		slices.ContainsFunc(s.wanted, func(w wanted) bool { return w.id == id }) {
		return
	}
	s.wanted = append(s.wanted[max(0, len(s.wanted)-maxWanted+1):], wanted{id: id, due: p.clock.now + requestDelay})
}

// request requests an unknown ship, if one is due. A ship that has been requested maxRequests
// times stays in the list, so that the player does not request it again.
func (p *Player) request() {
	s, now := &p.others, p.clock.now
	if now < s.due() {
		return
	}
	i := slices.IndexFunc(s.wanted, func(w wanted) bool { return w.due <= now })
	w := &s.wanted[i]
	s.requested = now
	w.due = now + requestAgain
	if w.times++; w.times >= maxRequests {
		w.due = never
	}
	_ = p.Send(&opcode.RequestObject{ObjectID: w.id}) // is counted
}

// due returns the time of the next request.
func (s *otherShips) due() time.Duration {
	due := never
	for i := range s.wanted {
		due = min(due, s.wanted[i].due)
	}
	return max(due, s.requested+requestInterval)
}
