// Package recorder records the datagrams of a socket in a file, for the example programs.
package recorder

import (
	"bytes"
	"cmp"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// Conn is the socket of a server that records its datagrams as they are on the wire. One
// goroutine must do all reads and writes.
type Conn struct {
	udp.PacketConn
	writer  *capture.Recorder // keeps its first error for Flush
	hits    *damagelog.Writer // also
	log     *slog.Logger
	flushed time.Time
	failed  bool // an error has been logged

	peers     map[netip.AddrPort]*peer // nil before Follow
	waiting   []waiting                // the peers with held datagrams, the longest first; others may be between them
	connected map[*transport.Session]bool
	held      int // bytes of all peers
	texts     *rate.Limiter
	skipped   int // datagrams
	reported  time.Time
}

// peer is an address.
type peer struct {
	sessions int       // that are open
	ended    time.Time // when the last session has ended
	held     []datagram
}

// waiting is a peer whose first held datagram is of a time, unless a session has opened since.
type waiting struct {
	*peer
	since time.Time
}

func (w waiting) waits() bool { return len(w.held) > 0 && w.held[0].at.Equal(w.since) }

// datagram is a datagram that waits for a session.
type datagram struct {
	at        time.Time
	direction recording.Direction
	data      []byte
}

const (
	maxHeld     = 32               // datagrams of an address
	maxHeldAll  = 1 << 20          // bytes of all addresses, with heldMore for each datagram
	heldMore    = 64               // about what a line has besides the datagram
	holdTime    = 30 * time.Second // longer than a client is half-open
	afterEnd    = 20 * time.Second // in which both sides acknowledge the end of a session
	reportEvery = time.Minute

	textRate, textBurst = 256, 64 << 10 // bytes a second, with heldMore for each datagram; a query of a browser causes some 1,000
)

// Create returns a Conn that records in a new file, as a capture if the name ends in .pcapng, with a log of damage
// beside it. At the limit, or after an error, recording stops and the Conn goes on. The log receives a line then.
func Create(file string, limit capture.Size, conn udp.PacketConn, log *slog.Logger) (*Conn, error) {
	start := time.Now()
	w, err := capture.NewRecorder(file, limit, start, address(conn))
	if err != nil {
		return nil, err
	}
	hits, err := damagelog.Create(file, start, int64(limit))
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &Conn{PacketConn: conn, writer: w, hits: hits, log: log}, nil
}

// Hit writes a hit to the log of damage.
func (c *Conn) Hit(h damagelog.Hit) { c.hits.Write(time.Now(), h) }

// Follow returns a function for the events of the Hub, and limits what strangers can record. Anybody can
// send datagrams from forged addresses, and the server replies to a Connect. From now on, the datagrams of an
// address are recorded when a session has opened there: with their own times, also those before it.
// GameSpy text has a rate limit. A line of the log counts the datagrams that are not recorded.
func (c *Conn) Follow() func(e transport.Event) {
	c.peers, c.connected = map[netip.AddrPort]*peer{}, map[*transport.Session]bool{}
	c.texts, c.reported = rate.NewLimiter(textRate, textBurst), time.Now()
	return c.follow
}

// address returns the address of a socket, or the zero value if the socket does not tell it.
func address(conn udp.PacketConn) netip.AddrPort {
	if c, ok := conn.(interface{ LocalAddr() net.Addr }); ok {
		if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
			return a.AddrPort()
		}
	}
	return netip.AddrPort{}
}

// ReadFromUDPAddrPort reads a datagram and records it. Once a second it writes the recording to
// its file, also if the read has ended by its deadline.
func (c *Conn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	n, addr, err := c.PacketConn.ReadFromUDPAddrPort(b)
	now := time.Now()
	if err == nil {
		c.record(now, recording.ToServer, addr, b[:n])
	}
	if now.Sub(c.flushed) >= time.Second {
		c.flushed = now
		c.forget(now)
		if err := cmp.Or(c.writer.Flush(), c.hits.Flush()); err != nil && !c.failed {
			c.failed = true
			c.log.Warn("the recording is incomplete", "error", err)
		}
	}
	return n, addr, err
}

// WriteToUDPAddrPort records a datagram and sends it.
func (c *Conn) WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error) {
	c.record(time.Now(), recording.ToClient, addr, b)
	return c.PacketConn.WriteToUDPAddrPort(b, addr)
}

// follow follows the sessions of the Hub.
func (c *Conn) follow(e transport.Event) {
	switch {
	case e.Kind == transport.EventConnected && !c.connected[e.Session]:
		c.connected[e.Session] = true
		p := c.at(e.Session.Addr())
		p.sessions++
		for _, d := range p.held {
			c.writer.WriteAddrPort(d.at, d.direction, e.Session.Addr(), d.data)
		}
		c.drop(p)
	case e.Kind == transport.EventEnded && c.connected[e.Session]:
		delete(c.connected, e.Session)
		p := c.at(e.Session.Addr())
		p.sessions--
		p.ended = time.Now()
	}
}

// record records a datagram, holds it, or counts it.
func (c *Conn) record(now time.Time, direction recording.Direction, addr netip.AddrPort, data []byte) {
	if c.peers == nil {
		c.writer.WriteAddrPort(now, direction, addr, data)
		return
	}
	if transport.IsGameSpy(data) {
		if c.texts.AllowN(now, heldMore+len(data)) {
			c.writer.WriteAddrPort(now, direction, addr, data)
		} else {
			c.skipped++
		}
		return
	}
	p := c.at(addr)
	open := p.sessions > 0 || now.Sub(p.ended) < afterEnd
	connects := direction == recording.ToServer && len(data) > 0 && objectid.PeerID(int8(data[0])) == objectid.NoPeer
	switch {
	case open && !connects:
		c.writer.WriteAddrPort(now, direction, addr, data)
	case len(p.held) >= maxHeld:
		c.skipped++
	default:
		if len(p.held) == 0 {
			c.waiting = append(c.waiting, waiting{p, now})
		}
		p.held = append(p.held, datagram{now, direction, bytes.Clone(data)})
		for c.held += heldMore + len(data); c.held > maxHeldAll && len(c.waiting) > 1; {
			c.skip()
		}
	}
}

// skip drops the datagrams that have waited for the longest time.
func (c *Conn) skip() {
	if w := c.waiting[0]; w.waits() {
		c.skipped += len(w.held)
		c.drop(w.peer)
	}
	c.waiting = c.waiting[1:]
}

// at returns the peer at an address.
func (c *Conn) at(addr netip.AddrPort) *peer {
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	p := c.peers[addr]
	if p == nil {
		p = &peer{}
		c.peers[addr] = p
	}
	return p
}

// drop removes the datagrams that wait.
func (c *Conn) drop(p *peer) {
	for _, d := range p.held {
		c.held -= heldMore + len(d.data)
	}
	p.held = nil
}

// forget removes what no session has opened for, and reports what is not recorded.
func (c *Conn) forget(now time.Time) {
	for len(c.waiting) > 0 && (!c.waiting[0].waits() || now.Sub(c.waiting[0].since) >= holdTime) {
		c.skip()
	}
	maps.DeleteFunc(c.peers, func(_ netip.AddrPort, p *peer) bool {
		return len(p.held) == 0 && p.sessions == 0 && now.Sub(p.ended) >= afterEnd
	})
	if now.Sub(c.reported) >= reportEvery {
		c.reported = now
		c.report()
	}
}

// report logs the number of datagrams that are not recorded since the last report.
func (c *Conn) report() {
	if c.skipped > 0 {
		c.log.Info("not recorded: no session has opened, or too many queries", "datagrams", c.skipped)
		c.skipped = 0
	}
}

// Close closes the files, not the socket. It returns the first error of the recording.
func (c *Conn) Close() error {
	for _, p := range c.peers {
		c.skipped += len(p.held)
	}
	c.report()
	return errors.Join(c.writer.Close(), c.hits.Close())
}
