package show

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Message is a decoded message. Its bytes alias the datagram, except for a reassembled Payload.
type Message struct {
	Index  int    // in the datagram
	Type   string // of the framing, or "GameSpy"
	Name   string // of the payload, or the Type
	Raw    []byte // the message in the datagram
	Offset int    // of Raw in the datagram
	Frame  transport.Message
	Body   transport.Body // of a system message, or nil
	Err    error

	Payload []byte  // of Data: the payload, or its beginning
	Whole   bool    // Payload is complete
	Subject Subject // of a Payload without an error
	Sender  Player  // whose message it is; see match.Step

	NewConnection bool            // a Connect begins a connection
	Duplicate     bool            // a reliable message that was seen before
	Acked         transport.Acked // the message that an Ack acknowledges

	roundTrip time.Duration // of an Ack, if Acked tells it
	ack       transport.Ack
	code      opcode.Code // of a payload
	valid     bool        // Payload is complete and has no error
	trailing  []byte      // bytes of the payload after the last field
	bits      stream.Bits // of the opaque tail of a StateUpdate
	hull      hull
	fleet     *fleet // for the names of parts
	differs   error  // re-encoding failed or did not give the decoded bytes
	notes     []note
}

// note is a note about a message.
type note struct {
	kind string // -check counts notes by kind
	text string // the full text; empty: kind
}

// kindFragment is the kind of notes that -check does not count, because fragments are
// normal.
const kindFragment = "fragment"

func (n note) String() string {
	if n.text != "" {
		return n.text
	}
	return n.kind
}

// note adds a note.
func (r *Message) note(kind, text string) {
	r.notes = append(r.notes, note{kind, text})
}

// Kinds returns the kinds of the notes, such as "dialect" and "trailing bytes". They do not
// include "fragment".
func (r *Message) Kinds() (kinds []string) {
	for _, n := range r.notes {
		if n.kind != kindFragment {
			kinds = append(kinds, n.kind)
		}
	}
	return kinds
}

// Note returns all notes in one line.
func (r *Message) Note() string {
	switch len(r.notes) {
	case 0:
		return ""
	case 1:
		return r.notes[0].String()
	}
	texts := make([]string, len(r.notes))
	for i, n := range r.notes {
		texts[i] = n.String()
	}
	return strings.Join(texts, "; ")
}

// Opcode returns the opcode of the payload and reports whether there is one.
func (r *Message) Opcode() (opcode.Code, bool) { return r.code, len(r.Payload) > 0 }

// Decoded decodes a complete payload without an error. Otherwise it returns nil.
func (r *Message) Decoded() opcode.Message {
	if !r.valid {
		return nil
	}
	m, _ := opcode.Decode(r.Payload)
	return m
}

// Content returns the payload if it is complete, else the message.
func (r *Message) Content() []byte {
	if r.Whole {
		return r.Payload
	}
	return r.Raw
}

// Title returns the name of the message, with the opcode if it has no name.
func (r *Message) Title() string {
	switch {
	case r.Name == "":
		return "-"
	case r.Name == "Unknown":
		return "Unknown " + codeHex[r.code]
	}
	return r.Name
}

// label is the name of the message in tables.
func (r *Message) label() string {
	switch {
	case r.Type == "":
		return "(none)"
	case r.Name == "Data" && r.Frame.Fragment:
		return "Data (fragment)"
	}
	return r.Title()
}

// RoundTrip returns the time from a message to the Ack r of it. It reports false if the time is
// unknown; see [transport.Acked].
func (r *Message) RoundTrip() (time.Duration, bool) {
	return r.roundTrip, r.Acked.Sends == 1 && r.Acked.Acks == 1
}

// set sets what every message has from its step.
func (r *Message) set(step *match.Step) {
	m := step.Message
	r.Type, r.Raw, r.Frame, r.Sender = m.Type.String(), m.Raw, m.Message, playerOf(step.Sender)
	r.NewConnection, r.Duplicate, r.Acked = m.NewConnection, m.Verdict == transport.VerdictDuplicate, m.Acked
	r.Name = r.Type
	if len(m.Raw) == 0 {
		r.Type, r.Name = "", ""
	}
	if step.Err != nil && step.Game == nil { // else it is about the payload or a ship
		r.Err = step.Err
	}
	if m.Acked.Sends > 0 {
		r.roundTrip = step.Link.ToHost.RoundTrip
		if step.FromHost {
			r.roundTrip = step.Link.FromHost.RoundTrip
		}
	}
}

// content adds the content of a readable message.
func (d *Decoder) content(r *Message, step *match.Step) {
	m := step.Message
	if m.Type == transport.TypeData {
		d.data(r, step)
		return
	}
	switch m.Type {
	case transport.TypeAck:
		if ack, ok := m.Ack(); ok {
			r.ack = ack
			r.Body = &r.ack
		}
	case transport.TypeDoNothing:
		if body, ok := m.Decoded.(*transport.DoNothing); ok {
			r.Body = &transport.DoNothing{Raw: body.Raw} // the Observer reuses it
		}
	default:
		r.Body = m.Decoded
	}
	if dialect := dialectOf(&r.Frame, r.Body); dialect != "" {
		r.note("dialect", "dialect: "+dialect)
	}
	if _, ok := r.Body.(*transport.ConnectReply); ok {
		r.Type, r.Name = "ConnectReply", "ConnectReply"
	}
	if r.Duplicate {
		r.note("duplicate", "")
	}
	if d.Check && r.Body != nil {
		r.differs = compare(transport.NewMessage(0, r.Body).Body, r.Frame.Body)
	}
}

// dialectOf describes how a system message differs from the stock form, or returns "".
func dialectOf(m *transport.Message, body transport.Body) string {
	if ack, ok := body.(*transport.Ack); ok {
		if unknown := ack.Flags &^ (transport.AckFragment | transport.AckSystem); unknown != 0 {
			return fmt.Sprintf("flags 0x%02x", uint8(unknown))
		}
		return ""
	}
	switch {
	case m.Type == transport.TypeDoNothing:
		return ""
	case m.Short:
		return "length of one byte" + shortMeaning(m)
	case !m.Reliable:
		return "not reliable"
	case !m.HighPriority:
		return "not high priority"
	}
	return ""
}

// openBCDisconnect is the type of the short message with which OpenBC disconnects. The stock
// game has no such type.
const openBCDisconnect transport.Type = 0x06

// shortMeaning returns the meaning of a message in the short form if it differs from its type.
func shortMeaning(m *transport.Message) string {
	switch {
	case m.Type == openBCDisconnect:
		return ", a Disconnect"
	case m.Type == transport.TypeNameChange && len(m.Body) == 0:
		return ", a keepalive"
	}
	return ""
}

// data adds the content of a Data message: a complete payload, or the fragment.
func (d *Decoder) data(r *Message, step *match.Step) {
	m := step.Message
	payload := m.Payload
	if m.Fragment {
		r.note(kindFragment, fragmentText(m))
	}
	switch m.Verdict {
	case transport.VerdictDuplicate:
		r.note("duplicate", "")
		if !m.Fragment {
			payload = m.Body
		}
	case transport.VerdictDropped: // valid, but the limit of partial payloads is reached
		r.note("not reassembled", "not reassembled: "+r.Err.Error())
		r.Err = nil
	}
	if m.HighPriority {
		r.note("high priority", "")
	}
	if payload != nil {
		r.Whole = true
		d.payload(r, step, payload)
	}
}

// fragmentText returns the number of a fragment, and how many there are if that is known.
func fragmentText(m *transport.Observation) string {
	text := fmt.Sprintf("fragment %d", int(m.FragIndex)+1)
	if m.Fragments > 0 {
		text += fmt.Sprintf(" of %d", m.Fragments)
	}
	if m.Verdict == transport.VerdictComplete {
		text += ", completes the payload"
	}
	return text
}

// payload adds a complete payload. A message with trailing bytes is shown, but it changes nothing.
func (d *Decoder) payload(r *Message, step *match.Step, payload []byte) {
	r.setPayload(payload)
	if len(payload) == 0 {
		_, r.Err = opcode.Decode(payload)
		return
	}
	m := step.Game
	if e, ok := step.Err.(*stream.Error); ok && !r.noteTrailing(m, e) {
		r.Err = step.Err
		return
	}
	r.noteForms(m)
	if u, ok := m.(*opcode.StateUpdate); ok {
		r.bits = u.Bits
	}
	if len(r.trailing) == 0 {
		r.valid = true
		r.Subject = subjectOf(step)
		r.noteSpeaker(step)
		d.ship(r, step)
	}
	if d.Check {
		r.differs = d.encodes(r, m)
	}
}

// readHead reads the beginning of a truncated payload with a complete header. If the header is truncated, the
// Body is a part of it and has no fields.
func (r *Message) readHead() {
	m := &r.Frame
	if !errors.Is(r.Err, io.ErrUnexpectedEOF) || m.Type != transport.TypeData || m.Fragment || len(m.Body) == 0 || m.Len() != len(r.Raw) {
		return
	}
	r.setPayload(m.Body)
	game, err := opcode.Decode(m.Body) // r.Err reports that the payload is truncated
	if e, ok := err.(*stream.Error); ok {
		r.noteTrailing(game, e)
	}
}

// setPayload sets the payload, or its beginning.
func (r *Message) setPayload(payload []byte) {
	r.Payload = payload
	if len(payload) > 0 {
		r.code = opcode.Code(payload[0])
		r.Name = codeNames[r.code]
	}
}

// noteTrailing adds a note about bytes after the last field, unless they belong to the message of a mod. It
// reports whether the error is about such bytes.
func (r *Message) noteTrailing(m opcode.Message, err *stream.Error) bool {
	if _, unknown := m.(*opcode.Unknown); unknown || !errors.Is(err, stream.ErrTrailing) {
		return false
	}
	r.trailing = r.Payload[err.Offset:]
	r.note("trailing bytes", trailingText(r.trailing)+" after the last field")
	return true
}

// codeNames are the names of opcodes, "Unknown" without one. codeHex are their numbers, such as "0x19".
var codeNames, codeHex = func() (names, hex [256]string) {
	for i := range names {
		c := opcode.Code(i)
		hex[i] = "0x" + c.Hex()
		if names[i] = c.String(); names[i] == hex[i] {
			names[i] = "Unknown"
		}
	}
	return names, hex
}()

// noteForms adds notes about payloads without a layout and about forms that the stock game
// does not send.
func (r *Message) noteForms(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
	case *opcode.Unknown:
		kind := "payload without a layout"
		if r.Name == "Unknown" {
			kind = "unknown opcode"
		}
		r.note(kind, "")
	case *opcode.TorpedoFire:
		if m.Form != opcode.TorpedoStock {
			r.note("dialect", "dialect: "+m.Form.String())
		}
	case *opcode.DeletePlayerAnim:
		switch m.Form {
		case opcode.NameOpenBC:
			r.note("dialect", "dialect: length of two bytes")
		case opcode.NameRaw:
			r.note("payload does not fit", "")
		}
	case *opcode.Settings:
		if m.Opaque {
			r.note("payload does not fit", "the last bytes are not a new name")
		}
	case *opcode.ObjectCreate:
		if m.Opaque {
			r.note("payload does not fit", "the last bytes are not a torpedo")
		}
	case *opcode.NewPlayerInGame:
		if m.Bare {
			r.note("dialect", "dialect: only the opcode")
		}
	case *opcode.BootPlayer:
		r.note("dialect", "dialect: the stock game does not send it")
	}
}

func trailingText(b []byte) string {
	const shown = 16
	if len(b) > shown {
		return fmt.Sprintf("%d bytes %x...", len(b), b[:shown])
	}
	return fmt.Sprintf("%s %x", terminal.Plural(len(b), "byte"), b)
}

// hull is the ship of a message, and the block of its subsystems.
type hull struct {
	ship      *stateupdate.Class // of the ship of a StateUpdate, or nil
	class     *stateupdate.Class // of the ship whose subsystems are in the message, if they fit
	has       bool               // a StateUpdate has a block
	form      blockForm
	remaining int // bytes after the last subsystem
}

// blockForm is the form of a subsystem block.
type blockForm uint8

const (
	blockStock    blockForm = iota // the game's
	blockTolerant                  // OpenBC's
	blockRaw                       // not decoded
)
