package opcode

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// StateUpdate reports the position and state of a ship, about ten times a second; the owner or the
// host sends it. Nearly all traffic is StateUpdate messages, and they are unreliable.
//
//	offset  size  field
//	0       1     0x1C
//	1       4     ObjectID
//	5       4     GameTime, seconds on the sender's clock
//	9       1     Flags
//
//	then, in this order, as Flags say:
//	StatePosition    12   Position, game units
//	                      HasHash, packed
//	                 2    Hash, if HasHash
//	StateDelta       5    Delta from the last Position
//	StateForward     3    Forward
//	StateUp          3    Up
//	StateSpeed       2    Speed, game units per second; negative is backwards
//	StateCloak            Cloak, packed: the device is on
//	StateSubsystems  1    StartIndex, the index of the first subsystem in Data
//	                 n    Data, to the end
//	StatePower       2n   Power, to the end
//
// Splitting Data into subsystems requires the ship's class; see package stateupdate. HasHash,
// Cloak and packed bools in Data can share a byte, which Bits preserves; see [stream.Codec.Rest].
// The game never sends Data and Power together. With both flags, all remaining bytes are Data.
//
// Only the host sends Data, also for the ship of its own player. Only clients send Power, and a Hash of their ship's
// properties, constant for each class: 0xfb37 of an Akira is observed. The host kicks a client whose Hash differs from
// that of the host's copy. Not all values in a Hash are known, so a client should send none, which the host accepts.
type StateUpdate struct {
	ObjectID objectid.ID
	GameTime float32
	Flags    StateFlags

	Position   [3]float32
	HasHash    bool
	Hash       Hash16
	Delta      compress.Vector4
	Forward    compress.Vector3
	Up         compress.Vector3
	Speed      compress.Float16
	Cloak      bool
	StartIndex int8
	Data       []byte
	Bits       stream.Bits
	Power      []PowerEntry
}

// Hash16 is a hash folded to 16 bits.
type Hash16 uint16

// String returns "0xfb37".
func (h Hash16) String() string { return fmt.Sprintf("0x%04x", uint16(h)) }

// StateFlags select the fields of a [StateUpdate].
type StateFlags uint8

const (
	StatePosition   StateFlags = 0x01
	StateDelta      StateFlags = 0x02
	StateForward    StateFlags = 0x04
	StateUp         StateFlags = 0x08
	StateSpeed      StateFlags = 0x10
	StateSubsystems StateFlags = 0x20
	StateCloak      StateFlags = 0x40
	StatePower      StateFlags = 0x80
)

// String returns the names of the flags, such as "position|forward|up".
func (f StateFlags) String() string {
	return flagNames(uint8(f), "position", "delta", "forward", "up", "speed", "subsystems", "cloak", "power")
}

// PowerEntry is the power setting of a subsystem.
//
//	offset  size  field
//	0       1     Index in the ship's list of subsystems
//	1       1     Value, in 204ths: 0xCC is 100 %, 0xFF 125 %
type PowerEntry struct{ Index, Value uint8 }

// authorize refuses subsystem blocks. They carry the damage of ships, and the host sends them.
func (m *StateUpdate) authorize(a authority) *authError {
	err := a.object("ObjectID", m.ObjectID, actsAsShip)
	if err == nil && m.Flags&StateSubsystems != 0 {
		return a.refuse("Flags", ErrForged, m.Flags, noSubsystems)
	}
	return err
}

func (m *StateUpdate) Walk(c *stream.Codec) { m.walk(c, false) }

// WalkHead walks all fields except Data, which package stateupdate walks.
func (m *StateUpdate) WalkHead(c *stream.Codec) { m.walk(c, true) }

func (m *StateUpdate) walk(c *stream.Codec, head bool) {
	if c.Decoding() {
		*m = StateUpdate{Power: m.Power[:0]}
	}
	c.Field("ObjectID").ObjectID(&m.ObjectID)
	c.Field("GameTime").Float32(&m.GameTime)
	c.Field("Flags").Uint8((*uint8)(&m.Flags))
	stream.Show(c, m.Flags)
	if m.Flags&StatePosition != 0 {
		c.Field("Position").Float32s(m.Position[:])
		c.Field("HasHash").Bool(&m.HasHash)
		if m.HasHash {
			c.Field("Hash").Uint16((*uint16)(&m.Hash))
			stream.Show(c, m.Hash)
		}
	}
	if m.Flags&StateDelta != 0 {
		c.Field("Delta").Vector4(&m.Delta)
	}
	if m.Flags&StateForward != 0 {
		c.Field("Forward").Vector3(&m.Forward)
	}
	if m.Flags&StateUp != 0 {
		c.Field("Up").Vector3(&m.Up)
	}
	if m.Flags&StateSpeed != 0 {
		c.Field("Speed").Float16(&m.Speed)
	}
	if m.Flags&StateCloak != 0 {
		c.Field("Cloak").Bool(&m.Cloak)
	}
	switch {
	case m.Flags&StateSubsystems != 0:
		c.Field("StartIndex").Int8(&m.StartIndex)
		if !head {
			c.Field("Data").Rest(&m.Data, &m.Bits)
		}
	case m.Flags&StatePower != 0:
		m.walkPower(c)
	}
}

func (m *StateUpdate) walkPower(c *stream.Codec) {
	stream.Resize(c, &m.Power, c.Remaining()/2)
	for i := range m.Power {
		p := &m.Power[i]
		c.Element("Power", i)
		c.Field("Index").Uint8(&p.Index)
		c.Field("Value").Uint8(&p.Value)
		c.End()
	}
}

func (m *StateUpdate) validate(op Code) error {
	const subsystems, places = StateSubsystems | StatePower, StatePosition | StateDelta
	return errors.Join(
		require(m.Flags&subsystems != subsystems, op, "Flags", "subsystems and power together"),
		require(m.Flags&places != places, op, "Flags", "position and delta together"),
	)
}
