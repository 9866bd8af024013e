package transport

import (
	"errors"
	"fmt"
)

// The errors of datagrams, messages, fragments and sessions, besides
// [io.ErrUnexpectedEOF] for input that ends too soon. Errors with "transport:" in their
// text are returned as they are. The others are wrapped in an [*Error].
var (
	// ErrGameSpy means that a datagram is GameSpy text, which shares the port.
	ErrGameSpy = errors.New("transport: GameSpy text, not a datagram of the game")
	// ErrUnknownType means that a type, and so the length of the message, is unknown. The rest
	// of the datagram is lost.
	ErrUnknownType = errors.New("unknown message type")
	// ErrWrongType means that a message or a body does not have the required type.
	ErrWrongType = errors.New("wrong type of message")
	// ErrBadLength means that a message or a body cannot have its length.
	ErrBadLength = errors.New("bad length")
	// ErrBadFragment means that a fragment contradicts itself or other fragments.
	ErrBadFragment = errors.New("bad fragment")
	// ErrDialect means that a message does not have a form of the stock game. [Strict]
	// reports it, and [Message.Decode] for a message without a typed body.
	ErrDialect = errors.New("not a form of the stock game")
	// ErrTooLong means that a value does not fit its length field, or does not fit into a
	// message that cannot be split.
	ErrTooLong = errors.New("too long")
	// ErrLimit means that a fragment was dropped because a limit of the [Reassembler] is
	// reached.
	ErrLimit = errors.New("transport: limit of reassembly reached")
	// ErrQueueFull means that the send queue of a [Session] is full.
	ErrQueueFull = errors.New("transport: send queue full")
	// ErrNotOpen means that a [Session] has not been accepted yet, or has ended.
	ErrNotOpen = errors.New("transport: session not open")
	// ErrHubFull means that a [Hub] has reached its limit of sessions or of peer IDs.
	ErrHubFull = errors.New("transport: hub full")
	// ErrNoConnect means that an event is not the Connect of a client, or is out of date.
	ErrNoConnect = errors.New("transport: no Connect to accept")
)

// Error is an error in a message, with the place of the message in its datagram.
type Error struct {
	Index  int // of the message in its datagram, from 0; -1 for a message in no datagram
	Offset int // of the message in the datagram
	Len    int // of the message on the wire, 0 if unknown
	Type   Type
	Err    error

	missing bool // the datagram ends before the type
}

// alone returns an error in a message that is in no datagram, or in an unknown one.
func alone(t Type, err error) error { return &Error{Index: -1, Type: t, Err: err} }

// Error returns "transport: message 2 (Data) at offset 12: unexpected EOF", or
// "transport: Data: bad fragment" for a message in no datagram.
func (e *Error) Error() string {
	switch {
	case e.missing && e.Index < 0:
		return fmt.Sprintf("transport: %v", e.Err)
	case e.Index < 0:
		return fmt.Sprintf("transport: %v: %v", e.Type, e.Err)
	case e.missing:
		return fmt.Sprintf("transport: message %d at offset %d: %v", e.Index, e.Offset, e.Err)
	}
	return fmt.Sprintf("transport: message %d (%v) at offset %d: %v", e.Index, e.Type, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
