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

// proxy passes datagrams. Everything but reading and printing happens in one goroutine.
type proxy struct {
	listener *net.UDPConn
	server   netip.AddrPort
	clients  clients
	arrivals chan arrival
	readers  sync.WaitGroup
	printer  *printer          // nil: nothing is shown
	record   *capture.Recorder // nil: nothing is kept
	stderr   io.Writer
	began    time.Time
	packets  int
	counts   [2]counts
	troubled bool // an error that concerns all has been told
}

// arrival is a datagram that has come in, or an error of the socket.
type arrival struct {
	client *client // nil: from the address from
	from   netip.AddrPort
	at     time.Time
	data   []byte
	err    error
}

// maxArrivals is how many datagrams wait for the loop. The system holds some more for each
// socket, and loses the rest.
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

// pause is the time between two looks at who is gone.
const pause = time.Second

// run passes datagrams until the context ends or the listener cannot be read. Queued datagrams
// are lost then.
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
			tick = now.Add(pause)
			p.tick(now)
		}
		timer.Reset(time.Until(p.send(now, tick)))
	}
}

// arrive takes a datagram.
func (p *proxy) arrive(ctx context.Context, a arrival) {
	c, w := a.client, toClient
	switch {
	case a.err != nil:
		p.trouble(c, a.err)
		return
	case c == nil:
		w = toServer
		if c = p.clientAt(ctx, a); c == nil {
			return
		}
	case c.gone:
		return
	default:
		c.answered = true
	}
	f := c.links[w].put(a.at, a.data)
	p.counts[w].arrived(f, len(a.data))
	p.packets++
	d := recording.Datagram{
		Seconds:   a.at.Sub(p.began).Seconds(),
		Direction: w.dir(),
		Client:    c.number,
		Data:      a.data,
		Note:      f.note(),
	}
	p.record.Write(d)            // Flush reports its errors
	d.Data = bytes.Clone(a.data) // deciphering is done in place
	shown := show.Recorded(p.packets, d)
	shown.Note = d.Note
	p.printer.show(shown)
}

// send sends what is due, and returns when it is to be called again, end at the latest.
func (p *proxy) send(now, end time.Time) time.Time {
	for _, c := range p.clients.byAddr {
		for w, l := range c.links {
			for {
				datagram, ok := l.next(now)
				if !ok {
					break
				}
				p.counts[w].gone(p.write(c, way(w), datagram))
			}
			if due, ok := l.deadline(); ok && due.Before(end) {
				end = due
			}
		}
	}
	return end
}

// tick forgets those who are gone, and writes the recording, so that it can be followed.
func (p *proxy) tick(now time.Time) {
	for _, c := range p.clients.idle(now) {
		fmt.Fprintf(p.stderr, "proxy: client %d is gone\n", c.number)
		p.forget(c)
	}
	p.trouble(nil, p.record.Flush())
}
