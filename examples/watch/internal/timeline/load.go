package timeline

import (
	"bytes"
	"context"

	"github.com/bcwire/bcwire/examples/capture"
)

// Load adds the datagrams of an input, and reports whether it was not interrupted. Errors of the input
// are problems that the page shows. Load calls pause after each datagram, unless it is nil.
func (s *Store) Load(ctx context.Context, in *capture.Input, pause func()) bool {
	defer in.Close()
	defer s.Finish()
	for d, err := range in.Datagrams() {
		if pause != nil {
			pause()
		}
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			s.Problem(err)
			continue
		}
		own := *d // the next datagram may overwrite it
		own.Data = bytes.Clone(d.Data)
		if s.Add(&own) != nil {
			return true // the page shows the problem
		}
	}
	return true
}

// Counter reports the bytes that are written to it as the progress of a store: how much of the input was read.
type Counter struct {
	Store *Store
	Size  *int64 // nil if unknown
	read  int64
}

// Write implements [io.Writer]. A goroutine of the input calls it with large blocks.
func (c *Counter) Write(b []byte) (int, error) {
	c.read += int64(len(b))
	c.Store.mu.Lock()
	defer c.Store.mu.Unlock()
	c.Store.progress = Progress{Read: c.read, Size: c.Size}
	return len(b), nil
}
