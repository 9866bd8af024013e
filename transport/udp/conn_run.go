package udp

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport"
)

// maxRefused is the number of reads in a row that report a closed port, after which an accepted
// client gives up.
const maxRefused = 10

// run reads the socket until the session has ended.
func (c *Conn) run() {
	defer close(c.done)
	defer c.closeSocket()
	refused := 0 // reads in a row
	buf := make([]byte, maxDatagram)
	for {
		if over, err := c.prepare(time.Now()); over || err != nil {
			c.end(err)
			return
		}
		datagram, from, err := c.socket.read(buf)
		if err != nil && errors.Is(err, portClosed) {
			refused++
		}
		switch {
		case err == nil && datagram != nil && from == c.remote:
			refused = 0
			c.socket.ok()
			c.receive(time.Now(), datagram)
		case err == nil:
		case c.socket.fatal(err), c.gone(refused):
			c.end(err)
			return
		default:
			c.mu.Lock()
			c.failed("read", err)
			c.mu.Unlock()
		}
	}
}

// failed records a failed read or write.
func (c *Conn) failed(op string, err error) {
	c.failure = err
	c.log.Debug(op, "error", err)
}

// gone reports whether the host is gone, after n reads in a row that reported a closed port. While
// an accepted client does not leave, the host may open its port again.
func (c *Conn) gone(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return n >= maxRefused || n > 0 && (!c.isAccepted() || c.err != nil)
}

// prepare sends the datagrams that are due and sets the deadline of the next read. It reports
// whether the session is over.
func (c *Conn) prepare(now time.Time) (over bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.poll(now)
	if c.session.Ended() && c.session.Flushed() {
		return true, nil
	}
	return false, c.socket.until(now, c.session.NextDeadline())
}

func (c *Conn) receive(now time.Time, datagram []byte) {
	c.mu.Lock()
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
		if _, err := c.socket.conn.WriteToUDPAddrPort(d, c.remote); err != nil {
			c.failed("write", err) // the session retransmits
		}
	}
	c.takeEvents() // of the timers
}

func (c *Conn) takeEvents() {
	for e := range c.session.Events() {
		switch e.Kind {
		case transport.EventConnected:
			close(c.accepted)
		case transport.EventPayload:
			c.payload(e)
		case transport.EventSystem:
			c.push(e)
		case transport.EventEnded:
			if c.err == nil {
				ended := e
				ended.Session, c.ended = nil, &ended
				c.fail(&net.OpError{Op: "read", Net: "udp", Addr: net.UDPAddrFromAddrPort(c.remote), Err: join.EndError(e)})
			}
		}
	}
}

func (c *Conn) isAccepted() bool {
	select {
	case <-c.accepted:
		return true
	default:
		return false
	}
}

// payload retains a payload. Before the acceptance, a payload is OpenBC's only message of a
// refusal.
func (c *Conn) payload(e transport.Event) {
	if c.isAccepted() {
		c.push(e)
		return
	}
	if err := join.EndError(e); err != nil {
		c.fail(err)
		c.session.Close()
	}
}

// push retains an event until the program receives it.
func (c *Conn) push(e transport.Event) {
	switch {
	case c.err != nil:
	case c.unread.push(e):
		c.signal()
	default:
		c.fail(errUnread)
		c.session.Close()
	}
}

// signal wakes a receiver.
func (c *Conn) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// fail records the reason why the Conn ends, and wakes the receivers. Later reasons are ignored.
func (c *Conn) fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
		c.signal()
	}
}

// end ends the session for a reason other than the host.
func (c *Conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(err)
}

// finish is end for a caller that holds mu.
func (c *Conn) finish(err error) {
	c.fail(err)
	select {
	case <-c.done:
		return // the socket is closed
	default:
	}
	c.session.Close()
	c.poll(time.Now())
	c.socket.wake()
}

// closeSocket closes the socket, or removes its deadline if it has no Close.
func (c *Conn) closeSocket() {
	if c.socket.conn == nil { // opening it has failed
		return
	}
	c.socket.stop()
	if closer, ok := c.socket.conn.(io.Closer); ok {
		_ = closer.Close()
	}
}
