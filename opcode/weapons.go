package opcode

import "github.com/bcwire/bcwire/objectid"

// StartFiring turns a weapon on. The owner of the ship sends it, mostly twice, and the
// host passes it on; receivers must not mind the repetition. The class is
// ClassStartFiringEvent, Dest the weapon system.
//
//	offset  size  field
//	0       1     0x07
//	1       24    an Event with TargetID and Offset
//
// Authorize: Dest (sender's), Source (sender's or none), TargetID (anybody's).
//
// Evidence: observed; the split of its last eight bytes is inferred. Engine name:
// START_FIRING.
type StartFiring struct{ Event }

// NewStartFiring returns the message that turns a weapon system on, at a target or none.
func NewStartFiring(weapon, target objectid.ID) *StartFiring {
	m := &StartFiring{newEvent(OpStartFiring, objectid.None, weapon)}
	m.TargetID = target
	return m
}

// StopFiring turns a weapon off. The owner of the ship sends it, and the host passes it
// on. Dest is the weapon system.
//
//	offset  size  field
//	0       1     0x08
//	1       16    an Event
//
// Authorize: Dest (sender's), Source (sender's or none).
//
// Evidence: documented. Engine name: STOP_FIRING.
type StopFiring struct{ Event }

// NewStopFiring returns the message that turns a weapon system off.
func NewStopFiring(weapon objectid.ID) *StopFiring {
	return &StopFiring{newEvent(OpStopFiring, objectid.None, weapon)}
}

// StopFiringAtTarget turns a weapon off for one target, the Object. The class is
// ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x09
//	1       20    an Event with Object
//
// Evidence: inferred. Engine name: STOP_FIRING_AT_TARGET.
type StopFiringAtTarget struct{ Event }

// NewStopFiringAtTarget returns the message that turns a weapon system off for a target.
func NewStopFiringAtTarget(weapon, target objectid.ID) *StopFiringAtTarget {
	m := &StopFiringAtTarget{newEvent(OpStopFiringAtTarget, objectid.None, weapon)}
	m.Object = target
	return m
}

// SetPhaserLevel sets the strength of a phaser system, the Dest. The class is
// ClassCharEvent.
//
//	offset  size  field
//	0       1     0x12
//	1       17    an Event with Value, a PhaserLevel
//
// Authorize: Dest (sender's), Source (sender's or none).
//
// Evidence: observed. Engine name: SET_PHASER_LEVEL.
type SetPhaserLevel struct{ Event }

// NewSetPhaserLevel returns the message that sets the strength of a phaser system.
func NewSetPhaserLevel(phasers objectid.ID, level PhaserLevel) (*SetPhaserLevel, error) {
	m := &SetPhaserLevel{newEvent(OpSetPhaserLevel, objectid.None, phasers)}
	m.Value = int32(level)
	return checked(m)
}

// Level returns the strength.
func (m *SetPhaserLevel) Level() PhaserLevel { return PhaserLevel(m.Value) }

// TorpedoTypeChange loads another type into the tubes of a torpedo system, the Dest. The
// class is ClassCharEvent.
//
//	offset  size  field
//	0       1     0x1B
//	1       17    an Event with Value, the ammunition slot, 0 to 3
//
// Authorize: Dest (sender's), Source (sender's or none).
//
// Evidence: documented. Engine name: TORPEDO_TYPE_CHANGED.
type TorpedoTypeChange struct{ Event }

// NewTorpedoTypeChange returns the message that loads the ammunition of a slot, 0 to 3.
func NewTorpedoTypeChange(torpedoes objectid.ID, slot uint8) (*TorpedoTypeChange, error) {
	m := &TorpedoTypeChange{newEvent(OpTorpedoTypeChange, objectid.None, torpedoes)}
	m.Value = int32(slot)
	return checked(m)
}

// PythonEvent2 tells the host that the target of the sender's ship changed: Dest is the
// ship and Object the target before. The class is ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x0D
//	1       20    an Event with Object
//
// Authorize: Dest (sender's ship), Source (sender's or none), Object (anybody's).
//
// Evidence: documented. Engine name: CHANGED_TARGET.
type PythonEvent2 struct{ Event }

// NewTargetChanged returns the message that a ship has another target than before.
func NewTargetChanged(ship, before objectid.ID) *PythonEvent2 {
	m := &PythonEvent2{newEvent(OpPythonEvent2, objectid.None, ship)}
	m.Object = before
	return m
}
