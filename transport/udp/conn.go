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

// Conn is a client that a host has accepted; see [Dial] and [Join]. A goroutine reads the socket and runs the timers
// until [Conn.Close] or the end of the session. Each event is returned once, by Receive or Messages. All methods are
// safe for concurrent use.
type Conn struct {
	address string
	options Options
	socket  socket
	remote  netip.AddrPort
	localIP [4]byte
	log     *slog.Logger

	ready    chan struct{} // holds a value if there may be unread events
	accepted chan struct{} // closed when the host has accepted the client
	done     chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	session *transport.Session
	joining join.Options    // of Join
	client  *join.Client    // after Join, or nil
	decoder *opcode.Decoder // of the client, or nil
	unread  unread
	encoder opcode.Encoder
	scratch []byte           // of encoder
	gameSpy int              // number of datagrams
	failure error            // of the last failed read or write
	err     error            // reason for the end, or nil
	ended   *transport.Event // the same, if the session has ended before the program has closed it
}

// PeerID returns the peer ID that the host has given the client.
func (c *Conn) PeerID() objectid.PeerID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.PeerID()
}

// Counters returns the counters of the session.
func (c *Conn) Counters() transport.Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Counters()
}

// Quality returns the round trip, the last sign of life and the loss of the connection.
func (c *Conn) Quality() transport.Quality {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Quality()
}

// Send sends a message with the delivery of its opcode; see [opcode.Info]. It returns the errors of
// [opcode.Encoder.Append] and of SendPayload.
func (c *Conn) Send(m opcode.Message) error {
	return c.send(func() error {
		if c.client != nil {
			return c.client.Send(m)
		}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	err := f()
	c.flush()
	return err
}

// flush sends what waits. The caller holds mu.
func (c *Conn) flush() {
	if c.err == nil {
		c.poll(time.Now())
		c.socket.sooner(c.session.NextDeadline())
	}
}

// Receive waits for the next EventPayload or EventSystem and returns it, without its Session. The caller owns the
// event. Receive returns the error of the context if the context has ended. After the end of the Conn it returns the
// remaining events, and then the reason for the end: an error that wraps one of package join, such as
// [join.ErrTimeout]; [net.ErrClosed] after [Conn.Close]; the error of a failed read or of SetReadDeadline; or an
// error if the program had too many unread events.
func (c *Conn) Receive(ctx context.Context) (transport.Event, error) {
	r, err := c.take(ctx)
	return r.Event, err
}

// received is an event and, if the client has decoded it, the message of its payload.
type received struct {
	transport.Event
	m   opcode.Message
	err error // of m
}

func (c *Conn) take(ctx context.Context) (received, error) {
	for {
		if err := ctx.Err(); err != nil {
			return received{}, err
		}
		r, ok, err := c.next()
		if ok || err != nil {
			return r, err
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
		}
	}
}

// next returns the next event, if there is one, or the reason why there is none.
func (c *Conn) next() (r received, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	handled := c.unread.handled > 0
	r.Event, ok = c.unread.pop()
	switch {
	case !ok:
		err = c.reason()
	case c.client != nil && !handled:
		r.m, r.err = c.client.Handle(time.Now(), r.Event)
		c.flush()
	}
	if c.unread.len() > 0 || c.err != nil {
		c.signal() // other receivers
	}
	return r, ok, err
}

// Messages iterates over the decoded messages of the host, and discards system messages. A
// malformed payload yields a message with an error, like [opcode.Decode]. An empty payload yields a
// zero [*opcode.Unknown] with an error. Only the last iteration has a nil Message, with the error
// of [Conn.Receive]. A loop that ends early can be continued.
//
// After Join, the messages begin with those after Settings, also those that arrived before Join returned. The names
// of players are in system messages, which [Conn.State] follows: within the loop, it has the names until that
// message. The name of the player who speaks in a message m is state.NameOf(c.Speaker(m)), as in the example of
// [Join].
func (c *Conn) Messages(ctx context.Context) iter.Seq2[opcode.Message, error] {
	return func(yield func(opcode.Message, error) bool) {
		for {
			r, err := c.take(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if r.m == nil && r.Kind == transport.EventPayload {
				r.m, r.err = c.decode(r.Payload)
			}
			if r.m != nil && !yield(r.m, r.err) {
				return
			}
		}
	}
}

// decode decodes a payload. It does not return a nil message, which would mean the end.
func (c *Conn) decode(payload []byte) (m opcode.Message, err error) {
	if c.decoder != nil {
		m, err = c.decoder.Decode(payload)
	} else {
		m, err = opcode.Decode(payload)
	}
	if m == nil {
		m = &opcode.Unknown{}
	}
	return m, err
}

// Close disconnects from the host and closes the socket. It discards unreceived events and
// unacknowledged payloads. It waits for the Ack of the Disconnect, at most for
// [transport.Options].CloseTimeout, and always returns nil.
func (c *Conn) Close() error {
	c.leave()
	<-c.done
	return nil
}

// leave is Close without waiting.
func (c *Conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
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

	list    []transport.Event
	next    int // index of the first event; earlier events are cleared
	handled int // events that Join has handled, and the program has not received
	bytes   int // of the payloads and names
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
	u.handled = max(u.handled-1, 0)
	u.bytes -= size(e)
	if u.len() == 0 {
		u.clear()
	}
	return e, true
}

// drop removes the first event that Join has not handled.
func (u *unread) drop() {
	i := u.next + u.handled
	u.bytes -= size(u.list[i])
	u.list = slices.Delete(u.list, i, i+1)
}

func (u *unread) len() int { return len(u.list) - u.next }

// clear removes all events.
func (u *unread) clear() {
	clear(u.list)
	u.list, u.next, u.handled, u.bytes = u.list[:0], 0, 0, 0
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
