package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

// openFile opens the file.
func (o *options) openFile(ctx context.Context, stdin io.Reader, store *timeline.Store) (*capture.Reader, error) {
	p := &timeline.Counter{Store: store}
	opener := &capture.Opener{Port: uint16(o.port), Plain: o.plain, Stdin: stdin, Progress: p}
	if o.file == "" {
		p.Size = new(int64(len(sample)))
		return opener.NewReader(ctx, o.title(), bytes.NewReader(sample)), nil
	}
	if info, err := os.Stat(o.file); err == nil && info.Mode().IsRegular() {
		p.Size = new(info.Size())
	}
	hits, err := damagelog.Open(o.file)
	if err != nil {
		store.Problem(err)
	}
	in, err := opener.Open(ctx, o.file)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(o.file) {
		dir, _ := os.Getwd() // with go run -C, it is not the directory of the terminal
		err = fmt.Errorf("%w; relative names begin at %s", err, cmp.Or(dir, "the current directory"))
	}
	if err != nil {
		return nil, errors.Join(err, hits.Close())
	}
	store.Follow(hits)
	return in, nil
}
