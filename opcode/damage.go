package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// PythonEvent tells all what happened on the host, which is its only sender in captures:
// a subsystem goes to the repair list (ETAddToRepairList, ClassEvent), is repaired or
// cannot be (ETRepairCompleted, ETRepairCannotBeCompleted, ClassObjPtrEvent), or a ship
// dies (ETObjectExploding, ClassObjectExplodingEvent).
//
//	offset  size  field
//	0       1     0x06
//	1       16+n  an Event
//
//	ETAddToRepairList  evidence    role
//	Source             observed    the damaged subsystem
//	Dest               observed    the repair subsystem of the same ship
//
//	ETRepairCompleted  evidence    role
//	Source             documented  the repair subsystem
//	Dest               documented  the ship
//	Object             documented  the subsystem that is repaired
//
//	ETRepairCannotBeCompleted  evidence    role
//	Source                     inferred    the repair subsystem
//	Dest                       inferred    the ship
//	Object                     inferred    the subsystem that stays broken
//
//	ETObjectExploding  evidence    role
//	Source             documented  the object that killed, or none
//	Dest               observed    the ship that dies
//	FiringPlayerID     documented  the peer ID of the player who killed, 0 for none
//
// In the captured deaths no player killed: Source is none and FiringPlayerID is 0. Notes about
// another capture show a repair; its bytes are not published. Some documents have the dying
// ship in Source, which is wrong.
//
// Evidence: observed. Engine name: HOST_EVENT.
type PythonEvent struct{ Event }

// NewDamaged returns the message that puts a damaged subsystem on the list of a repair
// subsystem.
func NewDamaged(subsystem, repair objectid.ID) *PythonEvent {
	return &PythonEvent{hostEvent(OpPythonEvent, ETAddToRepairList, subsystem, repair)}
}

// Damaged returns the damaged subsystem, and the repair subsystem that it waits for.
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

// Repaired returns the subsystem that is repaired, its ship, and the repair subsystem.
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

// RepairFailed returns the subsystem that cannot be repaired, its ship, and the repair
// subsystem.
func (m *PythonEvent) RepairFailed() (ship, subsystem, repair objectid.ID, ok bool) {
	if !m.is(OpPythonEvent, ETRepairCannotBeCompleted) {
		return objectid.None, objectid.None, objectid.None, false
	}
	return m.Dest, m.Object, m.Source, true
}

// NewObjectExploding returns the message that a ship dies, killed by an object and a
// player. They are [objectid.None] and [objectid.NoPeer] if no player destroyed the ship.
func NewObjectExploding(ship, killer objectid.ID, player objectid.PeerID, seconds float32) (*PythonEvent, error) {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETObjectExploding, killer, ship)}
	m.FiringPlayerID, m.Lifetime = int32(peerField(player)), seconds
	return checked(m)
}

// Killed returns the ship that dies, the object that killed it, and the player who gets the
// kill. The last two are [objectid.None] and [objectid.NoPeer] if nobody killed it, as in a
// collision or a self-destruction. The peer of the dead player is not in the event: the slot
// of the ship's ID tells who it was.
func (m *PythonEvent) Killed() (ship, killer objectid.ID, player objectid.PeerID, ok bool) {
	if !m.is(OpPythonEvent, ETObjectExploding) {
		return objectid.None, objectid.None, objectid.NoPeer, false
	}
	return m.Dest, m.Source, objectid.PeerIDFrom(int(m.FiringPlayerID)), true
}

// CollisionEffect tells the host that the sender's ship collided. The Contacts are points of
// the ship that was hit. The class is ClassCollisionEvent. The game's host accepts the report
// if the sender's ship is Source or Dest; [Authorize] requires that it is Dest.
//
//	offset  size   field
//	0       1      0x15
//	1       21+4n  an Event with Contacts and Force
//
//	ETObjectCollision  evidence    role
//	Source             documented  the other object; none for an asteroid or a planet
//	Dest               observed    the ship that was hit
//
// Source is none in all captures.
//
// Authorize: Dest (sender's ship), Source (anybody's).
//
// Evidence: observed. Engine name: CLIENT_COLLISION.
type CollisionEffect struct{ Event }

// NewCollisionEffect returns the message that a ship collided with another object or
// none. The contacts are not copied.
func NewCollisionEffect(ship, other objectid.ID, contacts []compress.Contact, force float32) (*CollisionEffect, error) {
	m := &CollisionEffect{newEvent(OpCollisionEffect, other, ship)}
	m.Contacts, m.Force = contacts, force
	return checked(m)
}

// Collided returns the ship that was hit, and the object that it hit: [objectid.None] for an
// asteroid or a planet.
func (m *CollisionEffect) Collided() (ship, other objectid.ID, ok bool) {
	if !m.is(OpCollisionEffect, ETObjectCollision) {
		return objectid.None, objectid.None, false
	}
	return m.Dest, m.Source, true
}

// Explosion damages a ship within a sphere. The host sends it, mostly to those who join
// later, who miss the damage that was done before.
//
//	offset  size  field
//	0       1     0x29
//	1       4     ObjectID, what is damaged
//	5       5     Impact, relative to the object, game units
//	10      2     Radius of the sphere, game units
//	12      2     Damage, points
//
// Some documents have Damage before Radius.
//
// Evidence: observed. Engine name: DAMAGE_VOLUME.
type Explosion struct {
	ObjectID objectid.ID
	Impact   compress.Vector4
	Radius   compress.Float16
	Damage   compress.Float16
}

// Walk implements [Message].
func (m *Explosion) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("Impact").Vector4(&m.Impact)
	c.Field("Radius").Float16(&m.Radius)
	c.Field("Damage").Float16(&m.Damage)
}

// UICollisionSetting turns damage by collisions on or off in a running game. The host
// sends it to all; who joins later learns it from [Settings].
//
//	offset  size  field
//	0       1     0x16
//	1       1     Enabled, packed
//
// Evidence: documented. Engine name: COLLISION_ENABLED.
type UICollisionSetting struct{ Enabled bool }

// Walk implements [Message].
func (m *UICollisionSetting) Walk(c *stream.Codec) {
	c.Field("Enabled").Bool(&m.Enabled)
}
