package checksum

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/bcwire/bcwire/opcode"
)

// Errors that an [*ExchangeError] wraps. Only ErrTimeout ends the exchange.
var (
	// ErrRepeated means that the round of a message is already complete.
	ErrRepeated = errors.New("the round is already complete")
	// ErrOutOfOrder means that an earlier round is not complete.
	ErrOutOfOrder = errors.New("an earlier round is not complete")
	// ErrForged means that the game has no round with this index, directory or filter.
	ErrForged = errors.New("not a round of the game")
	// ErrUnexpected means that the exchange does not expect such a message.
	ErrUnexpected = errors.New("unexpected message")
	// ErrTimeout means that a client has not answered in time; see [ServerExchange.Expire].
	ErrTimeout = errors.New("no answer in time")
)

// Errors of files and names. They are wrapped by a [*ScanError], an [*ExchangeError], an error of
// [LocalPath], or an error that also wraps [ErrManifest].
var (
	// ErrName means that a name or a path is not valid for the game. It is absolute or too
	// long, or has a drive, "..", or a character that the game cannot use.
	ErrName = errors.New("not a valid file name of the game")
	// ErrLimit means that a limit is exceeded. The error text contains the limit.
	ErrLimit = errors.New("limit reached")
	// ErrDepth means that directories are nested too deeply, by default deeper than 16.
	ErrDepth = errors.New("nested too deeply")
	// ErrLoop means that a link leads to a directory that contains it.
	ErrLoop = errors.New("loop of links")
	// ErrIrregular means that a path is neither a file nor a directory.
	ErrIrregular = errors.New("neither a file nor a directory")
	// ErrContent means that a file does not have the content in the manifest.
	ErrContent = errors.New("content differs from the manifest")
)

// ErrManifest means that a manifest is invalid.
var ErrManifest = errors.New("checksum: bad manifest")

// tooMany returns an [ErrLimit] with both numbers: "13 files, at most 12".
func tooMany[N int | int64](n N, what string, most N) error {
	return fmt.Errorf("%w: %d %s, at most %d", ErrLimit, n, what, most)
}

// moreThan returns an [ErrLimit] or [ErrDepth] with only the limit: "more than 12 files".
func moreThan[N int | int64](reason error, most N, what string) error {
	return fmt.Errorf("%w: more than %d %s", reason, most, what)
}

// ScanError describes a file or directory that could not be read.
type ScanError struct {
	Path string // path in the installation, with slashes
	Err  error
}

// Error returns a text such as "checksum: scripts/App.pyc: permission denied". It quotes a
// path that has unprintable characters.
func (e *ScanError) Error() string { return "checksum: " + quoted(e.Path) + ": " + fmt.Sprint(e.Err) }

// quoted returns a path, quoted if a Go string would escape any of its characters.
func quoted(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` {
		return q
	}
	return path
}

// Unwrap returns Err.
func (e *ScanError) Unwrap() error { return e.Err }

// scanError removes the path and the system call from an error of the file system.
func scanError(path string, err error) error {
	var own *fs.PathError
	if errors.As(err, &own) {
		err = own.Err
	}
	return &ScanError{Path: path, Err: err}
}

// ExchangeError describes a message that the exchange did not accept.
type ExchangeError struct {
	Op    opcode.Code
	Empty bool // there is no message, because the payload is empty; Op is not valid
	Round int  // index of the round, -1 if the message has none
	Err   error
}

// Error returns a text such as "checksum: ChecksumResponse of round 2: unexpected message".
func (e *ExchangeError) Error() string {
	switch {
	case e.Empty:
		return fmt.Sprintf("checksum: empty payload: %v", e.Err)
	case e.Round < 0:
		return fmt.Sprintf("checksum: %v: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("checksum: %v of round %d: %v", e.Op, e.Round, e.Err)
}

// Unwrap returns Err.
func (e *ExchangeError) Unwrap() error { return e.Err }

// misplaced returns an error for a message that has no round.
func misplaced(m opcode.Message, err error) error {
	if m == nil {
		return &ExchangeError{Empty: true, Round: -1, Err: err}
	}
	return &ExchangeError{Op: m.Opcode(), Round: -1, Err: err}
}
