package gamespy

import (
	"fmt"
	"strconv"
)

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
