package checksum

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// ErrUnexpected means that an exchange does not expect a message. The round may be complete
// or not due, or the game has no round with this index, directory or filter.
var ErrUnexpected = errors.New("unexpected message")

var (
	errLoop      = errors.New("loop of links")
	errIrregular = errors.New("neither a file nor a directory")
	errContent   = errors.New("content differs from the manifest")
)

// nameError is a [stream.ErrInvalid] of a name or a path. It is absolute or too long, or has a drive, "..", or a
// character that the game cannot use.
type nameError struct{}

func (nameError) Error() string { return stream.ErrInvalid.Error() + " file name of the game" }
func (nameError) Unwrap() error { return stream.ErrInvalid }

// badManifest returns a [stream.ErrInvalid] of a manifest.
func badManifest(err error) error {
	return fmt.Errorf("checksum: %w manifest: %w", stream.ErrInvalid, err)
}

// unexpected is an error that is ErrUnexpected.
type unexpected string

const (
	errRepeated   unexpected = "the round is already complete"
	errOutOfOrder unexpected = "an earlier round is not complete"
	errForged     unexpected = "not a round of the game"
)

func (e unexpected) Error() string { return string(e) }

func (unexpected) Is(target error) bool { return target == ErrUnexpected }

// refused returns the error of a message that an exchange does not accept.
func refused(m opcode.Message, reason error) error {
	round := func(index uint8) error {
		return fmt.Errorf("checksum: %v of round %d: %w", m.Opcode(), index, reason)
	}
	switch m := m.(type) {
	case nil:
		return fmt.Errorf("checksum: empty payload: %w", reason)
	case *opcode.ChecksumRequest:
		return round(m.Index)
	case *opcode.ChecksumResponse:
		return round(m.Index)
	}
	return fmt.Errorf("checksum: %v: %w", m.Opcode(), reason)
}

// pathError adds the path of a file or directory to an error. It removes the path and the system
// call from an error of the file system. A path is quoted if a Go string would escape any of its
// characters.
func pathError(path string, err error) error {
	if own, ok := errors.AsType[*fs.PathError](err); ok {
		err = own.Err
	}
	if q := strconv.Quote(path); q != `"`+path+`"` {
		path = q
	}
	return fmt.Errorf("checksum: %s: %w", path, err)
}

// tooMany returns a [stream.ErrLimit] with both numbers: "13 files, at most 12".
func tooMany[N int | int64](n N, what string, most N) error {
	return fmt.Errorf("%w: %d %s, at most %d", stream.ErrLimit, n, what, most)
}

// moreThan returns a [stream.ErrLimit] with only the limit: "more than 12 files".
func moreThan[N int | int64](most N, what string) error {
	return fmt.Errorf("%w: more than %d %s", stream.ErrLimit, most, what)
}
