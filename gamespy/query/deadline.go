package query

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// deadliner is what connections have in common.
type deadliner interface{ SetDeadline(time.Time) error }

// interrupt makes reads and writes of a connection end with the context. The function that
// it returns undoes this.
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

// readUntil sets the deadline of the next read, unless the context has ended. Afterwards
// the deadline of interrupt, if it comes, comes last.
func readUntil(ctx context.Context, conn interface{ SetReadDeadline(time.Time) error }, t time.Time) error {
	conn.SetReadDeadline(t)
	return ctx.Err()
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// maxFailures is how many reads in a row may fail. Some systems report what the network
// said of an earlier datagram as an error of the next read.
const maxFailures = 1000

// failures counts reads that failed.
type failures int

// fatal says whether there is no use in reading on.
func (f *failures) fatal(err error) bool {
	*f++
	return *f >= maxFailures || errors.Is(err, net.ErrClosed)
}
