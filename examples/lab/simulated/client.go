// Package simulated is for tests in virtual time: a [Client] runs the client of a match on a session without a
// socket, and a [Network] carries datagrams between sockets in bubbles of testing/synctest.
package simulated

import (
	"time"

	"github.com/bcwire/bcwire/transport"
)

// Program is a client of a match above its session.
type Program interface {
	// Handle handles an event of the session.
	Handle(now time.Time, e transport.Event)
	// Tick sends the messages that are due at NextDeadline; the zero Time is none.
	Tick(now time.Time)
	NextDeadline() time.Time
	// Err returns the reason for which the program has ended, or nil.
	Err() error
}

// Client is a program on a session. The caller carries the datagrams, which are not
// enciphered.
type Client struct {
	program Program
	session *transport.Session
}

// New returns a client with a session of [transport.NewClient].
func New(program Program, session *transport.Session) *Client { return &Client{program, session} }

// Receive handles a datagram of the host.
func (c *Client) Receive(now time.Time, datagram []byte) {
	c.session.Receive(now, datagram)
	c.handle(now)
}

// AppendDatagram runs the timers and appends the next datagram that is due to dst. If there is
// none, it returns dst.
func (c *Client) AppendDatagram(dst []byte, now time.Time) []byte {
	c.program.Tick(now)
	c.handle(now)
	dst = c.session.AppendDatagram(dst, now)
	c.handle(now)
	return dst
}

// handle passes the events of the session on. It closes the session when the program has ended.
func (c *Client) handle(now time.Time) {
	for e := range c.session.Events() {
		c.program.Handle(now, e)
	}
	if c.program.Err() != nil {
		c.session.Close()
	}
}

// NextDeadline returns the time at which to call AppendDatagram, if nothing happens before. It
// returns the zero Time if nothing is left to do.
func (c *Client) NextDeadline() time.Time {
	program, session := c.program.NextDeadline(), c.session.NextDeadline()
	if session.IsZero() || !program.IsZero() && program.Before(session) {
		return program
	}
	return session
}

// Done reports whether the program has ended, and the host has acknowledged the Disconnect or
// does not answer.
func (c *Client) Done() bool { return c.program.Err() != nil && c.session.Flushed() }
