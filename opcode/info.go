package opcode

// Info is what a server or a tool needs to know of an opcode beside its layout.
type Info struct {
	Direction  Direction
	Relay      Relay
	Evidence   Evidence
	Unreliable bool // sent once; else reliably
	MinSize    int  // bytes of the shortest payload that decodes; 0 for an opcode that nobody knows
	MaxSize    int  // bytes of the longest that the game can build; 0 if only the transport sets a limit
	StockSize  int  // bytes of every payload that the game sends; 0 if they vary
}

// Info returns what is known of an opcode. One that is not known, or not used, has the
// direction DirNone.
func (c Code) Info() Info { return infos[c] }

// Direction tells who sends a message in the stock game.
type Direction uint8

// A client sends up, the host down.
const (
	DirNone Direction = iota
	DirUp
	DirDown
	DirBoth
)

// String returns the direction in a word.
func (d Direction) String() string { return word(d, "none", "up", "down", "both") }

// Relay tells what a host does with a message of a client, or to whom the host sends its own
// message. A host relays a message of a client only if the rule says so, and only after
// [Authorize] has accepted the message.
type Relay uint8

// The messages of clients come first, those of the host last.
const (
	RelayNone       Relay = iota
	RelayHost             // for the host alone
	RelayForward          // passed on unchanged to all but the sender, and acted on
	RelayRebuild          // encoded again for each receiver
	RelayTeam             // for the players of the sender's team, the sender included
	RelayAll              // for all clients, the one that it is from or about included
	RelayOthers           // for all clients but the one that it is from or about
	RelayJoin             // for a client that is joining
	RelayJoinOthers       // for a client that is joining, and later for all
)

// String returns the rule in a word.
func (r Relay) String() string {
	return word(r, "none", "host", "forward", "rebuild", "team", "all", "others", "join", "join, others")
}

// Evidence is the grade of what is known of a layout.
type Evidence uint8

// From nothing to captured bytes.
const (
	EvidenceNone       Evidence = iota
	EvidenceInferred            // from other layouts, or from one weak source
	EvidenceDocumented          // by a validated source, or by the game's own scripts
	EvidenceObserved            // in captured bytes
)

// String returns the grade in a word.
func (e Evidence) String() string { return word(e, "none", "inferred", "documented", "observed") }

func word[T ~uint8](v T, words ...string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}
