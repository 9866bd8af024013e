package show

import (
	"fmt"
	"io"
	"maps"
	"math"
	"text/tabwriter"

	"github.com/bcwire/bcwire/transport/recording"
)

// statsOutput counts messages and bytes.
type statsOutput struct {
	w           io.Writer
	first, last float64
	datagrams   counts
	types       map[recording.Direction]map[string]*counts
}

// NewStats returns an output that prints counts, bytes and rates at the end.
func NewStats(w io.Writer) Output {
	return &statsOutput{w: w, first: math.Inf(1), last: math.Inf(-1), types: map[recording.Direction]map[string]*counts{recording.ToServer: {}, recording.ToClient: {}}}
}

func (s *statsOutput) Failed() bool { return false }

func (s *statsOutput) Packet(p *Packet) error {
	s.first, s.last = min(s.first, p.Time), max(s.last, p.Time)
	s.datagrams.count++
	s.datagrams.bytes += len(p.Data)
	for _, r := range p.Messages {
		t := countsOf(s.types[p.Dir], r.label())
		t.count++
		t.bytes += len(r.Raw)
	}
	return nil
}

// Finish prints the tables. The bytes of messages include their headers. The bytes of datagrams
// include the two bytes before the first message.
func (s *statsOutput) Finish(int) error {
	duration := max(0, s.last-s.first)
	tw := tabwriter.NewWriter(s.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "dir\tcount\tbytes\tcount/s\tbytes/s\t  message")
	for _, dir := range []recording.Direction{recording.ToServer, recording.ToClient} {
		table := s.types[dir]
		total := counts{}
		for t := range maps.Values(table) {
			total.count += t.count
			total.bytes += t.bytes
		}
		for _, name := range byCount(table) {
			row(tw, string(dir), *table[name], duration, name)
		}
		row(tw, string(dir), total, duration, "all messages")
	}
	row(tw, "both", s.datagrams, duration, "datagrams")
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.w, "\n%.3f s\n", duration)
	return err
}

func row(w io.Writer, dir string, t counts, duration float64, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t  %s\n", dir, t.count, t.bytes, rate(t.count, duration), rate(t.bytes, duration), name)
}

// rate returns n per second, or "-" if no time has passed.
func rate(n int, duration float64) string {
	if duration <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(n)/duration)
}
