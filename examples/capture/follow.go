package capture

import (
	"context"
	"errors"
	"io"
	"time"
)

// followInterval is the time between two looks at the end of a file.
const followInterval = 200 * time.Millisecond

// growing reads a file that another program still writes: at its end, Read waits for more until the context ends.
type growing struct {
	ctx  context.Context
	file io.Reader
}

// Read implements [io.Reader].
func (g growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		select {
		case <-g.ctx.Done():
			return 0, context.Cause(g.ctx)
		case <-time.After(followInterval):
		}
	}
}
