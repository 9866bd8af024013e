package gamespy

import (
	"errors"
	"fmt"
	"strconv"
)

// Errors of this package, besides [io.ErrUnexpectedEOF] for truncated input.
var (
	// ErrNotText means that GameSpy text does not begin with a backslash.
	ErrNotText = errors.New("gamespy: text does not begin with a backslash")
	// ErrLimit means that a limit of this package is exceeded.
	ErrLimit = errors.New("limit reached")
	// ErrTooLong means that a query exceeds [MaxQuery] or a pair exceeds [MaxPart].
	ErrTooLong = errors.New("too long")
	// ErrBackslash means that a key or a value contains a backslash; see [Text.Clean].
	ErrBackslash = errors.New("backslash in key or value")
	// ErrEnding means that an [Ending] is undefined, or that it is NoValue but the last pair is not
	// a key alone.
	ErrEnding = errors.New("ending does not fit the last pair")
	// ErrReserved means that a key is final or queryid, which end a datagram.
	ErrReserved = errors.New("key final or queryid is reserved")
	// ErrText means that a character is not in Windows-1252.
	ErrText = errors.New("gamespy: character not in Windows-1252")
	// ErrNumber means that a number is missing or invalid.
	ErrNumber = errors.New("missing or invalid number")
	// ErrConflict means that a datagram contradicts earlier datagrams of its reply.
	ErrConflict = errors.New("contradicts earlier datagrams of the reply")
	// ErrRate means that a query gets no answer because of the rate limit.
	ErrRate = errors.New("gamespy: too many queries")
	// ErrKey means that a secret key is empty.
	ErrKey = errors.New("gamespy: secret key is empty")
	// ErrChallenge means that a challenge is empty or longer than [MaxChallenge].
	ErrChallenge = errors.New("gamespy: invalid challenge length")
	// ErrValidate means that the answer to a challenge is missing or wrong.
	ErrValidate = errors.New("gamespy: missing or wrong answer to challenge")
	// ErrEnctype means that a peer requests an encryption that the game does not support.
	ErrEnctype = errors.New("gamespy: enctype is not supported")
	// ErrAddress means that an address and port are invalid, or not IPv4 in a compact list.
	ErrAddress = errors.New("invalid address")
)

// limitError is an [ErrLimit] or [ErrTooLong] with the number and the limit.
type limitError struct {
	reason  error
	n, most int
	what    string // "bytes"
}

// tooMany returns an error for n items of the kind what, of which at most most are allowed.
func tooMany(reason error, n int, what string, most int) error {
	return &limitError{reason, n, most, what}
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%v: %d %s, at most %d", e.reason, e.n, e.what, e.most)
}
func (e *limitError) Unwrap() error { return e.reason }

// Error describes an error in a message or a list, and its position.
type Error struct {
	Item   string // kind of item, such as "pair" or "entry"
	Index  int    // from 0; from 1 for a "part", a datagram of a reply; -1 if there is only one item
	Offset int    // in the input; -1 for a "part" and when encoding
	Err    error
}

// alone returns an error for an item that exists only once.
func alone(item string, offset int, err error) error {
	return &Error{Item: item, Index: -1, Offset: offset, Err: err}
}

// Error returns a text such as "gamespy: entry 2 at offset 12: unexpected EOF".
func (e *Error) Error() string {
	where := e.Item
	if e.Index >= 0 {
		where += " " + strconv.Itoa(e.Index)
	}
	if e.Offset >= 0 {
		where += " at offset " + strconv.Itoa(e.Offset)
	}
	return fmt.Sprintf("gamespy: %s: %v", where, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
