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
// Evidence: observed. Engine name: HOST_EVENT.
type PythonEvent struct{ Event }

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
// player. They are [objectid.None] and [objectid.NoPeer] if no player destroyed the ship.
func NewObjectExploding(ship, killer objectid.ID, player objectid.PeerID, seconds float32) (*PythonEvent, error) {
	m := &PythonEvent{hostEvent(OpPythonEvent, ETObjectExploding, killer, ship)}
	m.FiringPlayerID, m.Lifetime = int32(peerField(player)), seconds
	return checked(m)
}

// CollisionEffect tells the host that the sender's ship collided: Dest is the ship that
// was hit, whose points the Contacts are, and Source the other object, none for an
// asteroid or a planet. The class is ClassCollisionEvent. The game's host accepts the report
// if the sender's ship is Source or Dest; [Authorize] requires that it is Dest.
//
//	offset  size   field
//	0       1      0x15
//	1       21+4n  an Event with Contacts and Force
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
