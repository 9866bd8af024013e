package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// proxy relays datagrams. One goroutine does everything except reading and printing.
type proxy struct {
	listener      *net.UDPConn
	server        netip.AddrPort
	clients       clients
	arrivals      chan arrival
	readers       sync.WaitGroup
	printer       *printer          // nil if nothing is printed
	record        *capture.Recorder // nil if nothing is recorded
	stderr        io.Writer
	began         time.Time
	packets       int
	counts        [2]counts
	errorReported bool // an error without a client has been printed
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

func newProxy(o *options, listener *net.UDPConn, server netip.AddrPort, began time.Time, stderr io.Writer) *proxy {
	return &proxy{
		listener: listener,
		server:   server,
		clients:  clients{options: o, byAddr: map[netip.AddrPort]*client{}},
		arrivals: make(chan arrival, maxArrivals),
		stderr:   stderr,
		began:    began,
	}
}

// tickInterval is the time between two calls of tick.
const tickInterval = time.Second

// run relays datagrams until the context ends or the listener fails. It does not send datagrams
// that are queued then.
func (p *proxy) run(ctx context.Context) error {
	p.readers.Go(func() { p.read(ctx, p.listener, nil) })
	defer p.close()
	tick := p.began
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
			tick = now.Add(tickInterval)
			p.tick(now)
		}
		timer.Reset(time.Until(p.send(now, tick)))
	}
}

// arrive handles a received datagram.
func (p *proxy) arrive(ctx context.Context, a arrival) {
	c, dir := a.client, toClient
	switch {
	case a.err != nil:
		p.reportError(c, a.err)
		return
	case c == nil:
		dir = toServer
		if c = p.clientAt(ctx, a); c == nil {
			return
		}
	case c.removed:
		return
	default:
		c.answered = true
	}
	f := c.links[dir].put(a.at, a.data)
	p.counts[dir].countReceived(f, len(a.data))
	p.packets++
	d := recording.Datagram{
		Seconds:   a.at.Sub(p.began).Seconds(),
		Direction: dir.recorded(),
		Client:    c.number,
		Data:      a.data,
		Note:      f.note(),
	}
	p.record.Write(d)            // Flush returns its errors
	d.Data = bytes.Clone(a.data) // deciphering is done in place
	shown := show.Recorded(p.packets, d)
	shown.Note = d.Note
	p.printer.show(shown)
}

// send sends the datagrams that are due. It returns the time of its next call, at most end.
func (p *proxy) send(now, end time.Time) time.Time {
	for _, c := range p.clients.byAddr {
		for dir, l := range c.links {
			for {
				datagram, ok := l.next(now)
				if !ok {
					break
				}
				p.counts[dir].countSent(p.write(c, direction(dir), datagram))
			}
			if due, ok := l.deadline(); ok && due.Before(end) {
				end = due
			}
		}
	}
	return end
}

// tick removes silent clients and flushes the recording, so that other programs can follow it.
func (p *proxy) tick(now time.Time) {
	for _, c := range p.clients.idle(now) {
		fmt.Fprintf(p.stderr, "proxy: client %d is silent and removed\n", c.number)
		p.disconnect(c)
	}
	p.reportError(nil, p.record.Flush())
}
