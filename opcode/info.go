package opcode

// Info is what a server or a tool needs to know of an opcode beside its layout.
type Info struct {
	Direction  Direction
	Relay      Relay
	Evidence   Evidence
	Unreliable bool // sent once; else reliably
	MinSize    int  // bytes of the shortest payload; 0 for an opcode that nobody knows
	MaxSize    int  // bytes of the longest payload; 0 if only the transport sets a limit
}

// Info returns what is known of an opcode. For one that is not, or not used, its
// Direction is None.
func (c Code) Info() Info { return infos[c] }

// Direction tells who sends a message.
type Direction uint8

// The directions.
const (
	None Direction = iota // nobody in the stock game
	Up                    // clients, to the host
	Down                  // the host
	Both
)

// String returns the direction in a word.
func (d Direction) String() string { return word(d, "none", "up", "down", "both") }

// Relay tells what a host does with a message of a client, or for whom its own is. A host
// never relays by itself what is not marked so.
type Relay uint8

// The rules.
const (
	RelayNone    Relay = iota
	RelayHost          // for the host alone
	RelayForward       // passed on unchanged to all but the sender, and acted on
	RelayRebuild       // encoded anew for each receiver
	RelayJoin          // from the host, for the client that is joining
	RelayOthers        // from the host, for all clients; a client's own is copied to the others
	RelayAll           // for all clients, the one that it is from or about included
	RelayTeam          // for the players of the sender's team, the sender included
)

// String returns the rule in a word.
func (r Relay) String() string {
	return word(r, "none", "host", "forward", "rebuild", "join", "others", "all", "team")
}

// Evidence is the grade of what is known of a layout.
type Evidence uint8

// The grades.
const (
	Unseen     Evidence = iota // nothing is known
	Inferred                   // from other layouts, or from one weak source
	Documented                 // by a validated source, or by the game's own scripts
	Observed                   // in captured bytes
)

// String returns the grade in a word.
func (e Evidence) String() string { return word(e, "unseen", "inferred", "documented", "observed") }

func word[T ~uint8](v T, words ...string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}
