package udp

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/bcwire/bcwire/join"
)

// errUnread means that a [Conn] has ended because the program did not receive its events.
var errUnread = errors.New("udp: too many unread events: call Receive more often")

// dialError returns the reason why a host has not accepted the client. After a timeout, the error
// adds the datagrams that were received.
func (c *Conn) dialError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // Dial adds another one
	}
	if !errors.Is(err, join.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	n := c.session.Counters()
	switch {
	case c.gameSpy > 0:
		return dialTimeout{err, "the port answers with GameSpy text only"}
	case n.Received > 0:
		return dialTimeout{err, fmt.Sprintf("%d datagrams received, but no acceptance", n.Received)}
	case n.Dropped() > 0:
		return dialTimeout{err, fmt.Sprintf("%d datagrams received that are not of the game", n.Dropped())}
	case c.failure != nil:
		return dialTimeout{err, fmt.Sprint("nothing received, ", c.failure)}
	}
	return dialTimeout{err, "nothing received"}
}

// dialTimeout is a timeout with what was received.
type dialTimeout struct {
	err      error
	received string
}

func (t dialTimeout) Error() string { return fmt.Sprintf("%v (%s)", t.err, t.received) }
func (t dialTimeout) Unwrap() error { return t.err }
func (t dialTimeout) Timeout() bool { return true }
