package main

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// server moves datagrams between a socket and a match. All of it is one goroutine.
type server struct {
	conn      socket
	failed    int                                                     // reads, since something was read or sent
	out       func(datagram []byte, addr netip.AddrPort) (int, error) // writes to conn
	hub       *transport.Hub
	match     *match
	discovery *discovery
	record    *capture.Recorder // nil: none; flush reports its errors
	commands  <-chan string
	buf       [2048]byte
	flushed   time.Time    // when the recording was last written out
	lost      bool         // a failed write of the recording has been logged
	alive     atomic.Int64 // when the last tick was, for other goroutines
}

// run serves until the context ends, and then disconnects everybody.
func (s *server) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.step(s.match.deadline()); err != nil {
			return err
		}
		select {
		case line := <-s.commands:
			if quit := s.match.command(line); quit {
				return s.close()
			}
		default:
		}
	}
	return s.close()
}

// closeTimeout is how long a server waits until everybody has heard that it closes.
const closeTimeout = 2 * time.Second

func (s *server) close() error {
	s.match.close()
	s.write(time.Now(), s.discovery.master, s.discovery.exit())
	s.discovery.master = netip.AddrPort{} // no heartbeat follows the last
	for end := time.Now().Add(closeTimeout); !s.hub.Flushed() && time.Now().Before(end); {
		if err := s.step(time.Now().Add(tick)); err != nil {
			return err
		}
	}
	return nil
}

// step waits for a datagram or for the deadline, and does what is due.
func (s *server) step(deadline time.Time) error {
	if next := s.hub.NextDeadline(); !next.IsZero() && next.Before(deadline) {
		deadline = next
	}
	if err := s.conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	n, addr, err := s.conn.ReadFromUDPAddrPort(s.buf[:])
	now := time.Now()
	switch {
	case err == nil:
		s.failed = 0
		s.receive(now, netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), s.buf[:n])
	case errors.Is(err, os.ErrDeadlineExceeded):
	case s.fatal(err):
		return err
	default:
		s.match.log.Debug("read", "error", err)
	}
	s.poll(now)
	return nil
}

func (s *server) receive(now time.Time, addr netip.AddrPort, datagram []byte) {
	s.record.WriteAddrPort(now, recording.ToServer, addr, datagram)
	if !transport.IsGameSpy(datagram) {
		cipher.Decrypt(datagram)
	}
	s.hub.Receive(now, addr, datagram)
}

// poll does what is due: it takes events, ticks, and sends.
func (s *server) poll(now time.Time) {
	s.events(now)
	if s.match.due(now) {
		s.tick(now)
	}
	for addr, datagram := range s.hub.Datagrams(now) {
		cipher.Encrypt(datagram)
		s.write(now, addr, datagram)
	}
}

func (s *server) events(now time.Time) {
	for e := range s.hub.Events() {
		if e.Kind != transport.EventQuery {
			s.match.handle(now, e)
			continue
		}
		for _, reply := range s.discovery.answer(now, e.Addr, e.Payload, s.match) {
			s.write(now, e.Addr, reply)
		}
	}
}

func (s *server) tick(now time.Time) {
	began := time.Now()
	s.match.tick(now)
	s.discovery.info = nil
	s.flush(now)
	s.write(now, s.discovery.master, s.discovery.heartbeat(now, s.match))
	s.match.stats.ticked(time.Since(began), len(s.match.everybody(nil)), s.hub.Counters())
	s.alive.Store(now.UnixNano())
}

// flush writes the recording to its file once a second. It logs the first error.
// The exit status reports the error, too.
func (s *server) flush(now time.Time) {
	if d := now.Sub(s.flushed); d >= 0 && d < time.Second {
		return
	}
	s.flushed = now
	if err := s.record.Flush(); err != nil && !s.lost {
		s.lost = true
		s.match.log.Warn("the recording is incomplete", "error", err)
	}
}

// ready says whether the last tick was a moment ago.
func (s *server) ready() bool { return time.Since(time.Unix(0, s.alive.Load())) < 2*time.Second }

// write sends a datagram as it is, if there is one. UDP may lose it, so no error matters.
func (s *server) write(now time.Time, addr netip.AddrPort, datagram []byte) {
	if len(datagram) == 0 {
		return
	}
	s.record.WriteAddrPort(now, recording.ToClient, addr, datagram)
	if _, err := s.out(datagram, addr); err != nil {
		s.match.log.Debug("write", "addr", addr, "error", err)
		return
	}
	s.failed = 0 // each datagram may make a read fail
}
