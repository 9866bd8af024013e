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
// Evidence: documented. Engine name: SEND_OBJECT.
type RequestObject struct{ ObjectID objectid.ID }

// authorize accepts any ObjectID: a client asks for objects of others.
func (m *RequestObject) authorize(*authority) {}

// Walk implements [Message].
func (m *RequestObject) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
}

// EnterSet moves an object to another set, as a ship whose warp ends. The host sends it
// to all.
//
//	offset  size  field
//	0       1     0x1F
//	1       4     ObjectID
//	5       4+n   Set, with a terminating NUL from the game
//	9+n     1     0, if Extra
//
// Receivers take a Set without NUL, and a NUL after it.
//
// Evidence: documented. Engine name: VERIFY_EXITED_WARP.
type EnterSet struct {
	ObjectID objectid.ID
	Set      stream.Text
	Extra    bool // a NUL follows the text
}

// SetName returns Set without its NUL.
func (m *EnterSet) SetName() string {
	t := m.Set
	if n := len(t); n > 0 && t[n-1] == 0 {
		t = t[:n-1]
	}
	return t.String()
}

// Walk implements [Message].
func (m *EnterSet) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("Set").String32(&m.Set)
	if c.Decoding() {
		m.Extra = c.Remaining() == 1 && c.PeekUint8(0) == 0
	}
	if m.Extra {
		var nul uint8
		c.Field("Extra").Uint8(&nul)
		stream.Show(c, true)
	}
}
