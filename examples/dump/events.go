package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/recording"
)

// events prints the events of package match, one line or one JSON object each.
type events struct {
	w     io.Writer
	enc   *json.Encoder // nil for lines
	match match.Match
}

func newEvents(w io.Writer, asJSON bool, classes stateupdate.Catalogue) *events {
	e := &events{w: w, match: match.Match{Events: true, Classes: classes}}
	if asJSON {
		e.enc = json.NewEncoder(terminal.JSON(w))
		e.enc.SetEscapeHTML(false)
	}
	return e
}

// Packet passes the datagram of a packet, which the decoder has deciphered, to the match.
func (e *events) Packet(p *show.Packet) error {
	fromHost := p.Dir == recording.ToClient
	server := p.Dst
	if fromHost {
		server = p.Src
	}
	seconds := recording.Datagram{Seconds: p.Time}
	d := match.Datagram{Time: seconds.Time(), Client: p.Client, Server: name(server), FromHost: fromHost, Data: p.Data}
	for step := range e.match.Receive(d) {
		if err := e.print(step.Events); err != nil {
			return err
		}
	}
	return nil
}

// name returns the name of a server, "" if its address is unknown.
func name(server netip.AddrPort) string {
	if !server.IsValid() {
		return ""
	}
	return server.String()
}

// Finish prints the events that wait.
func (e *events) Finish(int) error { return e.print(e.match.Flush()) }

// Failed returns false: events are no check.
func (e *events) Failed() bool { return false }

func (e *events) print(all []match.Event) error {
	for i := range all {
		x := &all[i]
		var err error
		if e.enc != nil {
			err = e.enc.Encode(eventObject(x))
		} else {
			_, err = fmt.Fprintf(e.w, "%9.3f  %-8s  %s\n", x.Time.Seconds(), x.Kind, terminal.Line(x.String()))
		}
		if err != nil {
			return err
		}
	}
	return nil
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
