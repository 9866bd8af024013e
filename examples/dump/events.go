package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
)

// events prints the events of package match, one line or one JSON object each.
type events struct {
	text  bytes.Buffer
	enc   *json.Encoder // nil for lines
	match match.Match
	// refused requests how many claims of each player the host has not passed on.
	refused bool
}

func newEvents(asJSON, verbose bool, classes stateupdate.Catalogue) *events {
	e := &events{match: match.Match{Events: true, Classes: classes}, refused: verbose && !asJSON}
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

// Finish appends the events that wait, and the refused claims.
func (e *events) Finish(dst []byte, _ int) []byte {
	dst = e.append(dst, e.match.Flush())
	for p := range e.match.Players() {
		if e.refused && p.Refused > 0 {
			name := p.Name
			if name == "" {
				name = "peer " + p.PeerID.String()
			}
			dst = fmt.Appendf(dst, "refused by the host: %s of %s\n", terminal.Plural(p.Refused, "claim"), terminal.Line(name))
		}
	}
	return dst
}

func (e *events) append(dst []byte, all []match.Event) []byte {
	for i := range all {
		x := &all[i]
		if e.enc == nil {
			dst = fmt.Appendf(dst, "%9.3f  %-8s  %s\n", x.Time.Seconds(), x.Kind, terminal.Line(x.String()))
			continue
		}
		e.text.Reset()
		_ = e.enc.Encode(rows.EventOf(x)) // it has no value that JSON has not
		dst = append(dst, e.text.Bytes()...)
	}
	return dst
}
