package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

const hostName, maxNameLength = "Dedicated Server", 32

// nameChange handles the name that a client asks for. A client sends it when it joins, and again
// after a rename by the settings.
func (m *match) nameChange(p *player, body transport.Body) {
	change, ok := body.(*transport.NameChange)
	if !ok { // a Boot or a Disconnect about another client
		m.stats.drop("forged")
		return
	}
	switch name := change.Name.String(); {
	case !p.limits.messages.AllowN(m.now, 1):
		m.stats.drop("rate")
	case p.slot == objectid.NoSlot:
		p.asked, p.ip = name, change.IP
		m.echoName(p)
	case p.asked == "" && name != "": // late, after the settings
		p.asked, p.ip, p.name = name, change.IP, ""
		p.name = m.unique(name)
		if p.stage == inGame {
			m.announce(p)
		}
	case name != p.name:
		m.stats.drop("second name")
	}
}

// echoName sends a client the name that it has asked for, as the game does. The address of a
// client that is not proven may be forged. A name that the server will shorten would delay the join:
// its message can be longer than the client's own messages so far.
func (m *match) echoName(p *player) {
	short := utf8.RuneCountInString(p.asked) <= maxNameLength
	if short && p.asked != p.sentName && p.session.Proven() && p.stage != inGame {
		m.sendName(p, p, p.asked)
	}
}

// announce sends the name of a player to all players, and their names to the player.
func (m *match) announce(p *player) {
	m.log.Info("named", "player", p)
	if p.name != p.sentName {
		m.sendName(p, p, p.name)
	}
	for _, other := range m.players(p) {
		m.sendName(p, other, other.name)
		m.sendName(other, p, p.name)
	}
}

// sendName sends a name of a player to a player, who may be the same.
func (m *match) sendName(to, of *player, name string) {
	if to == of {
		of.sentName = name
	}
	wire, _ := transport.NewUTF16Z(name) // name is valid UTF-8 without NUL
	m.sendSystem(&transport.NameChange{PeerID: of.id(), IP: of.ip, Name: wire}, to)
}

// named returns the client with a slot and a name, ignoring case, or nil.
func (m *match) named(name string) *player {
	return m.find(func(p *player) bool { return p.name != "" && strings.EqualFold(p.name, name) })
}

// unique returns a name that no other player has, in the characters of the game.
func (m *match) unique(name string) string {
	name = strings.TrimSpace(text(name).String())
	if runes := []rune(name); len(runes) > maxNameLength {
		name = string(runes[:maxNameLength])
	} else if name == "" {
		name = "Player"
	}
	unique := name
	for i := 2; strings.EqualFold(unique, hostName) || m.named(unique) != nil; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	return unique
}

// text returns a string as text of the game, without the characters that cannot be shown.
func text(s string) (out stream.Text) {
	for _, r := range s {
		if t, err := stream.NewText(string(r)); err == nil && unicode.IsPrint(r) {
			out = append(out, t...)
		}
	}
	return out
}
