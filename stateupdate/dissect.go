package stateupdate

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Dissect returns the fields of a StateUpdate, ObjectCreate or ObjectCreateTeam of a ship of
// this class. Values of subsystems have names such as "Subsystems.Shield Generator.Facings".
// For other payloads, Dissect returns the result of [opcode.Dissect].
func (c *Class) Dissect(payload []byte) (fields []stream.Field, err error) {
	name, walker := c.walker(payload)
	if walker == nil {
		_, fields, err = opcode.Dissect(payload)
		return fields, err
	}
	var w stream.Codec
	w.Decode(payload, int(payload[0]))
	w.Trace(name, func(f stream.Field) bool {
		fields = append(fields, f)
		return true
	})
	walker.Walk(&w)
	return fields, w.Err()
}

const updateName = "stateupdate.StateUpdate"

func (c *Class) walker(payload []byte) (string, stream.Walker) {
	if len(payload) == 0 {
		return "", nil
	}
	switch opcode.Code(payload[0]) {
	case opcode.OpStateUpdate:
		return updateName, &update{class: c, payload: payload}
	case opcode.OpObjectCreate:
		m := new(opcode.ObjectCreate)
		return "stateupdate.ObjectCreate", &create{class: c, payload: payload, head: m, object: &m.Object}
	case opcode.OpObjectCreateTeam:
		m := new(opcode.ObjectCreateTeam)
		return "stateupdate.ObjectCreateTeam", &create{class: c, payload: payload, head: m, object: &m.Object}
	}
	return "", nil
}

// update is a StateUpdate with its subsystems, for decoding.
type update struct {
	class   *Class
	payload []byte
	opcode.StateUpdate
}

func (u *update) Walk(w *stream.Codec) {
	u.WalkHead(w)
	if u.Flags&opcode.StateSubsystems != 0 {
		u.Data = rest(w, u.payload)
		u.class.walkBlocks(w, u.StartIndex, u.class.hasOpenBC(&u.StateUpdate), func(Status) bool { return true })
	}
}

// rest returns the bytes of a payload that are left to decode.
func rest(w *stream.Codec, payload []byte) []byte { return payload[len(payload)-w.Remaining():] }

// walkBlocks decodes the subsystems of a block in the form of the game or of OpenBC. It passes the
// valid ones to yield, which reports whether to continue.
func (c *Class) walkBlocks(w *stream.Codec, start int8, openBC bool, yield func(Status) bool) {
	if start < 0 || int(start) >= len(c.Subsystems) {
		w.Fail(fmt.Errorf("start %w", ErrIndex))
		return
	}
	w.Group("Subsystems")
	i, bools, ended := int(start), 0, false // bools in the group; in the form of OpenBC, whether the group has ended
	for range c.Subsystems {
		if w.Remaining() == 0 {
			break
		}
		s := Status{Index: uint8(i), Subsystem: &c.Subsystems[i]}
		kind := s.Subsystem.Kind
		switch {
		case !openBC:
		case kind == KindShield || !kind.Powered():
			s.OpenBC, ended = kind == KindShield, true
		case ended && bools%5 != 0:
			s.OpenBC, ended, bools = true, false, 1
		default:
			ended = false
			bools++
		}
		s.walk(w)
		if w.Failed() || !yield(s) {
			break
		}
		i = c.next(i)
	}
	w.End()
}

// create is an ObjectCreate or ObjectCreateTeam with its subsystems, for decoding.
type create struct {
	class   *Class
	payload []byte
	head    interface{ WalkHead(*stream.Codec) }
	object  *opcode.Object
}

func (o *create) Walk(w *stream.Codec) {
	o.head.WalkHead(w)
	if o.object.ClassID == opcode.ObjectShip {
		w.Group("Subsystems")
		o.class.walkBlob(w, o.class.cloakBools(rest(w, o.payload)))
		w.End()
	}
}
