package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// PythonEvent reports damage, repairs and deaths of ships to all clients.
// ETAddToRepairList has the class ClassEvent. ETRepairCompleted and ETRepairCannotBeCompleted have
// ClassObjPtrEvent. ETObjectExploding has ClassObjectExplodingEvent.
//
//	offset  size  field
//	0       1     0x06
//	1       16+n  an Event
//
//	field of ETAddToRepairList  evidence  role
//	Source                      observed  the damaged subsystem
//	Dest                        observed  the repair subsystem of the same ship
//
//	field of ETRepairCompleted  evidence    role
//	Source                      documented  the repair subsystem
//	Dest                        documented  the ship
//	Object                      documented  the repaired subsystem
//
//	field of ETRepairCannotBeCompleted  evidence  role
//	Source                              inferred  the repair subsystem
//	Dest                                inferred  the ship
//	Object                              inferred  the subsystem that stays broken
//
//	field of ETObjectExploding  evidence    role
//	Source                      documented  the object that killed, or none
//	Dest                        observed    the ship that dies
//	FiringPlayerID              documented  the peer ID of the killer, 0 for none
//
// All captured events with ETObjectExploding have Source none and FiringPlayerID 0. Some documents
// wrongly have the ship in Source.
type PythonEvent struct{ Event }

// NewDamaged returns the message that puts a subsystem on the list of a repair subsystem.
func NewDamaged(subsystem, repair objectid.ID) *PythonEvent {
	return &PythonEvent{hostEvent(OpPythonEvent, ETAddToRepairList, subsystem, repair)}
}

// Damaged returns the damaged subsystem and the repair subsystem that lists it.
func (m *PythonEvent) Damaged() (subsystem, repair objectid.ID, ok bool) {
	if !m.is(OpPythonEvent, ETAddToRepairList) {
		return objectid.None, objectid.None, false
	}
	return m.Source, m.Dest, true
}

// NewRepaired returns the message that a subsystem of a ship is repaired.
func NewRepaired(ship, subsystem, repair objectid.ID) *PythonEvent {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETRepairCompleted, repair, ship)}
	m.Object = subsystem
	return m
}

// Repaired returns the repaired subsystem, its ship and the repair subsystem.
func (m *PythonEvent) Repaired() (ship, subsystem, repair objectid.ID, ok bool) {
	if !m.is(OpPythonEvent, ETRepairCompleted) {
		return objectid.None, objectid.None, objectid.None, false
	}
	return m.Dest, m.Object, m.Source, true
}

// NewRepairFailed returns the message that a subsystem of a ship cannot be repaired.
func NewRepairFailed(ship, subsystem, repair objectid.ID) *PythonEvent {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETRepairCannotBeCompleted, repair, ship)}
	m.Object = subsystem
	return m
}

// RepairFailed returns the subsystem that is beyond repair, its ship and the repair subsystem.
func (m *PythonEvent) RepairFailed() (ship, subsystem, repair objectid.ID, ok bool) {
	if !m.is(OpPythonEvent, ETRepairCannotBeCompleted) {
		return objectid.None, objectid.None, objectid.None, false
	}
	return m.Dest, m.Object, m.Source, true
}

// NewObjectExploding returns the message that a ship dies. The killer is [objectid.None] and the
// player is [objectid.NoPeer] if no player destroyed the ship. It returns an error wrapping
// [stream.ErrInvalid] if seconds is negative or not finite.
func NewObjectExploding(ship, killer objectid.ID, player objectid.PeerID, seconds float32) (*PythonEvent, error) {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETObjectExploding, killer, ship)}
	m.FiringPlayerID, m.Lifetime = peerField(player), seconds
	return checked(m)
}

// Killed returns the ship that dies, the object that killed it, and the player who gets the kill.
// If nobody killed the ship, as in a collision, killer is [objectid.None] and player is NoPeer.
// The slot of the ship's ID identifies the dead player.
func (m *PythonEvent) Killed() (ship, killer objectid.ID, player objectid.PeerID, ok bool) {
	if !m.is(OpPythonEvent, ETObjectExploding) {
		return objectid.None, objectid.None, objectid.NoPeer, false
	}
	return m.Dest, m.Source, knownPeer(m.FiringPlayerID), true
}

// CollisionEffect reports a collision of the sender's ship to the host.
// Contacts are points of that ship.
//
//	offset  size   field
//	0       1      0x15
//	1       21+4n  an Event of ClassCollisionEvent with Contacts and Force
//
//	field of ETObjectCollision  evidence    role
//	Source                      documented  the other object; none for an asteroid or a planet
//	Dest                        observed    the sender's ship
//
// Source is none in all captures. The stock host also accepts the sender's ship in Source with any
// ship in Dest. Authorize refuses this, because it damages any ship.
type CollisionEffect struct{ Event }

// NewCollisionEffect returns the message that the sender's ship collided with another object, or [objectid.None]
// for an asteroid or a planet. The message aliases contacts. The error is for over 255 contacts, or a force that is
// not finite.
func NewCollisionEffect(ship, other objectid.ID, contacts []compress.Contact, force float32) (*CollisionEffect, error) {
	m := &CollisionEffect{newEvent(OpCollisionEffect, other, ship)}
	m.Contacts, m.Force = contacts, force
	return checked(m)
}

// Collided returns the sender's ship and the object that it collided with, or [objectid.None].
func (m *CollisionEffect) Collided() (ship, other objectid.ID, ok bool) {
	if !m.is(OpCollisionEffect, ETObjectCollision) {
		return objectid.None, objectid.None, false
	}
	return m.Dest, m.Source, true
}

// Explosion damages one object, in a sphere around the point Impact. The host
// sends most of these messages to joining clients, to repeat earlier damage.
//
//	offset  size  field
//	0       1     0x29
//	1       4     ObjectID, what is damaged
//	5       5     Impact, relative to the object, game units
//	10      2     Radius of the sphere, game units
//	12      2     Damage, points
//
// Some documents wrongly swap Radius and Damage.
type Explosion struct {
	ObjectID objectid.ID
	Impact   compress.Vector4
	Radius   compress.Float16
	Damage   compress.Float16
}

func (m *Explosion) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("Impact").Vector4(&m.Impact)
	c.Field("Radius").Float16(&m.Radius)
	c.Field("Damage").Float16(&m.Damage)
}

// UICollisionSetting turns collision damage on or off during a game. Players who join later learn
// the setting from [Settings].
//
//	offset  size  field
//	0       1     0x16
//	1       1     Enabled, packed
type UICollisionSetting struct{ Enabled bool }

func (m *UICollisionSetting) Walk(c *stream.Codec) {
	c.Field("Enabled").Bool(&m.Enabled)
}
