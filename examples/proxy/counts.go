package main

import (
	"fmt"
	"text/tabwriter"
)

// counts is what happened to the datagrams of one direction. All that came in and all
// second copies were sent, dropped, without room, failed, or left.
type counts struct {
	received, bytes  int
	dropped, noRoom  int
	duplicated, held int
	sent             int
	failed           int // the socket took them not
	left             int // on their way when the client or the program ended
}

// arrived counts a datagram that came in.
func (c *counts) arrived(f fate, length int) {
	c.received++
	c.bytes += length
	for _, x := range []struct {
		set bool
		n   *int
	}{{f.dropped, &c.dropped}, {f.noRoom, &c.noRoom}, {f.duplicated, &c.duplicated}, {f.held, &c.held}} {
		if x.set {
			*x.n++
		}
	}
}

// gone counts a datagram that was sent, or not because of an error.
func (c *counts) gone(err error) {
	if err != nil {
		c.failed++
		return
	}
	c.sent++
}

// summary prints the counts.
func (p *proxy) summary() {
	tw := tabwriter.NewWriter(p.stderr, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "dir\treceived\tbytes\tdropped\tqueue full\theld back\tduplicated\tsent\tfailed\tleft\t")
	for w, c := range p.counts {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", way(w).dir(), c.received, c.bytes, c.dropped, c.noRoom, c.held, c.duplicated, c.sent, c.failed, c.left)
	}
	_ = tw.Flush() // there is nowhere else to say that it fails
	fmt.Fprintf(p.stderr, "%d clients, %d datagrams refused", p.clients.count, p.clients.refused)
	if p.printer != nil && p.printer.missed > 0 {
		fmt.Fprintf(p.stderr, ", %d not shown", p.printer.missed)
	}
	fmt.Fprintln(p.stderr)
}
