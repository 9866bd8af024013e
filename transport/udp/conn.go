package udp

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Conn is a client that a host has accepted. [Dial] makes it. A goroutine of the Conn reads
// the socket and runs the timers until [Conn.Close] or the end of the session. All methods are
// safe for concurrent use. Each event is received once, by one of the callers of Receive,
// Events and Messages. The zero value is a Conn that is closed.
type Conn struct {
	reader
	remote    netip.AddrPort
	localIP   [4]byte
	name      transport.UTF16Z
	maxUnread int
	decode    func([]byte) (opcode.Message, error)
	log       *slog.Logger

	ready    chan struct{} // has an element if there may be unread events
	accepted chan struct{} // closed when the host has accepted the client
	done     chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	session *transport.Session
	unread  []transport.Event
	refusal *opcode.BootPlayer // of OpenBC
	gameSpy int                // datagrams
	err     error              // why the Conn ends; nil: it does not
}

// maxRefused is the number of times in a row that the system reports a closed port before a
// client gives up that was accepted. The host may open its port again.
const maxRefused = 10

// lock locks the Conn. It makes the zero value a Conn that is closed.
func (c *Conn) lock() {
	c.mu.Lock()
	if c.session == nil {
		c.session, c.err = &transport.Session{}, net.ErrClosed
	}
}

// run reads the socket until the session has ended.
func (c *Conn) run() {
	defer close(c.done)
	defer c.closeSocket()
	buf := make([]byte, maxDatagram)
	for {
		if over, err := c.prepare(time.Now()); over || err != nil {
			c.end(err)
			return
		}
		n, addr, err := c.conn.ReadFromUDPAddrPort(buf)
		switch {
		case err == nil && unmapped(addr) == c.remote:
			c.failed = 0
			c.receive(time.Now(), buf[:n])
		case err == nil, errors.Is(err, os.ErrDeadlineExceeded):
		case c.fatal(err), c.refused(err):
			c.end(err)
			return
		default:
			c.log.Debug("read", "error", err)
		}
	}
}

// refused reports whether a failed read shows that the port of the host is closed.
func (c *Conn) refused(err error) bool {
	select {
	case <-c.accepted:
		return errors.Is(err, portClosed) && c.failed >= maxRefused
	default:
		return errors.Is(err, portClosed)
	}
}

// prepare sends the datagrams that are due and sets the deadline of the next read. It reports
// whether the session is over.
func (c *Conn) prepare(now time.Time) (over bool, err error) {
	c.lock()
	defer c.mu.Unlock()
	c.poll(now)
	_, ended := c.session.Ended()
	if ended && c.session.Flushed() {
		return true, nil
	}
	return false, c.until(now, c.session.NextDeadline())
}

func (c *Conn) receive(now time.Time, datagram []byte) {
	c.lock()
	defer c.mu.Unlock()
	if transport.IsGameSpy(datagram) {
		c.gameSpy++
		return
	}
	cipher.Decrypt(datagram)
	c.session.Receive(now, datagram)
}

// poll takes the events of the session and sends its datagrams. The caller holds mu.
func (c *Conn) poll(now time.Time) {
	c.takeEvents()
	for d := range c.session.Datagrams(now) {
		cipher.Encrypt(d)
		if _, err := c.conn.WriteToUDPAddrPort(d, c.remote); err != nil {
			c.log.Debug("write", "error", err) // the session retransmits
		}
	}
	c.takeEvents() // of the timers
}

func (c *Conn) takeEvents() {
	for e := range c.session.Events() {
		switch e.Kind {
		case transport.EventConnected:
			c.acceptedBy()
		case transport.EventPayload:
			c.payload(e)
		case transport.EventSystem:
			if n, ok := e.Body.(transport.NameChange); ok {
				n.Name = slices.Clone(n.Name)
				e.Body = n
			}
			c.push(e)
		case transport.EventEnded:
			c.fail(c.readError(endError(e, c.isAccepted(), c.refusal)))
		}
	}
}

// acceptedBy tells the host the name of the player.
func (c *Conn) acceptedBy() {
	if len(c.name) > 2 { // more than a NUL
		name := transport.NameChange{PeerID: c.session.PeerID(), IP: c.localIP, Name: c.name}
		if err := c.session.SendSystem(name); err != nil {
			c.fail(err)
			c.session.Close()
		}
	}
	close(c.accepted)
}

func (c *Conn) isAccepted() bool {
	select {
	case <-c.accepted:
		return true
	default:
		return false
	}
}

// payload retains a payload. One that arrives before the acceptance is a refusal of OpenBC,
// which says nothing more.
func (c *Conn) payload(e transport.Event) {
	if c.isAccepted() {
		e.Payload = bytes.Clone(e.Payload)
		c.push(e)
		return
	}
	if m, err := opcode.Decode(e.Payload); err == nil {
		if boot, ok := m.(*opcode.BootPlayer); ok {
			c.refusal = boot
			c.session.Close() // EventEnded follows
		}
	}
}

// push retains an event until the program receives it.
func (c *Conn) push(e transport.Event) {
	if c.err != nil {
		return
	}
	if len(c.unread) >= c.maxUnread {
		c.fail(ErrUnread)
		c.session.Close()
		return
	}
	c.unread = append(c.unread, e)
	c.signal()
}

// signal wakes a receiver.
func (c *Conn) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// fail records why the Conn ends. The first reason counts.
func (c *Conn) fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
	}
}

// end ends the session, if it has not ended, for a reason other than the host.
func (c *Conn) end(err error) {
	c.lock()
	defer c.mu.Unlock()
	c.fail(err)
	c.session.Close()
	c.poll(time.Now())
	c.wake()
}

func (c *Conn) closeSocket() {
	if closer, ok := c.conn.(io.Closer); ok {
		_ = closer.Close()
	}
}

func (c *Conn) readError(err error) error {
	return &net.OpError{Op: "read", Net: "udp", Addr: net.UDPAddrFromAddrPort(c.remote), Err: err}
}

// PeerID returns the peer ID that the host has given the client.
func (c *Conn) PeerID() objectid.PeerID {
	c.lock()
	defer c.mu.Unlock()
	return c.session.PeerID()
}

// RemoteAddr returns the address of the host.
func (c *Conn) RemoteAddr() netip.AddrPort { return c.remote }

// LocalAddr returns the address of the socket. Its IPv4 address belongs into a
// [transport.NameChange] of the client. LocalAddr returns the zero AddrPort if
// [Options].Conn has no method LocalAddr that returns a [*net.UDPAddr].
func (c *Conn) LocalAddr() netip.AddrPort {
	socket, ok := c.conn.(interface{ LocalAddr() net.Addr })
	if !ok {
		return netip.AddrPort{}
	}
	addr, _ := socket.LocalAddr().(*net.UDPAddr)
	return unmapped(addr.AddrPort())
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

// Send sends a payload; see [transport.Session.Send] for its errors. After the end of the Conn
// it returns the reason, as [Conn.Err] does.
func (c *Conn) Send(payload []byte, d transport.Delivery) error {
	return c.send(func() error { return c.session.Send(payload, d) })
}

// SendMessage encodes a message and sends it; see [transport.Session.SendMessage].
func (c *Conn) SendMessage(m encoding.BinaryAppender, d transport.Delivery) error {
	return c.send(func() error { return c.session.SendMessage(m, d) })
}

// SendSystem sends a NameChange; see [transport.Session.SendSystem].
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
	c.sooner(c.session.NextDeadline())
	return err
}

// Receive waits for the next event, EventPayload or EventSystem, and returns it. The caller
// may keep it and change its payload. Receive returns the error of the context if that ends
// first. After the end of the Conn it returns the events that are left, and then the reason;
// after [Conn.Close] it returns an error wrapping [net.ErrClosed].
func (c *Conn) Receive(ctx context.Context) (transport.Event, error) {
	for {
		e, ok, err := c.next()
		if ok || err != nil {
			return e, err
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
			return transport.Event{}, ctx.Err()
		}
	}
}

// next returns the next event, if there is one, or the reason for which there is none.
func (c *Conn) next() (e transport.Event, ok bool, err error) {
	c.lock()
	defer c.mu.Unlock()
	if len(c.unread) == 0 {
		if c.err != nil {
			c.signal() // other receivers
		}
		return e, false, c.err
	}
	e, c.unread[0] = c.unread[0], transport.Event{}
	if c.unread = c.unread[1:]; len(c.unread) > 0 || c.err != nil {
		c.signal()
	}
	return e, true, nil
}

// Events iterates over the events as [Conn.Receive] returns them. The last element is the
// error of the context or the reason for which the Conn has ended. The loop may be left and
// continued.
func (c *Conn) Events(ctx context.Context) iter.Seq2[transport.Event, error] {
	return func(yield func(transport.Event, error) bool) {
		for {
			e, err := c.Receive(ctx)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Messages iterates over the messages of the host, decoded. A payload that cannot be decoded
// yields an [*opcode.Unknown] with an error, and the loop goes on.
// The last element is a nil Message with the error of the context or the reason for which the
// Conn has ended. Messages discards system messages; use Events for these.
func (c *Conn) Messages(ctx context.Context) iter.Seq2[opcode.Message, error] {
	return func(yield func(opcode.Message, error) bool) {
		for e, err := range c.Events(ctx) {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case e.Kind == transport.EventPayload && !yield(c.decode(e.Payload)):
				return
			}
		}
	}
}

// Err returns the reason for which the Conn has ended, or nil.
func (c *Conn) Err() error {
	c.lock()
	defer c.mu.Unlock()
	return c.err
}

// Close disconnects from the host and closes the socket. It waits until the host has
// acknowledged, at most for [transport.Options].CloseTimeout, 5 seconds by default. Events
// that have not been received are discarded.
func (c *Conn) Close() error {
	if c.done == nil {
		return nil // the zero value
	}
	c.end(net.ErrClosed)
	<-c.done
	c.lock()
	defer c.mu.Unlock()
	c.unread = nil
	return nil
}
