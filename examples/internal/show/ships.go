package show

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// ships tracks the ships of a session. The class of a ship is needed to decode its subsystems.
type ships struct {
	tracker stateupdate.Tracker
	brief   bool // do not dissect messages
}

// class applies a message to the tracked ships. It returns the class of the ship whose
// subsystems are in the message, or nil if there are none or the class is unknown.
func (s *ships) class(r *Message, m opcode.Message) *stateupdate.Class {
	if m, ok := m.(*opcode.StateUpdate); ok {
		return s.updated(r, m)
	}
	change, _ := s.tracker.Apply(m) // dissect reports errors of the subsystems
	var object *opcode.Object
	switch m := m.(type) {
	case *opcode.ObjectCreateTeam:
		object = &m.Object
	case *opcode.ObjectCreate:
		object = &m.Object
	}
	if object == nil || change.Ship == nil {
		return nil
	}
	class := s.tracker.Classes.Species(object.Species)
	if class == nil {
		r.note("ship class without a list of subsystems", "")
	}
	return class
}

func (s *ships) updated(r *Message, m *opcode.StateUpdate) *stateupdate.Class {
	ship := s.tracker.Ship(m.ObjectID)
	if ship != nil && ship.Class != nil {
		r.power = powers(ship.Class, m.Power)
	}
	switch {
	case m.Flags&opcode.StateSubsystems == 0:
		return nil
	case s.tracker.Life(m.ObjectID) == stateupdate.Destroyed:
		r.note("subsystems not decoded: the ship is destroyed", "")
		return nil
	case ship == nil:
		r.note("subsystems not decoded: the ship's creation is not in the input", "")
		return nil
	case ship.Class == nil:
		r.note("subsystems not decoded: the ship class has no list of subsystems", "")
		return nil
	}
	return ship.Class
}

// partID is the object ID of a part of a known ship.
type partID struct {
	objectid.ID
	part string // "Akira Torpedoes / Forward Torp 1"
}

// String returns the ID and the part.
func (p partID) String() string { return p.ID.String() + " (" + p.part + ")" }

// nameParts adds the names of parts to the object IDs in a message.
func (s *ships) nameParts(r *Message) {
	for i, f := range r.parts {
		id, ok := f.Value.(objectid.ID)
		if !ok {
			continue
		}
		if ship, part, ok := s.tracker.Part(id); ok {
			r.parts[i].Value = partID{id, ship.Class.Name + " " + part.String()}
		}
	}
}

// powers returns the power settings as text, with the names of the subsystems.
func powers(class *stateupdate.Class, entries []opcode.PowerEntry) (texts []string) {
	for _, e := range entries {
		name := fmt.Sprintf("subsystem %d (not in the class)", e.Index)
		if int(e.Index) < len(class.Subsystems) {
			name = class.Subsystems[e.Index].Name
		}
		texts = append(texts, fmt.Sprintf("%s %v", name, stateupdate.PowerSetting(e.Value)))
	}
	return texts
}

// dissect sets the fields of a payload. It splits the subsystems if their ship's class is known
// and fits, and otherwise leaves them raw.
func (s *ships) dissect(r *Message) {
	class := s.class(r, r.Decoded)
	if s.brief {
		return
	}
	if class == nil {
		_, r.parts, _ = opcode.Dissect(r.Payload)
		return
	}
	parts, err := class.Dissect(r.Payload)
	if err != nil && !errors.Is(err, stream.ErrTrailing) {
		r.note("subsystems do not fit the class", "subsystems do not fit the "+class.Name+": "+err.Error())
		_, r.parts, _ = opcode.Dissect(r.Payload)
		return
	}
	if err != nil {
		r.afterSubsystems = parts[len(parts)-1].Raw
		r.note("trailing bytes", trailingText(r.afterSubsystems)+" after the last subsystem of the "+class.Name)
	}
	r.parts, r.class = parts, class
	if form, ok := r.blockForm(); ok && form == blockTolerant {
		r.note("dialect", "dialect: subsystems as OpenBC writes them")
	}
}

// blockForm is the form of a subsystem block.
type blockForm uint8

const (
	blockStock    blockForm = iota // the game's
	blockTolerant                  // OpenBC's
	blockRaw                       // not decoded
)

// blockForm returns the form of the subsystem block in a message. It reports whether there is one.
func (r *Message) blockForm() (form blockForm, ok bool) {
	m, ok := r.Decoded.(*opcode.StateUpdate)
	switch {
	case !ok || m.Flags&opcode.StateSubsystems == 0:
		return 0, false
	case r.class == nil:
		return blockRaw, true
	}
	for s := range r.class.Block(m) {
		if s.OpenBC {
			return blockTolerant, true
		}
	}
	return blockStock, true
}

// subsystems returns the states of the subsystems in a message whose ship class is known.
func (r *Message) subsystems() (all []stateupdate.Status) {
	if r.class == nil {
		return nil
	}
	each := func(s stateupdate.Status, err error) bool {
		if err == nil {
			all = append(all, s)
		}
		return err == nil
	}
	switch m := r.Decoded.(type) {
	case *opcode.StateUpdate:
		r.class.Block(m)(each)
	case *opcode.ObjectCreateTeam:
		r.class.Blob(m.SubsystemsRaw)(each)
	case *opcode.ObjectCreate:
		r.class.Blob(m.SubsystemsRaw)(each)
	}
	return all
}

// subsystems is the name of the field that holds the subsystems.
const subsystems = "Subsystems"
