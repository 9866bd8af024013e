package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// StartFiring turns a weapon system on, such as the phasers; the owner of the ship sends it. The
// game sends it in pairs of equal messages, so receivers must tolerate duplicates.
//
//	offset  size  field
//	0       1     0x07
//	1       24    an Event of ClassStartFiringEvent with TargetID and Offset
//
//	field of ETStartFiringNotify  evidence  role
//	Source                        observed  none
//	Dest                          observed  the weapon system that fires
//	TargetID                      inferred  the target, or none
//
// The only message with published bytes has zeros in TargetID and Offset. Their layout is inferred
// from the script functions of the event.
type StartFiring struct{ Event }

// NewStartFiring returns the message that turns a weapon system on, with or without a target.
func NewStartFiring(weapon, target objectid.ID) *StartFiring {
	m := &StartFiring{newEvent(OpStartFiring, objectid.None, weapon)}
	m.TargetID = target
	return m
}

// Fired implements [Shot].
func (m *StartFiring) Fired() (weapon, target objectid.ID, ok bool) {
	if !m.is(OpStartFiring, ETStartFiringNotify) {
		return objectid.None, objectid.None, false
	}
	return m.Dest, m.TargetID, true
}

// StopFiring turns a weapon system off; the owner of the ship sends it.
//
//	offset  size  field
//	0       1     0x08
//	1       16    an Event of ClassEvent
//
//	field of ETStopFiringNotify  evidence    role
//	Source                       documented  none
//	Dest                         documented  the weapon system that stops
type StopFiring struct{ Event }

// NewStopFiring returns the message that turns a weapon system off.
func NewStopFiring(weapon objectid.ID) *StopFiring {
	return &StopFiring{newEvent(OpStopFiring, objectid.None, weapon)}
}

// StopFiringAtTarget turns a weapon system off for one target.
//
//	offset  size  field
//	0       1     0x09
//	1       20    an Event of ClassObjPtrEvent with Object
//
//	field of ETStopFiringAtTargetNotify  evidence  role
//	Source                               inferred  none
//	Dest                                 inferred  the weapon system that stops
//	Object                               inferred  the target
type StopFiringAtTarget struct{ Event }

// SetPhaserLevel sets the strength of a phaser system; the owner of the ship sends it.
//
//	offset  size  field
//	0       1     0x12
//	1       17    an Event of ClassCharEvent with Value, a PhaserLevel
//
//	field of ETSetPhaserLevel  evidence  role
//	Source                     observed  none
//	Dest                       observed  the phaser system
type SetPhaserLevel struct{ Event }

// NewSetPhaserLevel returns the message that sets the strength of a phaser system. It returns an
// error wrapping [stream.ErrInvalid] if there is no such level.
func NewSetPhaserLevel(phasers objectid.ID, level PhaserLevel) (*SetPhaserLevel, error) {
	m := &SetPhaserLevel{newEvent(OpSetPhaserLevel, objectid.None, phasers)}
	m.Value = int32(level)
	return checked(m)
}

// Walk implements [Message]. It shows the Value of a ClassCharEvent as a PhaserLevel.
func (m *SetPhaserLevel) Walk(c *stream.Codec) {
	m.Event.Walk(c)
	if m.Class == ClassCharEvent {
		stream.Show(c, PhaserLevel(m.Value))
	}
}

// TorpedoTypeChange loads another type into the tubes of a torpedo system; the owner sends it.
//
//	offset  size  field
//	0       1     0x1B
//	1       17    an Event of ClassCharEvent with Value, the index of the type, 0 to 3
//
//	field of ETNetTorpedoTypeChangedNotify  evidence  role
//	Source                                  inferred  none
//	Dest                                    inferred  the torpedo system
//
// Value is an index in the system's list of types, not a [TorpedoType].
type TorpedoTypeChange struct{ Event }

// NewTorpedoTypeChange returns the message that loads the type with an index in the list of the
// torpedo system. It returns an error wrapping [stream.ErrInvalid] for an index above 3.
func NewTorpedoTypeChange(torpedoes objectid.ID, number uint8) (*TorpedoTypeChange, error) {
	m := &TorpedoTypeChange{newEvent(OpTorpedoTypeChange, objectid.None, torpedoes)}
	m.Value = int32(number)
	return checked(m)
}

// PythonEvent2 tells the host that the sender's ship has another target. The
// message has the previous target, but not the new one.
//
//	offset  size  field
//	0       1     0x0D
//	1       20    an Event of ClassObjPtrEvent with Object
//
//	field of ETTargetWasChanged  evidence    role
//	Source                       documented  none, or the ship
//	Dest                         documented  the ship whose target changed
//	Object                       documented  the previous target, or none
type PythonEvent2 struct{ Event }

// NewTargetChanged returns the message that the target of a ship changed.
func NewTargetChanged(ship, before objectid.ID) *PythonEvent2 {
	m := &PythonEvent2{newEvent(OpPythonEvent2, objectid.None, ship)}
	m.Object = before
	return m
}

// TargetChanged returns the ship and its target before the change, or [objectid.None].
func (m *PythonEvent2) TargetChanged() (ship, before objectid.ID, ok bool) {
	if !m.is(OpPythonEvent2, ETTargetWasChanged) {
		return objectid.None, objectid.None, false
	}
	return m.Dest, m.Object, true
}
