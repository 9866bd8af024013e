package show

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stream"
)

// NewLines returns an output that prints one line per message. If verbose is true, the fields
// follow in full.
func NewLines(colour, verbose bool) Output {
	return &lineOutput{style: newStyle(colour), verbose: verbose}
}

// lineOutput prints one line per message.
type lineOutput struct {
	summary
	style   style
	verbose bool
}

// Append appends the lines of a datagram.
func (l *lineOutput) Append(dst []byte, p *Packet) []byte {
	for _, r := range p.Messages {
		dst = l.line(dst, p, r)
		if l.verbose {
			dst = l.all(dst, r)
		}
	}
	return dst
}

// line appends packet number, time, client, direction, peer ID, name, sequence number, fields,
// notes and the error.
func (l *lineOutput) line(dst []byte, p *Packet, r *Message) []byte {
	var room [32]byte
	s := &l.style
	dst = append(dst, s.dim.On...)
	dst = append(terminal.AppendRight(dst, 5, strconv.AppendInt(room[:0], int64(p.Number), 10)), ' ')
	dst = terminal.AppendRight(dst, 9, strconv.AppendFloat(room[:0], p.Time, 'f', 3, 64))
	dst = append(append(dst, s.dim.Off...), "  "...)
	dst = terminal.AppendLeft(dst, p.width, p.Client)
	dst = append(s.appendArrow(append(dst, ' '), p.Dir), ' ')
	dst = append(p.appendPeer(dst), "  "...)
	begin := len(dst)
	dst = terminal.AppendLeft(append(dst, s.name.On...), 20, r.Title())
	dst = append(append(dst, s.name.Off...), ' ')
	dst = append(dst, s.dim.On...)
	seq := room[:0]
	if r.Frame.Reliable {
		seq = strconv.AppendUint(append(seq, '#'), uint64(r.Frame.Seq), 10)
	}
	dst = terminal.AppendRight(dst, 6, seq)
	dst = append(append(dst, s.dim.Off...), "  "...)
	if !l.verbose || r.Type == "GameSpy" { // with -v, the fields follow
		dst = l.append(dst, r)
	}
	dst = dst[:begin+len(bytes.TrimRight(dst[begin:], " "))]
	if len(r.Notes) > 0 {
		dst = s.note.Append(append(dst, "  "...), "("+terminal.Line(r.Note())+")")
	}
	if r.Err != nil {
		dst = s.bad.Append(append(dst, "  "...), "!! "+terminal.Line(r.Err.Error()))
	}
	return append(dst, '\n')
}

// appendPeer appends the peer ID in three characters. GameSpy text has none.
func (p *Packet) appendPeer(dst []byte) []byte {
	if p.gamespy {
		return append(dst, "  -"...)
	}
	var room [8]byte
	return terminal.AppendRight(dst, 3, strconv.AppendInt(room[:0], int64(p.Peer), 10))
}

// margin is the indentation of the fields of -v.
const margin = "                  "

// all appends the fields of a message, one per line.
func (l *lineOutput) all(dst []byte, r *Message) []byte {
	l.visit(r, func(f *stream.Field) bool {
		if f.Err != nil || isOpcode(f) {
			return true
		}
		value, more := string(appendShort(nil, f, r.fleet)), cmp.Or(r.power(f), detail(f))
		if _, isBytes := f.Type().([]byte); isBytes {
			value = hex.EncodeToString(f.Raw)
		}
		dst = fmt.Appendf(dst, "%s%-20s ", margin, terminal.Line(pathOf(f)))
		dst = l.style.value.Append(dst, value)
		if more != "" {
			dst = l.style.dim.Append(append(dst, "  "...), more)
		}
		dst = append(dst, '\n')
		return true
	})
	return dst
}
