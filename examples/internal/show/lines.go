package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// NewLines returns an output that prints one line per message. If verbose is true, the fields
// follow in full.
func NewLines(w io.Writer, colour, verbose bool) Output {
	return &lineOutput{w: w, style: newStyle(colour), verbose: verbose}
}

// lineOutput prints one line per message.
type lineOutput struct {
	w       io.Writer
	style   style
	verbose bool
	client  column
}

// summaryWidth is the number of characters for the fields of a message in its line.
const summaryWidth = 100

// column is the width of a column: of its longest text so far.
type column int

func (c *column) pad(s string) string {
	*c = max(*c, column(utf8.RuneCountInString(s)))
	return s + strings.Repeat(" ", int(*c)-utf8.RuneCountInString(s))
}

func (l *lineOutput) Packet(p *Packet) error {
	var b strings.Builder
	for _, r := range p.Messages {
		l.line(&b, p, r)
		if l.verbose {
			l.fields(&b, r.fields(), "")
			l.lines(&b, subsystems, statusLines(r.subsystems()))
			l.lines(&b, "", r.power)
		}
	}
	_, err := io.WriteString(l.w, b.String())
	return err
}

func (l *lineOutput) Finish(int) error { return nil }
func (l *lineOutput) Failed() bool     { return false }

// line prints packet number, time, client, direction, peer ID, name, sequence number, fields,
// notes and the error.
func (l *lineOutput) line(b *strings.Builder, p *Packet, r *Message) {
	s := l.style
	head := fmt.Sprintf("%5d %9.3f", p.Number, p.Time)
	fmt.Fprintf(b, "%s  %s %s %s  ", s.dim.Sprint(head), l.client.pad(p.Client), s.arrow(p.Dir), p.peerText())
	fields := "" // with -v, they follow
	if !l.verbose || r.Type == "GameSpy" {
		fields = r.Summary()
	}
	line := fmt.Sprintf("%s %s  %s", s.name.Sprintf("%-20s", r.Title()), s.dim.Sprintf("%6s", r.seqText()), fields)
	b.WriteString(strings.TrimRight(line, " "))
	if text := r.Note(); text != "" {
		b.WriteString("  " + s.note.Sprintf("(%s)", terminal.Line(text)))
	}
	if r.Err != nil {
		b.WriteString("  " + s.bad.Sprint("!! "+terminal.Line(r.Err.Error())))
	}
	b.WriteByte('\n')
}

// peerText returns the peer ID in three characters. GameSpy text has none.
func (p *Packet) peerText() string {
	if p.gamespy {
		return "  -"
	}
	return fmt.Sprintf("%3d", p.Peer)
}

// Title returns the name of the message, with the opcode if it has no name.
func (r *Message) Title() string {
	switch {
	case r.Name == "":
		return "-"
	case r.Name == "Unknown":
		return "Unknown " + hexCode(r.code)
	}
	return r.Name
}

// seqText returns the sequence number of a reliable message.
func (r *Message) seqText() string {
	if !r.Frame.Reliable {
		return ""
	}
	return "#" + strconv.Itoa(int(r.Frame.Seq))
}

// Summary returns the fields in one line of at most 100 characters.
func (r *Message) Summary() string {
	if r.Type == "GameSpy" {
		return clip(gamespyText(r), summaryWidth)
	}
	if r.Frame.Fragment && !r.Whole {
		return terminal.Plural(len(r.Frame.Body), "byte")
	}
	if ack, ok := r.Body.(*transport.Ack); ok {
		return ackSummary(*ack)
	}
	return clip(terminal.Line(summary(r.fields())), summaryWidth)
}

// ackSummary names the acknowledged message.
func ackSummary(a transport.Ack) string {
	text := fmt.Sprintf("of game #%d", a.Seq)
	if a.Flags&transport.AckSystem != 0 {
		text = fmt.Sprintf("of system #%d", a.Seq)
	}
	if a.Flags&transport.AckFragment != 0 {
		text += fmt.Sprintf(", fragment %d", int(a.FragIndex)+1)
	}
	return text
}

// fields prints the fields of an object, one per line.
func (l *lineOutput) fields(b *strings.Builder, o *object, indent string) {
	for _, m := range o.members {
		if m.name != subsystems {
			l.field(b, m.name, m.value, indent)
		}
	}
}

// lines prints one text per line, and the name beside the first text.
func (l *lineOutput) lines(b *strings.Builder, name string, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "%s%-20s %s\n", margin, name, l.style.value.Sprint(terminal.Line(text)))
		name = ""
	}
}

func statusLines(all []stateupdate.Status) (texts []string) {
	for i := range all {
		texts = append(texts, all[i].String())
	}
	return texts
}

// margin is the indentation of the fields of -v.
const margin = "                  "

func (l *lineOutput) field(b *strings.Builder, name string, v any, indent string) {
	value := short(v)
	if bytes, ok := v.([]byte); ok {
		value = fmt.Sprintf("%x", bytes)
	}
	switch v := v.(type) {
	case *object:
		fmt.Fprintf(b, "%s%s%s\n", margin, indent, name)
		l.fields(b, v, indent+"  ")
		return
	case *list:
		fmt.Fprintf(b, "%s%s%s %s\n", margin, indent, name, l.style.dim.Sprint(value))
		for i, item := range v.items {
			l.field(b, "["+strconv.Itoa(i)+"]", item, indent+"  ")
		}
		return
	}
	fmt.Fprintf(b, "%s%s%-*s %s", margin, indent, max(0, 20-len(indent)), name, l.style.value.Sprint(value))
	if more := detail(v); more != "" {
		b.WriteString("  " + l.style.dim.Sprint(more))
	}
	b.WriteByte('\n')
}

// summary returns the fields of an object in a line.
func summary(o *object) string {
	texts := make([]string, len(o.members))
	for i, m := range o.members {
		texts[i] = m.name + "=" + short(m.value)
		if all, ok := m.value.(*object); ok && m.name == subsystems {
			texts[i] = conditions(all)
		}
	}
	return strings.Join(texts, " ")
}

// conditions returns the conditions of subsystems in a line.
func conditions(all *object) string {
	texts := make([]string, len(all.members))
	for i, m := range all.members {
		texts[i] = m.name
		if system, ok := m.value.(*object); ok && len(system.members) > 0 {
			texts[i] += " " + short(system.members[0].value)
		}
	}
	return strings.Join(texts, ", ")
}

// style colours text, or leaves it unchanged.
type style struct{ dim, name, toServer, toClient, bad, note, value *color.Color }

func newStyle(colour bool) style {
	paint := func(attributes ...color.Attribute) *color.Color { return terminal.Paint(colour, attributes...) }
	return style{
		dim:      paint(color.Faint),
		name:     paint(color.Bold),
		toServer: paint(color.FgCyan),
		toClient: paint(color.FgGreen),
		bad:      paint(color.FgRed),
		note:     paint(color.FgYellow),
		value:    paint(color.FgBlue),
	}
}

// arrow returns an arrow from the sender to the receiver, with the client on the left.
func (s style) arrow(d recording.Direction) string {
	if d == recording.ToClient {
		return s.toClient.Sprint("<-")
	}
	return s.toServer.Sprint("->")
}
