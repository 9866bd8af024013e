package recording

import (
	"errors"
	"fmt"
)

// ErrTooLong means that a line is longer than 512 KiB.
var ErrTooLong = errors.New("line too long")

// Other causes of an [*Error]. The rest are [io.ErrUnexpectedEOF], for a line that ends within its
// JSON object, and the errors of the reader.
var (
	errSyntax = errors.New("not a JSON object")
	errValue  = errors.New("wrong value") // t, dir or client has a value of the wrong type or range
	errHex    = errors.New("bad hex")     // the hex digits are missing, odd in number or invalid
)

// errLong is the error of a line that is too long.
var errLong = &cause{ErrTooLong, "line too long: more than 512 KiB"}

// errTooMuch means that a datagram and its note do not fit a line.
var errTooMuch = &cause{ErrTooLong, "line too long: the datagram and its note do not fit 512 KiB"}

// Error is an error in a line.
type Error struct {
	Line int // number of the line, from 1; 0 in an error of Append
	Err  error
}

// Error returns, for example, "recording: line 7: hex: column 3: odd number of hex digits".
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("recording: %v", e.Err)
	}
	return fmt.Sprintf("recording: line %d: %v", e.Line, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// cause is a cause with details, which wraps a sentinel.
type cause struct {
	sentinel error
	text     string
}

func causef(sentinel error, format string, args ...any) error {
	return &cause{sentinel, fmt.Sprintf(format, args...)}
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.sentinel }

// badDirection returns the error of an unknown direction.
func badDirection(d Direction) error {
	return causef(errValue, "direction %.20q is neither c2s nor s2c", string(d))
}
