package stream

import (
	"errors"
	"fmt"
	"strings"
)

// What a walk can fail with, beside [io.ErrUnexpectedEOF] for a payload that ends within
// a field and what a message passes to [Codec.Fail]. All come wrapped in an [Error].
var (
	// ErrTrailing says that bytes are left after the last field. The message is decoded
	// and valid without them.
	ErrTrailing = errors.New("bytes after the last field")
	// ErrBadBitGroup says that a byte of packed bools is none that an encoder writes:
	// its count is 0 or above 5, a bool is set beyond its count, or it announces more or
	// fewer bools than there are.
	ErrBadBitGroup = errors.New("bad bit group")
	// ErrOpcode says that a payload begins with the opcode of another message.
	ErrOpcode = errors.New("wrong opcode")
	// ErrTooLong says that a text or a list is longer than its length field can tell, or
	// a payload longer than any may be. The text of the error has both numbers.
	ErrTooLong = errors.New("too long")
	// ErrRange says that a number does not fit its field.
	ErrRange = errors.New("number out of range")
	// ErrText means that a string cannot be converted: a character has no code in
	// Windows-1252, or the string is not UTF-8. It is not wrapped.
	ErrText = errors.New("stream: character cannot be encoded")
)

// errUnlocated is the reason of a walk that failed and was not repeated.
var errUnlocated = errors.New("failed; Codec.Again was not called to find the field")

// opcodeError is an [ErrOpcode] that tells the opcode.
type opcodeError uint8

func (e opcodeError) Error() string {
	return fmt.Sprintf("%v 0x%02x; is the datagram deciphered?", ErrOpcode, uint8(e))
}
func (e opcodeError) Unwrap() error { return ErrOpcode }

// lengthError is an [ErrTooLong] that tells by how much.
type lengthError struct {
	n, most int
	unit    string
}

func (e *lengthError) Error() string {
	return fmt.Sprintf("%v: %d %s, at most %d", ErrTooLong, e.n, e.unit, e.most)
}
func (e *lengthError) Unwrap() error { return ErrTooLong }

// tooLong fails with a [lengthError], which only a walk that traces needs.
func (c *Codec) tooLong(n, most int, unit string) {
	if c.trace == nil {
		c.Fail(ErrTooLong)
		return
	}
	c.Fail(&lengthError{n, most, unit})
}

// Error tells which field of which message did not decode or encode, where, and why.
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
type Error struct {
	Message  string // the Go type with its package, "opcode.TorpedoFire"
	Offset   int    // of the field in the payload, whose opcode is at 0; of a bit group's byte
	Err      error  // the reason
	Encoding bool

	path path
}

// Field returns the path of the field, such as "Damagers[2].Score". It is empty for
// bytes after the last field. Of a bit group that announces more bools than the message
// has it is the last one read, or the list or group where that is.
func (e *Error) Field() string { return e.path.String() }

// Error returns the whole story in a line.
func (e *Error) Error() string {
	pkg, message, ok := strings.Cut(e.Message, ".")
	if !ok {
		pkg, message = "stream", e.Message
	}
	verb := "decode"
	if e.Encoding {
		verb = "encode"
	}
	if field := e.Field(); field != "" {
		message += "." + field
	}
	return fmt.Sprintf("%s: %s %s at offset %d: %v", pkg, verb, message, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
