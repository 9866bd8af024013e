package udp

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/transport"
)

// Handler holds the functions that [Serve] calls on its goroutine. All fields are optional. The
// functions may use the Hub and its sessions, and must not block.
type Handler struct {
	// Event handles an event of the Hub, except EventQuery. If it is nil, every client is ignored.
	// The payload and body are valid until it returns. After the end of the context there is no
	// EventConnect.
	Event func(now time.Time, e transport.Event)
	// Query returns the replies to GameSpy text. The text is valid until Query returns. Package
	// gamespy has a Responder for it.
	Query func(now time.Time, from netip.AddrPort, text []byte) [][]byte
	// Tick is called every Interval until the context ends, or less often if it is too slow.
	Tick func(now time.Time)
	// Interval is the time between two calls of Tick. The default is 100 ms.
	Interval time.Duration
	// Close is called when the context has ended, before the sessions are closed. It may send
	// messages; Serve waits at most a second for their Acks.
	Close func(now time.Time)
	// Loop runs functions of other goroutines.
	Loop *Loop
	// Log logs failed reads and writes at level Debug.
	Log *slog.Logger

	closeTimeout time.Duration // limits the time for closing the sessions
}

// Serve runs a server on a socket until the context ends. It then calls Handler.Close, disconnects
// all clients, waits at most 2 s for their Acks, and returns nil. Serve sets the read
// deadline of the socket, and removes it at the end. The socket stays open.
//
// Serve returns an error wrapping [net.ErrClosed] if the socket is closed, and any error of
// SetReadDeadline. It returns the last error after 1,000 failed reads, or ten whose error is
// about more than one datagram, without a successful read or write between them. After such an error it does not
// call Handler.Close or disconnect the clients. For a connected [*net.UDPConn] it returns an error
// wrapping [net.ErrWriteToConnected].
func Serve(ctx context.Context, conn PacketConn, hub *transport.Hub, h Handler) error {
	if h.Interval <= 0 {
		h.Interval = 100 * time.Millisecond
	}
	if h.closeTimeout <= 0 {
		h.closeTimeout = 2 * time.Second
	}
	if h.Log == nil {
		h.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{socket: socket{conn: conn}, hub: hub, h: h, buf: make([]byte, maxDatagram)}
	defer s.stop()
	defer h.Loop.end()
	if err := checkUnconnected(conn); err != nil {
		return err
	}
	h.Loop.begin(s.wake)
	defer context.AfterFunc(ctx, s.wake)()
	return s.run(ctx, time.Now())
}

// server is the state of Serve.
type server struct {
	socket
	hub     *transport.Hub
	h       Handler
	tickAt  time.Time
	closing bool
	buf     []byte
}

func (s *server) run(ctx context.Context, now time.Time) (err error) {
	s.tickAt = now.Add(s.h.Interval)
	for ctx.Err() == nil {
		if now, err = s.step(now, time.Time{}); err != nil {
			return err
		}
	}
	return s.close(now)
}

// close closes all sessions, and serves them until they are flushed.
func (s *server) close(now time.Time) error {
	s.closing = true
	if s.h.Close != nil {
		s.h.Close(now)
	}
	limit := time.Now().Add(s.h.closeTimeout)
	if s.h.Close != nil {
		if err := s.serveUntil(limit.Add(-s.h.closeTimeout/2), s.acknowledged); err != nil {
			return err
		}
	}
	s.hub.Close()
	return s.serveUntil(limit, s.closed)
}

// closed reports whether all clients have acknowledged the end. It also closes sessions that a
// function of the Loop has accepted meanwhile.
func (s *server) closed() bool {
	s.hub.Close()
	return s.hub.Flushed()
}

// acknowledged reports whether the clients have acknowledged all messages. A Session discards
// unacknowledged messages when it closes.
func (s *server) acknowledged() bool {
	for session := range s.hub.Sessions() {
		if !session.Flushed() {
			return false
		}
	}
	return true
}

// serveUntil serves until done returns true or the limit is reached.
func (s *server) serveUntil(limit time.Time, done func() bool) (err error) {
	for now := s.poll(); !done() && now.Before(limit); {
		if now, err = s.step(now, limit); err != nil {
			return err
		}
	}
	return nil
}

// step waits for a datagram or a deadline, and does all that is due. It returns the time.
func (s *server) step(now, limit time.Time) (time.Time, error) {
	deadline := earliest(s.hub.NextDeadline(), limit)
	if s.ticks() {
		deadline = earliest(deadline, s.tickAt)
	}
	if err := s.until(now, deadline); err != nil {
		return now, err
	}
	for more := true; more; more = s.late {
		if err := s.receive(); err != nil {
			return now, err
		}
	}
	return s.poll(), nil
}

// receive waits for a datagram or the deadline, and passes on the events.
func (s *server) receive() error {
	datagram, from, err := s.read(s.buf)
	switch {
	case err == nil && datagram != nil:
		s.ok()
		if !transport.IsGameSpy(datagram) {
			cipher.Decrypt(datagram)
		}
		now := time.Now()
		s.hub.Receive(now, from, datagram)
		s.events(now)
	case err == nil:
	case s.fatal(err):
		return err
	default:
		s.h.Log.Debug("read", "error", err)
	}
	return nil
}

// earliest returns the earlier time. The zero Time is no time.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// poll runs the timers, calls the functions that are due, and sends. It returns the time.
func (s *server) poll() time.Time {
	now := time.Now()
	tick := s.ticks() && !now.Before(s.tickAt)
	if tick || s.h.Loop.len() > 0 {
		s.send(now) // the timers of sessions begin at the last time that the Hub was given
		s.h.Loop.run()
		if tick {
			s.tick(now)
		}
		now = time.Now() // the functions may have been slow
	}
	s.send(now)
	return now
}

// send runs the timers, sends the datagrams that are due, and passes on the events.
func (s *server) send(now time.Time) {
	for addr, datagram := range s.hub.Datagrams(now) {
		cipher.Encrypt(datagram)
		s.write(addr, datagram)
	}
	s.events(now) // from the timers and functions
}

func (s *server) events(now time.Time) {
	for e := range s.hub.Events() {
		switch {
		case e.Kind == transport.EventQuery:
			s.answer(now, e)
		case s.h.Event == nil, e.Kind == transport.EventConnect && s.closing:
		default:
			s.h.Event(now, e)
		}
	}
}

func (s *server) answer(now time.Time, query transport.Event) {
	if s.h.Query != nil {
		for _, reply := range s.h.Query(now, query.Addr, query.Payload) {
			s.write(query.Addr, reply)
		}
	}
}

// ticks reports whether Tick is called.
func (s *server) ticks() bool { return s.h.Tick != nil && !s.closing }

// tick calls Tick. If Tick takes longer than an Interval, the next call follows an Interval after
// its return.
func (s *server) tick(now time.Time) {
	s.h.Tick(now)
	s.tickAt = now.Add(s.h.Interval)
	if end := time.Now(); s.tickAt.Before(end) {
		s.tickAt = end.Add(s.h.Interval)
	}
}

// write sends a datagram. It ignores errors, since UDP may lose datagrams anyway.
func (s *server) write(addr netip.AddrPort, datagram []byte) {
	if _, err := s.conn.WriteToUDPAddrPort(datagram, addr); err != nil {
		s.h.Log.Debug("write", "addr", addr, "error", err)
		return
	}
	s.ok() // an ICMP reply to any datagram may make a read fail
}
