// Package relay relays datagrams between players and a server. It shows and records them, and can
// simulate a bad network. Open a [Relay], and Run it:
//
//	r, err := relay.Open(relay.Options{Listen: "127.0.0.1:22102", Server: "127.0.0.1", Clients: 64, Idle: time.Minute})
//	...
//	err = r.Run(ctx)
//
// See [udp.Relay] for who is relayed. Connects from forged addresses keep nobody out.
package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
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

// Relay relays datagrams. Set the fields before Run.
type Relay struct {
	Record *capture.Recorder      // records the datagrams, unless nil
	Show   func(d *show.Datagram) // receives a copy of each datagram, unless nil; it must not wait
	// Hold delays what Show receives until the server has accepted the client, except for GameSpy text.
	// It never receives the datagrams of forged addresses then.
	Hold bool

	options  Options
	listener *net.UDPConn
	server   netip.AddrPort
	began    time.Time
	wake     chan struct{} // holds a value if a datagram waits

	mu             sync.Mutex // guards these
	clients        map[*udp.RelayClient]*client
	packets        int
	count          int64 // of clients
	refused        int   // datagrams
	counts         [2]counts
	recordReported bool          // an error of the recording has been printed
	strangers      *rate.Limiter // of the lines about unproven clients
	recorded       *rate.Limiter // of what is recorded of them
	unrecorded     int           // datagrams
}

// client is what a Relay knows about a client.
type client struct {
	links           [2]*link
	logged          bool             // its address has been printed
	errorReported   bool             // an error of the client has been printed
	held            []*show.Datagram // to be shown when the client is proven
	heldBytes       int              // of all that was to be held
	unrecorded      []recording.Datagram
	unrecordedBytes int
}

// Open opens the socket for the players, and finds the address of the server.
func Open(o Options) (*Relay, error) {
	server, err := hostport.Resolve("udp", o.Server, gamespy.DefaultPort)
	if err != nil {
		return nil, fmt.Errorf("-server %s: %w", o.Server, err)
	}
	addr, err := net.ResolveUDPAddr("udp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("-listen %s: %w", o.Listen, err)
	}
	listener, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("-listen %s: %w", o.Listen, err)
	}
	return newRelay(o, listener, server, time.Now()), nil
}

func newRelay(o Options, listener *net.UDPConn, server netip.AddrPort, began time.Time) *Relay {
	return &Relay{
		options: o, listener: listener, server: server, began: began,
		wake: make(chan struct{}, 1), clients: map[*udp.RelayClient]*client{},
		// Connects from forged addresses must not fill the log.
		strangers: rate.NewLimiter(1, 10),
		recorded:  rate.NewLimiter(recordRate, recordBurst),
	}
}

// Close closes the socket for the players.
func (p *Relay) Close() error { return p.listener.Close() }

// Addr is the address for the players.
func (p *Relay) Addr() netip.AddrPort {
	a := p.listener.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// Server is the address of the server.
func (p *Relay) Server() netip.AddrPort { return p.server }

// Began is the time that the times of the datagrams begin with.
func (p *Relay) Began() time.Time { return p.began }

// Run relays datagrams until the context ends or the listener fails, and closes the listener. It does not send datagrams
// that are queued then.
func (p *Relay) Run(ctx context.Context) error {
	defer p.listener.Close()
	ctx, stop := context.WithCancel(ctx)
	var paced sync.WaitGroup
	paced.Go(func() { p.pace(ctx) })
	err := udp.Relay(ctx, p.listener, p.server, udp.RelayHandler{
		Datagram: p.datagram, Changed: p.changed, Failed: p.failed, Refused: func(netip.AddrPort) { p.locked(func() { p.refused++ }) },
		Clients: p.options.Clients, Idle: p.options.Idle, Plain: p.options.Plain,
	})
	stop()
	paced.Wait()
	if p.unrecorded > 0 {
		p.log("%s of strangers not recorded", terminal.Plural(p.unrecorded, "datagram"))
	}
	return err
}

func (p *Relay) locked(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// pace sends the datagrams that have waited, and flushes the recording once a second.
func (p *Relay) pace(ctx context.Context) {
	timer, tick := time.NewTimer(0), p.began
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-p.wake:
		case <-timer.C:
		}
		p.locked(func() {
			now := time.Now()
			if !now.Before(tick) {
				tick = now.Add(time.Second)
				p.tick()
			}
			timer.Reset(time.Until(p.send(now, tick)))
		})
	}
}

// datagram handles a received datagram.
func (p *Relay) datagram(of *udp.RelayClient, at time.Time, fromHost bool, datagram []byte, send func([]byte) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, dir := p.clientOf(of), ToServer
	if fromHost {
		dir = ToClient
	}
	data := bytes.Clone(datagram)
	f := c.links[dir].put(at, data, send)
	p.counts[dir].countReceived(f, len(datagram))
	p.packets++
	d := recording.Datagram{
		Seconds:   at.Sub(p.began).Seconds(),
		Direction: dir.Recorded(),
		Client:    of.Number,
		Data:      data,
		Note:      f.note(),
	}
	proven := of.State == udp.RelayProven
	p.record(c, proven, d)
	if p.Show != nil {
		d.Data = bytes.Clone(datagram) // deciphering is done in place
		shown := capture.Recorded(p.packets, d)
		shown.Note = d.Note
		p.show(c, proven, shown)
	}
	c.send(p, at)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// clientOf returns what is known about a client.
func (p *Relay) clientOf(of *udp.RelayClient) *client {
	c := p.clients[of]
	if c == nil {
		c = &client{}
		for dir, conditions := range p.options.Conditions {
			c.links[dir] = newLink(conditions, p.options.Seed, uint64(2*of.Number)+uint64(dir))
		}
		p.clients[of], p.count = c, max(p.count, of.Number)
	}
	return c
}

// Bytes of unproven clients and of GameSpy text that are recorded: a burst, and so many a second. They are forged for
// nothing.
const recordRate, recordBurst = 1 << 10, 1 << 20

// record records a datagram. If strangers have sent too many, it holds one of an unproven client until the client is
// proven, and drops GameSpy text.
func (p *Relay) record(c *client, proven bool, d recording.Datagram) {
	text := transport.IsGameSpy(d.Data)
	size := 64 + len(d.Data)
	switch {
	case p.Record == nil:
	case proven && !text:
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
func (p *Relay) show(c *client, proven bool, d *show.Datagram) {
	switch {
	case !p.Hold || transport.IsGameSpy(d.Data):
	case !proven:
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
	for _, c := range p.clients {
		c.send(p, now)
		for _, l := range c.links {
			if due, ok := l.deadline(); ok && due.Before(end) {
				end = due
			}
		}
	}
	return end
}

// send sends the datagrams of a client that are due.
func (c *client) send(p *Relay, now time.Time) {
	for dir, l := range c.links {
		for e, ok := l.next(now); ok; e, ok = l.next(now) {
			if e.send(e.datagram) != nil {
				p.counts[dir].failed++
			} else {
				p.counts[dir].sent++
			}
		}
	}
}

// tick flushes the recording, so that other programs can follow it.
func (p *Relay) tick() {
	if err := p.Record.Flush(); err != nil && !p.recordReported {
		p.recordReported = true
		p.log("%s", terminal.Line(err.Error()))
	}
}

// changed handles a change in the state of a client.
func (p *Relay) changed(of *udp.RelayClient) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clientOf(of)
	switch {
	case of.State == udp.RelayUnproven && !p.strangers.Allow():
	case of.State != udp.RelayRemoved:
		if !c.logged {
			c.logged = true
			p.log("client %d is %v", of.Number, of.Addr)
		}
	default:
		if of.Err != nil && c.logged {
			p.log("client %d is removed: %s", of.Number, terminal.Line(of.Err.Error()))
		}
		for dir, l := range c.links {
			p.counts[dir].unsent += len(l.queue)
		}
		p.unrecorded += len(c.unrecorded)
		delete(p.clients, of)
	}
}

// failed prints the first error of each client.
func (p *Relay) failed(of *udp.RelayClient, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clientOf(of)
	if !c.errorReported && !errors.Is(err, net.ErrClosed) && (of.State == udp.RelayProven || p.strangers.Allow()) {
		c.errorReported = true
		p.log("client %d: %s", of.Number, terminal.Line(err.Error()))
	}
}

// log prints a line.
func (p *Relay) log(format string, args ...any) {
	fmt.Fprintf(p.options.Log, "%s: %s\n", p.options.Name, fmt.Sprintf(format, args...))
}
