package show

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

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
	dst = append(dst, s.dim.on...)
	dst = append(appendRight(dst, 5, strconv.AppendInt(room[:0], int64(p.Number), 10)), ' ')
	dst = appendRight(dst, 9, strconv.AppendFloat(room[:0], p.Time, 'f', 3, 64))
	dst = append(append(dst, s.dim.off...), "  "...)
	dst = appendLeft(dst, p.width, p.Client)
	dst = append(s.appendArrow(append(dst, ' '), p.Dir), ' ')
	dst = append(p.appendPeer(dst), "  "...)
	begin := len(dst)
	dst = appendLeft(append(dst, s.name.on...), 20, r.Title())
	dst = append(append(dst, s.name.off...), ' ')
	dst = append(dst, s.dim.on...)
	seq := room[:0]
	if r.Frame.Reliable {
		seq = strconv.AppendUint(append(seq, '#'), uint64(r.Frame.Seq), 10)
	}
	dst = appendRight(dst, 6, seq)
	dst = append(append(dst, s.dim.off...), "  "...)
	if !l.verbose || r.Type == "GameSpy" { // with -v, the fields follow
		dst = l.append(dst, r)
	}
	dst = dst[:begin+len(bytes.TrimRight(dst[begin:], " "))]
	if len(r.Notes) > 0 {
		dst = s.note.append(append(dst, "  "...), "("+terminal.Line(r.Note())+")")
	}
	if r.Err != nil {
		dst = s.bad.append(append(dst, "  "...), "!! "+terminal.Line(r.Err.Error()))
	}
	return append(dst, '\n')
}

// spaces are for columns.
const spaces = "                    "

// appendLeft appends a text and spaces up to a width.
func appendLeft(dst []byte, width int, text string) []byte {
	dst = append(dst, text...)
	for n := width - utf8.RuneCountInString(text); n > 0; n -= len(spaces) {
		dst = append(dst, spaces[:min(n, len(spaces))]...)
	}
	return dst
}

// appendRight appends spaces and a short text.
func appendRight(dst []byte, width int, text []byte) []byte {
	dst = append(dst, spaces[:max(0, width-len(text))]...)
	return append(dst, text...)
}

// appendPeer appends the peer ID in three characters. GameSpy text has none.
func (p *Packet) appendPeer(dst []byte) []byte {
	if p.gamespy {
		return append(dst, "  -"...)
	}
	var room [8]byte
	return appendRight(dst, 3, strconv.AppendInt(room[:0], int64(p.Peer), 10))
}

// margin is the indentation of the fields of -v.
const margin = "                  "

// all appends the fields of a message, one per line, and then subsystems and power settings.
func (l *lineOutput) all(dst []byte, r *Message) []byte {
	fields := slices.DeleteFunc(l.collect(r), func(f stream.Field) bool {
		groups := l.groups(&f)
		return f.Err != nil || isOpcode(&f) || len(groups) > 0 && groups[0].Name == subsystems
	})
	var before []*stream.Group
	var list string // whose length was the last field
	for i := range fields {
		f := &fields[i]
		groups := pathOf(nil, f.Group)
		for n := common(before, groups); n < len(groups); n++ {
			g := groups[n]
			begun := list == g.Name || n < len(before) && before[n].Name == g.Name
			if g.Index < 0 {
				dst = fmt.Appendf(dst, "%s%s%s\n", margin, indent(groups[:n]), g.Name)
				continue
			}
			if !begun { // no field has the length
				dst = l.listHead(dst, groups[:n], g.Name, l.length(fields[i:], n))
			}
			if n+1 < len(groups) || f.Name != "" {
				dst = fmt.Appendf(dst, "%s%s  [%d]\n", margin, indent(groups[:n]), g.Index)
			}
		}
		list, before = "", groups
		if _, isCount := f.Type().(int); isCount {
			dst = l.listHead(dst, groups, f.Name, int(f.Int()))
			list = f.Name
		} else {
			dst = l.field(dst, f, groups, r)
		}
	}
	dst = l.lines(dst, subsystems, r.systems())
	return l.lines(dst, "", r.power())
}

// common returns the number of groups that two fields share.
func common(a, b []*stream.Group) (n int) {
	for n < min(len(a), len(b)) && a[n].Name == b[n].Name && a[n].Index == b[n].Index {
		n++
	}
	return n
}

// length returns the length of the list at a depth with which the fields begin.
func (l *lineOutput) length(fields []stream.Field, depth int) (n int) {
	name := l.groups(&fields[0])[depth].Name
	for i := range fields {
		path := l.groups(&fields[i])
		if len(path) <= depth || path[depth].Name != name {
			break
		}
		n = path[depth].Index + 1
	}
	return n
}

// indent returns the indentation of the fields of groups. That of elements is twice that of structs.
func indent(groups []*stream.Group) (space string) {
	for _, g := range groups {
		space += "  "
		if g.Index >= 0 {
			space += "  "
		}
	}
	return space
}

// listHead appends the name and the length of a list in groups.
func (l *lineOutput) listHead(dst []byte, groups []*stream.Group, name string, count int) []byte {
	dst = fmt.Appendf(dst, "%s%s%s ", margin, indent(groups), name)
	return append(l.style.dim.append(dst, fmt.Sprintf("[%d]", count)), '\n')
}

// field appends the line of a field.
func (l *lineOutput) field(dst []byte, f *stream.Field, groups []*stream.Group, r *Message) []byte {
	name, space := f.Name, indent(groups)
	if n := len(groups); name == "" && n > 0 { // an element
		name, space = fmt.Sprintf("[%d]", groups[n-1].Index), indent(groups[:n-1])+"  "
	}
	dst = fmt.Appendf(dst, "%s%s%-*s ", margin, space, max(0, 20-len(space)), name)
	value := appendShort(nil, f, r.fleet)
	if _, isBytes := f.Type().([]byte); isBytes {
		value = hex.AppendEncode(nil, f.Raw)
	}
	dst = l.style.value.append(dst, string(value))
	if more := detail(f); more != "" {
		dst = l.style.dim.append(append(dst, "  "...), more)
	}
	return append(dst, '\n')
}

// lines appends one text per line, and the name beside the first text.
func (l *lineOutput) lines(dst []byte, name string, texts []string) []byte {
	for _, text := range texts {
		dst = fmt.Appendf(dst, "%s%-20s ", margin, name)
		dst = append(l.style.value.append(dst, terminal.Line(text)), '\n')
		name = ""
	}
	return dst
}

// systems returns the subsystems in the message as text.
func (r *Message) systems() (texts []string) {
	if r.Class == nil {
		return nil
	}
	all, _ := r.Class.AppendStatuses(nil, r.Decoded()) // bytes may follow the last subsystem
	for i := range all {
		texts = append(texts, all[i].String())
	}
	return texts
}
