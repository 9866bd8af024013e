package show

import (
	"errors"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// ship adds the ship of a message, and the class that splits its subsystems.
func (d *Decoder) ship(r *Message, step *match.Step) {
	switch m := step.Game.(type) {
	case *opcode.StateUpdate:
		d.updated(r, step, m)
		return
	case *opcode.ObjectCreateTeam:
		d.created(r, &m.Object)
	case *opcode.ObjectCreate:
		d.created(r, &m.Object)
	}
	r.fleet = d.fleets.of(step)
}

// created splits the subsystems of a creation.
func (d *Decoder) created(r *Message, object *opcode.Object) {
	if object.ClassID != opcode.ObjectShip {
		return
	}
	if class := d.Match.Classes.Species(object.Species); class == nil {
		r.note("ship class without a list of subsystems", "")
	} else {
		r.split(class)
	}
}

// updated splits the subsystems of a StateUpdate.
func (d *Decoder) updated(r *Message, step *match.Step, m *opcode.StateUpdate) {
	ship := step.Ship
	if ship == nil || ship.Life == stateupdate.Unknown {
		r.fleet = d.fleets.of(step)
	}
	if ship != nil {
		r.ship = ship.Class
	}
	if m.Flags&opcode.StateSubsystems == 0 {
		return
	}
	switch {
	case step.Link.Ships.Life(m.ObjectID) == stateupdate.Destroyed:
		r.note("subsystems not decoded: the ship is destroyed", "")
	case ship == nil || ship.Life == stateupdate.Unknown:
		r.note("subsystems not decoded: the ship's creation is not in the input", "")
	case ship.Class == nil:
		r.note("subsystems not decoded: the ship class has no list of subsystems", "")
	case step.FromHost && !r.Duplicate && step.Err == nil && !ship.OpenBC: // the match has split them
		r.Class = ship.Class
	default:
		r.split(ship.Class)
	}
}

// split sets the class if the subsystems fit it.
func (r *Message) split(class *stateupdate.Class) {
	var c stream.Codec
	err := class.Visit(&c, r.Payload, nil)
	if located, ok := err.(*stream.Error); ok && errors.Is(err, stream.ErrTrailing) {
		r.Trailing = r.Payload[located.Offset:]
		r.note(kindTrailing, trailingText(r.Trailing)+" after the last subsystem of the "+class.Name)
	} else if err != nil {
		r.note("subsystems do not fit the class", "subsystems do not fit the "+class.Name+": "+err.Error())
		return
	}
	r.Class = class
}

// updateHeader is the number of bytes before the payload of an unreliable message.
const updateHeader = 3

// Plain returns the class of the ship if the message is a StateUpdate of which nothing is told besides its fields, so
// that [Message.Update] can decode it again. It returns nil for any other message.
func (r *Message) Plain() *stateupdate.Class {
	whole := r.code == opcode.OpStateUpdate && len(r.Raw) == updateHeader+len(r.Payload) && (r.Class != nil || r.bits == stream.Bits{})
	if !whole || len(r.Notes) > 0 || r.Err != nil || r.fleet != nil {
		return nil
	}
	return r.ship
}

// Update makes r a message again for which Plain has returned the class. Raw has its bytes in the datagram.
func (r *Message) Update(raw []byte, class *stateupdate.Class) {
	*r = Message{Type: transport.TypeData.String(), Raw: raw, Whole: true, Class: class, ship: class}
	r.setPayload(raw[updateHeader:])
}

// power returns what a field of the power settings of a StateUpdate means, if the class of the ship is known.
func (r *Message) power(f *stream.Field) string {
	if r.ship == nil || f.Group == nil || f.Group.Name != "Power" {
		return ""
	}
	switch i := int(f.Int()); {
	case f.Name == "Value":
		return stateupdate.PowerSetting(uint8(i)).String()
	case i < len(r.ship.Subsystems):
		return r.ship.Subsystems[i].Name
	}
	return "not in the class"
}

// subsystems is the name of the field that holds the subsystems.
const subsystems = "Subsystems"
