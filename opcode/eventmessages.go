package opcode

// PythonEvent tells all what happened on the host, which is its only sender in captures:
// a subsystem goes to the repair list (ETAddToRepairList, ClassEvent), is repaired or
// cannot be (ETRepairCompleted, ETRepairCannotBeCompleted, ClassObjPtrEvent), or a ship
// dies (ETObjectExploding, ClassObjectExplodingEvent).
//
//	offset  size  field
//	0       1     0x06
//	1       16+n  an Event
//
// Evidence: observed. Engine name: HOST_EVENT.
type PythonEvent struct{ Event }

// StartFiring turns a weapon on. The owner of the ship sends it, mostly twice, and the
// host passes it on; receivers must not mind the repetition. The class is
// ClassStartFiringEvent, Dest the weapon system.
//
//	offset  size  field
//	0       1     0x07
//	1       24    an Event with TargetID and Offset
//
// Evidence: observed; the split of its last eight bytes is inferred. Engine name:
// START_FIRING.
type StartFiring struct{ Event }

// StopFiring turns a weapon off. The owner of the ship sends it, and the host passes it
// on. Dest is the weapon system.
//
//	offset  size  field
//	0       1     0x08
//	1       16    an Event
//
// Evidence: documented. Engine name: STOP_FIRING.
type StopFiring struct{ Event }

// StopFiringAtTarget turns a weapon off for one target, the Object. The class is
// ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x09
//	1       20    an Event with Object
//
// Evidence: inferred. Engine name: STOP_FIRING_AT_TARGET.
type StopFiringAtTarget struct{ Event }

// SubsystemStatus switches a subsystem, the Dest, on or off. The class is ClassBoolEvent.
// The owner of the ship sends it, or the host.
//
//	offset  size  field
//	0       1     0x0A
//	1       17    an Event with Value, 1 on, 0 off
//
// Evidence: observed. Engine name: SUBSYSTEM_STATE_CHANGED.
type SubsystemStatus struct{ Event }

// AddToRepairList puts a damaged subsystem, the Source, on the list of a repair
// subsystem, the Dest. The host uses [PythonEvent] for it.
//
//	offset  size  field
//	0       1     0x0B
//	1       16    an Event
//
// Evidence: inferred. Engine name: ADD_TO_REPAIR_LIST.
type AddToRepairList struct{ Event }

// ClientEvent is an event of any class, which receivers post with its code unchanged.
// Nothing in the game is known to send it.
//
//	offset  size  field
//	0       1     0x0C
//	1       16+n  an Event
//
// Evidence: inferred. Engine name: CLIENT_EVENT.
type ClientEvent struct{ Event }

// PythonEvent2 tells the host that the target of the sender's ship changed: Dest is the
// ship and Object the target before. The class is ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x0D
//	1       20    an Event with Object
//
// Evidence: documented. Engine name: CHANGED_TARGET.
type PythonEvent2 struct{ Event }

// StartCloaking turns a cloaking device, the Dest, on. The game does so by StateUpdate,
// and no capture has this message.
//
//	offset  size  field
//	0       1     0x0E
//	1       16    an Event
//
// Evidence: inferred. Engine name: START_CLOAKING.
type StartCloaking struct{ Event }

// StopCloaking turns a cloaking device, the Dest, off, like [StartCloaking].
//
//	offset  size  field
//	0       1     0x0F
//	1       16    an Event
//
// Evidence: inferred. Engine name: STOP_CLOAKING.
type StopCloaking struct{ Event }

// StartWarp sends a ship to another set. The owner of the ship sends it, and the host
// passes it on. The class is ClassWarpEvent.
//
//	offset  size  field
//	0       1     0x10
//	1       33+n  an Event with Name and Params
//
// Evidence: documented. Engine name: START_WARP.
type StartWarp struct{ Event }

// RepairListPriority moves a subsystem, the Object, up on the list of a repair subsystem,
// the Dest. The class is ClassObjPtrEvent.
//
//	offset  size  field
//	0       1     0x11
//	1       20    an Event with Object
//
// Evidence: documented. Engine name: REPAIR_LIST_PRIORITY.
type RepairListPriority struct{ Event }

// SetPhaserLevel sets the strength of a phaser system, the Dest. The class is
// ClassCharEvent.
//
//	offset  size  field
//	0       1     0x12
//	1       17    an Event with Value, a PhaserLevel
//
// Evidence: observed. Engine name: SET_PHASER_LEVEL.
type SetPhaserLevel struct{ Event }

// Level returns the strength.
func (m *SetPhaserLevel) Level() PhaserLevel { return PhaserLevel(m.Value) }

// CollisionEffect tells the host that the sender's ship collided: Dest is the ship that
// was hit, whose points the Contacts are, and Source the other object, none for an
// asteroid or a planet. The class is ClassCollisionEvent. The game's host accepts the report
// if the sender's ship is Source or Dest; [Authorize] requires that it is Dest.
//
//	offset  size  field
//	0       1     0x15
//	1       21+4n an Event with Contacts and Force
//
// Evidence: observed. Engine name: CLIENT_COLLISION.
type CollisionEffect struct{ Event }

// DeletePlayerUI tells that a player joined or left, despite its name. The host sends it
// to all, and to the joiner last of all. Dest is a local object of the sender, which
// receivers replace. The class is ClassPlayerEvent.
//
//	offset  size  field
//	0       1     0x17
//	1       17    an Event with PlayerID
//
// Evidence: observed for joining, documented for leaving. Engine name:
// NEW_PLAYER_IN_GAME.
type DeletePlayerUI struct{ Event }

// Joined says whether the player joined; otherwise it left.
func (m *DeletePlayerUI) Joined() bool { return m.Code == ETNewPlayerInGame }

// TorpedoTypeChange loads another type into the tubes of a torpedo system, the Dest. The
// class is ClassCharEvent.
//
//	offset  size  field
//	0       1     0x1B
//	1       17    an Event with Value, the ammunition slot, 0 to 3
//
// Evidence: documented. Engine name: TORPEDO_TYPE_CHANGED.
type TorpedoTypeChange struct{ Event }
