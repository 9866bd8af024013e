package show

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// maxShown is the number of failures that are printed.
const maxShown = 100

// checkOutput counts the messages that a Decoder with Check re-encodes, and those whose bytes differ.
type checkOutput struct {
	datagrams int
	messages  int
	failures  int
	shown     []string // the first failures
	types     table
	notes     map[string]*counts
	blocks    [3]int // subsystem blocks by blockForm
	frame     transport.Packet
	encoded   []byte
}

// counts holds the counts of messages of a type or of notes of a kind.
type counts struct{ count, bytes, failures, first int }

// table counts messages by label.
type table struct {
	codes  [256]counts // of complete payloads with a name
	labels map[string]*counts
}

// of returns the counts of the messages like r.
func (t *table) of(r *Message) *counts {
	if len(r.Payload) > 0 && r.Type != "" && r.Name != "Unknown" {
		return &t.codes[r.code]
	}
	return countsOf(&t.labels, r.label())
}

// all returns the counts by label.
func (t *table) all() map[string]*counts {
	all := maps.Clone(t.labels)
	for i := range t.codes {
		if c := &t.codes[i]; c.count+c.bytes > 0 {
			*countsOf(&all, codeNames[i]) = *c
		}
	}
	return all
}

// NewCheck returns an output that counts messages whose bytes differ when a Decoder with Check re-encodes
// them. At the end it prints counts of messages, notes and failures, and of subsystem blocks by their form: of
// the game, of OpenBC (tolerant), or not decoded (raw).
func NewCheck() Output { return &checkOutput{} }

func (c *checkOutput) Failed() bool { return c.failures > 0 }

// Append counts. It appends nothing.
func (c *checkOutput) Append(dst []byte, p *Packet) []byte {
	c.datagrams++
	for _, r := range p.Messages {
		c.record(p, r)
	}
	if err := c.encodes(p); err != nil {
		c.fail(p, fmt.Errorf("datagram: %w", err))
	}
	return dst
}

func (c *checkOutput) record(p *Packet, r *Message) {
	t := c.types.of(r)
	t.bytes += len(r.Raw)
	if r.Type != "" {
		c.messages++
		t.count++
	}
	for _, n := range r.notes {
		if n.kind == kindFragment {
			continue
		}
		note := countsOf(&c.notes, n.kind)
		if note.count++; note.count == 1 {
			note.first = p.Number
		}
	}
	if r.hull.has {
		c.blocks[r.hull.form]++
	}
	err := r.Err
	if err == nil {
		err = r.differs
	}
	if err != nil {
		t.failures++
		c.fail(p, fmt.Errorf("message %d, %s: %w", r.Index, r.label(), err))
	}
}

func countsOf(m *map[string]*counts, key string) *counts {
	if *m == nil {
		*m = map[string]*counts{}
	}
	if (*m)[key] == nil {
		(*m)[key] = &counts{}
	}
	return (*m)[key]
}

func (c *checkOutput) fail(p *Packet, err error) {
	c.failures++
	if len(c.shown) < maxShown {
		c.shown = append(c.shown, terminal.Line(fmt.Sprintf("packet %d, %v", p.Number, err)))
	}
}

// Finish appends the report.
func (c *checkOutput) Finish(dst []byte, pending int) []byte {
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
	list(b, "\nfailures\n", c.shown, func(s string) string { return "  " + s })
	if more := c.failures - len(c.shown); more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
	fmt.Fprintf(b, "\n%s, %s: %s\n", terminal.Plural(c.datagrams, "datagram"), terminal.Plural(c.messages, "message"), c.verdict())
	fmt.Fprintf(b, "subsystem blocks: %d stock, %d tolerant, %d raw\n", c.blocks[blockStock], c.blocks[blockTolerant], c.blocks[blockRaw])
	return b.Bytes()
}

func list(b *bytes.Buffer, head string, items []string, line func(string) string) {
	for i, item := range items {
		if i == 0 {
			b.WriteString(head)
		}
		fmt.Fprintln(b, line(item))
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
func (c *checkOutput) encodes(p *Packet) error {
	if p.gamespy || p.malformed {
		return nil
	}
	c.frame.PeerID, c.frame.Messages, c.frame.Trailing = p.Peer, c.frame.Messages[:0], p.trailing
	for _, r := range p.Messages {
		if r.Type != "" {
			c.frame.Messages = append(c.frame.Messages, r.Frame)
		}
	}
	var err error
	if c.encoded, err = c.frame.AppendBinary(c.encoded[:0]); err != nil {
		return err
	}
	return compare(c.encoded, p.Data)
}

// encodes returns an error if a complete payload does not re-encode to its bytes.
func (d *Decoder) encodes(r *Message, m opcode.Message) error {
	got, err := d.encoder.Append(d.encoded[:0], m)
	d.encoded = got
	if err == nil {
		err = compare(got, r.Payload[:len(r.Payload)-len(r.trailing)])
	}
	if err != nil || r.hull.class == nil {
		return err
	}
	d.statuses = r.statuses(d.statuses[:0], m)
	if got, err = d.encodeSubsystems(r.hull.class, m); err != nil {
		return err
	}
	return compare(got, r.Payload[:len(r.Payload)-r.hull.remaining])
}

// encodeSubsystems encodes a message from its subsystems.
func (d *Decoder) encodeSubsystems(class *stateupdate.Class, m opcode.Message) (got []byte, err error) {
	if m, ok := m.(*opcode.StateUpdate); ok {
		d.encoded, err = class.AppendUpdate(d.encoded[:0], m, d.statuses)
		return d.encoded, err
	}
	blob, err := class.AppendBlob(nil, d.statuses)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *opcode.ObjectCreate:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	case *opcode.ObjectCreateTeam:
		c := *m
		c.SubsystemsRaw = blob
		return opcode.Marshal(&c)
	}
	return opcode.Marshal(m)
}

// compare returns an error if two byte strings differ.
func compare(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%w: %s", errDiffers, difference(got, want))
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
