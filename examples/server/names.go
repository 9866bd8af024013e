package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// nameChange takes the name that a client asks for. A client sends it once when it joins,
// and again with the name that the settings gave it.
func (m *match) nameChange(p *player, body transport.Body) {
	change, ok := body.(transport.NameChange)
	name := change.Name.String()
	switch {
	case !ok: // a Boot or a Disconnect of another
		m.stats.drop("forged")
	case !p.maySpeak(m.now, 0):
		m.stats.drop("rate")
	case p.slot == objectid.NoSlot:
		p.asked, p.ip, p.echo = name, change.IP, true
		if p.session.Proven() {
			m.echoName(p)
		}
	case p.name == "" && p.stage != inGame:
		p.name, p.ip = m.unique(name), change.IP
	case p.standIn:
		p.name, p.ip, p.standIn = "", change.IP, false
		p.name = m.unique(name)
		m.announce(p)
	case name != p.name:
		m.stats.drop("second name")
	}
}

// echoName tells a client the name that it asked for, as the game does.
func (m *match) echoName(p *player) {
	p.echo = false
	if name, err := transport.NewUTF16Z(p.asked); err == nil {
		m.sendSystem(p, transport.NameChange{PeerID: p.id(), IP: p.ip, Name: name})
	}
}

// announce tells everybody the name of a player in the game, and the player the others'.
func (m *match) announce(p *player) {
	p.score.name = p.name
	m.log.Info("named", "player", p)
	if p.name != p.asked { // which it has been told
		m.tellName(p, p)
	}
	for _, other := range m.everybody(p) {
		m.tellName(p, other)
		m.tellName(other, p)
	}
}

// tellName tells a player the name of another.
func (m *match) tellName(to, of *player) {
	name, err := transport.NewUTF16Z(of.name)
	if err != nil {
		m.log.Error("name does not encode", "player", of, "error", err)
		return
	}
	m.sendSystem(to, transport.NameChange{PeerID: of.id(), IP: of.ip, Name: name})
}

// hostName is what the host is called among the players.
const hostName = "Dedicated Server"

// unique returns a name that nobody has, of what the game can show: a client with another
// name is renamed, since DeletePlayerAnim and browsers could not be told that name.
func (m *match) unique(name string) string {
	name = strings.TrimSpace(strings.Map(printable, text(name).String()))
	if name == "" {
		name = "Player"
	}
	if runes := []rune(name); len(runes) > maxNameLength {
		name = string(runes[:maxNameLength])
	}
	unique := name
	for i := 2; strings.EqualFold(unique, hostName) || m.find(unique) != nil; i++ { // ignoring case
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
