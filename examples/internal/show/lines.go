package show

import (
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
	s := &l.style
	dst = append(dst, s.dim.on...)
	dst = appendInt(dst, p.Number, 5)
	dst = append(dst, ' ')
	dst = appendSeconds(dst, p.Time)
	dst = append(dst, s.dim.off...)
	dst = append(dst, "  "...)
	dst = append(dst, p.Client...)
	dst = appendSpaces(dst, p.width-utf8.RuneCountInString(p.Client))
	dst = append(dst, ' ')
	dst = s.appendArrow(dst, p.Dir)
	dst = append(dst, ' ')
	dst = p.appendPeer(dst)
	dst = append(dst, "  "...)
	begin := len(dst)
	dst = append(dst, s.name.on...)
	title := r.Title()
	dst = append(dst, title...)
	dst = appendSpaces(dst, 20-utf8.RuneCountInString(title))
	dst = append(dst, s.name.off...)
	dst = append(dst, ' ')
	dst = append(dst, s.dim.on...)
	dst = appendSeq(dst, r)
	dst = append(dst, s.dim.off...)
	dst = append(dst, "  "...)
	if !l.verbose || r.Type == "GameSpy" { // with -v, the fields follow
		dst = l.append(dst, r)
	}
	for len(dst) > begin && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	if len(r.Notes) > 0 {
		dst = append(dst, "  "...)
		dst = s.note.append(dst, "("+terminal.Line(r.Note())+")")
	}
	if r.Err != nil {
		dst = append(dst, "  "...)
		dst = s.bad.append(dst, "!! "+terminal.Line(r.Err.Error()))
	}
	return append(dst, '\n')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// appendInt appends a number, right-aligned.
func appendInt(dst []byte, n, width int) []byte {
	var b [20]byte
	text := strconv.AppendInt(b[:0], int64(n), 10)
	return append(appendSpaces(dst, width-len(text)), text...)
}

// appendSeconds appends a time with three decimals, right-aligned in nine characters.
func appendSeconds(dst []byte, v float64) []byte {
	var b [32]byte
	text := strconv.AppendFloat(b[:0], v, 'f', 3, 64)
	return append(appendSpaces(dst, 9-len(text)), text...)
}

// appendPeer appends the peer ID in three characters. GameSpy text has none.
func (p *Packet) appendPeer(dst []byte) []byte {
	if p.gamespy {
		return append(dst, "  -"...)
	}
	return appendInt(dst, int(p.Peer), 3)
}

// appendSeq appends the sequence number of a reliable message, right-aligned in six characters.
func appendSeq(dst []byte, r *Message) []byte {
	if !r.Frame.Reliable {
		return append(dst, "      "...)
	}
	var b [6]byte
	text := strconv.AppendUint(append(b[:0], '#'), uint64(r.Frame.Seq), 10)
	return append(appendSpaces(dst, 6-len(text)), text...)
}

// margin is the indentation of the fields of -v.
const margin = "                  "

// all appends the fields of a message, one per line, and then subsystems and power settings.
func (l *lineOutput) all(dst []byte, r *Message) []byte {
	fields := slices.DeleteFunc(l.collect(r), func(f stream.Field) bool {
		return f.Err != nil || isOpcode(&f) || inSubsystems(&f)
	})
	var before []*stream.Group
	var count string // the list whose length was the last field
	for i := range fields {
		f := &fields[i]
		groups := pathOf(nil, f.Group)
		n := 0
		for n < min(len(before), len(groups)) && before[n].Name == groups[n].Name && before[n].Index == groups[n].Index {
			n++
		}
		for ; n < len(groups); n++ {
			g := groups[n]
			if g.Index < 0 {
				dst = fmt.Appendf(dst, "%s%s%s\n", margin, indent(groups[:n]), g.Name)
				continue
			}
			if !(len(before) > n && before[n].Name == g.Name) && count != g.Name {
				dst = l.listHead(dst, fields[i:], groups[:n], g.Name, 0)
			}
			if n+1 < len(groups) || f.Name != "" {
				dst = fmt.Appendf(dst, "%s%s  [%d]\n", margin, indent(groups[:n]), g.Index)
			}
		}
		count, before = "", groups
		if _, isCount := f.Type().(int); isCount {
			dst = l.listHead(dst, fields[i+1:], groups, f.Name, int(f.Int()))
			count = f.Name
		} else {
			dst = l.field(dst, f, groups, r)
		}
	}
	dst = l.lines(dst, subsystems, r.systems())
	return l.lines(dst, "", r.power())
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

// listHead appends the name and the length of a list in groups, whose elements follow. In a truncated message,
// there are fewer than count.
func (l *lineOutput) listHead(dst []byte, following []stream.Field, groups []*stream.Group, name string, count int) []byte {
	for i := range following {
		path := l.groups(&following[i])
		if len(path) <= len(groups) || path[len(groups)].Name != name {
			break
		}
		count = max(count, path[len(groups)].Index+1)
	}
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
