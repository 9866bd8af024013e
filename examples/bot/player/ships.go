package player

import (
	"iter"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of what is kept of ships. Sixteen players have sixteen; the rest is room.
const (
	MaxShips   = 256
	maxUnknown = 32
)

// otherShips is the ships of other players and of the host.
type otherShips struct {
	tracker stateupdate.Tracker
	wanted  []wanted
	asked   time.Duration // when the host was asked last
}

func newOtherShips() otherShips {
	return otherShips{
		tracker: stateupdate.Tracker{MaxShips: MaxShips, MaxUnknown: maxUnknown},
		asked:   -askEvery,
	}
}

// Ships iterates over the ships of other players with the peer IDs of their owners,
// in the order of object IDs. The owner 0 is the host.
func (p *Player) Ships() iter.Seq2[int32, *stateupdate.Ship] {
	return func(yield func(int32, *stateupdate.Ship) bool) {
		for s := range p.others.tracker.Ships() {
			if s.Life == stateupdate.Alive && !yield(owner(s), s) {
				return
			}
		}
	}
}

// owner returns the peer ID of a ship's player, 0 for the host.
func owner(s *stateupdate.Ship) int32 {
	if id := int32(s.PeerID); valid(id) {
		return id
	}
	return 0
}

// created takes a new ship: of a player, or of the host.
func (p *Player) created(m opcode.Message, o *opcode.Object) {
	s, id := &p.others, o.ObjectID
	if p.flight.is(id) || s.tracker.Life(id) == stateupdate.Alive {
		return
	}
	change, err := s.tracker.Apply(m)
	if err != nil {
		p.counters.Inapplicable++
	}
	if !change.Created {
		return
	}
	p.vanished(change.Replaced, ShipDestroyed{})
	p.vanished(change.Evicted, ShipDestroyed{})
	s.forget(id)
	p.ids.Observe(id)
	by := owner(change.Ship)
	p.present(by, clip(change.Ship.PlayerName))
	p.event(ShipCreated{Owner: p.peer(by), ID: id, Species: o.Species})
}

// update takes what the host says of a ship.
func (p *Player) update(m *opcode.StateUpdate) {
	if p.flight.is(m.ObjectID) {
		p.flight.applyCondition(m, &p.counters)
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
func (p *Player) exploding(m *opcode.PythonEvent) {
	if ship, _, killer, ok := m.Killed(); ok {
		p.gone(ship, ShipDestroyed{Exploded: true, Killer: p.peer(int32(max(killer, 0)))})
	}
}

// gone forgets a ship. The player chooses another one in place of its own.
func (p *Player) gone(id objectid.ID, e ShipDestroyed) {
	if !p.flight.is(id) {
		if p.others.tracker.Life(id) == stateupdate.Alive {
			p.vanished(p.others.tracker.Forget(id).Ship, e)
		}
		return
	}
	e.Owner, e.ID = p.peer(p.ID()), id
	p.flight.ship = nil
	p.event(e)
	if p.state == InGame {
		p.lobby()
	}
}

// vanished tells the caller of a ship that is gone, if there was one.
func (p *Player) vanished(s *stateupdate.Ship, e ShipDestroyed) {
	if s != nil {
		e.Owner, e.ID = p.peer(owner(s)), s.ID
		p.event(e)
	}
}
