package query

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// deadliner is implemented by all connections.
type deadliner interface{ SetDeadline(time.Time) error }

// interrupt ends reads and writes of a connection when the context ends. The returned
// function undoes this and clears the deadline.
func interrupt(ctx context.Context, conn deadliner) (undo func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		conn.SetDeadline(time.Unix(1, 0))
	})
	return func() {
		if !stop() {
			<-done
		}
		conn.SetDeadline(time.Time{})
	}
}

// readUntil sets the deadline of the next read and returns the context's error. If the
// context ends at the same time, the deadline of interrupt is set later and wins.
func readUntil(ctx context.Context, conn interface{ SetReadDeadline(time.Time) error }, t time.Time) error {
	conn.SetReadDeadline(t)
	return ctx.Err()
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// maxFailures limits the consecutive failed reads. Some systems report the network's
// response to an earlier datagram as an error of the next read.
const maxFailures = 1000

// failures counts consecutive failed reads.
type failures int

// fatal counts a failed read and reports whether to stop reading.
func (f *failures) fatal(err error) bool {
	*f++
	return *f >= maxFailures || errors.Is(err, net.ErrClosed)
}
