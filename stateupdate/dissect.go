package stateupdate

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Visit decodes a StateUpdate, ObjectCreate or ObjectCreateTeam of a ship of this class with w and
// passes its fields to a function, until it returns false; see [stream.Field]. Subsystems are groups,
// with paths such as "Subsystems.Shield Generator.Facings". For other payloads, Visit is
// [opcode.Decoder.Visit].
func (c *Class) Visit(w *stream.Codec, payload []byte, visit func(*stream.Field) bool) error {
	var op opcode.Code
	if len(payload) > 0 {
		op = opcode.Code(payload[0])
	}
	var message string
	var walk func(*stream.Codec)
	switch op {
	case opcode.OpStateUpdate:
		u := update{class: c}
		message, walk = updateName, u.Walk
	case opcode.OpObjectCreate:
		var m opcode.ObjectCreate
		message, walk = "stateupdate.ObjectCreate", func(w *stream.Codec) {
			m.WalkHead(w)
			c.walkCreate(w, &m.Object)
		}
	case opcode.OpObjectCreateTeam:
		var m opcode.ObjectCreateTeam
		message, walk = "stateupdate.ObjectCreateTeam", func(w *stream.Codec) {
			m.WalkHead(w)
			c.walkCreate(w, &m.Object)
		}
	default:
		_, err := new(opcode.Decoder).Visit(payload, visit)
		return err
	}
	w.Visit = visit
	err := w.Decode(payload, int(op), message, func(w *stream.Codec) {
		stream.Show(w, op)
		walk(w)
	})
	w.Visit = nil
	return err
}

const updateName = "stateupdate.StateUpdate"

// update is a StateUpdate with its subsystems, for decoding.
type update struct {
	class *Class
	opcode.StateUpdate
}

func (u *update) Walk(w *stream.Codec) {
	u.WalkHead(w)
	if u.Flags&opcode.StateSubsystems != 0 {
		u.Data, u.Bits = w.PeekRest()
		u.class.walkBlocks(w, &u.StateUpdate, u.class.form(&u.StateUpdate))
	}
}

// walkBlocks decodes the subsystems of a block in one of its forms.
func (c *Class) walkBlocks(w *stream.Codec, m *opcode.StateUpdate, f form) {
	if m.StartIndex < 0 || int(m.StartIndex) >= len(c.Subsystems) {
		w.Fail(fmt.Errorf("start %w", ErrIndex))
		return
	}
	w.Group("Subsystems")
	i, forms := int(m.StartIndex), formsOf(m, f)
	for range c.Subsystems {
		if w.Remaining() == 0 {
			break
		}
		s := Status{Index: uint8(i), Subsystem: &c.Subsystems[i]}
		s.walk(w, forms.next(&s))
		i = c.next(i)
	}
	w.End()
}

// walkCreate decodes the subsystems at the end of an ObjectCreate or ObjectCreateTeam.
func (c *Class) walkCreate(w *stream.Codec, object *opcode.Object) {
	if object.ClassID == opcode.ObjectShip {
		w.Group("Subsystems")
		raw, _ := w.PeekRest()
		c.walkBlob(w, c.cloakBools(new(stream.Codec), raw))
		w.End()
	}
}
