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
	MaxShips   = 256
	maxUnknown = 32
	maxDead    = 64
)

// pictures are the ships of the others.
type pictures struct {
	decoder stateupdate.Tracker
	owners  map[objectid.ID]int32 // of those that were created; 0 is the host
	ships   map[int32]objectid.ID // of players
	dead    [maxDead]objectid.ID  // whose updates may still be under way
	died    int
	wanted  []wanted
	asked   time.Duration // when the host was asked last
}

func newPictures() pictures {
	return pictures{
		decoder: stateupdate.Tracker{MaxShips: MaxShips, MaxUnknown: maxUnknown},
		owners:  map[objectid.ID]int32{},
		ships:   map[int32]objectid.ID{},
		asked:   -askEvery,
	}
}

// bury notes that a ship is no more.
func (s *pictures) bury(id objectid.ID) {
	s.dead[s.died%maxDead] = id
	s.died++
}

// exhume notes that there is a ship again whose ID one had that is no more.
func (s *pictures) exhume(id objectid.ID) {
	for i := range s.dead {
		if s.dead[i] == id {
			s.dead[i] = objectid.None
		}
	}
}

// Ships iterates over the pictures of the ships of others with the IDs of their owners,
// in the order of object IDs. The owner 0 is the host.
func (p *Player) Ships() iter.Seq2[int32, *stateupdate.Ship] {
	return func(yield func(int32, *stateupdate.Ship) bool) {
		for _, id := range slices.Sorted(maps.Keys(p.pictures.owners)) {
			owner, there := p.pictures.owners[id]
			if there && !yield(owner, p.pictures.decoder.Ship(id)) {
				return
			}
		}
	}
}

// created takes a new ship: of a player, or of the host. A player has one at a time, and
// nobody is told when the one before is removed.
func (p *Player) created(o *opcode.Object, owner int32) {
	s, id := &p.pictures, o.ObjectID
	if _, known := s.owners[id]; known || p.flight.is(id) || o.ClassID != opcode.ObjectShip {
		return
	}
	if !valid(owner) {
		owner = 0
	}
	if before, ok := s.ships[owner]; ok {
		p.gone(ShipDestroyed{ID: before})
	}
	change, err := s.decoder.Apply(&opcode.ObjectCreate{Object: *o})
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
	s.exhume(id)
	s.forget(id)
	p.ids.Observe(id)
	p.present(owner, clip(change.Ship.PlayerName))
	p.event(ShipCreated{Owner: p.peer(owner), ID: id, Species: o.Species})
}

// update takes what the host says of a ship.
func (p *Player) update(m *opcode.StateUpdate) {
	if p.flight.is(m.ObjectID) {
		p.flight.told(m, &p.counters)
		return
	}
	if slices.Contains(p.pictures.dead[:], m.ObjectID) {
		return
	}
	change, err := p.pictures.decoder.Apply(m)
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
	owner, known := p.pictures.owners[e.ID]
	own := p.flight.is(e.ID)
	if own {
		owner = p.ID()
		p.flight.ship = nil
	} else if !known {
		return
	}
	delete(p.pictures.owners, e.ID)
	delete(p.pictures.ships, owner)
	p.pictures.decoder.Forget(e.ID)
	p.pictures.bury(e.ID)
	e.Owner = p.peer(owner)
	p.event(e)
	if own && p.state == InGame {
		p.lobby()
	}
}
