package match

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// maxText is the number of bytes of a name or a line of chat that are kept.
const maxText = 1024

// text returns a text of a message as the game displays it: up to the first NUL. Characters that are
// not visible are escaped, so that no name looks like another one.
func text(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return terminal.Line(clip(s))
}

// clip returns a text as valid UTF-8 with at most maxText bytes.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxText {
		return s
	}
	end := maxText
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// log reports an event.
func (w *world) log(e Event) {
	if w.event == nil {
		return
	}
	e.Time, e.Message = w.header.Time, w.header.Message
	if e.Peer != nil && e.Player == "" {
		e.Player = w.name(*e.Peer)
	}
	if e.Other != nil && e.OtherPlayer == "" {
		e.OtherPlayer = w.name(*e.Other)
	}
	w.event(e)
}

// pythonEvent reports deaths, damage and repairs.
func (w *world) pythonEvent(m *opcode.PythonEvent, c *stateupdate.Change) {
	if c.Died {
		w.died(m, c.Ship)
		return
	}
	if subsystem, _, ok := m.Damaged(); ok {
		w.systemEvent(subsystem, "is damaged")
	} else if _, subsystem, _, ok := m.Repaired(); ok {
		w.systemEvent(subsystem, "is repaired")
	} else if _, subsystem, _, ok := m.RepairFailed(); ok {
		w.systemEvent(subsystem, "is beyond repair")
	}
}

// died reports the death of a ship. The weapon is the one that the killer has fired last.
func (w *world) died(m *opcode.PythonEvent, ship *stateupdate.Ship) {
	victim := peerOf(ship.PeerID)
	_, killer, player, ok := m.Killed()
	slot, isPlayer := killer.Slot()
	if !ok || !isPlayer || !player.Valid() {
		w.log(Event{Kind: "death", Peer: victim, Player: text(ship.PlayerName)})
		return
	}
	w.log(Event{Kind: "kill", Peer: peerOf(player), Other: victim, OtherPlayer: text(ship.PlayerName), Weapon: w.weapons[slot]})
}

func (w *world) systemEvent(subsystem objectid.ID, state string) {
	ship, part, ok := w.tracker.Part(subsystem)
	if ok {
		w.log(Event{Kind: "system", Peer: peerOf(ship.PeerID), Player: text(ship.PlayerName), Text: cmp.Or(part.String(), "a part") + " " + state})
	}
}

// cloaked reports that a ship cloaks or decloaks.
func (w *world) cloaked(ship *stateupdate.Ship) {
	state := "decloaks"
	if ship.Cloaked {
		state = "cloaks"
	}
	w.log(Event{Kind: "cloak", Peer: peerOf(ship.PeerID), Player: text(ship.PlayerName), Text: state})
}
