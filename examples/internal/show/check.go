package show

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// maxShown is the number of failures that are printed.
const maxShown = 100

// checkOutput re-encodes decoded datagrams and counts differences.
type checkOutput struct {
	w         io.Writer
	datagrams int
	messages  int
	failures  int
	shown     []string // the first failures
	types     map[string]*counts
	notes     map[string]*counts
	blocks    [3]int // subsystem blocks by blockForm
}

// counts holds the counts of messages of a type or of notes of a kind.
type counts struct{ count, bytes, failures, first int }

// NewCheck returns an output that re-encodes the decoded messages and compares the bytes. At the
// end it prints counts of messages, notes and failures, and of subsystem blocks by their form: of the
// game, of OpenBC (tolerant), or not decoded (raw).
func NewCheck(w io.Writer) Output {
	return &checkOutput{w: w, types: map[string]*counts{}, notes: map[string]*counts{}}
}

func (c *checkOutput) Failed() bool { return c.failures > 0 }

func (c *checkOutput) Packet(p *Packet) error {
	c.datagrams++
	for _, r := range p.Messages {
		c.record(p, r)
	}
	if err := p.encodes(); err != nil {
		c.fail(p, fmt.Errorf("datagram: %w", err))
	}
	return nil
}

func (c *checkOutput) record(p *Packet, r *Message) {
	t := countsOf(c.types, r.label())
	t.bytes += len(r.Raw)
	if r.Type != "" {
		c.messages++
		t.count++
	}
	for _, n := range r.notes {
		if n.kind == kindFragment {
			continue
		}
		note := countsOf(c.notes, n.kind)
		if note.count++; note.count == 1 {
			note.first = p.Number
		}
	}
	if form, ok := r.blockForm(); ok {
		c.blocks[form]++
	}
	err := r.Err
	if err == nil {
		err = r.encodes()
	}
	if err != nil {
		t.failures++
		c.fail(p, fmt.Errorf("message %d, %s: %w", r.Index, r.label(), err))
	}
}

func countsOf(m map[string]*counts, key string) *counts {
	if m[key] == nil {
		m[key] = &counts{}
	}
	return m[key]
}

func (c *checkOutput) fail(p *Packet, err error) {
	c.failures++
	if len(c.shown) < maxShown {
		c.shown = append(c.shown, terminal.Line(fmt.Sprintf("packet %d, %v", p.Number, err)))
	}
}

// Finish prints the report.
func (c *checkOutput) Finish(pending int) error {
	if pending > 0 {
		countsOf(c.notes, "payload incomplete at the end of the input").count = pending
	}
	tw := tabwriter.NewWriter(c.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "count\tbytes\tfailed\t  message")
	for _, name := range byCount(c.types) {
		t := c.types[name]
		fmt.Fprintf(tw, "%d\t%d\t%d\t  %s\n", t.count, t.bytes, t.failures, name)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	c.list("\nnotes\n", byCount(c.notes), func(kind string) string {
		n := c.notes[kind]
		if n.first == 0 {
			return fmt.Sprintf("%6d  %s", n.count, kind)
		}
		return fmt.Sprintf("%6d  %s, first in packet %d", n.count, kind, n.first)
	})
	c.list("\nfailures\n", c.shown, func(s string) string { return "  " + s })
	if more := c.failures - len(c.shown); more > 0 {
		fmt.Fprintf(c.w, "  and %d more\n", more)
	}
	fmt.Fprintf(c.w, "\n%s, %s: %s\n", terminal.Plural(c.datagrams, "datagram"), terminal.Plural(c.messages, "message"), c.verdict())
	_, err := fmt.Fprintf(c.w, "subsystem blocks: %d stock, %d tolerant, %d raw\n", c.blocks[blockStock], c.blocks[blockTolerant], c.blocks[blockRaw])
	return err
}

func (c *checkOutput) list(head string, items []string, line func(string) string) {
	for i, item := range items {
		if i == 0 {
			fmt.Fprint(c.w, head)
		}
		fmt.Fprintln(c.w, line(item))
	}
}

func (c *checkOutput) verdict() string {
	switch {
	case c.datagrams == 0:
		return "nothing to check"
	case c.failures == 0:
		return "all messages decode and re-encode to the same bytes"
	}
	return terminal.Plural(c.failures, "failure")
}

// byCount returns the keys of a table, the highest count first.
func byCount(m map[string]*counts) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b].count, m[a].count), cmp.Compare(a, b))
	})
}

// errDiffers means that re-encoding did not give the decoded bytes.
var errDiffers = errors.New("re-encoding changes the bytes")

// encodes returns an error if the framing of a datagram does not re-encode to its bytes. It
// returns nil for malformed framing, which is counted as a failed message.
func (p *Packet) encodes() error {
	if p.gamespy || p.malformed {
		return nil
	}
	t := transport.Packet{PeerID: p.Peer, Trailing: p.trailing}
	for _, r := range p.Messages {
		if r.Type != "" {
			t.Messages = append(t.Messages, r.Frame)
		}
	}
	return compareEncoding(p.Data, func() ([]byte, error) { return t.AppendBinary(nil) })
}

// encodes returns an error if the content of a message does not re-encode to its bytes.
func (r *Message) encodes() error {
	switch {
	case r.Body != nil:
		return compareEncoding(r.Frame.Body, func() ([]byte, error) { return transport.NewMessage(0, r.Body).Body, nil })
	case !r.Whole:
		return nil
	}
	want := r.Payload[:len(r.Payload)-len(r.trailing)]
	if err := compareEncoding(want, func() ([]byte, error) { return opcode.Append(nil, r.message) }); err != nil || r.class == nil {
		return err
	}
	return compareEncoding(r.Payload[:len(r.Payload)-len(r.afterSubsystems)], r.encodeSubsystems)
}

// encodeSubsystems encodes a message from its subsystems.
func (r *Message) encodeSubsystems() ([]byte, error) {
	if m, ok := r.Decoded.(*opcode.StateUpdate); ok {
		return r.class.AppendUpdate(nil, m, r.subsystems())
	}
	blob, err := r.class.AppendBlob(nil, r.subsystems())
	if err != nil {
		return nil, err
	}
	switch m := r.Decoded.(type) {
	case *opcode.ObjectCreate:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	case *opcode.ObjectCreateTeam:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	}
	return opcode.Marshal(r.Decoded)
}

func compareEncoding(want []byte, encode func() ([]byte, error)) error {
	switch got, err := encode(); {
	case err != nil:
		return err
	case !bytes.Equal(got, want):
		return fmt.Errorf("%w: %s", errDiffers, difference(got, want))
	}
	return nil
}

// difference describes the first difference between two byte strings.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("0x%02x instead of 0x%02x at offset %d", got[i], want[i], i)
		}
	}
	return fmt.Sprintf("%s instead of %d", terminal.Plural(len(got), "byte"), len(want))
}
