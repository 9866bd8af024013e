package player

import (
	"iter"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of the ships that a player tracks. Sixteen players have sixteen ships.
const (
	maxShips   = 256
	maxUnknown = 32
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
	wanted    []wanted      // unknown ships, oldest first
	requested time.Duration // the time of the last request
}

// wanted is a ship that the player does not know.
type wanted struct {
	id    objectid.ID
	due   time.Duration
	times int
}

// Ships iterates over the ships of others with the peer IDs of their owners, in the order of
// object IDs. The owner of a ship without a player is NoPeer. The next call of another method
// may change the state of a ship.
func (p *Player) Ships() iter.Seq2[objectid.PeerID, *stateupdate.Ship] {
	return func(yield func(objectid.PeerID, *stateupdate.Ship) bool) {
		for s := range p.others.tracker.Ships() {
			if s.Life == stateupdate.Alive && !yield(owner(s), s) {
				return
			}
		}
	}
}

func owner(s *stateupdate.Ship) objectid.PeerID {
	if s.PeerID.Valid() {
		return s.PeerID
	}
	return objectid.NoPeer
}

// created handles a new ship.
func (p *Player) created(m opcode.Message, id objectid.ID) {
	s := &p.others
	if p.flight.is(id) || s.tracker.Life(id) == stateupdate.Alive {
		return
	}
	change := p.track(m)
	if !change.Created {
		return
	}
	for _, before := range change.Removed {
		p.report("%s loses %v", p.name(owner(before)), before.ID)
	}
	s.wanted = slices.DeleteFunc(s.wanted, func(w wanted) bool { return w.id == id })
	p.ids.Observe(id)
	by := owner(change.Ship)
	p.report("%s has %v %v", p.name(by), change.Ship.Species, id)
}

// track applies a message about the ships of others.
func (p *Player) track(m opcode.Message) stateupdate.Change {
	change, err := p.others.tracker.Apply(m)
	if err != nil {
		p.counters.Inapplicable++
	}
	return change
}

// update handles the state of the player's own ship, or a message about a ship of others.
func (p *Player) update(m opcode.Message, id objectid.ID) {
	if state, ok := m.(*opcode.StateUpdate); ok && p.flight.is(id) {
		if p.flight.applyCondition(state) != nil {
			p.counters.Inapplicable++
		}
	} else if !p.flight.is(id) && p.track(m).Unknown {
		p.want(id)
	}
}

// exploding handles the explosion of a ship.
func (p *Player) exploding(m *opcode.PythonEvent) {
	ship, _, killer, ok := m.Killed()
	to := ""
	if killer.Valid() {
		to = " to " + p.name(killer)
	}
	if ok {
		p.remove(ship, to)
	}
}

// remove removes a ship, if there is one, and reports it. If the ship is the player's own, the player
// chooses another.
func (p *Player) remove(id objectid.ID, to string) {
	by := p.ID()
	switch {
	case p.flight.is(id):
		p.flight.ship = nil
		if p.state == InGame {
			p.choose()
		}
	case p.others.tracker.Life(id) == stateupdate.Alive:
		by = owner(p.others.tracker.Forget(id).Ship)
		if p.flight.world != nil {
			p.flight.world.Remove(id)
		}
	default:
		return
	}
	p.report("%s loses %v%s", p.name(by), id, to)
}

// want notes an unknown ship, unless it was one of the player. Beyond the limit the oldest is
// dropped.
func (p *Player) want(id objectid.ID) {
	s := &p.others
	if slot, _ := id.Slot(); slot == p.match.slot || s.tracker.Life(id) == stateupdate.Alive ||
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
	w := &s.wanted[slices.IndexFunc(s.wanted, func(w wanted) bool { return w.due <= now })]
	s.requested, w.due = now, now+requestAgain
	if w.times++; w.times >= maxRequests {
		w.due = never
	}
	_ = p.Send(&opcode.RequestObject{ObjectID: w.id}) // the counters include an error
}

// due returns the time of the next request.
func (s *otherShips) due() time.Duration {
	due := never
	for i := range s.wanted {
		due = min(due, s.wanted[i].due)
	}
	return max(due, s.requested+requestInterval)
}
