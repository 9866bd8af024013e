package recording

import (
	"errors"
	"fmt"
)

// Causes of an [*Error]. The others are [io.ErrUnexpectedEOF], for a line that ends within its JSON
// object, and the errors of the reader.
var (
	// ErrSyntax means that a line is not a JSON object.
	ErrSyntax = errors.New("not a JSON object")
	// ErrValue means that t, dir or client has a value of the wrong type or range.
	ErrValue = errors.New("wrong value")
	// ErrHex means that the hex digits are missing, odd in number or invalid.
	ErrHex = errors.New("bad hex")
	// ErrTooLong means that a line is longer than [MaxLine].
	ErrTooLong = errors.New("line too long")
)

// errLong is the error of a line that is too long.
var errLong = &cause{ErrTooLong, "line too long: more than 512 KiB"}

// errTooMuch means that a datagram and its note do not fit a line.
var errTooMuch = &cause{ErrTooLong, "line too long: the datagram and its note do not fit 512 KiB"}

// errNoWriter is the error of the zero value of Writer.
var errNoWriter = errors.New("recording: the Writer is not from NewWriter")

// Error is an error in a line.
type Error struct {
	Line int // number of the line, from 1; 0 in an error of Write
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
	return causef(ErrValue, "direction %.20q is neither c2s nor s2c", string(d))
}
