package relay

import (
	"fmt"
	"text/tabwriter"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// counts count the datagrams of one direction. The sum of received and duplicated is the sum of
// dropped, queueFull, sent, failed and unsent.
type counts struct {
	received, bytes      int
	dropped, queueFull   int
	duplicated, heldBack int
	sent                 int
	failed               int // the socket returned an error
	unsent               int // queued when the client or the program ended
}

// countReceived counts a received datagram.
func (c *counts) countReceived(f outcome, length int) {
	c.received++
	c.bytes += length
	for _, x := range []struct {
		set bool
		n   *int
	}{{f.dropped, &c.dropped}, {f.queueFull, &c.queueFull}, {f.duplicated, &c.duplicated}, {f.heldBack, &c.heldBack}} {
		if x.set {
			*x.n++
		}
	}
}

// Summary prints the counts, and more text at the end of the line.
func (p *Relay) Summary(more string) {
	tw := tabwriter.NewWriter(p.options.Log, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "dir\treceived\tbytes\tdropped\tqueue full\theld back\tduplicated\tsent\tfailed\tunsent\t")
	for dir, c := range p.counts {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", Direction(dir).Recorded(), c.received, c.bytes, c.dropped, c.queueFull, c.heldBack, c.duplicated, c.sent, c.failed, c.unsent)
	}
	_ = tw.Flush() // an error of standard error cannot be reported
	fmt.Fprintf(p.options.Log, "%s, %s refused%s\n", terminal.Plural(int(p.count), "client"), terminal.Plural(p.refused, "datagram"), more)
}
