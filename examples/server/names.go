package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bcwire/bcwire/transport"
)

// rename takes the name of a player, tells everybody, and tells the player the others'.
func (m *match) rename(p *player, body transport.Body) {
	change, ok := body.(transport.NameChange)
	switch {
	case !ok: // a Boot or a Disconnect of another
		m.stats.drop("forged")
		return
	case p.name != "" && !p.standIn:
		m.stats.drop("second name")
		return
	}
	p.ip = change.IP
	p.name, p.standIn = "", false
	m.call(p, change.Name.String())
}

// call gives a player a name.
func (m *match) call(p *player, name string) {
	p.name = m.unique(name)
	p.score.name = p.name
	m.log.Info("named", "player", p)
	m.tellName(p, p)
	for _, other := range m.named() {
		if other != p {
			m.tellName(p, other)
			m.tellName(other, p)
		}
	}
}

// named returns the players who have a name, in the order of their slots.
func (m *match) named() (all []*player) {
	for _, p := range m.slots {
		if p != nil && p.name != "" {
			all = append(all, p)
		}
	}
	return all
}

// tellName tells a player the name of another.
func (m *match) tellName(to, of *player) {
	name, err := transport.NewText(of.name)
	if err != nil {
		m.log.Error("name does not encode", "player", of, "error", err)
		return
	}
	m.sendSystem(to, transport.NameChange{PeerID: of.id(), IP: of.ip, Name: name})
}

// hostName is what the host is called among the players.
const hostName = "Dedicated Server"

// unique returns a name that nobody has, without what cannot be seen.
func (m *match) unique(name string) string {
	name = strings.TrimSpace(strings.Map(printable, name))
	if name == "" {
		name = "Player"
	}
	if runes := []rune(name); len(runes) > maxNameLength {
		name = string(runes[:maxNameLength])
	}
	unique := name
	for i := 2; strings.EqualFold(unique, hostName) || m.find(unique) != nil; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	return unique
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) { // not of category Cf, either
		return -1
	}
	return r
}
