package capture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
)

// bufferSize is the size of the buffer of an input.
const bufferSize = 64 << 10

// Opener opens files for a [Reader]. Times of several captures are relative to the first packet of the first
// one. The zero value is ready to use.
type Opener struct {
	Port     uint16    // packets of captures without this port are skipped; 0 is any port
	Plain    bool      // the datagrams of captures are not enciphered
	Follow   bool      // at the end of an input, more is awaited until the end of the context: it is still written
	Every    bool      // datagrams of captures that are not of the game, and copies, are read, too
	Stdin    io.Reader // for the name "-"
	Progress io.Writer // receives the bytes that are read, unless nil
	Idle     func()    // is called before a wait for input, unless nil

	state state
}

// Open opens a file, or standard input if the name is "-". The end of the context ends the input, as with
// [Opener.NewReader].
func (o *Opener) Open(ctx context.Context, name string) (*Reader, error) {
	if name == "-" {
		return o.NewReader(ctx, "stdin", o.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in := o.NewReader(ctx, name, f)
	stop := in.close
	in.close = func() error {
		_ = stop()
		return f.Close()
	}
	return in, nil
}

// NewReader returns a Reader of r. The name is for errors. The end of the context ends a wait for a pipe or a
// terminal, and the reading of a file before its next bytes.
func (o *Opener) NewReader(ctx context.Context, name string, r io.Reader) *Reader {
	regular := isRegular(r) && !o.Follow // before r is wrapped
	if o.Progress != nil {
		r = io.TeeReader(r, o.Progress)
	}
	ctx, cancel := context.WithCancel(ctx)
	if o.Follow {
		r = growing{ctx, r}
	}
	if regular {
		r = &interruptible{ctx, r}
	} else {
		r = newReadAhead(ctx, r, o.idle)
	}
	return &Reader{
		name:  name,
		r:     bufio.NewReaderSize(r, bufferSize),
		state: &o.state,
		port:  o.Port,
		plain: o.Plain,
		every: o.Every,
		close: func() error {
			cancel()
			return nil
		},
	}
}

// interruptible reads until the end of its context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(b []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.r.Read(b)
}

// isRegular reports whether a reader is a regular file, for which nobody waits. Files of the kernel, for which one
// may have to wait, have the size 0.
func isRegular(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (o *Opener) idle() {
	if o.Idle != nil {
		o.Idle()
	}
}
