package game

import (
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Commands are the commands of the console.
const Commands = "players, say TEXT, kick NAME, kick #PEER, end, restart, help, quit"

// Command runs a command of the console. It reports whether the server must end.
func (m *Match) Command(line string) (quit bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "quit":
		return true
	case "say":
		t := stream.Lossy(rest)
		m.Broadcast(&opcode.ChatMessage{SenderID: objectid.Host, Text: t[:min(len(t), opcode.MaxChat)]})
	case "kick":
		if p := m.selected(rest); p != nil {
			p.Session.Boot(transport.BootRemoved)
		} else {
			m.log.Warn("no such player", "name", rest)
		}
	case "end":
		m.End(opcode.EndOver)
	case "restart":
		m.End(opcode.EndOver)
		m.restart = m.GameTime()
	case "players":
		m.find(func(p *join.Member) bool {
			ship := ""
			if own, ok := p.Value.(*player); ok && own.ship != nil && own.ship.Class != nil {
				ship = own.ship.Class.Name
			}
			m.log.Info("player", "player", p, "ship", ship, "kills", p.Kills, "deaths", p.Deaths, "score", p.Points,
				"ping", p.Session.Quality().RoundTrip.Round(time.Millisecond))
			return false
		})
	case "help":
		m.log.Info("help", "commands", Commands)
	default:
		m.log.Warn("no such command", "command", word, "commands", Commands)
	}
	return false
}

// selected returns the client that an argument selects, or nil: #5 is the peer ID 5, and quotes, as
// of a string in Go, enclose a name. Any other argument is a name as it stands.
func (m *Match) selected(arg string) *join.Member {
	if id, ok := strings.CutPrefix(arg, "#"); ok {
		return m.find(func(p *join.Member) bool { return strconv.Itoa(int(p.PeerID)) == id })
	}
	if name, err := strconv.Unquote(arg); err == nil && arg[0] == '"' {
		arg = name
	}
	return m.find(func(p *join.Member) bool { return p.Name != "" && strings.EqualFold(p.Name, arg) })
}

// find returns the first client for which is returns true, or nil. The client may still be joining.
func (m *Match) find(is func(*join.Member) bool) *join.Member {
	for s := range m.Hub().Sessions() {
		if member, ok := s.Value.(*join.Member); ok && is(member) {
			return member
		}
	}
	return nil
}
