package udp

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// ErrUnread means that a [Conn] has ended because the program did not receive its events.
var ErrUnread = errors.New("udp: too many unread events: call Receive more often")

// EndError is the error of a session that was refused or has ended. Err is a reason such as
// [join.ErrFull], which can also end an accepted [Conn].
type EndError struct {
	Err    error
	Reason transport.EndReason
	// Body is the Boot or Disconnect of the host, or nil.
	Body transport.Body
	// Refusal is OpenBC's refusal of the client, or nil. If it is set, Reason is EndBooted.
	Refusal *opcode.BootPlayer

	kicked bool // the host had accepted the client
}

// Error returns the reason, with details for a refusal, a Boot and an error of the protocol.
func (e *EndError) Error() string {
	var detail fmt.Stringer = e.Reason
	text := fmt.Sprint(e.Err)
	switch boot, _ := e.Body.(*transport.Boot); {
	case e.Err == nil:
		return e.Reason.String()
	case e.Reason == transport.EndLeft: // for example because the host has shut down
		return "the server has disconnected"
	case e.Err == join.ErrProtocol:
	case e.Err != join.ErrRefused:
		return text
	case e.Refusal != nil:
		detail = e.Refusal.Reason
	case boot != nil:
		detail = boot.Reason
	}
	if e.kicked {
		text = "kicked by the server"
	}
	return fmt.Sprintf("%s (%v)", text, detail)
}

// Unwrap returns Err.
func (e *EndError) Unwrap() error { return e.Err }

// Timeout reports whether the reason is [join.ErrTimeout]. [net.OpError] uses this method.
func (e *EndError) Timeout() bool { return errors.Is(e.Err, join.ErrTimeout) }

// endError returns the error of a session that has ended. A client that was not accepted is
// refused, not kicked.
func endError(end transport.Event, accepted bool, refusal *opcode.BootPlayer) *EndError {
	e := &EndError{Err: join.EndError(end.End, end.Body), Reason: end.End, Body: end.Body, Refusal: refusal}
	if refusal != nil { // the Conn has closed its session
		e.Err, e.Reason = join.RefusalError(refusal.Reason), transport.EndBooted
	}
	e.kicked = accepted && e.Reason == transport.EndBooted && e.Err == join.ErrRefused
	return e
}

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
