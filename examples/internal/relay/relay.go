// Package relay relays datagrams between players and a server. It shows and records them, and can
// simulate a bad network. Open a [Relay], and Run it:
//
//	r, err := relay.Open(relay.Options{Listen: "127.0.0.1:22102", Server: "127.0.0.1", Clients: 64, Idle: time.Minute})
//	...
//	err = r.Run(ctx)
//
// A Relay has a socket towards the server for each player, because the server identifies players
// by their addresses. A player counts when it has used the peer ID that the server has assigned, so
// Connects from forged addresses keep nobody out.
package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// Options are the options of a Relay.
type Options struct {
	Name       string // of the program, for its log
	Listen     string // the address for the players, [IP]:PORT
	Server     string // HOST[:PORT]; the default port is the game's
	Conditions [2]Conditions
	Seed       uint64        // of the bad network
	Clients    int           // the largest number of proven ones at a time
	Idle       time.Duration // after which silent clients are removed
	Plain      bool          // the datagrams are not enciphered
	Log        io.Writer
}

// Relay relays datagrams. One goroutine does everything except reading. Set the fields before Run.
type Relay struct {
	Record *capture.Recorder      // records the datagrams, unless nil
	Show   func(d *show.Datagram) // receives a copy of each datagram, unless nil; it must not wait
	// Hold delays what Show receives until the client has used its peer ID, except for GameSpy text.
	// It never receives the datagrams of forged addresses then.
	Hold bool

	// NewFilter returns a function for a new client, unless nil. The function returns the datagrams to relay
	// in place of one of the client's, and may change its argument. Record and Show have the original.
	NewFilter func() func(datagram []byte) [][]byte

	options        Options
	listener       *net.UDPConn
	server         netip.AddrPort
	clients        clients
	arrivals       chan arrival
	readers        sync.WaitGroup
	began          time.Time
	packets        int
	counts         [2]counts
	errorReported  bool          // an error without a client has been printed
	recordReported bool          // an error of the recording has been printed
	strangers      *rate.Limiter // of the lines about unproven clients
	recorded       *rate.Limiter // of what is recorded of them
	unrecorded     int           // datagrams
}

// arrival is a received datagram, or an error of a socket.
type arrival struct {
	client *client // nil for datagrams of players
	from   netip.AddrPort
	at     time.Time
	data   []byte
	err    error
}

// maxArrivals is the largest number of datagrams that wait for the loop. The system queues
// some more for each socket, and drops others.
const maxArrivals = 256

// Open opens the socket for the players.
func Open(o Options) (*Relay, error) {
	listener, server, err := o.open()
	if err != nil {
		return nil, err
	}
	return newRelay(o, listener, server, time.Now()), nil
}

func newRelay(o Options, listener *net.UDPConn, server netip.AddrPort, began time.Time) *Relay {
	r := &Relay{
		options:  o,
		listener: listener,
		server:   server,
		arrivals: make(chan arrival, maxArrivals),
		began:    began,
		// Connects from forged addresses must not fill the log.
		strangers: rate.NewLimiter(1, 10),
		recorded:  rate.NewLimiter(recordRate, recordBurst),
	}
	r.clients = newClients(&r.options)
	return r
}

// Close closes the socket for the players, for a Relay that does not run.
func (p *Relay) Close() error { return p.listener.Close() }

// Addr is the address for the players.
func (p *Relay) Addr() netip.AddrPort { return addrPort(p.listener.LocalAddr()) }

// Server is the address of the server.
func (p *Relay) Server() netip.AddrPort { return p.server }

// Began is the time that the times of the datagrams begin with.
func (p *Relay) Began() time.Time { return p.began }

// The time between two calls of tick is the idle time, between these limits.
const minTickInterval, maxTickInterval = 10 * time.Millisecond, time.Second

// Run relays datagrams until the context ends or the listener fails. It does not send datagrams
// that are queued then.
func (p *Relay) Run(ctx context.Context) error {
	p.readers.Go(func() { p.read(ctx, p.listener, nil) })
	defer p.close()
	interval, tick := max(minTickInterval, min(maxTickInterval, p.options.Idle)), p.began
	timer := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case a := <-p.arrivals:
			if a.client == nil && a.err != nil && !udp.Transient(a.err) {
				return a.err
			}
			p.arrive(ctx, a)
		case <-timer.C:
		}
		now := time.Now()
		if !now.Before(tick) {
			tick = now.Add(interval)
			p.tick(now)
		}
		timer.Reset(time.Until(p.send(now, tick)))
	}
}

// arrive handles a received datagram.
func (p *Relay) arrive(ctx context.Context, a arrival) {
	c, dir := a.client, ToClient
	switch {
	case a.err != nil:
		p.reportError(c, a.err)
		return
	case c == nil:
		dir = ToServer
		if c = p.clientAt(ctx, a); c == nil {
			return
		}
	case c.removed:
		return
	default:
		c.lastReply = a.at
	}
	if !c.proven && c.examine(dir, a.data, p.options.Plain) && !p.prove(a.at, c) {
		return
	}
	f := p.put(c, dir, a.at, a.data)
	p.counts[dir].countReceived(f, len(a.data))
	p.packets++
	d := recording.Datagram{
		Seconds:   a.at.Sub(p.began).Seconds(),
		Direction: dir.Recorded(),
		Client:    c.number,
		Data:      a.data,
		Note:      f.note(),
	}
	p.record(c, d)
	if p.Show == nil {
		return
	}
	d.Data = bytes.Clone(a.data) // deciphering is done in place
	shown := capture.Recorded(p.packets, d)
	shown.Note = d.Note
	p.show(c, shown)
}

// put queues a datagram, or those to relay in its place. It returns the outcome of the first.
func (p *Relay) put(c *client, dir Direction, at time.Time, datagram []byte) outcome {
	if dir == ToClient || p.NewFilter == nil {
		return c.links[dir].put(at, datagram)
	}
	if c.filter == nil {
		c.filter = p.NewFilter()
	}
	all := c.filter(bytes.Clone(datagram))
	if len(all) == 0 {
		return outcome{filtered: true}
	}
	f := c.links[dir].put(at, all[0])
	for _, more := range all[1:] {
		p.counts[dir].countAdded(c.links[dir].put(at, more))
	}
	return f
}

// Bytes of unproven clients and of GameSpy text that are recorded: a burst, and so many a second. They are forged for
// nothing.
const recordRate, recordBurst = 1 << 10, 1 << 20

// record records a datagram. If strangers have sent too many, it holds one of an unproven client until the client is
// proven, and drops GameSpy text.
func (p *Relay) record(c *client, d recording.Datagram) {
	text := transport.IsGameSpy(d.Data)
	size := 64 + len(d.Data)
	switch {
	case p.Record == nil:
	case c.proven && !text:
		for _, held := range c.unrecorded {
			p.Record.Write(held)
		}
		c.unrecorded = nil
		p.Record.Write(d) // Flush returns its errors
	case p.recorded.AllowN(p.began.Add(d.Time()), size):
		p.Record.Write(d)
	case !text && c.unrecordedBytes+size <= maxHeld:
		c.unrecordedBytes += size
		c.unrecorded = append(c.unrecorded, d)
	default:
		p.unrecorded++
	}
}

// maxHeld is the largest number of bytes of a client that wait to be shown. A handshake takes a few
// hundred.
const maxHeld = 8 << 10

// show shows a datagram, or holds it.
func (p *Relay) show(c *client, d *show.Datagram) {
	switch {
	case !p.Hold || transport.IsGameSpy(d.Data):
	case !c.proven:
		if c.heldBytes += 64 + len(d.Data); c.heldBytes <= maxHeld {
			c.held = append(c.held, d)
		}
		return
	default:
		for _, held := range c.held {
			p.Show(held)
		}
		c.held = nil
	}
	p.Show(d)
}

// send sends the datagrams that are due. It returns the time of its next call, at most end.
func (p *Relay) send(now, end time.Time) time.Time {
	for _, c := range p.clients.byAddr {
		for dir, l := range c.links {
			for {
				datagram, ok := l.next(now)
				if !ok {
					break
				}
				p.counts[dir].countSent(p.write(c, Direction(dir), datagram))
			}
			if due, ok := l.deadline(); ok && due.Before(end) {
				end = due
			}
		}
	}
	return end
}

// tick removes silent clients and flushes the recording, so that other programs can follow it.
func (p *Relay) tick(now time.Time) {
	for _, c := range p.clients.idle(now) {
		if c.logged {
			p.log("client %d is silent and removed", c.number)
		}
		p.disconnect(c)
	}
	if err := p.Record.Flush(); err != nil && !p.recordReported {
		p.recordReported = true
		p.log("%s", terminal.Line(err.Error()))
	}
}

// prove notes that a client has used its peer ID. It reports whether the client has a place.
func (p *Relay) prove(now time.Time, c *client) bool {
	switch old := p.clients.prove(now, c); {
	case old == c:
		p.log("client %d is removed: there are too many", c.number)
		p.disconnect(c)
		return false
	case old != nil:
		p.log("client %d is silent and replaced", old.number)
		p.disconnect(old)
	}
	p.introduce(c)
	return true
}

// introduce prints the address of a client, once.
func (p *Relay) introduce(c *client) {
	if !c.logged {
		c.logged = true
		p.log("client %d is %v", c.number, c.addr)
	}
}

// log prints a line.
func (p *Relay) log(format string, args ...any) {
	fmt.Fprintf(p.options.Log, "%s: %s\n", p.options.Name, fmt.Sprintf(format, args...))
}
