package stateupdate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

// Broadcaster encodes the StateUpdates that a host sends, for all ships and all players. Add
// the players and ships, and call Updates at every tick, at least ten times a second:
//
//	for peer, payload := range b.Updates(now) {
//		sessions[peer].Send(payload, transport.Unreliable)
//	}
//
// As in the game, a player gets updates of the ships in the star system of the player's own ship.
// Until AddShip adds a ship with the player's PeerID, the player gets none; see [Receiver]. The
// host must send [Ship.Creation] reliably before it adds a ship.
//
// The zero value is ready to use. A Broadcaster is not safe for concurrent use.
type Broadcaster struct {
	// Cadence determines the intervals. The Broadcaster always uses true for Host, and
	// [Receiver].Modem for PeerModem. The zero value means a playing host without a modem. If
	// Players is 0, the Broadcaster uses the number of receivers, plus one unless Dedicated is set.
	Cadence Cadence

	receivers []*Receiver // ordered by peer ID
	ships     []*Ship     // in the order in which they were added
	buf       []byte
	err       error
}

// Receiver is a player who gets updates from a [Broadcaster]. The caller may change its fields
// between calls of Updates.
type Receiver struct {
	// Modem means that the player uses a modem; see [Cadence].
	Modem bool
	// Target is the ID of the player's target, or [objectid.None]. Its updates do not depend
	// on the distance.
	Target objectid.ID
	// All gives the receiver updates of all ships in every call of Updates, even without a
	// ship. Use it for spectators and recorders.
	All bool

	id       objectid.PeerID
	ship     *Ship     // the player's ship, during a call of Updates
	encoders []Encoder // one for each ship of the Broadcaster, in the same order
}

// AddReceiver adds a player and returns the player's settings. First send the player
// [Ship.Creation] of every ship reliably. If the player is added again, the updates restart, and
// the earlier Receiver has no effect.
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

// RemoveReceiver removes a player.
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

// AddShip adds a ship, or replaces the ship with the same ID and restarts its updates. The
// Broadcaster retains s and reads it in every call of Updates. The caller may change s between
// the calls, except its ID.
//
// AddShip returns an error wrapping [ErrLimit] if there are DefaultMaxShips ships, [ErrNoShip]
// if s is nil, and [ErrOrder] or [ErrClass] if the ship cannot be encoded.
func (b *Broadcaster) AddShip(s *Ship) error {
	if s == nil {
		return fmt.Errorf("stateupdate: %w", ErrNoShip)
	}
	if err := s.complete(); err != nil {
		return err
	}
	i := b.index(s.ID)
	if i < 0 && len(b.ships) >= DefaultMaxShips {
		return fmt.Errorf("stateupdate: %w: %d ships, at most %d", ErrLimit, len(b.ships)+1, DefaultMaxShips)
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

// RemoveShip removes a ship.
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

// Updates iterates over the updates that are due at a time, in seconds on the host's clock,
// and their receivers. A payload is valid until the next iteration. The loop body may add and
// remove ships and receivers; their updates may then wait for the next call. Updates skips a
// ship that it cannot encode; see Err.
func (b *Broadcaster) Updates(now float32) iter.Seq2[objectid.PeerID, []byte] {
	return func(yield func(objectid.PeerID, []byte) bool) {
		c := b.begin()
		for i, n := 0, len(b.ships); n > 0 && i < len(b.ships); n-- {
			s := b.ships[i]
			if !b.updates(&c, now, i, yield) {
				return
			}
			if i < len(b.ships) && b.ships[i] == s { // otherwise, the loop body has removed a ship
				i++
			}
		}
	}
}

// ShipUpdates is like [Broadcaster.Updates] for one ship. To send the last state of a dying ship at
// once, first call AddShip again, which restarts the updates of the ship. For each receiver, a
// forced update that begins with the first subsystem is then due; see [Encoder].
func (b *Broadcaster) ShipUpdates(now float32, id objectid.ID) iter.Seq2[objectid.PeerID, []byte] {
	return func(yield func(objectid.PeerID, []byte) bool) {
		c := b.begin()
		if i := b.index(id); i >= 0 {
			b.updates(&c, now, i, yield)
		}
	}
}

// Err returns the first error of the last iteration, an [*Error] for the skipped ship, or nil.
func (b *Broadcaster) Err() error { return b.err }

// begin finds the receivers' ships and returns the cadence.
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

// updates passes the updates of the i-th ship to yield. It reports whether to continue.
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

// prepare sets up the encoder of a ship. It reports whether the receiver gets updates of the
// ship.
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
