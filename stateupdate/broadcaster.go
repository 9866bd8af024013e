package stateupdate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

// Broadcaster encodes the StateUpdates that a host sends: the updates of all ships for all
// players. It keeps an [Encoder] for each pair of a ship and a player. Add a receiver for each
// player in the game, add the ships, and call Updates at every tick, ten times a second or more
// often:
//
//	for peer, payload := range b.Updates(now) {
//		sessions[peer].Send(payload, transport.Unreliable)
//	}
//
// As in the game, a player gets updates of the ships in the star system of its own ship, and
// none while it has no ship. The own ship of a player is the ship with the player's PeerID. The
// owner of a ship gets its subsystems only; other players get its motion, too. The [Cadence]
// decides how often. A Broadcaster does not create ships: the host sends [Ship.Creation]
// reliably before it adds a ship.
//
// The zero value is ready to use, without receivers and ships. It has the intervals of a host
// without a modem. A Broadcaster is not safe for concurrent use.
type Broadcaster struct {
	// Cadence has the intervals. Its fields Host and PeerModem are ignored: the sender is a
	// host, and each Receiver has a Modem. Players is the number of occupied slots; 0 means the
	// number of receivers, and one more if the host is not Dedicated.
	Cadence Cadence

	receivers []*Receiver // in the order of peer IDs
	ships     []*Ship     // in the order in which they were added
	buf       []byte
	err       error
}

// Receiver is a player to whom a [Broadcaster] sends updates. Its fields can change at any time.
type Receiver struct {
	// Modem reports that the player is on a modem; see [Cadence].
	Modem bool
	// Target is the ID of the ship that the player has targeted, or [objectid.None]. The
	// player gets updates of it as if it were near.
	Target objectid.ID
	// All sends the receiver updates of all ships in every call of Updates, whatever the
	// Cadence is and whether it has a ship or not. It suits spectators and recorders.
	All bool

	id       objectid.PeerID
	ship     *Ship     // the own ship, in one call of Updates
	encoders []Encoder // one for each ship of the broadcaster, in the same order
}

// AddReceiver adds the player with a peer ID and returns its settings. It replaces a receiver
// with the same peer ID, which then gets the complete state of every ship again.
func (b *Broadcaster) AddReceiver(peer objectid.PeerID) *Receiver {
	r := &Receiver{id: peer, encoders: make([]Encoder, len(b.ships))}
	i, found := b.find(peer)
	if found {
		b.receivers[i] = r
	} else {
		b.receivers = slices.Insert(b.receivers, i, r)
	}
	return r
}

// RemoveReceiver removes the player with a peer ID.
func (b *Broadcaster) RemoveReceiver(peer objectid.PeerID) {
	if i, found := b.find(peer); found {
		b.receivers = slices.Delete(b.receivers, i, i+1)
	}
}

func (b *Broadcaster) find(peer objectid.PeerID) (int, bool) {
	return slices.BinarySearchFunc(b.receivers, peer, func(r *Receiver, peer objectid.PeerID) int {
		return cmp.Compare(r.id, peer)
	})
}

// AddShip adds a ship. The broadcaster reads the state of the ship in each call of Updates, so
// the caller changes the ship in place. AddShip replaces a ship with the same ID, whose complete
// state is then sent again.
//
// AddShip returns an error that wraps [ErrLimit] if there are DefaultMaxShips ships already, and
// an error that wraps [ErrOrder] or [ErrClass] if the ship cannot be encoded.
func (b *Broadcaster) AddShip(s *Ship) error {
	if s == nil {
		return fmt.Errorf("stateupdate: %w: no ship", ErrClass)
	}
	if err := s.complete(); err != nil {
		return err
	}
	i := b.index(s.ID)
	if i < 0 && len(b.ships) >= DefaultMaxShips {
		return fmt.Errorf("stateupdate: %w: %d ships", ErrLimit, len(b.ships))
	}
	if i >= 0 {
		b.ships[i] = s
		for _, r := range b.receivers {
			r.encoders[i] = Encoder{}
		}
		return nil
	}
	b.ships = append(b.ships, s)
	for _, r := range b.receivers {
		r.encoders = append(r.encoders, Encoder{})
	}
	return nil
}

// RemoveShip removes the ship with an ID.
func (b *Broadcaster) RemoveShip(id objectid.ID) {
	i := b.index(id)
	if i < 0 {
		return
	}
	b.ships = slices.Delete(b.ships, i, i+1)
	for _, r := range b.receivers {
		r.encoders = slices.Delete(r.encoders, i, i+1)
	}
}

func (b *Broadcaster) index(id objectid.ID) int {
	return slices.IndexFunc(b.ships, func(s *Ship) bool { return s.ID == id })
}

// Updates iterates over the updates that are due at a time, in seconds on the clock of the
// game, and their receivers. A payload is valid until the next step. The loop may add and
// remove ships and receivers, which may leave updates to the next call. Err returns the error
// of a ship that does not encode.
func (b *Broadcaster) Updates(now float32) iter.Seq2[objectid.PeerID, []byte] {
	return func(yield func(objectid.PeerID, []byte) bool) {
		c := b.begin()
		for i, n := 0, len(b.ships); n > 0 && i < len(b.ships); n-- {
			s := b.ships[i]
			if !b.updates(&c, now, i, yield) {
				return
			}
			if i < len(b.ships) && b.ships[i] == s { // else the loop has removed a ship
				i++
			}
		}
	}
}

// ShipUpdates iterates over the updates of one ship only, as [Broadcaster.Updates] does over
// the updates of all ships. If the last state of a destroyed ship must reach all receivers, add
// the ship again first.
func (b *Broadcaster) ShipUpdates(now float32, id objectid.ID) iter.Seq2[objectid.PeerID, []byte] {
	return func(yield func(objectid.PeerID, []byte) bool) {
		c := b.begin()
		if i := b.index(id); i >= 0 {
			b.updates(&c, now, i, yield)
		}
	}
}

// Err returns the first error of the last iteration, or nil. It is an [*Error] with the ID of a
// ship that could not be encoded and was left out.
func (b *Broadcaster) Err() error { return b.err }

// begin finds the ships of the receivers and returns the cadence.
func (b *Broadcaster) begin() Cadence {
	b.err = nil
	var own [1 << 7]*Ship // by peer ID
	for _, s := range b.ships {
		if s.PeerID.Valid() {
			own[s.PeerID] = s
		}
	}
	for _, r := range b.receivers {
		r.ship = nil
		if r.id.Valid() {
			r.ship = own[r.id]
		}
	}
	c := b.Cadence
	c.Host = true
	if c.Players == 0 {
		c.Players = len(b.receivers)
		if !c.Dedicated {
			c.Players++
		}
	}
	return c
}

// updates passes the updates of the i-th ship to yield. It reports whether to go on.
func (b *Broadcaster) updates(c *Cadence, now float32, i int, yield func(objectid.PeerID, []byte) bool) bool {
	s := b.ships[i]
	for k := 0; k < len(b.receivers) && i < len(b.ships) && b.ships[i] == s; k++ {
		r := b.receivers[k]
		e := &r.encoders[i]
		if !r.prepare(c, e, s) {
			continue
		}
		payload, err := e.Append(b.buf[:0], now, s)
		if err != nil {
			b.err = cmp.Or(b.err, error(&Error{ObjectID: s.ID, Part: "update", Err: err}))
			continue
		}
		b.buf = payload
		if len(payload) > 0 && !yield(r.id, payload) {
			return false
		}
	}
	return true
}

// prepare sets the encoder of a ship and reports whether the receiver gets updates of the ship.
func (r *Receiver) prepare(c *Cadence, e *Encoder, s *Ship) bool {
	if !r.All {
		c.PeerModem = r.Modem
		return c.Prepare(e, s, r.ship, r.Target)
	}
	e.Role, e.Interval, e.OmitSubsystems = HostToOther, 0, false
	if s == r.ship {
		e.Role = HostToOwner
	}
	return true
}
