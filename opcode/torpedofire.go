package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// TorpedoFire launches a torpedo. The owner of the ship sends it, and the host passes it
// on to the others.
//
//	offset  size  field
//	0       1     0x19
//	1       4     TubeID, the torpedo tube
//	5       1     Type
//	6       1     Flags
//	7       3     Direction of launch
//	10      4     TargetID, unless TorpedoNoTarget
//	14      4     Offset, unless TorpedoNoTarget: where to aim, in radii of the target
//
// OpenBC sends an Offset of five bytes. A payload of 19 bytes is read so: LongOffset
// takes its place, and Long says so when it is encoded again.
//
// Evidence: observed. Engine name: CREATE_TORP.
type TorpedoFire struct {
	TubeID     objectid.ID
	Type       TorpedoType
	Flags      TorpedoFlags
	Direction  compress.Vector3
	TargetID   objectid.ID
	Offset     compress.Contact
	Long       bool
	LongOffset compress.Vector4
}

// NewTorpedoFire returns the message that launches a torpedo, at a place on a target or
// without one.
func NewTorpedoFire(tube objectid.ID, typ TorpedoType, direction compress.Vector3, target objectid.ID, offset compress.Contact) *TorpedoFire {
	m := &TorpedoFire{TubeID: tube, Type: typ, Flags: TorpedoLaunched, Direction: direction}
	if target == objectid.None {
		m.Flags |= TorpedoNoTarget
	} else {
		m.TargetID, m.Offset = target, offset
	}
	return m
}

// TorpedoFlags are the flags of [TorpedoFire].
type TorpedoFlags uint8

// The flags. The names of the first two are inferred.
const (
	TorpedoLaunched TorpedoFlags = 1 << 0 // set in all captures
	TorpedoSkew     TorpedoFlags = 1 << 1 // skew fire, or one of two
	TorpedoNoTarget TorpedoFlags = 1 << 2 // neither TargetID nor Offset follows
)

// Walk implements [Message].
func (m *TorpedoFire) Walk(c *stream.Codec) {
	c.Field("TubeID").ObjectID(&m.TubeID)
	c.Field("Type").Uint8((*uint8)(&m.Type))
	stream.Show(c, m.Type)
	c.Field("Flags").Uint8((*uint8)(&m.Flags))
	stream.Show(c, m.Flags)
	c.Field("Direction").Vector3(&m.Direction)
	if m.Flags&TorpedoNoTarget != 0 {
		return
	}
	c.Field("TargetID").ObjectID(&m.TargetID)
	if c.Decoding() {
		m.Long = c.Remaining() == 5
	}
	if m.Long {
		c.Field("LongOffset").Vector4(&m.LongOffset)
	} else {
		c.Field("Offset").Contact(&m.Offset)
	}
}
