package opcode

import (
	"errors"
	"fmt"
	"math"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Event is an event of the engine, and the whole body of many messages. Class, and not the opcode,
// determines the fields after Dest:
//
//	offset  size    field
//	0       1       the opcode
//	1       4       Class
//	5       4       Code
//	9       4       Source, mostly none
//	13      4       Dest, mostly a subsystem
//
//	at 17, by Class:
//	ClassEvent
//	ClassBoolEvent             1       Value, 0 or 1
//	ClassCharEvent             1       Value, unsigned
//	ClassShortEvent            2       Value, signed
//	ClassIntEvent              4       Value, signed
//	ClassFloatEvent            4       Float
//	ClassObjPtrEvent           4       Object
//	ClassPlayerEvent           1       PlayerID
//	ClassCollisionEvent        1+4n+4  number of Contacts, Contacts, Force
//	ClassStartFiringEvent      4+4     TargetID, Offset
//	ClassObjectExplodingEvent  4+4     FiringPlayerID, Lifetime
//	ClassWarpEvent             1+n+16  Name, Params
//	any other                  n       Raw
//
// Decoding and encoding accept any class and any code with any opcode; see [Validate] and [Authorize]. Decoding
// sets the fields that the table does not list for the Class to zero, and encoding ignores them.
//
// The doc of each message has the roles of Source, Dest and Object for each Code, with the evidence.
type Event struct {
	Class  EventClass
	Code   EventCode
	Source objectid.ID
	Dest   objectid.ID

	Value          int32
	Float          float32
	Object         objectid.ID
	PlayerID       objectid.PeerID
	Contacts       []compress.Contact
	Force          float32 // of the collision; 485 to 1281 in captures
	TargetID       objectid.ID
	Offset         compress.Contact
	FiringPlayerID objectid.PeerID // the killer, 0 for none
	Lifetime       float32         // seconds for which the ship explodes
	Name           stream.Text     // of the destination set
	Params         [4]float32      // of the warp; their order is not known
	Raw            []byte
}

// EventMessage is a message that consists of an [Event].
type EventMessage interface {
	Message
	// Envelope returns the event in the message.
	Envelope() *Event
}

// Envelope returns the event itself. Use it to handle all event messages without a type switch.
func (m *Event) Envelope() *Event { return m }

// peerField returns a peer ID as it stands in a field, 0 for [objectid.NoPeer].
func peerField(id objectid.PeerID) objectid.PeerID { return max(id, 0) }

// knownPeer returns the peer ID of a field, or [objectid.NoPeer] if the field has no valid one.
func knownPeer(field objectid.PeerID) objectid.PeerID {
	if field.Valid() {
		return field
	}
	return objectid.NoPeer
}

// Walk implements [Message] for the types that embed an Event.
func (m *Event) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = Event{Contacts: m.Contacts[:0]}
	}
	c.Field("Class").Uint32((*uint32)(&m.Class))
	stream.Show(c, m.Class)
	c.Field("Code").Uint32((*uint32)(&m.Code))
	stream.Show(c, m.Code)
	c.Field("Source").ObjectID(&m.Source)
	c.Field("Dest").ObjectID(&m.Dest)
	switch m.Class {
	case ClassEvent:
	case ClassBoolEvent, ClassCharEvent:
		v := uint8(m.Value)
		c.Field("Value").Uint8(&v)
		m.value(c, int32(v), 0, math.MaxUint8)
	case ClassShortEvent:
		v := int16(m.Value)
		c.Field("Value").Int16(&v)
		m.value(c, int32(v), math.MinInt16, math.MaxInt16)
	case ClassIntEvent:
		c.Field("Value").Int32(&m.Value)
	case ClassFloatEvent:
		c.Field("Float").Float32(&m.Float)
	case ClassObjPtrEvent:
		c.Field("Object").ObjectID(&m.Object)
	case ClassPlayerEvent:
		c.Field("PlayerID").PeerID8(&m.PlayerID)
	case ClassCollisionEvent:
		m.collision(c)
	case ClassStartFiringEvent:
		c.Field("TargetID").ObjectID(&m.TargetID)
		c.Field("Offset").Contact(&m.Offset)
	case ClassObjectExplodingEvent:
		c.Field("FiringPlayerID").PeerID(&m.FiringPlayerID)
		c.Field("Lifetime").Float32(&m.Lifetime)
	case ClassWarpEvent:
		c.Field("Name").String8(&m.Name)
		c.Field("Params").Float32s(m.Params[:])
	default:
		c.Field("Raw").Rest(&m.Raw, nil)
	}
}

// value stores v, which was read from a Value of less than four bytes. Encoding fails if Value is
// not from least to most.
func (m *Event) value(c *stream.Codec, v, least, most int32) {
	if c.Decoding() {
		m.Value = v
	} else if m.Value != v {
		c.Fail(fmt.Errorf("%w: %d, not %d to %d", stream.ErrRange, m.Value, least, most))
	}
}

func (m *Event) collision(c *stream.Codec) {
	n := c.Field("Contacts").Count8(len(m.Contacts), 4)
	stream.Resize(c, &m.Contacts, n)
	for i := range n {
		c.Element("Contacts", i)
		c.Field("").Contact(&m.Contacts[i])
		c.End()
	}
	c.Field("Force").Float32(&m.Force)
}

func (m *Event) validate(op Code) error {
	// If the layout is inferred, the class may be wrong, as in authorize.
	if class := classOf(op); class != 0 && class != m.Class && op.Info().Evidence != Inferred {
		return invalid(op, "Class", fmt.Sprintf("%v, not %v", m.Class, class))
	}
	most := int32(math.MaxInt32)
	switch {
	case m.Class == ClassBoolEvent:
		most = 1
	case op == OpSetPhaserLevel:
		most = int32(PhaserHigh)
	case op == OpTorpedoTypeChange:
		most = 3
	}
	return errors.Join(
		atMost(m.Value, most, op, "Value", ""),
		require(m.Class != ClassObjectExplodingEvent || m.Lifetime >= 0, op, "Lifetime", "negative"),
	)
}

// ClientEvent delivers an event of any class to all players. The game is not known to send one. Unlike in some other
// messages, receivers keep its code; see [EventCode].
//
//	offset  size  field
//	0       1     0x0C
//	1       16+n  an Event
//
// The roles of the fields depend on Class and Code. Authorize expects Dest to be an object of the sender.
type ClientEvent struct{ Event }
