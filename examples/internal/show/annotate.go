package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stream"
)

// annotator shows every byte of each datagram once, with the field that it belongs to.
type annotator struct {
	w     io.Writer
	style style
}

// NewBytes returns an output of every byte of each datagram, with its field.
func NewBytes(w io.Writer, colour bool) Output {
	return &annotator{w: w, style: newStyle(colour)}
}

func (a *annotator) Finish(int) error { return nil }
func (a *annotator) Failed() bool     { return false }

func (a *annotator) Packet(p *Packet) error {
	var b strings.Builder
	s := a.style
	title := fmt.Sprintf("packet %d  %.3f s  %d bytes", p.Number, p.Time, len(p.Data))
	fmt.Fprintf(&b, "%s  %s %s peer %s\n", s.name.Sprint(title), p.Client, s.arrow(p.Dir), strings.TrimSpace(p.peerText()))
	if !p.gamespy {
		a.spans(&b, p.headSpans())
	}
	for _, r := range p.records {
		a.record(&b, r)
	}
	if len(p.trailing) > 0 {
		a.spans(&b, []span{{offset: len(p.Data) - len(p.trailing), raw: p.trailing, label: "trailing"}})
	}
	b.WriteByte('\n')
	_, err := io.WriteString(a.w, b.String())
	return err
}

// record prints the bytes of a message, and those of a payload that it completes.
func (a *annotator) record(b *strings.Builder, r *record) {
	s := a.style
	fmt.Fprintf(b, " %s %s", s.dim.Sprintf("[%d]", r.index), s.name.Sprint(r.title()))
	if text := r.remarks(); text != "" {
		b.WriteString("  " + s.note.Sprintf("(%s)", terminal.Line(text)))
	}
	b.WriteByte('\n')
	list := r.spans()
	a.spans(b, list)
	if r.msg.Fragment && r.whole {
		fmt.Fprintf(b, "  payload of %d bytes, put together\n", len(r.payload))
		a.spans(b, payloadSpans(r, 0))
	}
}

// spanWidth is the number of bytes in a line.
const spanWidth = 8

func (a *annotator) spans(b *strings.Builder, list []span) {
	for _, x := range list {
		a.span(b, x)
	}
}

func (a *annotator) span(b *strings.Builder, x span) {
	s := a.style
	raw := x.raw
	first := raw[:min(spanWidth, len(raw))]
	mark := "  "
	value := s.value.Sprint(x.value)
	if x.err != nil {
		mark = s.bad.Sprint("!!")
		value = s.bad.Sprint(terminal.Line(x.err.Error()))
	}
	line := fmt.Sprintf("  %s  %-*s %s %-20s %s", s.dim.Sprintf("%04x", x.offset), 3*spanWidth-1, hexPairs(first), mark, terminal.Line(x.label), value)
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	for at := spanWidth; at < len(raw); at += spanWidth {
		next := raw[at:min(at+spanWidth, len(raw))]
		fmt.Fprintf(b, "  %s  %s\n", s.dim.Sprintf("%04x", x.offset+at), hexPairs(next))
	}
}

func hexPairs(b []byte) string { return fmt.Sprintf("% x", b) }

// gamespyText returns GameSpy text, which is in Windows-1252 like the game's own.
func gamespyText(r *record) string { return stream.Text(r.raw).String() }
