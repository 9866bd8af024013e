package show

import (
	"errors"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// systemMessage adds the content of a message that is not Data.
func (r *Message) systemMessage(m *transport.Observation, s *ships) {
	r.Body = m.Decoded
	if ack, ok := m.Ack(); ok {
		r.Body = &ack
	}
	if dialect := dialectOf(&m.Message, r.Body); dialect != "" {
		r.note("dialect", "dialect: "+dialect)
	}
	if _, ok := r.Body.(*transport.ConnectReply); ok {
		r.Type, r.Name = "ConnectReply", "ConnectReply"
	}
	if m.NewConnection {
		s.tracker.Reset()
	}
	if r.Duplicate {
		r.note("duplicate", "")
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

// dataMessage adds the content of a Data message: a complete payload, or the fragment.
func (r *Message) dataMessage(m *transport.Observation, s *ships) {
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
		r.decode(payload, s)
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

// decode decodes a complete payload. A message with trailing bytes is shown, but it changes nothing.
func (r *Message) decode(payload []byte, s *ships) {
	if r.message, r.Err = r.read(payload); r.Err == nil {
		r.noteForms()
	}
	if r.Err != nil || len(r.trailing) > 0 {
		if !s.brief {
			_, r.parts, _ = opcode.Dissect(payload)
		}
		return
	}
	r.Decoded = r.message
	r.Subject = subjectOf(r.Decoded)
	r.Subject.locate(s) // before the message removes the ship
	s.dissect(r)
	r.Subject.locate(s) // after the message creates the ship
	s.nameParts(r)
}

// dissectHead decodes the fields of a truncated message with a complete header. If the header
// is truncated, the Body is a part of it and has no fields.
func (r *Message) dissectHead() {
	m := &r.Frame
	if !errors.Is(r.Err, io.ErrUnexpectedEOF) || m.Type != transport.TypeData || m.Fragment {
		return
	}
	if len(m.Body) > 0 && m.Len() == len(r.Raw) {
		_, _ = r.read(m.Body) // r.err reports that the payload is truncated
		_, r.parts, _ = opcode.Dissect(m.Body)
	}
}

// read decodes the message in a payload. Bytes after the last field add a note, unless they belong
// to the message of a mod.
func (r *Message) read(payload []byte) (opcode.Message, error) {
	r.Payload = payload
	if len(payload) > 0 {
		r.code, r.hasCode = opcode.Code(payload[0]), true
		r.Name = codeName(r.code)
	}
	m, err := opcode.Decode(payload)
	var e *stream.Error
	_, unknown := m.(*opcode.Unknown)
	switch {
	case !unknown && errors.Is(err, stream.ErrTrailing) && errors.As(err, &e):
		r.trailing = payload[e.Offset:]
		r.note("trailing bytes", trailingText(r.trailing)+" after the last field")
		return m, nil
	case err != nil:
		return nil, err
	}
	return m, nil
}

// codeName returns the name of an opcode, or "Unknown" if it has none.
func codeName(c opcode.Code) string {
	if name := c.String(); name != hexCode(c) {
		return name
	}
	return "Unknown"
}

func hexCode(c opcode.Code) string { return "0x" + c.Hex() }

// noteForms adds notes about payloads without a layout and about forms that the stock game
// does not send.
func (r *Message) noteForms() {
	switch m := r.message.(type) {
	case *opcode.Unknown:
		r.note(unknownKind(r), "")
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

func unknownKind(r *Message) string {
	if r.Name == "Unknown" {
		return "unknown opcode"
	}
	return "payload without a layout"
}

func trailingText(b []byte) string {
	const shown = 16
	if len(b) > shown {
		return fmt.Sprintf("%d bytes %x...", len(b), b[:shown])
	}
	return fmt.Sprintf("%s %x", terminal.Plural(len(b), "byte"), b)
}
