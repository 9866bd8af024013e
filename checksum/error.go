package checksum

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/bcwire/bcwire/opcode"
)

// What can be wrong with a message of the exchange. They come wrapped in an
// [*ExchangeError] and do not end the exchange.
var (
	// ErrRepeated says that the round of a message is over.
	ErrRepeated = errors.New("the round is over")
	// ErrOutOfOrder says that it is the turn of an earlier round.
	ErrOutOfOrder = errors.New("not the turn of this round")
	// ErrForged says that no host or client of the game sends such a round.
	ErrForged = errors.New("not a round of the game")
	// ErrUnexpected says that the exchange does not wait for such a message.
	ErrUnexpected = errors.New("unexpected")
	// ErrTimeout means that a client has not answered in time, see [ServerExchange.Expire].
	ErrTimeout = errors.New("no answer in time")
)

// What can be wrong with files and their names. They come wrapped in a [*ScanError], an
// [*ExchangeError] or, of a manifest, [ErrManifest].
var (
	// ErrName says that a name or a path is not one that the game could have: it is
	// absolute, has a drive or "..", a character that Windows or Windows-1252 has not, or
	// more than 255 bytes.
	ErrName = errors.New("not a name of a file of the game")
	// ErrLimit says that a limit is reached. The text of the error has the limit.
	ErrLimit = errors.New("limit reached")
	// ErrDepth says that directories are nested deeper than 16, or than a limit. The text of
	// the error has the limit.
	ErrDepth = errors.New("nested too deep")
	// ErrLoop says that a link leads to a directory that it is in.
	ErrLoop = errors.New("loop of links")
	// ErrIrregular says that something is neither a file nor a directory.
	ErrIrregular = errors.New("neither a file nor a directory")
	// ErrContent says that a file is not the one of the manifest.
	ErrContent = errors.New("not the content of the manifest")
)

// ErrManifest says that a manifest is not valid.
var ErrManifest = errors.New("checksum: bad manifest")

// tooMany returns an [ErrLimit] that tells by how much: "13 files, at most 12".
func tooMany[N int | int64](n N, what string, most N) error {
	return fmt.Errorf("%w: %d %s, at most %d", ErrLimit, n, what, most)
}

// moreThan returns an [ErrLimit] or [ErrDepth] of something that is not counted beyond the limit:
// "more than 12 files".
func moreThan[N int | int64](reason error, most N, what string) error {
	return fmt.Errorf("%w: more than %d %s", reason, most, what)
}

// ScanError tells which file or directory could not be read, and why.
type ScanError struct {
	Path string // in the installation, with slashes
	Err  error
}

// Error returns "checksum: scripts/App.pyc: permission denied". A path with a character that
// cannot be printed is quoted as in a string of Go: names of files may hold line feeds and
// commands of terminals.
func (e *ScanError) Error() string { return "checksum: " + quoted(e.Path) + ": " + fmt.Sprint(e.Err) }

// quoted returns a path, in quotes if anything in it would be escaped there.
func quoted(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` {
		return q
	}
	return path
}

// Unwrap returns the reason.
func (e *ScanError) Unwrap() error { return e.Err }

// scanError leaves out the path and the system call of a file system's own error.
func scanError(path string, err error) error {
	var own *fs.PathError
	if errors.As(err, &own) {
		err = own.Err
	}
	return &ScanError{Path: path, Err: err}
}

// ExchangeError tells which message is wrong, and why.
type ExchangeError struct {
	Op    opcode.Code
	Empty bool // there is no message, as of an empty payload; Op says nothing
	Round int  // its index, -1 if the message has none
	Err   error
}

// Error returns "checksum: ChecksumResponse of round 2: the round is over".
func (e *ExchangeError) Error() string {
	switch {
	case e.Empty:
		return fmt.Sprintf("checksum: no message: %v", e.Err)
	case e.Round < 0:
		return fmt.Sprintf("checksum: %v: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("checksum: %v of round %d: %v", e.Op, e.Round, e.Err)
}

// Unwrap returns the reason.
func (e *ExchangeError) Unwrap() error { return e.Err }

// misplaced is what is wrong with a message that has no round.
func misplaced(m opcode.Message, err error) error {
	if m == nil {
		return &ExchangeError{Empty: true, Round: -1, Err: err}
	}
	return &ExchangeError{Op: m.Opcode(), Round: -1, Err: err}
}
