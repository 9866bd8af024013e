package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// DestroyObject removes an object from the game. The host sends it when a player leaves;
// ships that die in combat go by [PythonEvent].
//
//	offset  size  field
//	0       1     0x14
//	1       4     ObjectID
//
// Evidence: documented. Engine name: DELETE_OBJECT_FROM_GAME.
type DestroyObject struct{ ObjectID objectid.ID }

// Walk implements [Message].
func (m *DestroyObject) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}

// HostMessage asks the host to destroy the sender's own ship, despite its name.
//
//	offset  size  field
//	0       1     0x13
//
// Evidence: observed. Engine name: SELF_DESTRUCT_REQUEST.
type HostMessage struct{}

// authorize accepts the message: the host destroys the ship of the session.
func (*HostMessage) authorize(*authority) {}

// Walk implements [Message].
func (*HostMessage) Walk(*stream.Codec) {}

// ObjectNotFound asks a client whether it has an object that was just created, despite
// its name. The host sends it; a client that lacks the object answers with
// [RequestObject].
//
//	offset  size  field
//	0       1     0x1D
//	1       4     ObjectID
//
// Evidence: observed. Engine name: VERIFY_ENTER_SET.
type ObjectNotFound struct{ ObjectID objectid.ID }

// Walk implements [Message].
func (m *ObjectNotFound) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}

// RequestObject asks the host for an object. The host answers with [ObjectCreate] or
// [ObjectCreateTeam], and not at all if there is nothing to send.
//
//	offset  size  field
//	0       1     0x1E
//	1       4     ObjectID
//
// Authorize: ObjectID (anybody's).
//
// Evidence: documented. Engine name: SEND_OBJECT.
type RequestObject struct{ ObjectID objectid.ID }

// authorize accepts any ObjectID: a client asks for objects of others.
func (m *RequestObject) authorize(*authority) {}

// Walk implements [Message].
func (m *RequestObject) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}
