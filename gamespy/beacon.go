package gamespy

import "time"

// When to send a [Heartbeat]. The game sends one when it begins and every 30 s, ten times,
// and then one every 300 s. Masters forget a server after about 30 minutes.
const (
	HeartbeatInterval = 60 * time.Second // when nothing changes
	HeartbeatPause    = 2 * time.Second  // after one, whatever changes
)

// Beacon tells a server when to send a [Heartbeat] to its masters: at the beginning, when
// the number of players or the mode has changed, and else in intervals. Those who come and
// go quickly do not make it send more than one in each pause. Like the state machines of
// package transport it does not wait and reads no clock.
//
// The zero value is ready, for a server on the default port. It is not safe for concurrent
// use.
//
// Evidence: inferred; that the game tells a change within 4 s is observed.
type Beacon struct {
	Port     uint16        // of queries; 0 means the default
	Interval time.Duration // <= 0 means HeartbeatInterval
	Pause    time.Duration // <= 0 means HeartbeatPause

	begun   bool
	ended   bool
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
	change, wait := NoChange, or(b.Interval, HeartbeatInterval)
	if b.begun && (info.NumPlayers != b.players || info.GameMode != b.mode) {
		change, wait = Changed, min(wait, or(b.Pause, HeartbeatPause))
	}
	if b.next = b.last.Add(wait); b.begun && now.Before(b.next) {
		return nil
	}
	b.begun, b.players, b.mode = true, info.NumPlayers, info.GameMode
	b.last, b.next = now, now.Add(or(b.Interval, HeartbeatInterval))
	return b.datagram(change)
}

// Next returns when to call Due again, if nothing changes until then: the zero Time at the
// beginning. It has no meaning after Exit.
func (b *Beacon) Next() time.Time { return b.next }

// Exit returns the datagram that tells the masters that the server is gone, nil if they
// have not heard of it or know already. Nothing is due after that.
//
// Evidence: inferred.
func (b *Beacon) Exit() []byte {
	if !b.begun || b.ended {
		return nil
	}
	b.ended = true
	return b.datagram(Exiting)
}

func (b *Beacon) datagram(change Change) []byte {
	datagram, _ := NewHeartbeat(b.Port, change).MarshalBinary() // the name of the game has no backslash
	return datagram
}
