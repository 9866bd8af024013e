package join

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bcwire/bcwire/internal/stock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Players have names of at most maxNameLength characters.
const maxNameLength = 32

// onNameChange handles the name that a client asks for. A client sends it when it joins, and again
// after a rename by the Settings.
func (h *Host) onNameChange(m *Member, change *transport.NameChange) {
	switch asked := change.Name.String(); {
	case !m.account.Take(h.clock.Now, messages, 1):
		h.drop(m, "rate", nil)
	case m.Slot == objectid.NoSlot:
		m.asked, m.ip = asked, change.IP
		h.echoName(m)
	case m.asked == "" && asked != "": // late, after the Settings
		m.asked, m.ip, m.Name = asked, change.IP, ""
		m.Name = h.unique(asked)
		if m.stage == inGame {
			h.announce(m)
		}
	case asked != m.Name: // the client is told its name
		h.drop(m, "second name", nil)
		h.sendName(m, m, m.Name)
	}
}

// echoName sends a client that has the right password the name that it has asked for, as the game does.
func (h *Host) echoName(m *Member) {
	if m.asked != m.sentName && m.stage == checking {
		h.sendName(m, m, m.asked)
	}
}

// announce sends the name of a player to all players, and their names to the player.
func (h *Host) announce(m *Member) {
	h.logPlayer(m, "named")
	if m.Name != m.sentName {
		h.sendName(m, m, m.Name)
	}
	for _, other := range h.others(m) {
		h.sendName(m, other, other.Name)
		h.sendName(other, m, m.Name)
	}
}

// sendName sends a name of a player to a player, who may be the same.
func (h *Host) sendName(to, of *Member, name string) {
	if to == of {
		of.sentName = name
	}
	wire, _ := transport.NewUTF16Z(name) // name is valid UTF-8 without NUL
	h.sendSystem(&transport.NameChange{PeerID: of.PeerID, IP: of.ip, Name: wire}, of, to)
}

// withName returns the client with a slot and a name, ignoring case, or nil.
func (h *Host) withName(name string) *Member {
	return h.find(func(m *Member) bool { return strings.EqualFold(m.Name, name) })
}

// unique returns a name that no other player has, in the characters of the game.
func (h *Host) unique(name string) string {
	if name = clean(name); name == "" {
		name = "Player"
	}
	unique := name
	for i := 2; strings.EqualFold(unique, stock.HostName) || h.withName(unique) != nil; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	return unique
}

// clean returns a name in printable characters of the game, with single spaces between words only: names that
// look the same are the same.
func clean(name string) string {
	name = strings.Join(strings.Fields(text(name).String()), " ")
	if runes := []rune(name); len(runes) > maxNameLength {
		name = strings.TrimSpace(string(runes[:maxNameLength]))
	}
	return name
}

// text returns a string as text of the game, without the characters that cannot be shown.
func text(s string) (out stream.Text) {
	for _, r := range s {
		if t, _ := stream.NewText(string(r)); unicode.IsPrint(r) {
			out = append(out, t...)
		}
	}
	return out
}

// printable returns a text without control characters.
func printable(t stream.Text) stream.Text {
	return slices.DeleteFunc(slices.Clone(t), func(b byte) bool { return b < ' ' || b == 0x7F })
}
