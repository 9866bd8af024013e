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

// Reasons that [EndError].Reason tells.
var (
	errKicked   = errors.New("kicked by the server")               // EndBooted, for another reason than the errors above
	errLeft     = errors.New("the server has disconnected")        // EndLeft, for example because the host has shut down
	errProtocol = errors.New("the server has broken the protocol") // EndBadFragment or EndFragmentAge
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
}

// Error returns the reason, with details for a refusal, a Boot and an error of the protocol.
func (e *EndError) Error() string {
	switch e.Err {
	case nil:
		return e.Reason.String()
	case join.ErrRefused, errKicked:
	case errProtocol:
		return fmt.Sprintf("%v (%v)", e.Err, e.Reason)
	default:
		return e.Err.Error()
	}
	if e.Refusal != nil {
		return fmt.Sprintf("%v (%v)", e.Err, e.Refusal.Reason)
	}
	if boot, ok := e.Body.(*transport.Boot); ok {
		return fmt.Sprintf("%v (%v)", e.Err, boot.Reason)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *EndError) Unwrap() error { return e.Err }

// Timeout reports whether the reason is [join.ErrTimeout]. [net.OpError] uses this method.
func (e *EndError) Timeout() bool { return errors.Is(e.Err, join.ErrTimeout) }

// endError returns the error of a session that has ended. A client that was not accepted is
// refused, not kicked.
func endError(end transport.Event, accepted bool, refusal *opcode.BootPlayer) *EndError {
	e := &EndError{Err: errProtocol, Reason: end.End, Body: end.Body, Refusal: refusal}
	switch end.End {
	case transport.EndBooted:
		if boot, ok := end.Body.(*transport.Boot); ok {
			e.Err = bootError(boot.Reason, accepted)
		}
	case transport.EndLeft:
		e.Err = errLeft
	case transport.EndTimeout, transport.EndUnacknowledged, transport.EndHandshake:
		e.Err = join.ErrTimeout
	}
	if refusal != nil { // the Conn has closed its session
		e.Err, e.Reason = refusalError(refusal.Reason), transport.EndBooted
	}
	return e
}

func bootError(r transport.BootReason, accepted bool) error {
	switch {
	case r == transport.BootTooManyPlayers:
		return join.ErrFull
	case r == transport.BootPassword:
		return join.ErrPassword
	case r == transport.BootBanned:
		return join.ErrBanned
	case accepted:
		return errKicked
	}
	return join.ErrRefused
}

func refusalError(r opcode.RefusalReason) error {
	switch r {
	case opcode.RefusalFull:
		return join.ErrFull
	case opcode.RefusalBanned:
		return join.ErrBanned
	}
	return join.ErrRefused
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
