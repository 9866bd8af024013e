package show

import (
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// summaryWidth is the number of characters of a [Message.Summary].
const summaryWidth = 100

// summary prints the fields of a message in one line. It visits no more fields than fit.
type summary struct {
	visitor
	width   int // the largest number of characters, or 0 for any number
	dst     []byte
	start   int // of the fields in dst
	message *Message
	inside  string // the subsystem whose condition has been printed
	count   int    // of the elements in the list that is open, which is the last level
	each    func(*stream.Field) bool
}

func (s *summary) append(dst []byte, r *Message) []byte {
	start := len(dst)
	ack, isAck := r.Body.(*transport.Ack)
	switch {
	case r.Type == "GameSpy":
		return append(dst, s.shorten(gamespyText(r))...)
	case r.Frame.Fragment && !r.Whole:
		return append(dst, terminal.Plural(len(r.Frame.Body), "byte")...)
	case isAck:
		return appendAck(dst, ack)
	}
	if s.each == nil {
		s.each = s.field // one closure for all messages
	}
	s.dst, s.start, s.message, s.inside = dst, start, r, ""
	s.elements(r, s.each)
	s.closeTo(0)
	dst = s.dst
	if terminal.Plain(dst[start:]) {
		if s.width > 0 && len(dst)-start > s.width {
			dst = append(dst[:start+s.width-1], "…"...)
		}
		return dst
	}
	return append(dst[:start], s.shorten(terminal.Line(string(dst[start:])))...)
}

// shorten returns as much of a text as fits.
func (s *summary) shorten(text string) string {
	if s.width == 0 {
		return text
	}
	return terminal.Shorten(text, s.width)
}

// field appends a field. It reports whether the line has room for more.
func (s *summary) field(f *stream.Field) bool {
	if f.Err != nil || isOpcode(f) {
		return true
	}
	n := s.enter(f.Group)
	if n > 0 && s.open[n-1].index == listLevel { // another element
		s.count = max(s.count, s.levels[n].index+1)
		return true
	}
	s.closeTo(n)
	for i, l := range s.levels[n:] {
		if n+i == 0 && l.name == subsystems {
			s.subsystem(f)
			return s.room()
		}
		s.open = append(s.open, l)
		if l.index == listLevel {
			s.count = s.levels[n+i+1].index + 1
			return true
		}
		s.name(l.name)
		s.dst = append(s.dst, '{')
	}
	if _, isCount := f.Type().(int); isCount {
		s.open, s.count = append(s.open, level{name: f.Name, index: listLevel}), int(f.Int())
		return true
	}
	s.name(f.Name)
	s.dst = appendShort(s.dst, f, s.message.fleet)
	return s.room()
}

// room reports whether the line has room for more. A character has at most four bytes.
func (s *summary) room() bool {
	n := len(s.dst) - s.start
	return s.width == 0 || n <= s.width || n <= utf8.UTFMax*s.width && utf8.RuneCount(s.dst[s.start:]) <= s.width
}

// name appends the name of a field, after a space unless it is the first.
func (s *summary) name(name string) {
	if n := len(s.dst); n > s.start && s.dst[n-1] != '{' {
		s.dst = append(s.dst, ' ')
	}
	s.dst = append(append(s.dst, name...), '=')
}

// subsystem appends the name of a subsystem, and its first field.
func (s *summary) subsystem(f *stream.Field) {
	name, inside := f.Name, len(s.levels) > 1
	if inside {
		name = s.levels[1].name
	}
	if s.inside == name {
		return
	}
	switch {
	case s.inside != "":
		s.dst = append(s.dst, ", "...)
	case len(s.dst) > s.start:
		s.dst = append(s.dst, ' ')
	}
	s.inside = name
	s.dst = append(s.dst, name...)
	if inside {
		s.dst = appendShort(append(s.dst, ' '), f, s.message.fleet)
	}
}

// closeTo closes levels until n are open. Of a list, it prints the count.
func (s *summary) closeTo(n int) {
	for ; len(s.open) > n; s.open = s.open[:len(s.open)-1] {
		if l := &s.open[len(s.open)-1]; l.index == listLevel {
			s.name(l.name)
			s.dst = append(strconv.AppendInt(append(s.dst, '['), int64(s.count), 10), ']')
		} else {
			s.dst = append(s.dst, '}')
		}
	}
}

// appendAck names the acknowledged message.
func appendAck(dst []byte, a *transport.Ack) []byte {
	if a.Flags&transport.AckSystem != 0 {
		dst = append(dst, "of system #"...)
	} else {
		dst = append(dst, "of game #"...)
	}
	dst = strconv.AppendUint(dst, uint64(a.Seq), 10)
	if a.Flags&transport.AckFragment != 0 {
		dst = append(dst, ", fragment "...)
		dst = strconv.AppendInt(dst, int64(a.FragIndex)+1, 10)
	}
	return dst
}

// gamespyText returns the GameSpy text of a message. Like all texts of the game, it is in
// Windows-1252.
func gamespyText(r *Message) string {
	return string(terminal.AppendPrintable(nil, stream.Text(r.Raw).String()))
}

// summaries are for Summary.
var summaries = sync.Pool{New: func() any { return &summary{width: summaryWidth} }}

// Summary returns the fields in one line of at most 100 characters.
func (r *Message) Summary() string {
	s := summaries.Get().(*summary)
	defer summaries.Put(s)
	s.dst = s.append(s.dst[:0], r)
	return string(s.dst)
}
