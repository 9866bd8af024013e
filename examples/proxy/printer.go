package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// maxPrintQueue is the largest number of datagrams that wait to be printed.
const maxPrintQueue = 1024

// printer prints datagrams in a goroutine, so that a blocked terminal does not delay the
// players. A nil printer is closed and prints nothing.
type printer struct {
	in      chan *show.Datagram
	done    chan struct{}
	skipped int // datagrams not printed, because the queue was full
	w       *bufio.Writer
	out     show.Output
	decoder show.Decoder
	text    []byte
	err     error
}

func newPrinter(o *options, stdout io.Writer) *printer {
	p := &printer{in: make(chan *show.Datagram, maxPrintQueue), done: make(chan struct{}), w: bufio.NewWriterSize(stdout, 64<<10)}
	p.decoder.Mask = !o.passwords
	switch colour := terminal.Colourful(stdout); {
	case o.json:
		p.out = show.NewJSON()
	case o.bytes:
		p.out = show.NewBytes(colour)
	default:
		p.out = show.NewLines(colour, o.verbose, terminal.Columns(stdout))
	}
	go p.run()
	return p
}

// show queues a datagram to be printed. It deciphers the bytes in place.
func (p *printer) show(d *show.Datagram) {
	select {
	case p.in <- d:
	default:
		p.skipped++
	}
}

// run prints datagrams until the channel is closed or the output fails.
func (p *printer) run() {
	defer close(p.done)
	for d := range p.in {
		if p.err == nil {
			p.text = p.out.Append(p.text[:0], p.decoder.Decode(d))
			_, p.err = p.w.Write(p.text)
		}
		if p.err == nil && len(p.in) == 0 {
			p.err = p.w.Flush()
		}
	}
}

// report returns the number of datagrams that were not printed for the summary, if there are any.
func (p *printer) report() string {
	if p == nil || p.skipped == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not printed", p.skipped)
}

// close waits until all queued datagrams are printed. It returns nil if the reader has closed
// the output.
func (p *printer) close() error {
	if p == nil {
		return nil
	}
	close(p.in)
	<-p.done
	if p.err == nil {
		p.err = p.w.Flush()
	}
	if terminal.Closed(p.err) {
		return nil
	}
	return p.err
}
