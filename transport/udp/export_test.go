package udp

import (
	"context"
	"iter"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/transport"
)

// PortClosed is the error by which the system reports that no program has a port.
const PortClosed = portClosed

// ErrUnread and ErrEnded have no name in the API.
var ErrUnread, ErrEnded = errUnread, endedError{}

// IsTransient reports whether reading may continue after an error.
func IsTransient(err error) bool { return isTransient(err) }

// Choose returns the address of a host with several addresses.
func Choose(ips []netip.Addr) netip.Addr { return choose(ips) }

// UnreadCap returns the number of events for which a Conn has memory.
func (c *Conn) UnreadCap() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cap(c.unread.list)
}

// Unread returns the options with limits of unread events; 0 is the default.
func (o Options) Unread(events, bytes int) Options {
	o.unread = unread{maxEvents: events, maxBytes: bytes}
	return o
}

// Reopen returns the options with a function that opens the socket of Rejoin.
func (o Options) Reopen(f func() PacketConn) Options {
	o.reopen = f
	return o
}

// CloseIn returns the handler with a limit of the time for closing.
func (h Handler) CloseIn(timeout time.Duration) Handler {
	h.closeTimeout = timeout
	return h
}

// RemoteAddr returns the address of the host.
func (c *Conn) RemoteAddr() netip.AddrPort { return c.remote }

// Events iterates over the events. The last element is an error.
func (c *Conn) Events(ctx context.Context) iter.Seq2[transport.Event, error] {
	return func(yield func(transport.Event, error) bool) {
		for {
			if e, err := c.Receive(ctx); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Err returns the reason for the end of the Conn, or nil.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
