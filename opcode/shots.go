package opcode

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Shot is a message that fires a weapon: [*TorpedoFire], [*BeamFire] or [*StartFiring].
type Shot interface {
	Message
	// Fired returns the weapon and its target, or [objectid.None] for a shot without a target.
	// The slot of the weapon's ID identifies the player who fires. The result ok is false if a
	// StartFiring has another class or code than the game sends.
	Fired() (weapon, target objectid.ID, ok bool)
}

// TorpedoFire launches a torpedo; the owner of the ship sends it.
//
//	offset  size  field
//	0       1     0x19
//	1       4     TubeID, the torpedo tube
//	5       1     PlayerID, the peer ID of the player who fires
//	6       1     Flags
//	7       3     Direction of launch
//	10      4     TargetID, unless TorpedoNoTarget
//	14      4     Offset of the aim from the target, in its radii; unless TorpedoNoTarget
//	14      5     LongOffset, if Form is TorpedoLongOffset, in place of Offset
//
// Receivers credit a kill to PlayerID. A client can write any player there, and OpenBC's may write any
// number, so a host should write the sender's peer ID into PlayerID before it acts on the message or
// relays it. Older documents wrongly call PlayerID the torpedo type, which is not on the wire:
// [TorpedoTypeChange] or the creation of the ship selects it.
type TorpedoFire struct {
	TubeID     objectid.ID
	PlayerID   objectid.PeerID
	Flags      TorpedoFlags
	Direction  compress.Vector3
	TargetID   objectid.ID
	Offset     compress.Contact
	Form       TorpedoForm
	LongOffset compress.Vector4
}

// NewTorpedoFire returns the message that launches a torpedo. The target may be [objectid.None].
func NewTorpedoFire(tube objectid.ID, player objectid.PeerID, direction compress.Vector3, target objectid.ID, offset compress.Contact) *TorpedoFire {
	m := &TorpedoFire{TubeID: tube, PlayerID: peerField(player), Flags: TorpedoLaunched, Direction: direction}
	if target == objectid.None {
		m.Flags |= TorpedoNoTarget
	} else {
		m.TargetID, m.Offset = target, offset
	}
	return m
}

// Fired implements [Shot]; ok is always true.
func (m *TorpedoFire) Fired() (weapon, target objectid.ID, ok bool) {
	if m.Flags&TorpedoNoTarget != 0 || m.Form == TorpedoBare {
		return m.TubeID, objectid.None, true
	}
	return m.TubeID, m.TargetID, true
}

// TorpedoForm is the form of a [TorpedoFire] without TorpedoNoTarget. The stock game sends only TorpedoStock.
type TorpedoForm uint8

const (
	TorpedoStock      TorpedoForm = iota // TargetID and Offset
	TorpedoLongOffset                    // TargetID and LongOffset, from OpenBC
	TorpedoBare                          // no target, although TorpedoNoTarget is not set; from OpenBC
)

func (f TorpedoForm) String() string { return word(f, "stock", "offset of five bytes", "no target") }

// TorpedoFlags are the flags of a [TorpedoFire]. The names of the first two are inferred.
type TorpedoFlags uint8

const (
	TorpedoLaunched TorpedoFlags = 1 << 0 // set in all captures
	TorpedoSkew     TorpedoFlags = 1 << 1 // set for skew fire, or for two torpedoes at once
	TorpedoNoTarget TorpedoFlags = 1 << 2 // neither TargetID nor Offset follows
)

// String returns the names of the flags, such as "launched|no target".
func (f TorpedoFlags) String() string { return flagNames(uint8(f), "launched", "skew", "no target") }

func (m *TorpedoFire) authorize(a authority) *authError { return a.object("TubeID", m.TubeID, acts) }

func (m *TorpedoFire) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = TorpedoFire{}
	}
	c.Field("TubeID").ObjectID(&m.TubeID)
	c.Field("PlayerID").PeerID8(&m.PlayerID)
	c.Field("Flags").Uint8((*uint8)(&m.Flags))
	stream.Show(c, m.Flags)
	c.Field("Direction").Vector3(&m.Direction)
	if m.Flags&TorpedoNoTarget != 0 {
		return
	}
	if c.Decoding() {
		switch c.Remaining() {
		case 0:
			m.Form = TorpedoBare
		case 9:
			m.Form = TorpedoLongOffset
		}
	}
	if m.Form == TorpedoBare {
		return
	}
	c.Field("TargetID").ObjectID(&m.TargetID)
	if m.Form == TorpedoLongOffset {
		c.Field("LongOffset").Vector4(&m.LongOffset)
	} else {
		c.Field("Offset").Contact(&m.Offset)
	}
}

// BeamFire fires a pulse weapon such as a disruptor cannon, not a beam; the owner of the ship
// sends it. [StartFiring] turns beams on.
//
//	offset  size  field
//	0       1     0x1A
//	1       4     WeaponID, the pulse weapon
//	5       1     PlayerID, the peer ID of the player who fires
//	6       3     Direction
//	9       1     Flags
//	10      4     TargetID, if PulseTarget
//
// A host should treat PlayerID as in [TorpedoFire].
type BeamFire struct {
	WeaponID  objectid.ID
	PlayerID  objectid.PeerID
	Direction compress.Vector3
	Flags     PulseFlags
	TargetID  objectid.ID
}

// NewBeamFire returns the message that fires a pulse weapon. The target may be [objectid.None].
func NewBeamFire(weapon objectid.ID, player objectid.PeerID, direction compress.Vector3, target objectid.ID) *BeamFire {
	m := &BeamFire{WeaponID: weapon, PlayerID: peerField(player), Direction: direction, Flags: PulseLaunched}
	if target != objectid.None {
		m.Flags |= PulseTarget
		m.TargetID = target
	}
	return m
}

// Fired implements [Shot]; ok is always true.
func (m *BeamFire) Fired() (weapon, target objectid.ID, ok bool) {
	if m.Flags&PulseTarget == 0 {
		return m.WeaponID, objectid.None, true
	}
	return m.WeaponID, m.TargetID, true
}

// PulseFlags are the flags of a [BeamFire]. The name of the first is inferred.
type PulseFlags uint8

const (
	PulseLaunched PulseFlags = 1 << 0 // set in all captures
	PulseTarget   PulseFlags = 1 << 1 // TargetID follows
)

// String returns the names of the flags, such as "launched|target".
func (f PulseFlags) String() string { return flagNames(uint8(f), "launched", "target") }

func (m *BeamFire) authorize(a authority) *authError { return a.object("WeaponID", m.WeaponID, acts) }

func (m *BeamFire) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = BeamFire{}
	}
	c.Field("WeaponID").ObjectID(&m.WeaponID)
	c.Field("PlayerID").PeerID8(&m.PlayerID)
	c.Field("Direction").Vector3(&m.Direction)
	c.Field("Flags").Uint8((*uint8)(&m.Flags))
	stream.Show(c, m.Flags)
	if m.Flags&PulseTarget != 0 {
		c.Field("TargetID").ObjectID(&m.TargetID)
	}
}
