package capture

import (
	"context"
	"errors"
	"io"
	"time"
)

// followInterval is the time between two looks at the end of a file.
const followInterval = 200 * time.Millisecond

// Follow returns a Reader of a file that another program still writes, such as the capture of a match that goes on. At
// the end of the file, Read waits for more. When the context ends, it returns the context's error.
func Follow(ctx context.Context, file io.Reader) io.Reader { return growing{ctx, file} }

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
			return 0, g.ctx.Err()
		case <-time.After(followInterval):
		}
	}
}
