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
// follow in full. For a terminal, the fields in a line are cut at the number of its columns; 0 cuts nothing.
func NewLines(colour, verbose bool, columns int) Output {
	return &lineOutput{style: newStyle(colour), verbose: verbose, columns: columns}
}

// lineOutput prints one line per message.
type lineOutput struct {
	summary
	style   style
	verbose bool
	columns int    // 0 for any number
	tail    []byte // notes and the error of the line
}

// leastFields is the number of characters of the fields in a narrow terminal.
const leastFields = 16

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
// notes and the error. Notes and errors are not cut.
func (l *lineOutput) line(dst []byte, p *Packet, r *Message) []byte {
	var room [32]byte
	s := &l.style
	start := len(dst)
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
	l.tail = l.tail[:0]
	if len(r.Notes) > 0 {
		l.tail = s.note.Append(append(l.tail, "  "...), "("+terminal.Line(r.Note())+")")
	}
	if r.Err != nil {
		l.tail = s.bad.Append(append(l.tail, "  "...), "!! "+terminal.Line(r.Err.Error()))
	}
	if !l.verbose || r.Type == "GameSpy" { // with -v, the fields follow
		if l.columns > 0 {
			l.width = max(leastFields, l.columns-terminal.Width(dst[start:])-terminal.Width(l.tail))
		}
		dst = l.append(dst, r)
	}
	dst = append(dst[:begin+len(bytes.TrimRight(dst[begin:], " "))], l.tail...)
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
