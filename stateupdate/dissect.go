package stateupdate

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Visit decodes a StateUpdate, ObjectCreate or ObjectCreateTeam of a ship of this class with w and
// passes its fields to a function, until it returns false. See [stream.Codec.Trace]. Subsystems are
// groups, with paths such as "Subsystems.Shield Generator.Facings". For other payloads, Visit is
// [opcode.Decoder.Visit].
func (c *Class) Visit(w *stream.Codec, payload []byte, visit func(*stream.Field) bool) error {
	if len(payload) == 0 {
		return c.visitOther(payload, visit)
	}
	op := opcode.Code(payload[0])
	w.Decode(payload, int(op))
	switch op {
	case opcode.OpStateUpdate:
		w.Trace(updateName, visit)
		stream.Show(w, op)
		u := update{class: c, payload: payload}
		u.Walk(w)
	case opcode.OpObjectCreate:
		w.Trace("stateupdate.ObjectCreate", visit)
		stream.Show(w, op)
		var m opcode.ObjectCreate
		m.WalkHead(w)
		c.walkCreate(w, payload, &m.Object)
	case opcode.OpObjectCreateTeam:
		w.Trace("stateupdate.ObjectCreateTeam", visit)
		stream.Show(w, op)
		var m opcode.ObjectCreateTeam
		m.WalkHead(w)
		c.walkCreate(w, payload, &m.Object)
	default:
		return c.visitOther(payload, visit)
	}
	return w.Err()
}

func (c *Class) visitOther(payload []byte, visit func(*stream.Field) bool) error {
	_, err := new(opcode.Decoder).Visit(payload, visit)
	return err
}

const updateName = "stateupdate.StateUpdate"

// update is a StateUpdate with its subsystems, for decoding.
type update struct {
	class   *Class
	payload []byte
	opcode.StateUpdate
}

func (u *update) Walk(w *stream.Codec) {
	u.WalkHead(w)
	if u.Flags&opcode.StateSubsystems != 0 {
		f := formGame
		var whole stream.Codec // another walk has the open bit group
		var m opcode.StateUpdate
		whole.Decode(u.payload, int(opcode.OpStateUpdate))
		if m.Walk(&whole); whole.Done() {
			f, u.Bits = u.class.form(&m), m.Bits
		}
		u.class.walkBlocks(w, &u.StateUpdate, f, func(Status) bool { return true })
	}
}

// rest returns the bytes of a payload that are left to decode.
func rest(w *stream.Codec, payload []byte) []byte { return payload[len(payload)-w.Remaining():] }

// walkBlocks decodes the subsystems of a block in one of its forms. It passes the valid ones to
// yield, which reports whether to continue.
func (c *Class) walkBlocks(w *stream.Codec, m *opcode.StateUpdate, f form, yield func(Status) bool) {
	if m.StartIndex < 0 || int(m.StartIndex) >= len(c.Subsystems) {
		w.Fail(fmt.Errorf("start %w", ErrIndex))
		return
	}
	w.Group("Subsystems")
	i := int(m.StartIndex)
	bools, ended := int(m.Bits.Read), f != formGame // bools in the group; the next bool begins another one
	for range c.Subsystems {
		if w.Remaining() == 0 {
			break
		}
		s := Status{Index: uint8(i), Subsystem: &c.Subsystems[i]}
		kind := s.Subsystem.Kind
		bare := f == formOpenBC && kind == KindShield
		switch {
		case bare, !kind.Powered():
			s.OpenBC, ended = bare, ended || f == formOpenBC
		case ended && bools%5 != 0:
			s.OpenBC, ended, bools = true, false, 1
		default:
			ended = false
			bools++
		}
		s.walk(w, bare)
		if w.Failed() || !yield(s) {
			break
		}
		i = c.next(i)
	}
	w.End()
}

// walkCreate decodes the subsystems at the end of an ObjectCreate or ObjectCreateTeam.
func (c *Class) walkCreate(w *stream.Codec, payload []byte, object *opcode.Object) {
	if object.ClassID == opcode.ObjectShip {
		w.Group("Subsystems")
		c.walkBlob(w, c.cloakBools(rest(w, payload)))
		w.End()
	}
}
