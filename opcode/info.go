package opcode

// Info describes an opcode, without its layout.
type Info struct {
	Direction  Direction
	Relay      Relay
	Evidence   Evidence
	Unreliable bool // sent once, without retransmission
	MinSize    int  // bytes of the shortest valid payload; 0 if the opcode is unknown
	MaxSize    int  // bytes of the longest payload from the game; 0 if only the transport limits it
	StockSize  int  // bytes of each payload from the game; 0 if the size varies
}

// Info returns the facts about an opcode. Unknown and unused opcodes have DirNone.
func (c Code) Info() Info { return infos[c] }

// Direction identifies the senders of a message in the stock game.
type Direction uint8

// Directions. A client sends up, and the host sends down.
const (
	DirNone Direction = iota
	DirUp
	DirDown
	DirBoth
)

// String returns the direction as a word.
func (d Direction) String() string { return word(d, "none", "up", "down", "both") }

// Relay identifies the receivers of a message. It describes how a host relays a message of a
// client, or to whom a host sends its own message. A host should call [Authorize] first.
type Relay uint8

// Relay rules, first for messages of clients, then for messages of the host.
const (
	RelayNone       Relay = iota
	RelayHost             // the host keeps the message
	RelayForward          // the host acts on the message and sends it unchanged to all other clients
	RelayRebuild          // the host encodes the message again for each receiver
	RelayTeam             // to the players of the sender's team, including the sender
	RelayAll              // to all clients
	RelayOthers           // to all clients except the sender or the subject of the message
	RelayJoin             // to a joining client
	RelayJoinOthers       // to a joining client, and later to all clients
)

// String returns the rule as words.
func (r Relay) String() string {
	return word(r, "none", "host", "forward", "rebuild", "team", "all", "others", "join", "join, others")
}

// Evidence is the grade of the knowledge about a layout.
type Evidence uint8

// Grades, from no knowledge to captured bytes.
const (
	EvidenceNone       Evidence = iota
	EvidenceInferred            // from other layouts, or from one weak source
	EvidenceDocumented          // by a validated source or the game's scripts
	EvidenceObserved            // in captured bytes
)

// String returns the grade as a word.
func (e Evidence) String() string { return word(e, "none", "inferred", "documented", "observed") }

func word[T ~uint8](v T, words ...string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}
