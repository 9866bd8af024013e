package gamespy

import (
	"errors"
	"fmt"
	"strconv"
)

// What can be wrong, beside [io.ErrUnexpectedEOF] for what ends too soon. Those without
// the name of the package come wrapped in an [*Error].
var (
	// ErrNotText says that bytes do not begin with a backslash, as all text of GameSpy.
	ErrNotText = errors.New("gamespy: no text of GameSpy")
	// ErrLimit says that a limit of this package is reached. The text of the error says by how
	// much.
	ErrLimit = errors.New("limit reached")
	// ErrTooLong says that something is too long for a datagram. The text of the error says by
	// how much.
	ErrTooLong = errors.New("too long")
	// ErrBackslash says that a key or a value has a backslash in it, which would begin
	// another pair. [Text.Clean] removes it.
	ErrBackslash = errors.New("backslash in text")
	// ErrEnding says that an [Ending] does not fit the last pair.
	ErrEnding = errors.New("impossible ending")
	// ErrReserved says that a key is one of the frame of a reply: final or queryid.
	ErrReserved = errors.New("reserved key")
	// ErrText says that a character is not in Windows-1252.
	ErrText = errors.New("gamespy: character not in Windows-1252")
	// ErrNumber says that a number is missing, or is not one that its field can have.
	ErrNumber = errors.New("bad number")
	// ErrConflict says that a part of a reply contradicts the others.
	ErrConflict = errors.New("contradicts others")
	// ErrRate says that a query is not answered, for there were too many.
	ErrRate = errors.New("gamespy: too many queries")
	// ErrKey says that a secret key is empty.
	ErrKey = errors.New("gamespy: empty key")
	// ErrChallenge says that a challenge has no bytes, or more than [MaxChallenge].
	ErrChallenge = errors.New("gamespy: bad length of challenge")
	// ErrValidate says that a challenge was not answered, or not correctly.
	ErrValidate = errors.New("gamespy: wrong answer to challenge")
	// ErrEnctype says that a peer asks for an encryption that the game does not have.
	ErrEnctype = errors.New("gamespy: unknown enctype")
	// ErrAddress says that something is not an address and port, or not of IPv4 where the
	// form has room for no other.
	ErrAddress = errors.New("bad address")
)

// limitError is an [ErrLimit] or [ErrTooLong] that tells by how much.
type limitError struct {
	reason  error
	n, most int
	what    string // "bytes"
}

// tooMany returns an error for n of something of which there can be most.
func tooMany(reason error, n int, what string, most int) error {
	return &limitError{reason, n, most, what}
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%v: %d %s, at most %d", e.reason, e.n, e.what, e.most)
}
func (e *limitError) Unwrap() error { return e.reason }

// Error tells what is wrong with a message or a list, and where.
type Error struct {
	Item   string // such as "pair" or "entry"
	Index  int    // of the item, from 0, but from 1 of a part; -1 if there is only one
	Offset int    // in the bytes that were read; -1 of a part, and in what is written
	Err    error
}

// alone is what is wrong with an item of which there is only one.
func alone(item string, offset int, err error) error {
	return &Error{Item: item, Index: -1, Offset: offset, Err: err}
}

// Error returns "gamespy: entry 2 at offset 12: unexpected EOF", without the index and the
// offset if there are none.
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

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
