package main

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// maxCommands is how many lines may wait.
const maxCommands = 16

// readCommands passes on the lines of a console until it ends.
func readCommands(r io.Reader) <-chan string {
	lines := make(chan string, maxCommands)
	go func() {
		for in := bufio.NewScanner(r); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// command does what a line of the console says, and says whether that is the end.
func (m *match) command(line string) (quit bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "quit":
		return true
	case "say":
		m.say(rest)
	case "kick":
		if rest == "" || !m.kick(rest) {
			m.log.Warn("no such player", "name", rest)
		}
	case "end":
		m.end(opcode.EndOver)
	case "restart":
		m.end(opcode.EndOver)
		m.restart = m.now
	case "players":
		m.list()
	default:
		m.log.Warn("no such command", "command", word, "commands", "players, say, kick, end, restart, quit")
	}
	return false
}

func (m *match) list() {
	var all []*player
	for _, p := range m.players {
		all = append(all, p)
	}
	slices.SortFunc(all, byName)
	for _, p := range all {
		m.log.Info("player", "player", p, "kills", p.score.kills, "deaths", p.score.deaths)
	}
}

// maxChat is the length of a line of chat.
const maxChat = opcode.MaxChat

// say sends a line of the host to everybody.
func (m *match) say(line string) {
	t := text(line)
	m.broadcast(m.everybody(nil), &opcode.ChatMessage{SenderID: int32(objectid.Host), Text: t[:min(len(t), maxChat)]})
}

// kick dismisses a player, and reports whether there is one. #5 is the player with the peer
// ID 5, whatever others are called. "#5" in quotes, as in a string of Go, is a name. Anything
// else is a name as it is.
func (m *match) kick(who string) bool {
	var p *player
	if id, ok := strings.CutPrefix(who, "#"); ok {
		p = m.peer(id)
	} else if name, err := strconv.Unquote(who); err == nil && who[0] == '"' {
		p = m.find(name)
	} else {
		p = m.find(who)
	}
	if p == nil {
		return false
	}
	p.dismiss(transport.BootRemoved)
	return true
}

// peer returns the player with a peer ID, nil if there is none.
func (m *match) peer(id string) *player {
	for _, p := range m.slots {
		if p != nil && strconv.Itoa(int(p.id())) == id {
			return p
		}
	}
	return nil
}
