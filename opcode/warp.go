package opcode

import (
	"bytes"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// StartWarp sends a ship to another star system (set); the owner of the ship sends it.
//
//	offset  size  field
//	0       1     0x10
//	1       33+n  an Event of ClassWarpEvent with Name and Params
//
//	field of ETStartWarpNotify  evidence  role
//	Source                      inferred  none
//	Dest                        inferred  the warp engine subsystem of the ship
type StartWarp struct{ Event }

// NewStartWarp returns the message that sends the ship of a warp engine subsystem to a set. It
// returns an error if set is not a text of at most 255 bytes or a parameter is not finite.
func NewStartWarp(engine objectid.ID, set string, params [4]float32) (*StartWarp, error) {
	name, err := stream.NewText(set)
	if err != nil {
		return nil, err
	}
	m := &StartWarp{newEvent(OpStartWarp, objectid.None, engine)}
	m.Name, m.Params = name, params
	return checked(m)
}

// EnterSet moves an object, such as a ship after its warp, to another set. A
// client without the object answers with [RequestObject].
//
//	offset  size  field
//	0       1     0x1F
//	1       4     ObjectID
//	5       4+n   Set; the game ends it with a NUL, which n includes
//	9+n     1     Extra, a NUL, if there is one
//
// Receivers must accept a Set that does not end with a NUL, and a NUL after the field (Extra).
type EnterSet struct {
	ObjectID objectid.ID
	Set      stream.Text
	Extra    bool // a NUL follows the text
}

// SetName returns Set without its NUL.
func (m *EnterSet) SetName() string {
	return stream.Text(bytes.TrimSuffix(m.Set, []byte{0})).String()
}

func (m *EnterSet) Walk(c *stream.Codec) {
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("Set").String32(&m.Set)
	if c.Decoding() {
		m.Extra = c.Remaining() == 1 && c.PeekUint(0, 1) == 0
	}
	if m.Extra {
		var nul uint8
		c.Field("Extra").Uint8(&nul)
		stream.ShowBool(c, true)
	}
}
