package stateupdate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
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
// The intervals between two updates are the game's. They depend on the modems and the number of
// players:
//
//	host            its modem  player's modem  players            interval
//	any             no         no              any                0.1 s
//	any             no         yes             1-4, 5 and more    0.1, 0.125 s
//	dedicated host  yes        any             1, 2, 3 and more   0.1, 0.167, 0.5 s
//	playing host    yes        any             1-2, 3, 4 and more 0.1, 0.167, 0.5 s
//
// If a host on a modem does not use the shortest interval, only forced updates have subsystems; see
// [Encoder]. The game also makes the interval of distant ships longer, unless the ship is the
// player's own ship or target. A host on a modem multiplies the intervals with a factor. The
// Broadcaster does neither, because these distances and the factor are unknown.
//
// Evidence: documented (B), from the engine's code of the sender.
//
// The zero value is ready to use. A Broadcaster is not safe for concurrent use.
type Broadcaster struct {
	// Dedicated means that the host has no player.
	Dedicated bool
	// Modem means that the host uses a modem, as in Settings.HostModem.
	Modem bool
	// Players is the number of occupied player slots, including the slot of a playing host. 0
	// means the number of receivers, plus one unless Dedicated is set.
	Players int

	receivers []*Receiver // ordered by peer ID
	ships     []*Ship     // in the order in which they were added
	buf       []byte
	err       error

	// During a call of Updates:
	interval, modemInterval time.Duration // for receivers without and with a modem
	omit                    bool          // only forced updates have subsystems
}

// Receiver is a player who gets updates from a [Broadcaster]. The caller may change its fields
// between calls of Updates.
type Receiver struct {
	// Modem means that the player uses a modem, as in NewPlayerInGame.Modem.
	Modem bool
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
// AddShip returns an error wrapping [stream.ErrLimit] if there are 1,024 ships, and
// [ErrOrder] or [ErrClass] if the ship cannot be encoded. It returns another error if s is nil.
func (b *Broadcaster) AddShip(s *Ship) error {
	if err := s.complete(); err != nil {
		return err
	}
	i := b.index(s.ID)
	if i < 0 && len(b.ships) >= defaultMaxShips {
		return fmt.Errorf("stateupdate: %w: %d ships, at most %d", stream.ErrLimit, len(b.ships)+1, defaultMaxShips)
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
		b.begin()
		for i, n := 0, len(b.ships); n > 0 && i < len(b.ships); n-- {
			s := b.ships[i]
			if !b.updates(now, i, yield) {
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
		b.begin()
		if i := b.index(id); i >= 0 {
			b.updates(now, i, yield)
		}
	}
}

// Err returns the first error of the last iteration, with the skipped ship, or nil.
func (b *Broadcaster) Err() error { return b.err }

// begin finds the receivers' ships and the intervals.
func (b *Broadcaster) begin() {
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
	b.pace()
}

const shortest = 100 * time.Millisecond

// pace sets the intervals, as the table of Broadcaster.
func (b *Broadcaster) pace() {
	players, most := b.Players, 2 // most players with the shortest interval for a host on a modem
	if players == 0 {
		players = len(b.receivers)
		if !b.Dedicated {
			players++
		}
	}
	if b.Dedicated {
		most = 1
	}
	b.interval, b.modemInterval, b.omit = shortest, shortest, b.Modem && players > most
	switch {
	case b.omit && players == most+1:
		b.interval, b.modemInterval = 167*time.Millisecond, 167*time.Millisecond
	case b.omit:
		b.interval, b.modemInterval = 500*time.Millisecond, 500*time.Millisecond
	case !b.Modem && players > 4:
		b.modemInterval = 125 * time.Millisecond
	}
}

// updates passes the updates of the i-th ship to yield. It reports whether to continue.
func (b *Broadcaster) updates(now float32, i int, yield func(objectid.PeerID, []byte) bool) bool {
	s := b.ships[i]
	for k := 0; k < len(b.receivers) && i < len(b.ships) && b.ships[i] == s; k++ {
		r := b.receivers[k]
		e := &r.encoders[i]
		if !b.prepare(r, e, s) {
			continue
		}
		payload, err := e.Append(b.buf[:0], now, s)
		if err != nil {
			b.err = cmp.Or(b.err, error(&shipError{s.ID, "update", err}))
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
func (b *Broadcaster) prepare(r *Receiver, e *Encoder, s *Ship) bool {
	e.Role, e.interval, e.omit = HostToOther, 0, false
	if s == r.ship {
		e.Role = HostToOwner
	}
	switch {
	case r.All:
		return true
	case r.ship == nil || r.ship.SetName != s.SetName:
		return false
	}
	e.interval, e.omit = b.interval, b.omit
	if r.Modem {
		e.interval = b.modemInterval
	}
	return true
}
