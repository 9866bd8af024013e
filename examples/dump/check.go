package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// maxShown is the number of failures that are printed.
const maxShown = 100

// check is the output of -check. It re-encodes messages, and counts them, their notes, and subsystem blocks by
// their form. A message fails that has an error or whose bytes differ.
type check struct {
	reencoder

	datagrams int
	messages  int
	failures  int
	shown     []failure // the first ones
	types     table
	notes     map[string]*counts
	blocks    struct{ stock, tolerant, raw int }
}

// failure is the text of a failure and the number of its datagram.
type failure struct {
	packet int
	text   string
}

// block counts the subsystem block of a StateUpdate, whose statuses have been re-encoded.
func (c *check) block(m *show.Message) {
	switch isOpenBC := func(s stateupdate.Status) bool { return s.OpenBC }; {
	case m.Class == nil:
		c.blocks.raw++
	case slices.ContainsFunc(c.statuses, isOpenBC):
		c.blocks.tolerant++
	default:
		c.blocks.stock++
	}
}

// Append re-encodes and counts the messages of a datagram. It appends nothing.
func (c *check) Append(dst []byte, p *show.Packet) []byte {
	c.datagrams++
	for i, m := range p.Messages {
		c.record(p, m)
		game, err := c.message(m)
		if update, ok := game.(*opcode.StateUpdate); ok && update.Flags&opcode.StateSubsystems != 0 {
			c.block(m)
		}
		if err = cmp.Or(m.Err, err); err != nil {
			c.types.of(m).failures++
			c.fail(p, fmt.Errorf("message %d, %s: %w", i, labelOf(m), err))
		}
	}
	if err := c.packet(p); err != nil {
		c.fail(p, fmt.Errorf("datagram: %w", err))
	}
	return dst
}

func (c *check) record(p *show.Packet, m *show.Message) {
	t := c.types.of(m)
	t.bytes += len(m.Raw)
	if m.Type != "" {
		c.messages++
		t.count++
	}
	for _, n := range m.Notes {
		if n.Kind == show.KindFragment { // fragments are normal
			continue
		}
		note := countsOf(&c.notes, n.Kind)
		if note.count++; note.count == 1 {
			note.first = p.Number
		}
	}
}

func (c *check) fail(p *show.Packet, err error) {
	c.failures++
	if len(c.shown) < maxShown {
		c.shown = append(c.shown, failure{p.Number, terminal.Line(fmt.Sprintf("packet %d, %v", p.Number, err))})
	}
}

// Merge adds the counts of other datagrams.
func (c *check) Merge(other show.Output) {
	o := other.(*check)
	c.datagrams, c.messages, c.failures = c.datagrams+o.datagrams, c.messages+o.messages, c.failures+o.failures
	c.blocks.stock, c.blocks.tolerant, c.blocks.raw = c.blocks.stock+o.blocks.stock, c.blocks.tolerant+o.blocks.tolerant, c.blocks.raw+o.blocks.raw
	c.types.add(&o.types)
	addCounts(&c.notes, o.notes)
	c.shown = append(c.shown, o.shown...)
	slices.SortStableFunc(c.shown, func(a, b failure) int { return cmp.Compare(a.packet, b.packet) })
	c.shown = c.shown[:min(len(c.shown), maxShown)]
}

// Finish appends the counts of messages, notes and failures, and of subsystem blocks.
func (c *check) Finish(dst []byte, pending int) []byte {
	if pending > 0 {
		countsOf(&c.notes, "payload incomplete at the end of the input").count = pending
	}
	b := bytes.NewBuffer(dst)
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "count\tbytes\tfailed\t  message")
	types := c.types.all()
	for _, name := range byCount(types) {
		t := types[name]
		fmt.Fprintf(tw, "%d\t%d\t%d\t  %s\n", t.count, t.bytes, t.failures, name)
	}
	tw.Flush()
	list(b, "\nnotes\n", byCount(c.notes), func(kind string) string {
		n := c.notes[kind]
		if n.first == 0 {
			return fmt.Sprintf("%6d  %s", n.count, kind)
		}
		return fmt.Sprintf("%6d  %s, first in packet %d", n.count, kind, n.first)
	})
	list(b, "\nfailures\n", c.shown, func(f failure) string { return "  " + f.text })
	if more := c.failures - len(c.shown); more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
	datagrams, messages := terminal.Plural(c.datagrams, "datagram"), terminal.Plural(c.messages, "message")
	fmt.Fprintf(b, "\n%s, %s: %s\n", datagrams, messages, c.verdict())
	fmt.Fprintf(b, "subsystem blocks: %d stock, %d tolerant, %d raw\n", c.blocks.stock, c.blocks.tolerant, c.blocks.raw)
	return b.Bytes()
}

func list[T any](b *bytes.Buffer, head string, items []T, line func(T) string) {
	for i, item := range items {
		if i == 0 {
			b.WriteString(head)
		}
		fmt.Fprintln(b, line(item))
	}
}

func (c *check) verdict() string {
	switch {
	case c.datagrams == 0:
		return "nothing to check"
	case c.failures == 0:
		return "all messages decode and re-encode to the same bytes"
	}
	return terminal.Plural(c.failures, "failure")
}
