package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport"
)

// NewLines returns an output of one line per message, verbose with the fields below.
func NewLines(w io.Writer, colour, verbose bool) Output {
	return &lister{w: w, style: newStyle(colour), verbose: verbose}
}

// lister prints one line per message, and the fields if asked.
type lister struct {
	w       io.Writer
	style   style
	verbose bool
	client  column
}

// summaryWidth is the number of characters for the fields of a message in its line.
const summaryWidth = 100

// column is as wide as its longest text so far.
type column int

func (c *column) pad(s string) string {
	*c = max(*c, column(utf8.RuneCountInString(s)))
	return s + strings.Repeat(" ", int(*c)-utf8.RuneCountInString(s))
}

func (l *lister) Packet(p *Packet) error {
	var b strings.Builder
	for _, r := range p.records {
		l.line(&b, p, r)
		if l.verbose {
			l.fields(&b, r.fields(), "")
			l.lines(&b, subsystems, statusLines(r.systems))
			l.lines(&b, "", r.power)
		}
	}
	_, err := io.WriteString(l.w, b.String())
	return err
}

func (l *lister) Finish(int) error { return nil }
func (l *lister) Failed() bool     { return false }

// line prints packet number, time, client, direction, peer ID, name, sequence number,
// fields, and what is to be remarked.
func (l *lister) line(b *strings.Builder, p *Packet, r *record) {
	s := l.style
	head := fmt.Sprintf("%5d %9.3f", p.Number, p.Time)
	fmt.Fprintf(b, "%s  %s %s %s  ", s.dim.Sprint(head), l.client.pad(p.Client), s.arrow(p.Dir), p.peerText())
	line := fmt.Sprintf("%s %s  %s", s.name.Sprintf("%-20s", r.title()), s.dim.Sprintf("%6s", r.seqText()), l.summary(r))
	b.WriteString(strings.TrimRight(line, " "))
	if text := r.remarks(); text != "" {
		b.WriteString("  " + s.note.Sprintf("(%s)", terminal.Line(text)))
	}
	if r.err != nil {
		b.WriteString("  " + s.bad.Sprint("!! "+terminal.Line(r.err.Error())))
	}
	b.WriteByte('\n')
}

// peerText returns the peer ID in three places; GameSpy text has none.
func (p *Packet) peerText() string {
	if p.gamespy {
		return "  -"
	}
	return fmt.Sprintf("%3d", p.peer)
}

// title is the name of the message, with the opcode if that is all there is to know.
func (r *record) title() string {
	switch {
	case r.name == "":
		return "-"
	case r.name == "Unknown":
		return "Unknown " + hexCode(r.code)
	}
	return r.name
}

// seqText returns the sequence number of a reliable message.
func (r *record) seqText() string {
	if !r.msg.Reliable {
		return ""
	}
	return "#" + strconv.Itoa(int(r.msg.Seq))
}

// summary returns the fields in short. With -v they follow in full.
func (l *lister) summary(r *record) string {
	switch {
	case r.typ == "GameSpy":
		return clip(printable(gamespyText(r)), summaryWidth)
	case l.verbose:
		return ""
	case r.msg.Fragment && !r.whole:
		return fmt.Sprintf("%d bytes", len(r.msg.Body))
	}
	if ack, ok := r.body.(transport.Ack); ok {
		return ackSummary(ack)
	}
	return clip(terminal.Line(summary(r.fields())), summaryWidth)
}

// ackSummary says what is acknowledged.
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
