package gamespy

import (
	"cmp"
	"time"
)

// When to send a [Heartbeat]. Masters forget a server after about 30 minutes.
const (
	HeartbeatInterval = 60 * time.Second // when nothing changes
	HeartbeatPause    = 2 * time.Second  // after one, whatever changes
)

// The schedule of the game: times that must be exceeded.
const (
	stockRepeat   = 30*time.Second + time.Nanosecond
	stockRepeats  = 10
	stockInterval = 300*time.Second + time.Nanosecond
)

// Beacon tells a server when to send a [Heartbeat] to its masters: at the beginning, when
// the number of players or the mode has changed, and else in intervals. Those who come and
// go quickly do not make it send more than one in each pause. Like the state machines of
// package transport it does not wait and reads no clock.
//
// The zero value is ready, for a server on the default port. It is not safe for concurrent
// use.
//
// Evidence: the default schedule is a choice: it survives the loss of 30 datagrams before a
// master forgets the server. The schedule of Stock is documented (B): the engine's code of the
// heartbeat, FUN_006abd80 and FUN_006ac1e0. The game sends a change within 4 s: observed.
type Beacon struct {
	Port     uint16        // of queries; 0 means the default
	Interval time.Duration // <= 0 means HeartbeatInterval; Stock has its own
	Pause    time.Duration // <= 0 means HeartbeatPause, with Stock no pause

	// Stock sends heartbeats as the game does: at the beginning; up to ten more, each after
	// more than 30 s, until the first query arrives, see [Beacon.Queried]; then after more
	// than 300 s. A change is sent at once, which lets players that come and go make the
	// server send one each time, and Exit sends nothing.
	Stock bool

	begun   bool
	ended   bool
	queried bool
	repeats int
	last    time.Time // of a heartbeat
	players int       // that it was about
	mode    Text
	next    time.Time
}

// Due returns the datagram that is to be sent to every master now, nil if none is. Of the
// info it takes NumPlayers and GameMode.
func (b *Beacon) Due(now time.Time, info *ServerInfo) []byte {
	if b.ended {
		return nil
	}
	change, wait := NoChange, b.interval()
	if b.begun && (info.NumPlayers != b.players || info.GameMode != b.mode) {
		change, wait = Changed, min(wait, b.pause())
	}
	if b.next = b.last.Add(wait); b.begun && now.Before(b.next) {
		return nil
	}
	if b.begun && change == NoChange {
		b.repeats = min(b.repeats+1, stockRepeats)
	}
	b.begun, b.players, b.mode = true, info.NumPlayers, info.GameMode
	b.last, b.next = now, now.Add(b.interval())
	return b.datagram(change)
}

// interval returns how long to wait if nothing changes.
func (b *Beacon) interval() time.Duration {
	switch {
	case !b.Stock:
		return cmp.Or(max(b.Interval, 0), HeartbeatInterval)
	case !b.queried && b.repeats < stockRepeats:
		return stockRepeat
	}
	return stockInterval
}

// pause returns how long a change has to wait.
func (b *Beacon) pause() time.Duration {
	if b.Stock {
		return max(b.Pause, 0)
	}
	return cmp.Or(max(b.Pause, 0), HeartbeatPause)
}

// Queried notes that a query has arrived, whatever it asks for. A beacon with Stock sends
// fewer heartbeats from then on.
func (b *Beacon) Queried() {
	b.queried = true
	if b.begun {
		b.next = b.last.Add(b.interval())
	}
}

// Next returns when to call Due again, if nothing changes until then: the zero Time at the
// beginning. It has no meaning after Exit.
func (b *Beacon) Next() time.Time { return b.next }

// Exit returns the datagram that tells the masters that the server is gone, nil if they
// have not heard of it or know already. Nothing is due after that. The game sends none, so
// neither does a beacon with Stock: the masters forget the server in their own time.
//
// Evidence: inferred; for the game documented (B).
func (b *Beacon) Exit() []byte {
	if !b.begun || b.ended {
		return nil
	}
	b.ended = true
	if b.Stock {
		return nil
	}
	return b.datagram(Exiting)
}

func (b *Beacon) datagram(change Change) []byte {
	datagram, _ := NewHeartbeat(b.Port, change).MarshalBinary() // the name of the game has no backslash
	return datagram
}
