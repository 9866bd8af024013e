package gamespy

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// Default times of a [Beacon]. Masters forget a server after about 30 minutes of silence.
const (
	HeartbeatInterval = 60 * time.Second // between heartbeats if nothing changes
	HeartbeatPause    = 2 * time.Second  // minimum from the last to a change
)

// The schedule of the game. The game waits until more than these times have passed.
const (
	stockRepeat   = 30*time.Second + time.Nanosecond
	stockRepeats  = 10
	stockInterval = 300*time.Second + time.Nanosecond
)

// A Beacon schedules heartbeats: one in the first call of Due, one after a change of NumPlayers or
// GameMode, and one when Interval has passed since the last. By default, a master forgets a server
// after about 30 lost heartbeats, or 6 with Stock. The zero value is ready to use. It is not safe
// for concurrent use.
//
// Evidence: Stock is documented (B): the engine's code, FUN_006abd80 and FUN_006ac1e0. Observed:
// the game sends a change within 4 s.
type Beacon struct {
	Port     uint16        // query port; the default is 22101
	Interval time.Duration // the default is HeartbeatInterval; not used with Stock
	Pause    time.Duration // the default is HeartbeatPause, or no pause with Stock

	// Stock selects the schedule of the game. Until the first query, up to ten more heartbeats
	// follow the first, a little more than 30 s apart. Then the interval is slightly over 300 s.
	// Without a Pause, changes are sent at once.
	Stock bool

	begun   bool
	ended   bool
	queried bool
	repeats int
	last    time.Time // last heartbeat
	players int       // in the last heartbeat
	mode    Text
	next    time.Time
}

// Due returns the datagram to send to every master now, or nil. It reads NumPlayers and GameMode.
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

// interval returns the time until the next heartbeat if nothing changes.
func (b *Beacon) interval() time.Duration {
	switch {
	case !b.Stock:
		return cmp.Or(max(b.Interval, 0), HeartbeatInterval)
	case !b.queried && b.repeats < stockRepeats:
		return stockRepeat
	}
	return stockInterval
}

// pause returns the minimum time between the last heartbeat and a change.
func (b *Beacon) pause() time.Duration {
	if b.Stock {
		return max(b.Pause, 0)
	}
	return cmp.Or(max(b.Pause, 0), HeartbeatPause)
}

// Queried records that a query has arrived. With Stock, heartbeats are then less frequent.
func (b *Beacon) Queried() {
	b.queried = true
	if b.begun {
		b.next = b.last.Add(b.interval())
	}
}

// Next returns when to call Due again if nothing changes, and the zero Time before the
// first Due. After Exit the result has no meaning.
func (b *Beacon) Next() time.Time { return b.next }

// Exit ends the Beacon and returns the datagram that tells masters that the server exits. It
// returns nil if no heartbeat was sent, if Exit was called before, or if Stock is set. Evidence:
// the datagram is inferred. It is documented (B) that the game sends none.
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
	datagram, _ := NewHeartbeat(b.Port, change).MarshalBinary() // GameName has no backslash
	return datagram
}

// DefaultPort is the UDP port of the game and of its queries.
const DefaultPort = 22101

// Ports of a master.
const (
	MasterPort     = 27900 // UDP, for heartbeats; the master may send queries from any port
	MasterListPort = 28900 // TCP, for lists
)

// A Heartbeat tells a master over UDP that a server exists. A [Beacon] schedules heartbeats:
//
//	\heartbeat\port\gamename\bcommander[\statechanged\change]
//
// The master answers the first with \secure\ to the source address. It sends later queries to Port.
//
// Evidence: observed with a change and port 0; documented without a change.
type Heartbeat struct {
	Port     uint16 // query port; 0 means DefaultPort
	GameName Text
	Change   Change
	Final    bool // ends with \final\; OpenBC sends it when it exits, the game never
}

// Change is the state change that a [Heartbeat] reports.
type Change int

const (
	NoChange Change = 0 // a regular heartbeat
	Changed  Change = 1 // the number of players or the mode changed
	Exiting  Change = 2 // the server exits; inferred, the game never sends it
)

// NewHeartbeat returns the heartbeat of a Bridge Commander server.
func NewHeartbeat(port uint16, change Change) Heartbeat {
	return Heartbeat{Port: port, GameName: GameName, Change: change}
}

// ParseHeartbeat parses a datagram. It returns the errors of [Parse], or an error wrapping
// [ErrNumber] if the port or the change is not a number.
func ParseHeartbeat(datagram []byte) (Heartbeat, error) {
	m, err := Parse(datagram)
	if err != nil {
		return Heartbeat{}, err
	}
	bad := func(key string) error {
		value, _ := m.Pairs.Get(key)
		return alone(key, min(m.Pairs.offset(key), len(datagram)), fmt.Errorf("%w: %.20q", ErrNumber, value))
	}
	var h Heartbeat
	text, _ := m.Pairs.Get("heartbeat")
	port, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil {
		return Heartbeat{}, bad("heartbeat")
	}
	h.Port = uint16(port)
	h.GameName, _ = m.Pairs.Get("gamename")
	if text, ok := m.Pairs.Get("statechanged"); ok {
		n, ok := parseNumber(text)
		if !ok {
			return Heartbeat{}, bad("statechanged")
		}
		h.Change = Change(n)
	}
	_, h.Final = m.Pairs.Get("final")
	return h, nil
}

// AppendBinary appends the heartbeat to dst. If GameName contains a backslash or is too long, it
// returns dst unchanged and an error wrapping [ErrBackslash] or [ErrLimit].
func (h Heartbeat) AppendBinary(dst []byte) ([]byte, error) {
	m := Message{Pairs: Pairs{
		{"heartbeat", Text(strconv.Itoa(int(h.Port)))},
		{"gamename", h.GameName},
	}}
	if h.Change != NoChange {
		m.Pairs = append(m.Pairs, Pair{"statechanged", Text(strconv.Itoa(int(h.Change)))})
	}
	if h.Final {
		m.Pairs = append(m.Pairs, Pair{Key: "final"})
	}
	return m.AppendBinary(dst)
}

// MarshalBinary returns the encoded heartbeat.
func (h Heartbeat) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }
