package gamespy

import (
	"fmt"
	"time"
)

// Ports of the game and of a master. Evidence: observed.
const (
	DefaultPort    = 22101 // UDP, of the game and of its queries
	MasterPort     = 27900 // UDP, for heartbeats; the master may send queries from any port
	MasterListPort = 28900 // TCP, for lists
)

// Times of a [Beacon].
const (
	heartbeatInterval = 60 * time.Second
	heartbeatPause    = 2 * time.Second // minimum before a change

	// The game waits until more than these times have passed.
	stockRepeat   = 30*time.Second + time.Nanosecond
	stockRepeats  = 10
	stockInterval = 300*time.Second + time.Nanosecond
)

// A Beacon schedules heartbeats, which tell a master over UDP that a server exists:
//
//	\heartbeat\port\gamename\bcommander[\statechanged\change]
//
// The change is 1 if the number of players or the mode changed, and 2 if the server exits. The
// master answers the first heartbeat with \secure\ to the source address, or like a [Master] to the
// port. It sends later queries to the port.
//
// Due returns a heartbeat in its first call, when 60 s have passed since the last, and after a change of NumPlayers
// or GameMode, but not within 2 s of the last. A master forgets a server after about 30 minutes of silence: 30 lost
// heartbeats, or 6 with Stock. The zero value is ready to use. It is not safe for concurrent use.
//
// Evidence: heartbeats are observed with a change and port 0, and documented without a change. The
// time after which a master forgets a server is documented. Stock is documented (B): the engine's
// code, FUN_006abd80 and FUN_006ac1e0. Observed: the game sends a change within 4 s.
type Beacon struct {
	Port uint16 // query port; 0 means DefaultPort

	// Stock selects the intervals of the game. Until the first query, up to ten more heartbeats
	// follow the first, a little more than 30 s apart. Then the interval is slightly over 300 s.
	Stock bool

	begun   bool
	ended   bool
	queried bool
	repeats int
	last    time.Time // last heartbeat
	players int       // in the last heartbeat
	mode    string
}

// Due returns the datagram to send to every master now, or nil. It reads NumPlayers and GameMode.
func (b *Beacon) Due(now time.Time, info *ServerInfo) []byte {
	changed, wait := false, b.interval()
	if b.begun && (info.NumPlayers != b.players || info.GameMode != b.mode) {
		changed, wait = true, min(wait, heartbeatPause)
	}
	if b.ended || b.begun && now.Sub(b.last) < wait {
		return nil
	}
	if b.begun && !changed {
		b.repeats = min(b.repeats+1, stockRepeats)
	}
	b.begun, b.last, b.players, b.mode = true, now, info.NumPlayers, info.GameMode
	if changed {
		return b.heartbeat(`\statechanged\1`)
	}
	return b.heartbeat("")
}

// interval returns the time until the next heartbeat if nothing changes.
func (b *Beacon) interval() time.Duration {
	switch {
	case !b.Stock:
		return heartbeatInterval
	case !b.queried && b.repeats < stockRepeats:
		return stockRepeat
	}
	return stockInterval
}

// Queried records that a query has arrived. With Stock, heartbeats are then less frequent.
func (b *Beacon) Queried() { b.queried = true }

// Exit ends the Beacon and returns the datagram that tells masters that the server exits. It
// returns nil if no heartbeat was sent, if Exit was called before, or if Stock is set. Evidence:
// the datagram is inferred. It is documented (B) that the game sends none. OpenBC sends a
// heartbeat that ends with \final\.
func (b *Beacon) Exit() []byte {
	if !b.begun || b.ended {
		return nil
	}
	b.ended = true
	if b.Stock {
		return nil
	}
	return b.heartbeat(`\statechanged\2`)
}

func (b *Beacon) heartbeat(change string) []byte {
	return fmt.Appendf(nil, `\heartbeat\%d\gamename\%s%s`, b.Port, gameName, change)
}
