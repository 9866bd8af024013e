package stateupdate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Broadcaster encodes the StateUpdates that a host sends, for all ships and all players. Add
// the players and ships, and call Advance at every tick, at least ten times a second:
//
//	updates, err := b.Advance(now)
//	for _, u := range updates {
//		sessions[u.Receiver].Send(u.Payload, transport.Unreliable)
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
	updates   []Update
	buf       []byte // the payloads of updates

	// During a call of Advance:
	interval, modemInterval time.Duration // for receivers without and with a modem
	omit                    bool          // only forced updates have subsystems
}

// Update is the payload of a StateUpdate, and the player to whom a host sends it.
type Update struct {
	Receiver objectid.PeerID
	Payload  []byte
}

// Receiver is a player who gets updates from a [Broadcaster]. The caller may change its fields
// between calls of Advance.
type Receiver struct {
	// Modem means that the player uses a modem, as in NewPlayerInGame.Modem.
	Modem bool
	// All gives the receiver updates of all ships in every call of Advance, even without a
	// ship. Use it for spectators and recorders.
	All bool

	id       objectid.PeerID
	ship     *Ship     // the player's ship, during a call of Advance
	encoders []Encoder // one for each ship of the Broadcaster, in the same order
}

// AddReceiver adds a player and returns the player's settings. First send the player
// [Ship.Creation] of every ship reliably. If the player is added again, the updates restart, and
// the earlier Receiver has no effect.
func (b *Broadcaster) AddReceiver(peer objectid.PeerID) *Receiver {
	r := &Receiver{id: peer, encoders: slices.Repeat([]Encoder{encoderFor(peer)}, len(b.ships))}
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
// Broadcaster retains s and reads it in every call of Advance. The caller may change s between
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
			r.encoders[i] = encoderFor(r.id)
		}
		return nil
	}
	b.ships = append(b.ships, s)
	for _, r := range b.receivers {
		r.encoders = append(r.encoders, encoderFor(r.id))
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

// Advance returns the updates that are due at a time of the host's clock, in the order of the ships. They are valid
// until the next call. If Advance cannot encode a ship, it returns the updates of the other ships, and the first
// error.
func (b *Broadcaster) Advance(now time.Duration) ([]Update, error) {
	b.begin()
	var err error
	for i := range b.ships {
		err = cmp.Or(err, b.update(now, i))
	}
	return b.updates, err
}

// Restart restarts the updates of a ship and returns its first ones, which are forced and begin with the first
// subsystem; see [Encoder]. A host sends them as the last state of a dying ship. They are valid as those of Advance.
func (b *Broadcaster) Restart(now time.Duration, id objectid.ID) ([]Update, error) {
	b.begin()
	i := b.index(id)
	if i < 0 {
		return nil, nil
	}
	for _, r := range b.receivers {
		r.encoders[i] = encoderFor(r.id)
	}
	return b.updates, b.update(now, i)
}

// begin finds the receivers' ships and the intervals.
func (b *Broadcaster) begin() {
	b.updates, b.buf = b.updates[:0], b.buf[:0]
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

// update adds the updates of the i-th ship.
func (b *Broadcaster) update(now time.Duration, i int) (err error) {
	s := b.ships[i]
	for _, r := range b.receivers {
		e := &r.encoders[i]
		if !b.prepare(r, e, s) {
			continue
		}
		payload, failed := e.Append(b.buf, now, s)
		if failed != nil {
			err = &shipError{s.ID, "update", failed}
		}
		if n := len(b.buf); len(payload) > n {
			b.buf = payload
			b.updates = append(b.updates, Update{r.id, payload[n:len(payload):len(payload)]})
		}
	}
	return err
}

// prepare sets up the encoder of a ship. It reports whether the receiver gets updates of the
// ship.
func (b *Broadcaster) prepare(r *Receiver, e *Encoder, s *Ship) bool {
	e.interval, e.omit = 0, false
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
