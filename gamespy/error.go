package gamespy

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/bcwire/bcwire/stream"
)

// Errors of this package, besides [io.ErrUnexpectedEOF] for truncated input, [stream.ErrLimit],
// and [stream.ErrInvalid] for a text that does not begin with a backslash, a datagram that contradicts earlier ones of
// its reply, and a value that cannot be encoded: with a backslash, or a character that is not in Windows-1252.
var (
	// ErrChallenge means that the answer to a challenge is missing or wrong, or that a challenge cannot be
	// answered: the key is empty, the length is not 1 to 128 bytes, or the enctype is not 0.
	ErrChallenge = errors.New("gamespy: challenge")
	// ErrRefused means that a master has sent an error in place of its list.
	ErrRefused = errors.New("gamespy: the master reports an error")
)

// invalidError is a [stream.ErrInvalid] with a reason.
type invalidError string

const (
	errNotText  invalidError = "gamespy: invalid: the text does not begin with a backslash"
	errConflict invalidError = "invalid: contradicts earlier datagrams of the reply"
)

func (e invalidError) Error() string { return string(e) }
func (invalidError) Unwrap() error   { return stream.ErrInvalid }

// rateError is a [stream.ErrLimit] of queries.
type rateError struct{}

func (rateError) Error() string { return fmt.Sprintf("gamespy: %v: too many queries", stream.ErrLimit) }
func (rateError) Unwrap() error { return stream.ErrLimit }

// limitError is a [stream.ErrLimit] with the number and the limit.
type limitError struct {
	n, most int
	what    string // "bytes"
}

// tooMany returns an error for n items of the kind what, of which at most most are allowed.
func tooMany(n int, what string, most int) error { return &limitError{n, most, what} }

func (e *limitError) Error() string {
	return fmt.Sprintf("%v: %d %s, at most %d", stream.ErrLimit, e.n, e.what, e.most)
}
func (e *limitError) Unwrap() error { return stream.ErrLimit }

// locatedError is an error in a message or a list, with its position.
type locatedError struct {
	item   string // kind of item, such as "pair" or "entry"
	index  int    // from 0; from 1 for a "part", a datagram of a reply; -1 if there is only one item
	offset int    // in the input; -1 for a "part" and when encoding
	err    error
}

// alone returns an error for an item that exists only once.
func alone(item string, offset int, err error) error { return &locatedError{item, -1, offset, err} }

// Error returns a text such as "gamespy: entry 2 at offset 12: unexpected EOF".
func (e *locatedError) Error() string {
	where := e.item
	if e.index >= 0 {
		where += " " + strconv.Itoa(e.index)
	}
	if e.offset >= 0 {
		where += " at offset " + strconv.Itoa(e.offset)
	}
	return fmt.Sprintf("gamespy: %s: %v", where, e.err)
}

func (e *locatedError) Unwrap() error { return e.err }
