package opcode

// Info describes an opcode, without its layout.
type Info struct {
	Direction  Direction
	Relay      Relay
	Evidence   Grade // for the layout
	Unreliable bool  // sent once, without retransmission
	MinSize    int   // bytes of the shortest payload that Validate accepts; 0 if the opcode is unknown
	MaxSize    int   // bytes of the longest payload that Validate accepts; 0 if only the transport limits it
	StockSize  int   // bytes of every payload from the game; 0 if the size varies or the game sends none
}

// Info returns the facts about an opcode. Unknown and unused opcodes have DirNone.
func (c Code) Info() Info { return infos[c] }

// Direction identifies the peers that may send a message. A client sends up, and the host sends down.
type Direction uint8

const (
	DirNone Direction = iota // no peer of the stock game may send the message
	DirUp
	DirDown
	DirBoth
)

func (d Direction) String() string { return word(d, "none", "up", "down", "both") }

// Relay identifies the receivers of a message: of a client's message that the host relays, or of a
// message that the host itself sends. A host should call [Authorize] before it relays a message.
//
// The engine has two groups of receivers, which only the host knows. NoMe has all clients. Forward
// has all clients except the sender of the relayed message. A client is added to both when its
// [NewPlayerInGame] arrives, so a client that is still loading receives no message of a group.
// [EndGame] and [RestartGame] are the exception: the game sends them to all connected clients.
type Relay uint8

const (
	RelayNone    Relay = iota
	RelayHost          // the host acts on the message and does not relay it
	RelayForward       // the host acts on the message and sends it unchanged to the group Forward
	RelayRebuild       // the host encodes the message again for each receiver
	RelayTeam          // to the players of the sender's team, including the sender
	RelayAll           // to the group NoMe, which includes the sender of a relayed message
	RelayJoin          // to a joining client
	RelayJoinAll       // to a joining client, and to the group NoMe later in the game
)

func (r Relay) String() string {
	return word(r, "none", "host", "forward", "rebuild", "team", "all", "join", "joinall")
}

func word[T ~uint8](v T, words ...string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}

// Grade is the evidence for a statement about the game; see the section Evidence of the package.
type Grade uint8

const (
	Ungraded   Grade = iota // of an unknown opcode, or of a mod
	Observed                // A
	Documented              // B
	Inferred                // C
)

func (g Grade) String() string { return word(g, "ungraded", "observed", "documented", "inferred") }
