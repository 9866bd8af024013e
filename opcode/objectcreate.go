package opcode

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ObjectCreate creates an object of the host, such as a station, an asteroid or a ship without a
// player.
//
//	offset  size  field
//	0       1     0x02
//	1       1     OwnerSlot
//	2       n     an Object
type ObjectCreate struct {
	OwnerSlot objectid.Slot
	Object
}

func (m *ObjectCreate) Walk(c *stream.Codec) {
	m.WalkHead(c)
	m.walkSubsystems(c)
}

// WalkHead walks all fields except SubsystemsRaw, which package stateupdate walks.
func (m *ObjectCreate) WalkHead(c *stream.Codec) {
	c.Field("OwnerSlot").Slot8(&m.OwnerSlot)
	m.Object.walkHead(c)
}

func (m *ObjectCreate) validate(op Code) error { return m.Object.validate(op, m.OwnerSlot) }

// ObjectCreateTeam creates the ship of a player. The message has no team, despite its name. The
// owner sends it for each new ship, and the host sends it to joining clients.
//
//	offset  size  field
//	0       1     0x03
//	1       1     OwnerSlot, 0 to 15
//	2       1     NetPlayerID, the peer ID of the player
//	3       n     an Object
type ObjectCreateTeam struct {
	OwnerSlot   objectid.Slot
	NetPlayerID objectid.PeerID
	Object
}

// authorize accepts ships only. The stock game crashes on an unknown class. Clients send torpedoes
// as TorpedoFire, and only the host describes them to joining clients.
func (m *ObjectCreateTeam) authorize(a authority) *authError {
	err := a.slot("OwnerSlot", m.OwnerSlot)
	if err == nil {
		err = a.peer("NetPlayerID", m.NetPlayerID)
	}
	if err == nil && m.ClassID != ObjectShip {
		err = a.refuse("ClassID", ErrForged, m.ClassID, ObjectShip)
	}
	if err == nil {
		err = a.object("ObjectID", m.ObjectID, acts)
	}
	return err
}

func (m *ObjectCreateTeam) Walk(c *stream.Codec) {
	m.WalkHead(c)
	m.walkSubsystems(c)
}

// WalkHead is [ObjectCreate.WalkHead].
func (m *ObjectCreateTeam) WalkHead(c *stream.Codec) {
	c.Field("OwnerSlot").Slot8(&m.OwnerSlot)
	c.Field("NetPlayerID").PeerID8(&m.NetPlayerID)
	m.Object.walkHead(c)
}

func (m *ObjectCreateTeam) validate(op Code) error { return m.Object.validate(op, m.OwnerSlot) }

// Object is a ship, a torpedo or another object that [ObjectCreate] or [ObjectCreateTeam] creates.
//
//	offset  size  field
//	0       4     ClassID
//	4       4     ObjectID
//	8       1     Species of a ship; TorpedoType of a torpedo
//
//	of an ObjectShip and an ObjectTorpedo:
//	9       12    Position, game units
//	21      16    Orientation, a unit quaternion W, X, Y, Z
//	37      3     VelocityDir
//	40      4     VelocityMagnitude, game units per second
//	44      1+n   PlayerName of a ship, Name of a torpedo
//	45+n    1+m   SetName, the star system, "Multi1"
//
//	then, of an ObjectShip:
//	46+n+m  k     SubsystemsRaw
//
//	then, of an ObjectTorpedo:
//	46+n+m  4     ParentID, the ship that fired
//	50+n+m  4     TargetID
//	54+n+m  1     PlayerID, the peer ID of the player who fired
//	55+n+m  1     Flag, meaning unknown
//	56+n+m  4     Offset, where it aims, in radii of the target
//
//	of any other class:
//	9       k     Raw
//
// Splitting SubsystemsRaw requires the Class of package stateupdate for Species. If the length of
// a torpedo does not fit the table, the object is Opaque, and Raw holds the bytes after Species.
// The host sends a torpedo only to clients that join while it flies.
//
// The velocity is VelocityDir scaled to VelocityMagnitude: a CompressedVector4 of the engine whose
// length is not compressed. Any magnitude decodes, including NaN.
//
// Evidence: observed for ships; documented for torpedoes, by the engine's code.
type Object struct {
	ClassID  ObjectClass
	ObjectID objectid.ID
	Species  Species

	Position          [3]float32
	Orientation       [4]float32
	VelocityDir       compress.Vector3
	VelocityMagnitude float32
	PlayerName        stream.Text
	Name              stream.Text // mostly empty
	SetName           stream.Text
	SubsystemsRaw     []byte

	ParentID objectid.ID
	TargetID objectid.ID
	PlayerID objectid.PeerID
	Flag     uint8
	Offset   compress.Contact

	Opaque bool
	Raw    []byte
}

func (m *Object) walkSubsystems(c *stream.Codec) {
	if m.ClassID == ObjectShip {
		c.Field("SubsystemsRaw").Rest(&m.SubsystemsRaw, nil)
	}
}

func (m *Object) walkHead(c *stream.Codec) {
	if c.Decoding() {
		*m = Object{}
	}
	c.Field("ClassID").Uint32((*uint32)(&m.ClassID))
	stream.Show(c, m.ClassID)
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("Species").Uint8((*uint8)(&m.Species))
	switch m.ClassID {
	case ObjectShip:
		stream.Show(c, m.Species)
		m.walkMotion(c)
		c.Field("PlayerName").String8(&m.PlayerName)
		c.Field("SetName").String8(&m.SetName)
	case ObjectTorpedo:
		stream.Show(c, TorpedoType(m.Species))
		if c.Decoding() {
			m.Opaque = !isTorpedo(c)
		}
		if m.Opaque {
			c.Field("Raw").Rest(&m.Raw, nil)
			return
		}
		m.walkMotion(c)
		c.Field("Name").String8(&m.Name)
		c.Field("SetName").String8(&m.SetName)
		c.Field("ParentID").ObjectID(&m.ParentID)
		c.Field("TargetID").ObjectID(&m.TargetID)
		c.Field("PlayerID").PeerID8(&m.PlayerID)
		c.Field("Flag").Uint8(&m.Flag)
		c.Field("Offset").Contact(&m.Offset)
	default:
		c.Field("Raw").Rest(&m.Raw, nil)
	}
}

func (m *Object) walkMotion(c *stream.Codec) {
	c.Field("Position").Float32s(m.Position[:])
	c.Field("Orientation").Float32s(m.Orientation[:])
	c.Field("VelocityDir").Vector3(&m.VelocityDir)
	c.Field("VelocityMagnitude").Float32(&m.VelocityMagnitude)
}

// isTorpedo reports whether the remaining bytes have the length of a torpedo with its two names.
func isTorpedo(c *stream.Codec) bool {
	const motion, tail = 35, 14
	name := int(c.PeekUint(motion, 1))
	set := int(c.PeekUint(motion+1+name, 1))
	return c.Remaining() == motion+1+name+1+set+tail
}

// validate checks that a player's object has an ID of the slot, and the ranges of fields.
func (m *Object) validate(op Code, owner objectid.Slot) error {
	var other error
	if slot, ok := m.ObjectID.Slot(); ok && slot != owner {
		other = invalid(op, "ObjectID", fmt.Sprintf("%s, but OwnerSlot is %d", describe(m.ObjectID), owner))
	}
	return errors.Join(
		within(owner, 0, objectid.Slots-1, op, "OwnerSlot"),
		other,
		require(m.VelocityMagnitude >= 0, op, "VelocityMagnitude", "negative"),
	)
}
