package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// DestroyObject removes an object without an explosion, usually the ship of a player who left. A ship that
// dies in combat explodes after a [PythonEvent] and needs no DestroyObject, nor does a ship at a [RestartGame].
//
//	offset  size  field
//	0       1     0x14
//	1       4     ObjectID
type DestroyObject struct{ ObjectID objectid.ID }

func (m *DestroyObject) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}

// HostMessage asks the host to destroy the sender's ship (self-destruct).
//
//	offset  size  field
//	0       1     0x13
type HostMessage struct{}

// authorize accepts the message, because it can only affect the sender's ship.
func (*HostMessage) authorize(authority) *authError { return nil }

func (*HostMessage) Walk(*stream.Codec) {}

// ObjectNotFound asks clients whether they have an object. The name misleads. A client without the
// object answers with [RequestObject]; others do not answer. The game's host also asks the owner of
// each new ship, who has the ship.
//
//	offset  size  field
//	0       1     0x1D
//	1       4     ObjectID
type ObjectNotFound struct{ ObjectID objectid.ID }

func (m *ObjectNotFound) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}

// RequestObject asks the host to create a missing object; a client sends it after an
// [ObjectNotFound], an [EnterSet] or a [StateUpdate] about an object that it lacks. The host answers
// with [ObjectCreate] or [ObjectCreateTeam], or not at all if it has no such object.
//
// OpenBC's server then answers with an ObjectNotFound, which a client must not answer with another
// RequestObject without end.
//
//	offset  size  field
//	0       1     0x1E
//	1       4     ObjectID
type RequestObject struct{ ObjectID objectid.ID }

// authorize accepts any ObjectID, because clients ask for objects of other players.
func (m *RequestObject) authorize(authority) *authError { return nil }

func (m *RequestObject) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}
