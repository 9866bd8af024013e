package opcode

import "github.com/bcwire/bcwire/objectid"

// SubsystemStatus switches a subsystem on or off; the owner of the ship or the host sends it.
//
//	offset  size  field
//	0       1     0x0A
//	1       17    an Event of ClassBoolEvent with Value, 1 on, 0 off
//
//	field of ETSubsystemStateChangedNotify  evidence  role
//	Source                                  observed  none
//	Dest                                    observed  the subsystem
type SubsystemStatus struct{ Event }

// NewSubsystemStatus returns the message that switches a subsystem on or off.
func NewSubsystemStatus(subsystem objectid.ID, on bool) *SubsystemStatus {
	m := &SubsystemStatus{newEvent(OpSubsystemStatus, objectid.None, subsystem)}
	if on {
		m.Value = 1
	}
	return m
}

// AddToRepairList puts a damaged subsystem on a repair list; no capture has it. The game reports
// damage with a [PythonEvent].
//
//	offset  size  field
//	0       1     0x0B
//	1       16    an Event of ClassEvent
//
//	field of ETAddToRepairList  evidence  role
//	Source                      inferred  the damaged subsystem
//	Dest                        inferred  the repair subsystem
type AddToRepairList struct{ Event }

// RepairListPriority moves a subsystem up on a repair list; the owner of the ship sends it.
//
//	offset  size  field
//	0       1     0x11
//	1       20    an Event of ClassObjPtrEvent with Object
//
//	field of ETRepairIncreasePriority  evidence    role
//	Source                             inferred    none
//	Dest                               inferred    the repair subsystem
//	Object                             documented  the subsystem that moves up
type RepairListPriority struct{ Event }

// NewRepairListPriority returns the message that moves a subsystem up on a repair list.
func NewRepairListPriority(repair, subsystem objectid.ID) *RepairListPriority {
	m := &RepairListPriority{newEvent(OpRepairListPriority, objectid.None, repair)}
	m.Object = subsystem
	return m
}

// StartCloaking turns a cloaking device on; no capture has it. The game uses StateCloak of
// [StateUpdate] instead.
//
//	offset  size  field
//	0       1     0x0E
//	1       16    an Event of ClassEvent
//
//	field of ETStartCloakingNotify  evidence  role
//	Source                          inferred  none
//	Dest                            inferred  the cloaking device
type StartCloaking struct{ Event }

// StopCloaking turns a cloaking device off; no capture has it. The game uses StateCloak of
// [StateUpdate] instead.
//
//	offset  size  field
//	0       1     0x0F
//	1       16    an Event of ClassEvent
//
//	field of ETStopCloakingNotify  evidence  role
//	Source                         inferred  none
//	Dest                           inferred  the cloaking device
type StopCloaking struct{ Event }
