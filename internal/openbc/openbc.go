// Package openbc recognises OpenBC's server by the messages of the game that it sends. Package transport
// recognises it by its datagrams.
package openbc

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Signs follows the messages of the host on a link, in the order of their numbers. The zero value is ready to use.
type Signs struct {
	entering bool // GameInit has come, and what comes after the join has not
	own      bool // the client's own score has come since
}

// Follow follows a message of the host. It records in host what the message shows about the host's program.
// The argument self is the client of the link.
//
// OpenBC's server relays NewPlayerInGame, and sends a client its own score before MissionInit. The stock
// game does neither. The SenderID of a line of chat is no fact, because the stock game relays what a client writes.
func (s *Signs) Follow(host *transport.Peer, m opcode.Message, self objectid.PeerID) {
	switch m := m.(type) {
	case *opcode.NewPlayerInGame:
		host.Settle(transport.ProgramOpenBC)
	case *opcode.Score:
		s.own = s.own || m.PlayerID == self
	case *opcode.ScoreInit:
		s.own = s.own || m.PlayerID == self
	}
	switch code := m.Opcode(); code {
	case opcode.OpGameInit:
		*s = Signs{entering: true}
	case opcode.OpScore, opcode.OpScoreInit, opcode.OpObjectCreate, opcode.OpObjectCreateTeam:
	default: // if MissionInit is missing, what comes after it is not before it
		if code == opcode.OpMissionInit && s.entering && s.own {
			host.Settle(transport.ProgramOpenBC)
		}
		*s = Signs{}
	}
}
