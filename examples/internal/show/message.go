package show

import (
	"cmp"
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

	Payload  []byte // of Data: the payload, or its beginning
	Whole    bool   // Payload is complete
	Sender   Player // whose message it is; see match.Step
	Notes    []Note
	Class    *stateupdate.Class // of the subsystems in the Payload, if they fit
	Trailing []byte             // bytes of the Payload after the last field or subsystem

	NewConnection bool            // a Connect begins a connection
	Duplicate     bool            // a reliable message that was seen before
	Acked         transport.Acked // the message that an Ack acknowledges

	masked    bool          // the password is not that of the player
	roundTrip time.Duration // of an Ack, if Acked tells it
	ack       transport.Ack
	code      opcode.Code        // of a payload
	bits      stream.Bits        // of the opaque tail of a StateUpdate
	ship      *stateupdate.Class // of a StateUpdate
	fleet     fleet              // for the names of parts
}

// Note is a note about a message.
type Note struct{ Kind, Text string }

// Kinds of notes.
const (
	KindCipher    = "cipher"  // the datagram decodes with the other value of Plain
	KindDialect   = "dialect" // the stock game does not send the form
	KindDuplicate = "duplicate"
	KindFragment  = "fragment"
	kindTrailing  = "trailing bytes"
	kindUnfit     = "payload does not fit"
)

// note adds a note. An empty text means the kind.
func (r *Message) note(kind, text string) {
	r.Notes = append(r.Notes, Note{kind, cmp.Or(text, kind)})
}

// dialect adds a note about what the stock game does not send.
func (r *Message) dialect(step *match.Step) {
	if step.Dialect != "" {
		r.note(KindDialect, "dialect: "+step.Dialect)
	}
}

// Note returns the texts of all notes.
func (r *Message) Note() (text string) {
	for i, n := range r.Notes {
		if i == 0 {
			text = n.Text
		} else {
			text += "; " + n.Text
		}
	}
	return text
}

// Opcode returns the opcode of the payload and reports whether there is one.
func (r *Message) Opcode() (opcode.Code, bool) { return r.code, len(r.Payload) > 0 }

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
		return "Unknown 0x" + r.code.Hex()
	}
	return r.Name
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
	switch body := m.Decoded.(type) {
	case *transport.DoNothing:
		r.Body = &transport.DoNothing{Raw: body.Raw} // the Observer reuses it
	case *transport.ConnectReply:
		r.Body, r.Type, r.Name = body, "ConnectReply", "ConnectReply"
	default:
		r.Body = body
	}
	if ack, ok := m.Ack(); ok {
		r.ack = ack
		r.Body = &r.ack
	}
	payload, isData := m.Payload, m.Type == transport.TypeData
	if !isData {
		r.dialect(step)
	}
	if isData && m.Fragment {
		r.note(KindFragment, fragmentText(m))
	}
	if m.Probe() {
		r.Name = "Probe"
		r.note("validates the address", "")
		return
	}
	if r.Duplicate {
		r.note(KindDuplicate, "")
	}
	if !isData {
		return
	}
	if r.Duplicate && !m.Fragment {
		payload = m.Body
	}
	if m.Verdict == transport.VerdictDropped { // valid, but the limit of partial payloads is reached
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

// mask hides the password of a Connect, also of a malformed one.
func (r *Message) mask() {
	const header, body = 5, 8 // before the body of the message, and before the password in it
	if len(r.Raw) <= header+body || r.Raw[0] != byte(transport.TypeConnect) {
		return
	}
	if request, ok := r.Body.(*transport.ConnectRequest); ok && request.Password.String() != "" {
		masked := *request
		masked.Password, _ = transport.NewUTF16Z("***") // a constant, which encodes
		r.Body, r.masked = &masked, true
	}
	clear(r.Raw[header+body:])
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
	r.dialect(step)
	r.noteForms(m)
	if u, ok := m.(*opcode.StateUpdate); ok {
		r.bits = u.Bits
	}
	if len(r.Trailing) == 0 {
		d.ship(r, step)
	}
}

// readHead reads the beginning of a truncated payload with a complete header. If the header is truncated, the
// Body is a part of it and has no fields.
func (r *Message) readHead() {
	m := &r.Frame
	whole := m.Type == transport.TypeData && !m.Fragment && len(m.Body) > 0 && m.Len() == len(r.Raw)
	if !whole || !errors.Is(r.Err, io.ErrUnexpectedEOF) {
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
		if r.Name = r.code.String(); strings.HasPrefix(r.Name, "0x") {
			r.Name = "Unknown"
		}
	}
}

// noteTrailing adds a note about bytes after the last field, unless they belong to the message of a mod. It
// reports whether the error is about such bytes.
func (r *Message) noteTrailing(m opcode.Message, err *stream.Error) bool {
	if _, unknown := m.(*opcode.Unknown); unknown || !errors.Is(err, stream.ErrTrailing) {
		return false
	}
	r.Trailing = r.Payload[err.Offset:]
	r.note(kindTrailing, trailingText(r.Trailing)+" after the last field")
	return true
}

// noteForms adds notes about payloads without a layout, and about parts that do not fit it.
func (r *Message) noteForms(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.Unknown:
		if r.Name == "Unknown" {
			r.note("unknown opcode", "")
		} else {
			r.note("payload without a layout", "")
		}
	case *opcode.DeletePlayerAnim:
		if m.Form == opcode.NameRaw {
			r.note(kindUnfit, "")
		}
	case *opcode.Settings:
		if m.Opaque {
			r.note(kindUnfit, "the last bytes are not a new name")
		}
	case *opcode.ObjectCreate:
		if m.Opaque {
			r.note(kindUnfit, "the last bytes are not a torpedo")
		}
	}
}

func trailingText(b []byte) string {
	const shown = 16
	if len(b) > shown {
		return fmt.Sprintf("%d bytes %x...", len(b), b[:shown])
	}
	return fmt.Sprintf("%s %x", terminal.Plural(len(b), "byte"), b)
}
