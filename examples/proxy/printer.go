package main

import (
	"bufio"
	"errors"
	"io"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// maxUnshown is how many datagrams wait to be shown.
const maxUnshown = 1024

// printer shows datagrams in a goroutine, so that a terminal that stands still does not
// hold up the players. A nil one shows nothing.
type printer struct {
	in      chan *show.Datagram
	done    chan struct{}
	missed  int // not shown, because too many waited
	w       *bufio.Writer
	out     show.Output
	decoder show.Decoder
	err     error
}

func newPrinter(o *options, stdout io.Writer) *printer {
	p := &printer{in: make(chan *show.Datagram, maxUnshown), done: make(chan struct{}), w: bufio.NewWriterSize(stdout, 64<<10)}
	switch colour := terminal.Colourful(stdout); {
	case o.json:
		p.out = show.NewJSON(p.w)
	case o.bytes:
		p.out = show.NewBytes(p.w, colour)
	default:
		p.out = show.NewLines(p.w, colour, o.verbose)
	}
	go p.run()
	return p
}

// show takes a datagram, which it deciphers.
func (p *printer) show(d *show.Datagram) {
	if p == nil {
		return
	}
	select {
	case p.in <- d:
	default:
		p.missed++
	}
}

// run shows datagrams until there will be no more. After an error it shows no more.
func (p *printer) run() {
	defer close(p.done)
	for d := range p.in {
		if p.err == nil {
			p.err = p.out.Packet(p.decoder.Decode(d))
		}
		if p.err == nil && len(p.in) == 0 {
			p.err = p.w.Flush()
		}
	}
}

// close waits until everything is shown. That nobody reads any more is no error.
func (p *printer) close() error {
	if p == nil {
		return nil
	}
	close(p.in)
	<-p.done
	if p.err == nil {
		p.err = errors.Join(p.out.Finish(p.decoder.Pending()), p.w.Flush())
	}
	if terminal.Closed(p.err) {
		return nil
	}
	return p.err
}
