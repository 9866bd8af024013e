package opcode

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/objectid"
)

// Sender identifies the client that sent a message, as the host knows it.
type Sender struct {
	PeerID objectid.PeerID
	Slot   objectid.Slot
	Ship   objectid.ID // the player's ship, or None if unknown
}

// Reasons why [Authorize] refuses a message.
var (
	// ErrDirection means that clients do not send the message.
	ErrDirection = errors.New("not sent by clients")
	// ErrForged means that a field has the ID of another player or of another player's object,
	// or that clients do not send this kind of event or object.
	ErrForged = errors.New("forged")
	// ErrUnknownMessage means that the message is an [*Unknown] or has a mod's type, with an
	// opcode from FirstScript up. A host that runs the mod can allow it.
	ErrUnknownMessage = errors.New("unknown message")
)

// authError is the error of [Authorize]. Its text is made when it is read.
type authError struct {
	op        Code
	field     string // "" for the whole message
	err       error
	got, want any // what was found, and what was needed
}

// Error returns a text such as "opcode: authorize ChatMessage.SenderID: forged: peer 3, not peer 2".
func (e *authError) Error() string {
	name := e.op.String()
	if e.field != "" {
		name += "." + e.field
	}
	return fmt.Sprintf("opcode: authorize %s: %v: %s, not %s", name, e.err, describe(e.got), describe(e.want))
}

func (e *authError) Unwrap() error { return e.err }

// Needed values that have no number.
const (
	anyClientMessage = "up or both"
	anyGameMessage   = "a message of the game"
	anyAuthorizer    = "a type with a method Authorize(opcode.Sender) error"
	anyClientClass   = "a class that clients send"
	anyShipCode      = "a code about a ship"
	noSubsystems     = "flags without subsystems"
	unknownPeerID    = "the sender's peer ID, which is unknown"
	unknownSlot      = "the sender's slot, which is unknown"
)

// slotOrNone is the needed slot of an object that may also be missing.
type slotOrNone objectid.Slot

func describe(v any) string {
	switch v := v.(type) {
	case objectid.PeerID:
		return fmt.Sprintf("peer %v", v)
	case objectid.Slot:
		return fmt.Sprintf("slot %v", v)
	case slotOrNone:
		return fmt.Sprintf("slot %v or none", v)
	case Direction:
		return fmt.Sprintf("direction %v", v)
	case objectid.ID:
		if slot, ok := v.Slot(); ok {
			return fmt.Sprintf("%v of slot %v", v, slot)
		}
		return v.String() + " of no slot"
	}
	return fmt.Sprint(v)
}

// Authorize returns nil if a client may send m and m speaks only for that client; see the section
// "Authorization" of the package. It checks identities only; call [Validate] to check values.
//
// The error wraps [ErrDirection], [ErrForged] or [ErrUnknownMessage], and its text names the field. For a nil
// message, it is a [*stream.Error] wrapping [io.ErrUnexpectedEOF].
//
// For a mod's message with an opcode from FirstScript up, Authorize returns the result of its method
// Authorize(Sender) error. Without the method, the message is refused.
//
// Authorize does not check the Sender: the zero Sender has no peer ID, but owns the objects of slot 0.
func Authorize(m Message, from Sender) error {
	if m == nil {
		return errEmpty()
	}
	a := authority{from, m.Opcode()}
	var err *authError
	fields, ok := m.(interface{ authorize(authority) *authError })
	switch d := a.op.Info().Direction; {
	case !isStock(m): // it may embed a stock type, whose rules are not its own
		if own, ok := m.(interface{ Authorize(Sender) error }); ok && a.op.script() {
			return own.Authorize(from)
		}
		err = a.foreign(m)
	case ok && (d == DirUp || d == DirBoth):
		err = fields.authorize(a)
	default:
		err = a.direction()
	}
	if err != nil {
		return err
	}
	return nil
}

// authority checks the fields of one message.
type authority struct {
	from Sender
	op   Code
}

func (a authority) refuse(field string, reason error, got, want any) *authError {
	return &authError{a.op, field, reason, got, want}
}

// direction refuses a message that clients do not send.
func (a authority) direction() *authError {
	return a.refuse("", ErrDirection, a.op.Info().Direction, anyClientMessage)
}

// foreign refuses a message whose type is not of this package. Types of mods must have script
// opcodes. Any other type with an engine opcode may carry a forged message.
func (a authority) foreign(m Message) *authError {
	found, needed := "Unknown", anyGameMessage
	if _, ok := New(a.op).(*Unknown); !ok {
		needed = a.op.String()
	}
	if _, ok := m.(*Unknown); !ok {
		found = "type " + nameOf(m)
		if a.op.script() {
			needed = anyAuthorizer
		}
	}
	switch d := a.op.Info().Direction; {
	case a.op.script():
		return a.refuse("", ErrUnknownMessage, found, needed)
	case d == DirUp || d == DirBoth:
		return a.refuse("", ErrDirection, found, needed)
	}
	return a.direction()
}

// peer checks a peer ID that must be the sender's.
func (a authority) peer(field string, id objectid.PeerID) *authError {
	switch {
	case !a.from.PeerID.Valid():
		return a.refuse(field, ErrForged, id, unknownPeerID)
	case id != a.from.PeerID:
		return a.refuse(field, ErrForged, id, a.from.PeerID)
	}
	return nil
}

// slot checks a slot that must be the sender's.
func (a authority) slot(field string, slot objectid.Slot) *authError {
	switch {
	case !a.from.Slot.Valid():
		return a.refuse(field, ErrForged, slot, unknownSlot)
	case slot != a.from.Slot:
		return a.refuse(field, ErrForged, slot, a.from.Slot)
	}
	return nil
}

// object checks an ID by its role.
func (a authority) object(field string, id objectid.ID, part role) *authError {
	if part == refers || part == originates && id == objectid.None {
		return nil
	}
	slot, ok := id.Slot()
	switch {
	case !a.from.Slot.Valid():
		return a.refuse(field, ErrForged, id, unknownSlot)
	case (!ok || slot != a.from.Slot) && part == originates:
		return a.refuse(field, ErrForged, id, slotOrNone(a.from.Slot))
	case !ok || slot != a.from.Slot:
		return a.refuse(field, ErrForged, id, a.from.Slot)
	case part == actsAsShip && a.from.Ship != objectid.None && id != a.from.Ship:
		return a.refuse(field, ErrForged, id, a.from.Ship)
	}
	return nil
}

// authorize checks an event by its row in eventTable. If the layout is inferred, the row may be
// wrong, so the event may have any class with known fields.
func (m *Event) authorize(a authority) *authError {
	f := &eventTable[a.op][0]
	inferred := a.op.Info().Evidence == Inferred
	switch {
	case inferred && !m.Class.forClients():
		return a.refuse("Class", ErrForged, m.Class, anyClientClass)
	case inferred && !m.Code.forClients():
		return a.refuse("Code", ErrForged, m.Code, anyShipCode)
	case !inferred && m.Class != f.class:
		return a.refuse("Class", ErrForged, m.Class, f.class)
	case !inferred && m.Code != f.code:
		return a.refuse("Code", ErrForged, m.Code, f.code)
	}
	err := a.object("Source", m.Source, f.source)
	if err == nil {
		err = a.object("Dest", m.Dest, f.dest)
	}
	if err == nil && m.Class == ClassObjPtrEvent {
		err = a.object("Object", m.Object, f.object)
	}
	return err
}

// forClients reports whether a client's event of an inferred layout may have the class. The fields
// of the class must be known, and clients must be able to send it.
func (c EventClass) forClients() bool {
	switch c {
	case ClassEvent, ClassBoolEvent, ClassCharEvent, ClassShortEvent, ClassIntEvent, ClassFloatEvent, ClassObjPtrEvent,
		ClassCollisionEvent, ClassStartFiringEvent, ClassWarpEvent:
		return true
	}
	return false
}

// forClients reports whether a client's event of an inferred layout may have the code. Engine
// codes must be about a ship, because others end the game or report players and deaths. Codes
// outside the engine's groups have no receiver in the game.
func (c EventCode) forClients() bool {
	const (
		groups, network, game = 0xFFFF0000, 0x00060000, 0x00800000
		// Ends of the ranges of codes about a ship. Receivers have these, and the wire does not.
		subsystemPowerChanged, startFiring, stopCloaking, inSystemWarp = 0x0080008C, 0x008000D7, 0x008000E5, 0x008000EF
		torpedoTypeChanged                                             = 0x008000FD
	)
	switch {
	case c&groups == network:
		return false
	case c&groups != game:
		return true
	}
	return c >= ETTargetWasChanged && c <= subsystemPowerChanged ||
		c >= startFiring && c <= stopCloaking ||
		c >= ETStartWarpNotify && c <= inSystemWarp ||
		c == torpedoTypeChanged || c == ETNetTorpedoTypeChangedNotify
}
