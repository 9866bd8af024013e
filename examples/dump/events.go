package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// events prints the events of package match, one line or one JSON object each.
type events struct {
	text  bytes.Buffer
	enc   *json.Encoder // nil for lines
	match match.Match
}

func newEvents(asJSON bool, classes stateupdate.Catalogue) *events {
	e := &events{match: match.Match{Events: true, Classes: classes}}
	if asJSON {
		e.enc = json.NewEncoder(terminal.JSON(&e.text))
		e.enc.SetEscapeHTML(false)
	}
	return e
}

// Append passes the datagram of a packet, which the decoder has deciphered, to the match. It appends the events.
func (e *events) Append(dst []byte, p *show.Packet) []byte {
	for step := range e.match.Receive(p.Datagram.Match()) {
		dst = e.append(dst, step.Events)
	}
	return dst
}

// Finish appends the events that wait.
func (e *events) Finish(dst []byte, _ int) []byte { return e.append(dst, e.match.Flush()) }

func (e *events) append(dst []byte, all []match.Event) []byte {
	for i := range all {
		x := &all[i]
		if e.enc == nil {
			dst = fmt.Appendf(dst, "%9.3f  %-8s  %s\n", x.Time.Seconds(), x.Kind, terminal.Line(x.String()))
			continue
		}
		e.text.Reset()
		_ = e.enc.Encode(eventObject(x)) // it has no value that JSON has not
		dst = append(dst, e.text.Bytes()...)
	}
	return dst
}

// eventJSON is the object of an event. Its keys and their order are a contract.
type eventJSON struct {
	Time   float64          `json:"time"`
	Match  int              `json:"match"`
	Event  match.EventKind  `json:"event"`
	Player string           `json:"player,omitempty"`
	Peer   *objectid.PeerID `json:"peer,omitempty"`
	Slot   *objectid.Slot   `json:"slot,omitempty"`
	Client string           `json:"client,omitempty"`
	Ship   string           `json:"ship,omitempty"`
	Class  string           `json:"class,omitempty"`
	Text   *string          `json:"text,omitempty"`
	Victim string           `json:"victim,omitempty"`
	Killer string           `json:"killer,omitempty"`
	Weapon string           `json:"weapon,omitempty"`
	Target string           `json:"target,omitempty"`
	Part   string           `json:"part,omitempty"`
	From   *int             `json:"from,omitempty"`
	To     *int             `json:"to,omitempty"`
	Reason string           `json:"reason,omitempty"`
	Kills  *int32           `json:"kills,omitempty"`
	Deaths *int32           `json:"deaths,omitempty"`
	Score  *int32           `json:"score,omitempty"`
}

// eventObject returns the object of an event, with what applies to its kind.
func eventObject(e *match.Event) *eventJSON {
	o := &eventJSON{
		Time: e.Time.Seconds(), Match: e.Match, Event: e.Kind, Player: e.Player, Client: e.Client, Class: e.Class,
		Victim: e.Victim, Killer: e.Killer, Weapon: e.Weapon, Target: e.Target, Part: e.Part, Reason: e.Reason,
	}
	if e.Peer.Valid() {
		o.Peer = &e.Peer
	}
	if e.Slot.Valid() && e.Player != "" {
		o.Slot = &e.Slot
	}
	if e.Ship != objectid.None {
		o.Ship = e.Ship.String()
	}
	switch e.Kind {
	case match.Chat, match.TeamChat, match.Rename, match.System, match.End:
		o.Text = &e.Text
	case match.Damage:
		o.From, o.To = &e.From, &e.To
	case match.Score:
		o.Kills, o.Deaths, o.Score = &e.Kills, &e.Deaths, &e.Score
	}
	return o
}
