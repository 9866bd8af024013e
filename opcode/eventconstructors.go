package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// The constructors take class and code from eventTable. If an argument can be out of range,
// the constructor returns the error of [Validate].

// checked returns a message if it makes sense.
func checked[M Message](m M) (M, error) {
	if err := Validate(m); err != nil {
		var none M
		return none, err
	}
	return m, nil
}

// NewStartFiring returns the message that turns a weapon system on, at a target or none.
func NewStartFiring(weapon, target objectid.ID) *StartFiring {
	m := &StartFiring{newEvent(OpStartFiring, objectid.None, weapon)}
	m.TargetID = target
	return m
}

// NewStopFiring returns the message that turns a weapon system off.
func NewStopFiring(weapon objectid.ID) *StopFiring {
	return &StopFiring{newEvent(OpStopFiring, objectid.None, weapon)}
}

// NewStopFiringAtTarget returns the message that turns a weapon system off for a target.
func NewStopFiringAtTarget(weapon, target objectid.ID) *StopFiringAtTarget {
	m := &StopFiringAtTarget{newEvent(OpStopFiringAtTarget, objectid.None, weapon)}
	m.Object = target
	return m
}

// NewSubsystemStatus returns the message that switches a subsystem on or off.
func NewSubsystemStatus(subsystem objectid.ID, on bool) *SubsystemStatus {
	m := &SubsystemStatus{newEvent(OpSubsystemStatus, objectid.None, subsystem)}
	if on {
		m.Value = 1
	}
	return m
}

// NewAddToRepairList returns the message that puts a damaged subsystem on the list of a
// repair subsystem. The game uses that of [NewDamaged].
func NewAddToRepairList(damaged, repair objectid.ID) *AddToRepairList {
	return &AddToRepairList{newEvent(OpAddToRepairList, damaged, repair)}
}

// NewTargetChanged returns the message that a ship has another target than before.
func NewTargetChanged(ship, before objectid.ID) *PythonEvent2 {
	m := &PythonEvent2{newEvent(OpPythonEvent2, objectid.None, ship)}
	m.Object = before
	return m
}

// NewStartCloaking returns the message that turns a cloaking device on.
func NewStartCloaking(cloak objectid.ID) *StartCloaking {
	return &StartCloaking{newEvent(OpStartCloaking, objectid.None, cloak)}
}

// NewStopCloaking returns the message that turns a cloaking device off.
func NewStopCloaking(cloak objectid.ID) *StopCloaking {
	return &StopCloaking{newEvent(OpStopCloaking, objectid.None, cloak)}
}

// NewStartWarp returns the message that sends the ship of a warp engine subsystem to a
// set.
func NewStartWarp(engine objectid.ID, set string, params [4]float32) (*StartWarp, error) {
	name, err := stream.NewText(set)
	if err != nil {
		return nil, err
	}
	m := &StartWarp{newEvent(OpStartWarp, objectid.None, engine)}
	m.Name, m.Params = name, params
	return checked(m)
}

// NewRepairListPriority returns the message that moves a subsystem up on the list of a
// repair subsystem.
func NewRepairListPriority(repair, subsystem objectid.ID) *RepairListPriority {
	m := &RepairListPriority{newEvent(OpRepairListPriority, objectid.None, repair)}
	m.Object = subsystem
	return m
}

// NewSetPhaserLevel returns the message that sets the strength of a phaser system.
func NewSetPhaserLevel(phasers objectid.ID, level PhaserLevel) (*SetPhaserLevel, error) {
	m := &SetPhaserLevel{newEvent(OpSetPhaserLevel, objectid.None, phasers)}
	m.Value = int32(level)
	return checked(m)
}

// NewTorpedoTypeChange returns the message that loads the ammunition of a slot, 0 to 3.
func NewTorpedoTypeChange(torpedoes objectid.ID, slot uint8) (*TorpedoTypeChange, error) {
	m := &TorpedoTypeChange{newEvent(OpTorpedoTypeChange, objectid.None, torpedoes)}
	m.Value = int32(slot)
	return checked(m)
}

// NewCollisionEffect returns the message that a ship collided with another object or
// none. The contacts are not copied.
func NewCollisionEffect(ship, other objectid.ID, contacts []compress.Contact, force float32) (*CollisionEffect, error) {
	m := &CollisionEffect{newEvent(OpCollisionEffect, other, ship)}
	m.Contacts, m.Force = contacts, force
	return checked(m)
}

// NewPlayerJoined returns the message that a player, by its peer ID, has joined.
func NewPlayerJoined(playerID uint8) *DeletePlayerUI {
	m := &DeletePlayerUI{hostEvent(OpDeletePlayerUI, ETNewPlayerInGame, objectid.None, objectid.None)}
	m.PlayerID = playerID
	return m
}

// NewPlayerLeft returns the message that a player, by its peer ID, has left.
func NewPlayerLeft(playerID uint8) *DeletePlayerUI {
	m := &DeletePlayerUI{hostEvent(OpDeletePlayerUI, ETNetworkDeletePlayer, objectid.None, objectid.None)}
	m.PlayerID = playerID
	return m
}

// NewDamaged returns the message that puts a damaged subsystem on the list of a repair
// subsystem.
func NewDamaged(subsystem, repair objectid.ID) *PythonEvent {
	return &PythonEvent{hostEvent(OpPythonEvent, ETAddToRepairList, subsystem, repair)}
}

// NewRepaired returns the message that a subsystem of a ship is repaired, or that it
// cannot be.
func NewRepaired(repair, ship, subsystem objectid.ID, done bool) *PythonEvent {
	code := ETRepairCompleted
	if !done {
		code = ETRepairCannotBeCompleted
	}
	m := &PythonEvent{hostEvent(OpPythonEvent, code, repair, ship)}
	m.Object = subsystem
	return m
}

// NewObjectExploding returns the message that a ship dies, killed by an object and a
// player, or by none.
func NewObjectExploding(ship, killer objectid.ID, playerID int32, seconds float32) (*PythonEvent, error) {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETObjectExploding, killer, ship)}
	m.FiringPlayerID, m.Lifetime = playerID, seconds
	return checked(m)
}
