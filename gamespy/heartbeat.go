package gamespy

import "strconv"

// DefaultPort is the UDP port of the game and of its queries.
const DefaultPort = 22101

// Ports of a master.
const (
	MasterPort     = 27900 // UDP, for heartbeats; its queries may come from any port
	MasterListPort = 28900 // TCP, for lists
)

// Heartbeat tells a master, by UDP, that there is a server; a [Beacon] says when:
//
//	\heartbeat\port\gamename\bcommander[\statechanged\change]
//
// The master answers with \secure\ the first time, and with queries later; a server
// answers to where they came from.
//
// The game sends neither Final nor the change Exiting.
//
// Evidence: observed with a change, and port 0; documented without.
type Heartbeat struct {
	Port     uint16 // of queries; 0 means the default
	GameName Text
	Change   Change
	Final    bool // ends with \final\, which is how OpenBC tells that it exits
}

// Change is what has happened to a server since the last [Heartbeat].
type Change int

// What can have happened.
const (
	NoChange Change = 0
	Changed  Change = 1 // a player came or left, or the mode is another
	Exiting  Change = 2 // inferred
)

// NewHeartbeat returns the heartbeat of a server of the game.
func NewHeartbeat(port uint16, change Change) Heartbeat {
	return Heartbeat{Port: port, GameName: GameName, Change: change}
}

// ParseHeartbeat returns the heartbeat in a datagram. It fails with what [Parse] returns,
// and with [ErrNumber] and the place if there is none, or a port or a change that is not a
// number.
func ParseHeartbeat(datagram []byte) (Heartbeat, error) {
	m, err := Parse(datagram)
	if err != nil {
		return Heartbeat{}, err
	}
	bad := func(key string) error {
		return alone(key, min(m.Pairs.offset(key), len(datagram)), ErrNumber)
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

// AppendBinary appends the heartbeat to dst. On an error, which is [ErrBackslash] for one
// in GameName, it returns dst as it was.
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

// MarshalBinary returns the heartbeat.
func (h Heartbeat) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }
