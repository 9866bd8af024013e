package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of datagrams, messages and sessions.
var (
	// ErrGameSpy means that a datagram is GameSpy text, which shares the port.
	ErrGameSpy = errors.New("transport: GameSpy text, not a datagram of the game")
	// ErrUnknownType means that a type is unknown. The rest of the datagram is then unreadable.
	ErrUnknownType = errors.New("unknown message type")
	// ErrBadLength means that a message or a body has an impossible length.
	ErrBadLength = errors.New("bad length")
	// ErrBadFragment means that a fragment contradicts itself or other fragments.
	ErrBadFragment = errors.New("bad fragment")
	// ErrDialect means that a message has a form that the stock game does not send.
	ErrDialect = errors.New("not a form of the stock game")
	// ErrQueueFull means that the send queue of a [Session] is full.
	ErrQueueFull = errors.New("transport: send queue full: send again when messages are acknowledged, or raise MaxQueue")
	// ErrNotOpen means that a [Session] has not received the reply to the Connect, or has ended.
	ErrNotOpen = errors.New("transport: session not open: the handshake is not complete, or the session has ended")
	// ErrHubFull means that a [Hub] has reached its limit of sessions or of peer IDs.
	ErrHubFull = errors.New("transport: hub full: the client is refused; raise MaxSessions")
	// ErrNoConnect means that an event is not an EventConnect, or that its Connect would not cause another one now.
	ErrNoConnect = errors.New("transport: no Connect to accept: the event has another kind or is out of date")
)

var (
	// errWrongType means that a function does not accept messages or bodies of this type.
	errWrongType = errors.New("wrong type of message")
	// errLimit means that a fragment was dropped because of a limit of the [Reassembler].
	errLimit = errors.New("transport: limit of reassembly reached")
)

// Error is an error in a message, with the place of the message in its datagram.
type Error struct {
	Index  int // of the message in its datagram, from 0; -1 if the datagram is unknown
	Offset int // of the message in its datagram
	Type   Type
	Err    error

	missing    bool // the datagram ends before the type
	enciphered bool // the datagram is probably still enciphered
}

// malformed returns the error of message i of a datagram, at an offset. In an enciphered datagram
// most types and counts are impossible.
func malformed(datagram []byte, i, offset int, t Type, err error) Error {
	count, _ := header(datagram)
	return Error{
		Index: i, Offset: offset, Type: t, Err: err,
		missing:    offset == len(datagram),
		enciphered: i == 0 || count > len(datagram)-2,
	}
}

// messageError returns an error in a message whose datagram is unknown.
func messageError(t Type, err error) error { return &Error{Index: -1, Type: t, Err: err} }

// Error returns, for example, "transport: message 2 (Data) at offset 12: unexpected EOF". If the
// datagram is probably enciphered, it adds "is the datagram deciphered?".
func (e *Error) Error() string {
	text := "transport: "
	switch {
	case e.missing && e.Index < 0:
	case e.Index < 0:
		text += e.Type.String() + ": "
	case e.missing:
		text += fmt.Sprintf("message %d at offset %d: ", e.Index, e.Offset)
	default:
		text += fmt.Sprintf("message %d (%v) at offset %d: ", e.Index, e.Type, e.Offset)
	}
	text += fmt.Sprint(e.Err)
	if e.enciphered {
		text += "; is the datagram deciphered?"
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// excess is an error with the value and the limit that it exceeds.
type excess struct {
	err     error
	what    string // "payload of # bytes"
	n, most int
}

// Error returns "too long: payload of 103,530 bytes, at most 103,529".
func (e *excess) Error() string {
	what := strings.Replace(e.what, "#", grouped(e.n), 1)
	return fmt.Sprintf("%v: %s, at most %s", e.err, what, grouped(e.most))
}

// Unwrap returns the sentinel.
func (e *excess) Unwrap() error { return e.err }

// grouped returns a nonnegative number with its digits in groups of three, such as "103,530".
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
