package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/bcwire/bcwire/examples/internal/input"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// progress counts the bytes of the input. A goroutine of the input calls Write with large blocks.
type progress struct {
	store *match.Store
	read  int64
	size  *int64
}

func (p *progress) Write(b []byte) (int, error) {
	p.read += int64(len(b))
	p.store.SetProgress(match.Progress{Read: p.read, Size: p.size})
	return len(b), nil
}

// file is a recording that is loaded.
type file struct {
	*input.Input
	store  *match.Store
	stderr io.Writer
	failed bool // an error has been printed
}

// complain prints the first error of the input. The page shows the first errors, too.
func (f *file) complain(err error) {
	if !f.failed {
		terminal.Complain(f.stderr, "watch", err)
	}
	f.failed = true
}

// openFile opens the file.
func (o *options) openFile(ctx context.Context, stdin io.Reader, stderr io.Writer, store *match.Store) (*file, error) {
	p := &progress{store: store}
	if info, err := os.Stat(o.file); err == nil && info.Mode().IsRegular() {
		size := info.Size()
		p.size = &size
	}
	opener := &input.Opener{Port: uint16(o.port), Stdin: stdin, Progress: p}
	in, err := opener.Open(ctx, o.file)
	if errors.Is(err, fs.ErrNotExist) && o.file == defaultFile {
		return nil, fmt.Errorf("%w; give a FILE, or run watch in the directory examples", err)
	}
	if err != nil {
		return nil, err
	}
	return &file{Input: in, store: store, stderr: stderr}, nil
}

// load reads all datagrams into the store. Errors of the input are problems that the page shows.
func (f *file) load(ctx context.Context) {
	defer f.Close()
	defer f.store.Finish()
	for d, err := range f.Datagrams() {
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.complain(err)
			f.store.Problem(err)
			continue
		}
		d.Data = bytes.Clone(d.Data) // the next datagram may overwrite it
		if f.store.Add(d) != nil {
			return // the page shows the problem
		}
	}
}
