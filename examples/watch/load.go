package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bcwire/bcwire/examples/internal/input"
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
	store *match.Store
}

// openFile opens the file.
func (o *options) openFile(ctx context.Context, stdin io.Reader, store *match.Store) (*file, error) {
	p := &progress{store: store}
	if info, err := os.Stat(o.file); err == nil && info.Mode().IsRegular() {
		size := info.Size()
		p.size = &size
	}
	opener := &input.Opener{Port: uint16(o.port), Stdin: stdin, Progress: p}
	in, err := opener.Open(ctx, o.file)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(o.file) {
		err = fmt.Errorf("%w; relative names begin at %s", err, workingDirectory())
	}
	if err != nil {
		return nil, err
	}
	return &file{in, store}, nil
}

// workingDirectory returns the directory that relative names begin at. With go run -C, it is not
// the directory of the terminal.
func workingDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return "the current directory"
	}
	return dir
}

// load reads all datagrams into the store, and reports whether it was not interrupted. Errors of the
// input are problems that the page shows.
func (f *file) load(ctx context.Context) bool {
	defer f.Close()
	defer f.store.Finish()
	for d, err := range f.Datagrams() {
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			f.store.Problem(err)
			continue
		}
		d.Data = bytes.Clone(d.Data) // the next datagram may overwrite it
		if f.store.Add(d) != nil {
			return true // the page shows the problem
		}
	}
	return true
}
