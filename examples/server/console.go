package main

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/opcode"
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
