package main

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/bcwire/bcwire/examples/internal/input"
	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// progress counts the bytes of the input.
type progress struct {
	store *match.Store
	read  int64
	size  *int64
	shown int64
}

// progressStep is the number of bytes between two reports.
const progressStep = 256 << 10

func (p *progress) Write(b []byte) (int, error) {
	p.read += int64(len(b))
	if p.read-p.shown >= progressStep {
		p.shown = p.read
		p.store.SetProgress(match.Progress{Read: p.read, Size: p.size})
	}
	return len(b), nil
}

// openFile opens the file.
func (o *options) openFile(ctx context.Context, stdin io.Reader, store *match.Store) (*input.Input, error) {
	p := &progress{store: store}
	if info, err := os.Stat(o.file); err == nil && info.Mode().IsRegular() {
		size := info.Size()
		p.size = &size
	}
	opener := &input.Opener{Port: uint16(o.port), Stdin: stdin, Progress: p}
	return opener.Open(ctx, o.file)
}

// load reads all datagrams into the store. Errors of the input are problems that the page shows.
func load(ctx context.Context, in *input.Input, store *match.Store) error {
	defer store.Finish()
	for d, err := range in.Datagrams() {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			store.Problem(err)
			continue
		}
		d.Data = bytes.Clone(d.Data) // the next datagram may overwrite it
		if store.Add(d) != nil {
			return nil // the page shows the problem
		}
	}
	return nil
}
