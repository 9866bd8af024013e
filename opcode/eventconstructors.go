package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// The constructors fill class and code as the game does. Those that can be given
// something senseless return the error of [Validate].

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
	return &StartFiring{Event{Class: ClassStartFiringEvent, Code: ETStartFiringNotify, Dest: weapon, TargetID: target}}
}

// NewStopFiring returns the message that turns a weapon system off.
func NewStopFiring(weapon objectid.ID) *StopFiring {
	return &StopFiring{Event{Class: ClassEvent, Code: ETStopFiringNotify, Dest: weapon}}
}

// NewStopFiringAtTarget returns the message that turns a weapon system off for a target.
func NewStopFiringAtTarget(weapon, target objectid.ID) *StopFiringAtTarget {
	return &StopFiringAtTarget{Event{Class: ClassObjPtrEvent, Code: ETStopFiringAtTargetNotify, Dest: weapon, Object: target}}
}

// NewSubsystemStatus returns the message that switches a subsystem on or off.
func NewSubsystemStatus(subsystem objectid.ID, on bool) *SubsystemStatus {
	m := &SubsystemStatus{Event{Class: ClassBoolEvent, Code: ETSubsystemStateChangedNotify, Dest: subsystem}}
	if on {
		m.Value = 1
	}
	return m
}

// NewAddToRepairList returns the message that puts a damaged subsystem on the list of a
// repair subsystem. The game uses that of [NewDamaged].
func NewAddToRepairList(damaged, repair objectid.ID) *AddToRepairList {
	return &AddToRepairList{Event{Class: ClassEvent, Code: ETAddToRepairList, Source: damaged, Dest: repair}}
}

// NewTargetChanged returns the message that a ship has another target than before.
func NewTargetChanged(ship, before objectid.ID) *PythonEvent2 {
	return &PythonEvent2{Event{Class: ClassObjPtrEvent, Code: ETTargetWasChanged, Dest: ship, Object: before}}
}

// NewStartCloaking returns the message that turns a cloaking device on.
func NewStartCloaking(cloak objectid.ID) *StartCloaking {
	return &StartCloaking{Event{Class: ClassEvent, Code: ETStartCloakingNotify, Dest: cloak}}
}

// NewStopCloaking returns the message that turns a cloaking device off.
func NewStopCloaking(cloak objectid.ID) *StopCloaking {
	return &StopCloaking{Event{Class: ClassEvent, Code: ETStopCloakingNotify, Dest: cloak}}
}

// NewStartWarp returns the message that sends the ship of a warp engine subsystem to a
// set.
func NewStartWarp(engine objectid.ID, set string, params [4]float32) (*StartWarp, error) {
	name, err := stream.NewText(set)
	if err != nil {
		return nil, err
	}
	return checked(&StartWarp{Event{Class: ClassWarpEvent, Code: ETStartWarpNotify, Dest: engine, Name: name, Params: params}})
}

// NewRepairListPriority returns the message that moves a subsystem up on the list of a
// repair subsystem.
func NewRepairListPriority(repair, subsystem objectid.ID) *RepairListPriority {
	return &RepairListPriority{Event{Class: ClassObjPtrEvent, Code: ETRepairIncreasePriority, Dest: repair, Object: subsystem}}
}

// NewSetPhaserLevel returns the message that sets the strength of a phaser system.
func NewSetPhaserLevel(phasers objectid.ID, level PhaserLevel) (*SetPhaserLevel, error) {
	return checked(&SetPhaserLevel{Event{Class: ClassCharEvent, Code: ETSetPhaserLevel, Dest: phasers, Value: int32(level)}})
}

// NewTorpedoTypeChange returns the message that loads the ammunition of a slot, 0 to 3.
func NewTorpedoTypeChange(torpedoes objectid.ID, slot uint8) (*TorpedoTypeChange, error) {
	return checked(&TorpedoTypeChange{Event{Class: ClassCharEvent, Code: ETNetTorpedoTypeChangedNotify, Dest: torpedoes, Value: int32(slot)}})
}

// NewCollisionEffect returns the message that a ship collided with another object or
// none. The contacts are not copied.
func NewCollisionEffect(ship, other objectid.ID, contacts []compress.Contact, force float32) (*CollisionEffect, error) {
	return checked(&CollisionEffect{Event{
		Class: ClassCollisionEvent, Code: ETObjectCollision, Source: other, Dest: ship, Contacts: contacts, Force: force,
	}})
}

// NewPlayerJoined returns the message that a player, by its peer ID, has joined.
func NewPlayerJoined(playerID uint8) *DeletePlayerUI {
	return &DeletePlayerUI{Event{Class: ClassPlayerEvent, Code: ETNewPlayerInGame, PlayerID: playerID}}
}

// NewPlayerLeft returns the message that a player, by its peer ID, has left.
func NewPlayerLeft(playerID uint8) *DeletePlayerUI {
	return &DeletePlayerUI{Event{Class: ClassPlayerEvent, Code: ETNetworkDeletePlayer, PlayerID: playerID}}
}

// NewDamaged returns the message that puts a damaged subsystem on the list of a repair
// subsystem.
func NewDamaged(subsystem, repair objectid.ID) *PythonEvent {
	return &PythonEvent{Event{Class: ClassEvent, Code: ETAddToRepairList, Source: subsystem, Dest: repair}}
}

// NewRepaired returns the message that a subsystem of a ship is repaired, or that it
// cannot be.
func NewRepaired(repair, ship, subsystem objectid.ID, done bool) *PythonEvent {
	m := &PythonEvent{Event{Class: ClassObjPtrEvent, Code: ETRepairCompleted, Source: repair, Dest: ship, Object: subsystem}}
	if !done {
		m.Code = ETRepairCannotBeCompleted
	}
	return m
}

// NewObjectExploding returns the message that a ship dies, killed by an object and a
// player, or by none.
func NewObjectExploding(ship, killer objectid.ID, playerID int32, seconds float32) (*PythonEvent, error) {
	return checked(&PythonEvent{Event{
		Class: ClassObjectExplodingEvent, Code: ETObjectExploding, Source: killer, Dest: ship,
		FiringPlayerID: playerID, Lifetime: seconds,
	}})
}
