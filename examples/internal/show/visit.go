package show

import (
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// visitor visits the fields of messages. It reuses its memory.
type visitor struct {
	codec   stream.Codec
	decoder opcode.Decoder
	body    []byte
	fields  []stream.Field
	open    []level // that are printed and not closed yet
	levels  []level // of the next field
}

// level is an object, a list or an element around a field.
type level struct {
	name  string // "" for an element
	index int    // of an element, or the kind of the level
	begun bool   // the object of the level, which an element begins with its first key
}

// Kinds of levels.
const (
	structLevel = -1 - iota
	listLevel
)

// appendLevels appends the levels of a group, the outermost first.
func appendLevels(dst []level, g *stream.Group) []level {
	switch {
	case g == nil:
		return dst
	case g.Index < 0:
		return append(appendLevels(dst, g.Parent), level{g.Name, structLevel, true})
	}
	return append(appendLevels(dst, g.Parent), level{name: g.Name, index: listLevel}, level{index: g.Index})
}

// enter sets the levels of the next field. It returns how many of them are open.
func (v *visitor) enter(g *stream.Group) (n int) {
	v.levels = appendLevels(v.levels[:0], g)
	most := min(len(v.open), len(v.levels))
	for n < most && v.open[n].index == v.levels[n].index && v.open[n].name == v.levels[n].name {
		n++
	}
	return n
}

// visit passes the fields of the content of a message, as package stream does. The fields of a payload include
// the opcode and, at the end, an error.
func (v *visitor) visit(r *Message, visit func(*stream.Field) bool) {
	switch {
	case r.Class != nil:
		_ = r.Class.Visit(&v.codec, r.Payload, visit)
	case r.Payload != nil:
		_, _ = v.decoder.Visit(r.Payload, visit)
	default:
		v.walk(r, visit)
	}
}

// elements is like visit. The fields of each list element are together, and the bits of the tail of a
// StateUpdate follow: a bit group may continue there, and its byte is then part of an earlier field.
func (v *visitor) elements(r *Message, visit func(*stream.Field) bool) {
	if r.code == opcode.OpChecksumResponse { // it has the names of all directories first
		v.fields = v.fields[:0]
		v.visit(r, func(f *stream.Field) bool {
			v.fields = append(v.fields, *f)
			return true
		})
		sortDirectories(v.fields)
		for i := range v.fields {
			if !visit(&v.fields[i]) {
				return
			}
		}
		return
	}
	v.visit(r, visit)
	if r.Class == nil && r.bits != (stream.Bits{}) {
		v.walk(r, visit)
	}
}

// sortDirectories brings the fields of each directory together, after those of the directory around it.
func sortDirectories(fields []stream.Field) {
	slices.SortStableFunc(fields, func(a, b stream.Field) int {
		var x, y [opcode.MaxDepth]int
		return slices.Compare(directories(x[:0], a.Group), directories(y[:0], b.Group))
	})
}

// directories appends the indexes of the directories around a field, the outermost first.
func directories(dst []int, g *stream.Group) []int {
	if g == nil {
		return dst
	}
	dst = directories(dst, g.Parent)
	if g.Name == "Dirs" {
		dst = append(dst, g.Index)
	}
	return dst
}

// walk passes the fields of a message without a payload, or the bits of the tail of a StateUpdate.
func (v *visitor) walk(r *Message, visit func(*stream.Field) bool) {
	c := &v.codec
	v.body = slices.Grow(v.body[:0], len(r.Raw)+16)
	c.Visit = visit
	_, _ = c.Append(v.body, -1, "", r.walk)
	c.Visit = nil
}

func (r *Message) walk(c *stream.Codec) {
	switch body := r.Body.(type) {
	case *transport.Ack:
		flags := uint8(body.Flags)
		c.Field("Seq").Uint16(&body.Seq)
		c.Field("Flags").Uint8(&flags)
		if body.Flags&transport.AckFragment != 0 {
			c.Field("FragIndex").Uint8(&body.FragIndex)
		}
		return
	case transport.Body:
		transport.Walk(c, body)
		return
	}
	raw := r.Frame.Body
	switch {
	case r.Type == "GameSpy":
		raw = r.Raw
		c.Field("Text").Slice(&raw, len(raw))
		stream.ShowBytes(c, stream.Text(raw))
	case r.Payload != nil:
		bits := r.bits
		c.Group("Bits")
		c.Field("Byte").Uint8(&bits.Byte)
		c.Field("Read").Uint8(&bits.Read)
		c.End()
	case r.Type != "Data" && len(raw) > 0:
		c.Field("Body").Slice(&raw, len(raw))
	}
}
