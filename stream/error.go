package stream

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The [Error] of a failed walk wraps one of these errors, [io.ErrUnexpectedEOF] if the
// payload ends within a field, or an error passed to [Codec.Fail].
var (
	// ErrTrailing means that bytes follow the last field. All fields are decoded and valid.
	ErrTrailing = errors.New("bytes after the last field")
	// ErrBadBitGroup means that the byte of a bit group is malformed; see [Codec.Bool]. Its
	// count is 0, above 5 or not the number of bools, or a bit beyond the count is set.
	ErrBadBitGroup = errors.New("bad bit group")
	// ErrOpcode means that the payload does not begin with the expected opcode.
	ErrOpcode = errors.New("wrong opcode")
	// ErrTooLong means that a text or a list does not fit its length field, or that a
	// payload exceeds 256 MiB.
	ErrTooLong = errors.New("too long")
	// ErrRange means that a number does not fit its field, or that a byte slice does not
	// have the length that its field requires.
	ErrRange = errors.New("number out of range")
)

// Reasons that all packages share.
var (
	// ErrInvalid means that a value, a text or a file is malformed or makes no sense in the game.
	ErrInvalid = errors.New("invalid")
	// ErrLimit means that input exceeds a limit of a decoder or a table. The error text has the limit.
	ErrLimit = errors.New("limit reached")
	// ErrText means that a string is not valid UTF-8, or has a character that the text cannot hold.
	ErrText = errors.New("stream: character cannot be encoded")
)

// opcodeError is an [ErrOpcode] with the opcode found.
type opcodeError uint8

func (e opcodeError) Error() string {
	return fmt.Sprintf("%v 0x%02x; is the datagram deciphered?", ErrOpcode, uint8(e))
}
func (e opcodeError) Unwrap() error { return ErrOpcode }

// lengthError is an [ErrTooLong] with the length and the limit.
type lengthError struct {
	n, most int
	unit    string
}

func (e *lengthError) Error() string {
	return fmt.Sprintf("%v: %d %s, at most %d", ErrTooLong, e.n, e.unit, e.most)
}
func (e *lengthError) Unwrap() error { return ErrTooLong }

// textError is an [ErrText] with the first character that cannot be encoded.
type textError struct {
	char   string // a byte if the string is not UTF-8 there
	offset int
	reason string
}

func (e *textError) Error() string {
	return fmt.Sprintf("%v: %q at offset %d is not %s", ErrText, e.char, e.offset, e.reason)
}
func (e *textError) Unwrap() error { return ErrText }

// badText returns the error of the character at an offset, which is not in Windows-1252 or not
// UTF-8.
func badText(s string, offset int) error {
	r, n := utf8.DecodeRuneInString(s[offset:])
	if r == utf8.RuneError && n == 1 {
		return &textError{s[offset : offset+1], offset, "UTF-8"}
	}
	return &textError{s[offset : offset+n], offset, "in Windows-1252"}
}

// sizeError is an [ErrRange] with the length of a byte slice and the required length.
type sizeError struct{ n, want int }

// even is the required length of a UTF-16 text in a [sizeError].
const even = -1

func (e *sizeError) Error() string {
	want := "even"
	if e.want != even {
		want = strconv.Itoa(e.want)
	}
	return fmt.Sprintf("wrong length: %d bytes, must be %s", e.n, want)
}
func (e *sizeError) Unwrap() error { return ErrRange }

// wrongSize fails the walk. It allocates a [sizeError] only while tracing.
func (c *Codec) wrongSize(n, want int) {
	if c.trace == nil {
		c.Fail(ErrRange)
		return
	}
	c.Fail(&sizeError{n, want})
}

// outOfRange fails the walk because a number does not fit a signed byte. It allocates an error only
// while tracing.
func (c *Codec) outOfRange(n int32) {
	if c.trace == nil {
		c.Fail(ErrRange)
		return
	}
	c.Fail(fmt.Errorf("%w: %d, not -128 to 127", ErrRange, n))
}

// tooLong fails the walk. It allocates a [lengthError] only while tracing.
func (c *Codec) tooLong(n, most int, unit string) {
	if c.trace == nil {
		c.Fail(ErrTooLong)
		return
	}
	c.Fail(&lengthError{n, most, unit})
}

// Error describes which field of which message could not be decoded or encoded, and why.
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
type Error struct {
	Message  string // Go type with its package: "opcode.TorpedoFire"
	Offset   int    // offset of the field or of its bit group, counted from the opcode
	Err      error  // reason
	Encoding bool

	path path
}

// Field returns the path of the field, such as "Damagers[2].Score". It is empty for trailing bytes.
// If a bit group has more bools than the walk reads, Field returns the last bool that was read.
// If a [Codec.Element] or a [Codec.Group] contains that bool, Field returns the name of the
// outermost one, without an index.
func (e *Error) Field() string { return e.path.String() }

// Error implements error.
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
