package terminal

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"syscall"
)

// Closed reports whether err means that the reader of an output has closed it.
func Closed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// Output is a writer that retains its first error. A program whose logger writes the output
// reads the error at the end. It is safe for concurrent use.
type Output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// NewOutput returns an Output that writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write implements [io.Writer].
func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(text)
	if o.err == nil && !Closed(err) {
		o.err = err
	}
	return n, err
}

// Err returns the first error of Write. It is nil if the reader has closed the output, because
// programs then end quietly.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Logger returns a logger of level Info, or of level Debug if verbose is true. It writes text
// or JSON that does nothing to a terminal. Each record must be one Write of w.
func Logger(w io.Writer, json, verbose bool) *slog.Logger {
	o := &slog.HandlerOptions{}
	if verbose {
		o.Level = slog.LevelDebug
	}
	if json {
		return slog.New(slog.NewJSONHandler(JSON(w), o))
	}
	return slog.New(slog.NewTextHandler(escaper{w, false}, o)) // the handler escapes only some characters
}
