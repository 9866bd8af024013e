package udp

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Conn is a client that a host has accepted; see [Dial]. A goroutine reads the socket and runs the
// timers until [Conn.Close] or the end of the session. Each event is returned once, by Receive
// or Messages. All methods are safe for concurrent use. The zero value is a closed Conn.
type Conn struct {
	socket  socket
	remote  netip.AddrPort
	localIP [4]byte
	name    transport.UTF16Z
	log     *slog.Logger

	ready    chan struct{} // holds a value if there may be unread events
	accepted chan struct{} // closed when the host has accepted the client
	done     chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	session *transport.Session
	unread  unread
	encoder opcode.Encoder
	scratch []byte             // of encoder
	refusal *opcode.BootPlayer // from OpenBC
	gameSpy int                // number of datagrams
	failure error              // of the last failed read or write
	err     error              // reason for the end, or nil
}

// lock locks the Conn. It makes the zero value a closed Conn.
func (c *Conn) lock() {
	c.mu.Lock()
	if c.session == nil {
		c.session, c.err = &transport.Session{}, net.ErrClosed
	}
}

// PeerID returns the peer ID that the host has given the client.
func (c *Conn) PeerID() objectid.PeerID {
	c.lock()
	defer c.mu.Unlock()
	return c.session.PeerID()
}

// OpenBC reports whether the host has shown that it is OpenBC; see [transport.Session.OpenBC].
func (c *Conn) OpenBC() bool {
	c.lock()
	defer c.mu.Unlock()
	return c.session.OpenBC()
}

// Counters returns the counters of the session.
func (c *Conn) Counters() transport.Counters {
	c.lock()
	defer c.mu.Unlock()
	return c.session.Counters()
}

// Send sends a message with the delivery of its opcode; see [opcode.Info]. It returns the errors of
// [opcode.Encoder.Append] and of SendPayload.
func (c *Conn) Send(m opcode.Message) error {
	return c.send(func() error {
		payload, err := c.encoder.Append(c.scratch[:0], m)
		if err != nil {
			return err
		}
		c.scratch = payload
		return c.session.Send(payload, join.DeliveryOf(m))
	})
}

// SendPayload is [transport.Session.Send]. After the end of the Conn it returns the reason for the
// end; see [Conn.Receive].
func (c *Conn) SendPayload(payload []byte, d transport.Delivery) error {
	return c.send(func() error { return c.session.Send(payload, d) })
}

// SendSystem is [transport.Session.SendSystem], with the errors of SendPayload after the end.
func (c *Conn) SendSystem(body transport.Body) error {
	return c.send(func() error { return c.session.SendSystem(body) })
}

func (c *Conn) send(f func() error) error {
	c.lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	err := f()
	c.poll(time.Now())
	c.socket.sooner(c.session.NextDeadline())
	return err
}

// Receive waits for the next EventPayload or EventSystem and returns it, without its Session. The
// caller owns the event. Receive returns the error of the context if the context has ended. After
// the end of the Conn it returns the remaining events, and then the reason for the end. The reason is
// [ErrUnread], the error of a failed read or of SetReadDeadline, an error wrapping an [*EndError], or
// one wrapping [net.ErrClosed] after [Conn.Close].
func (c *Conn) Receive(ctx context.Context) (transport.Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return transport.Event{}, err
		}
		e, ok, err := c.next()
		if ok || err != nil {
			return e, err
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
		}
	}
}

// next returns the next event, if there is one, or the reason why there is none.
func (c *Conn) next() (e transport.Event, ok bool, err error) {
	c.lock()
	defer c.mu.Unlock()
	e, ok = c.unread.pop()
	if !ok {
		err = c.err
	}
	if c.unread.len() > 0 || c.err != nil {
		c.signal() // other receivers
	}
	return e, ok, err
}

// Messages iterates over the decoded messages of the host, and discards system messages. A
// malformed payload yields a message with an error, like [opcode.Decode]. An empty payload yields a
// zero [*opcode.Unknown] with an error. Only the last iteration has a nil Message, with the error
// of [Conn.Receive]. A loop that ends early can be continued.
//
// The names of players are in system messages. [Player.Messages] follows them.
func (c *Conn) Messages(ctx context.Context) iter.Seq2[opcode.Message, error] {
	return func(yield func(opcode.Message, error) bool) {
		for {
			e, err := c.Receive(ctx)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case e.Kind == transport.EventPayload && !yield(message(e.Payload)):
				return
			}
		}
	}
}

// message decodes a payload. It does not return a nil message, which would mean the end.
func message(payload []byte) (opcode.Message, error) {
	m, err := opcode.Decode(payload)
	if m == nil {
		m = &opcode.Unknown{}
	}
	return m, err
}

// Close disconnects from the host and closes the socket. It discards unreceived events and
// unacknowledged payloads. It waits for the Ack of the Disconnect, at most for
// [transport.Options].CloseTimeout, and always returns nil.
func (c *Conn) Close() error {
	if c.done != nil { // not the zero value
		c.leave()
		<-c.done
	}
	return nil
}

// leave is Close without waiting.
func (c *Conn) leave() {
	c.lock()
	defer c.mu.Unlock()
	if c.done == nil {
		return
	}
	c.unread.clear()
	c.finish(net.ErrClosed)
}

// Limits of the events that a program has not received. One event always fits.
const (
	maxUnread      = 4096
	maxUnreadBytes = 4 << 20
)

// unread holds the events that the program has not received, within limits.
type unread struct {
	maxEvents int
	maxBytes  int

	list  []transport.Event
	next  int // index of the first event; earlier events are cleared
	bytes int // of the payloads and names
}

// keptUnread is the number of events whose memory is kept after all are received.
const keptUnread = 256

// push adds a copy of an event without its Session, which is not safe for concurrent use. It
// reports whether there was room. A single event always has room.
func (u *unread) push(e transport.Event) bool {
	n := u.len()
	if n >= u.maxEvents || n > 0 && size(e) > u.maxBytes-u.bytes {
		return false
	}
	e.Session = nil
	e.Payload = bytes.Clone(e.Payload)
	if name, ok := e.Body.(*transport.NameChange); ok {
		name.Name = slices.Clone(name.Name)
		e.Body = name
	}
	if u.next > n {
		u.list, u.next = slices.Delete(u.list, 0, u.next), 0
	}
	u.list = append(u.list, e)
	u.bytes += size(e)
	return true
}

// pop removes the first event and returns it. It reports whether there was one.
func (u *unread) pop() (e transport.Event, ok bool) {
	if u.len() == 0 {
		return e, false
	}
	e, u.list[u.next] = u.list[u.next], transport.Event{}
	u.next++
	u.bytes -= size(e)
	if u.len() == 0 {
		u.clear()
	}
	return e, true
}

func (u *unread) len() int { return len(u.list) - u.next }

// clear removes all events.
func (u *unread) clear() {
	clear(u.list)
	u.list, u.next, u.bytes = u.list[:0], 0, 0
	if cap(u.list) > keptUnread {
		u.list = nil
	}
}

// size returns the bytes of an event besides its struct.
func size(e transport.Event) int {
	if change, ok := e.Body.(*transport.NameChange); ok {
		return len(change.Name)
	}
	return len(e.Payload)
}
