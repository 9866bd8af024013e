package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

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
