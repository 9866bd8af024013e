package opcode

import "github.com/bcwire/bcwire/objectid"

// SubsystemStatus switches a subsystem, the Dest, on or off. The class is ClassBoolEvent.
// The owner of the ship sends it, or the host.
//
//	offset  size  field
//	0       1     0x0A
//	1       17    an Event with Value, 1 on, 0 off
//
// Authorize: Dest (sender's), Source (sender's or none).
//
// Evidence: observed. Engine name: SUBSYSTEM_STATE_CHANGED.
type SubsystemStatus struct{ Event }

// NewSubsystemStatus returns the message that switches a subsystem on or off.
func NewSubsystemStatus(subsystem objectid.ID, on bool) *SubsystemStatus {
	m := &SubsystemStatus{newEvent(OpSubsystemStatus, objectid.None, subsystem)}
	if on {
		m.Value = 1
	}
	return m
}

// AddToRepairList puts a damaged subsystem, the Source, on the list of a repair
// subsystem, the Dest. The host uses [PythonEvent] for it.
//
//	offset  size  field
//	0       1     0x0B
//	1       16    an Event
//
// Authorize: Dest (sender's), Source (sender's or none), Object, TargetID (anybody's).
//
// Evidence: inferred. Engine name: ADD_TO_REPAIR_LIST.
type AddToRepairList struct{ Event }

// NewAddToRepairList returns the message that puts a damaged subsystem on the list of a
// repair subsystem. The game uses that of [NewDamaged].
func NewAddToRepairList(damaged, repair objectid.ID) *AddToRepairList {
	return &AddToRepairList{newEvent(OpAddToRepairList, damaged, repair)}
}

// RepairListPriority moves a subsystem, the Object, up on the list of a repair subsystem,
// the Dest. The class is ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x11
//	1       20    an Event with Object
//
// Authorize: Dest, Object (sender's), Source (sender's or none).
//
// Evidence: documented. Engine name: REPAIR_LIST_PRIORITY.
type RepairListPriority struct{ Event }

// NewRepairListPriority returns the message that moves a subsystem up on the list of a
// repair subsystem.
func NewRepairListPriority(repair, subsystem objectid.ID) *RepairListPriority {
	m := &RepairListPriority{newEvent(OpRepairListPriority, objectid.None, repair)}
	m.Object = subsystem
	return m
}

// StartCloaking turns a cloaking device, the Dest, on. The game does so by StateUpdate,
// and no capture has this message.
//
//	offset  size  field
//	0       1     0x0E
//	1       16    an Event
//
// Authorize: Dest (sender's), Source (sender's or none), Object, TargetID (anybody's).
//
// Evidence: inferred. Engine name: START_CLOAKING.
type StartCloaking struct{ Event }

// NewStartCloaking returns the message that turns a cloaking device on.
func NewStartCloaking(cloak objectid.ID) *StartCloaking {
	return &StartCloaking{newEvent(OpStartCloaking, objectid.None, cloak)}
}

// StopCloaking turns a cloaking device, the Dest, off, like [StartCloaking].
//
//	offset  size  field
//	0       1     0x0F
//	1       16    an Event
//
// Authorize: Dest (sender's), Source (sender's or none), Object, TargetID (anybody's).
//
// Evidence: inferred. Engine name: STOP_CLOAKING.
type StopCloaking struct{ Event }

// NewStopCloaking returns the message that turns a cloaking device off.
func NewStopCloaking(cloak objectid.ID) *StopCloaking {
	return &StopCloaking{newEvent(OpStopCloaking, objectid.None, cloak)}
}
