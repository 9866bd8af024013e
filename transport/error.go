package transport

import (
	"errors"
	"fmt"
)

// What can be wrong with a datagram, a message or a fragment, beside
// [io.ErrUnexpectedEOF] for what ends too soon, and with a session. Those with
// "transport:" in their text come as they are, the others wrapped in an [*Error].
var (
	// ErrGameSpy says that a datagram is GameSpy text, which shares the port.
	ErrGameSpy = errors.New("transport: GameSpy text, not a datagram of the game")
	// ErrUnknownType says that a message has a type whose length nobody knows, so that
	// the rest of the datagram is lost.
	ErrUnknownType = errors.New("unknown message type")
	// ErrWrongType says that a message or body is not of a type that is asked for.
	ErrWrongType = errors.New("wrong type of message")
	// ErrBadLength says that a length is less than what the message needs, or not one
	// that its body can have.
	ErrBadLength = errors.New("bad length")
	// ErrBadFragment says that a fragment contradicts itself or its siblings.
	ErrBadFragment = errors.New("bad fragment")
	// ErrDialect says that a message is not in a form of the stock game: what [Strict]
	// reports, and what has no typed body.
	ErrDialect = errors.New("not a form of the stock game")
	// ErrTooLong says that something is too long for the field that tells its length, or
	// for a message that cannot be split.
	ErrTooLong = errors.New("too long")
	// ErrText says that a string is no [Text]: it has a NUL in it, or is not UTF-8.
	ErrText = errors.New("transport: text with a NUL or not in UTF-8")
	// ErrLimit says that a fragment was dropped because a limit of the [Reassembler] is
	// reached.
	ErrLimit = errors.New("transport: limit of reassembly reached")
	// ErrQueueFull says that a [Session] has as much to send as it may.
	ErrQueueFull = errors.New("transport: send queue full")
	// ErrNotOpen says that a [Session] has not been accepted yet, or has ended.
	ErrNotOpen = errors.New("transport: session not open")
	// ErrHubFull says that a [Hub] has as many sessions, or peer IDs in use, as it may.
	ErrHubFull = errors.New("transport: hub full")
	// ErrNoConnect says that an event is not the Connect of a client, or not any more.
	ErrNoConnect = errors.New("transport: no Connect to accept")
)

// Error tells which message is wrong, and why.
type Error struct {
	Index  int // of the message in its datagram, the first being 0; -1 if it is in none
	Offset int // in the datagram
	Len    int // of the message on the wire, 0 if that is not known
	Type   Type
	Err    error

	missing bool // the datagram ends before the type
}

// alone is what is wrong with a message that is in no datagram, or not known to be.
func alone(t Type, err error) error { return &Error{Index: -1, Type: t, Err: err} }

// Error returns "transport: message 2 (Data) at offset 12: unexpected EOF", or
// "transport: Data: bad fragment" for a message that is in no datagram.
func (e *Error) Error() string {
	switch {
	case e.Index < 0:
		return fmt.Sprintf("transport: %v: %v", e.Type, e.Err)
	case e.missing:
		return fmt.Sprintf("transport: message %d at offset %d: %v", e.Index, e.Offset, e.Err)
	}
	return fmt.Sprintf("transport: message %d (%v) at offset %d: %v", e.Index, e.Type, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
