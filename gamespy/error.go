package gamespy

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/bcwire/bcwire/stream"
)

// Errors of this package, besides [io.ErrUnexpectedEOF] for truncated input.
var (
	// ErrNotText means that GameSpy text does not begin with a backslash.
	ErrNotText = errors.New("gamespy: text does not begin with a backslash")
	// ErrInvalid means that a value cannot be encoded. It may be a text with a backslash or a
	// character that is not in Windows-1252, or a key final or queryid in a reply. It may also be
	// an invalid address, or an [Ending] that does not fit the last pair. It also means that a heartbeat
	// cannot be used.
	ErrInvalid = errors.New("invalid value")
	// ErrConflict means that a datagram contradicts earlier datagrams of its reply.
	ErrConflict = errors.New("contradicts earlier datagrams of the reply")
	// ErrRate means that a query gets no answer because of the rate limit.
	ErrRate = errors.New("gamespy: too many queries")
	// ErrChallenge means that a challenge cannot be answered: the key is empty, the length is not 1
	// to 128 bytes, or the enctype is not 0.
	ErrChallenge = errors.New("gamespy: challenge cannot be answered")
	// ErrRefused means that a master has sent an error in place of its list.
	ErrRefused = errors.New("gamespy: the master reports an error")
	// ErrValidate means that the answer to a challenge is missing or wrong, or uses another enctype.
	ErrValidate = errors.New("gamespy: missing or wrong answer to challenge")
)

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
