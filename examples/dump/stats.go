package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"text/tabwriter"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// stats is the output of -stats. It counts messages and bytes, and prints counts, bytes and rates at the end.
type stats struct {
	first, last float64
	datagrams   counts
	types       [2]table // to the server and to the client
}

func newStats() *stats {
	return &stats{first: math.Inf(1), last: math.Inf(-1)}
}

// Append counts. It appends nothing.
func (s *stats) Append(dst []byte, p *show.Packet) []byte {
	s.first, s.last = min(s.first, p.Time), max(s.last, p.Time)
	s.datagrams.count++
	s.datagrams.bytes += len(p.Data)
	types := &s.types[0]
	if p.Dir == recording.ToClient {
		types = &s.types[1]
	}
	for _, m := range p.Messages {
		t := types.of(m)
		t.count++
		t.bytes += len(m.Raw)
	}
	return dst
}

// Merge adds the counts of other datagrams.
func (s *stats) Merge(other show.Output) {
	o := other.(*stats)
	s.first, s.last = min(s.first, o.first), max(s.last, o.last)
	s.datagrams.add(&o.datagrams)
	for i := range s.types {
		s.types[i].add(&o.types[i])
	}
}

// Finish appends the tables. The bytes of messages include their headers. The bytes of datagrams
// include the two bytes before the first message.
func (s *stats) Finish(dst []byte, _ int) []byte {
	duration := max(0, s.last-s.first)
	b := bytes.NewBuffer(dst)
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "dir\tcount\tbytes\tcount/s\tbytes/s\t  message")
	for i, dir := range []recording.Direction{recording.ToServer, recording.ToClient} {
		types := s.types[i].all()
		total := counts{}
		for t := range maps.Values(types) {
			total.count += t.count
			total.bytes += t.bytes
		}
		for _, name := range byCount(types) {
			row(tw, string(dir), *types[name], duration, name)
		}
		row(tw, string(dir), total, duration, "all messages")
	}
	row(tw, "both", s.datagrams, duration, "datagrams")
	tw.Flush()
	fmt.Fprintf(b, "\n%.3f s\n", duration)
	return b.Bytes()
}

func row(w io.Writer, dir string, t counts, duration float64, name string) {
	perSecond, bytes := rate(t.count, duration), rate(t.bytes, duration)
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t  %s\n", dir, t.count, t.bytes, perSecond, bytes, name)
}

// rate returns n per second, or "-" if no time has passed.
func rate(n int, duration float64) string {
	if duration <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(n)/duration)
}
