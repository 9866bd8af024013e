package timeline

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// directions are the directions of datagrams, by datagramIndex.dir.
var directions = [...]recording.Direction{recording.ToServer, recording.ToClient}

// record is what the temporary file has of a datagram before its bytes, if it is not only the time of the match.
type record struct {
	Time    float64 // in the recording
	Missing int     `json:",omitempty"`
	Note    string  `json:",omitempty"`
	Client  string  `json:",omitempty"` // if its link does not name it
}

// write appends a datagram, which is deciphered, to a segment. A time that is not finite is 0.
func (x *datagramIndex) write(g *segment, d *show.Datagram, client string) {
	r := record{d.Time, d.Missing, d.Note, client}
	if math.IsNaN(r.Time) || math.IsInf(r.Time, 0) {
		r.Time = 0
	}
	x.offset = uint32(g.size())
	if r != (record{Time: x.at}) {
		b, _ := json.Marshal(&r) // such a value has a JSON form
		g.append(b)
		x.head = uint32(len(b))
	}
	g.append(d.Data)
	x.size = x.head + uint32(len(d.Data))
}

// read returns a datagram of a segment, deciphered, with the fields of its record, its number and its direction.
func (x *datagramIndex) read(g *segment) (*show.Datagram, error) {
	b, err := g.read(x.offset, x.size)
	if err != nil {
		return nil, err
	}
	r := record{Time: x.at}
	if x.head > 0 {
		if err := json.Unmarshal(b[:x.head], &r); err != nil {
			return nil, fmt.Errorf("temporary file: %w", err)
		}
	}
	return &show.Datagram{
		Number: int(x.packet), Dir: directions[x.dir],
		Time: r.Time, Missing: r.Missing, Note: r.Note, Client: r.Client, Data: b[x.head:],
	}, nil
}

// datagramHeader is the number of bytes of a datagram before its messages.
const datagramHeader = 2

// markNames are the marks of messages. The last one is for all notes without a mark.
var markNames = [...]string{"error", "dialect", "duplicate", "fragment", "note"}

// marksOf returns the marks of a message as bits, in the order of markNames.
func marksOf(m *show.Message) (marks uint8) {
	mark := func(name string) {
		i := slices.Index(markNames[:], name)
		if i < 0 {
			i = len(markNames) - 1
		}
		marks |= 1 << i
	}
	if m.Err != nil {
		mark("error")
	}
	if m.Frame.Fragment {
		mark("fragment")
	}
	for _, n := range m.Notes {
		if n.Kind != show.KindFragment {
			mark(n.Kind)
		}
	}
	return marks
}

const separator = "\x00"

// appendText appends the texts of a row.
func appendText(dst []byte, m *show.Message) []byte {
	parts := [...]string{delivery(m), m.Type, m.Summary(), m.Note(), ""}
	if m.Err != nil {
		parts[4] = m.Err.Error()
	}
	for i, part := range parts {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(dst, strings.ReplaceAll(clip(part), separator, "\uFFFD")...)
	}
	return dst
}

// split sets the texts of a row.
func (r *Row) split(b []byte) {
	parts := strings.SplitN(string(b), separator, 5)
	r.Delivery, r.Type, r.Summary, r.Note, r.Error = parts[0], parts[1], parts[2], parts[3], parts[4]
}

// delivery returns "#15" for a reliable message, "#15 high" for one with high priority, and ""
// for an unreliable message.
func delivery(m *show.Message) string {
	if !m.Frame.Reliable {
		return ""
	}
	text := "#" + strconv.Itoa(int(m.Frame.Seq))
	if m.Frame.HighPriority {
		text += " high"
	}
	return text
}

// maxValues is the largest number of values of a table. A player can have eight long names.
const maxValues = 1 << 13

// table numbers values, and counts how often each was added.
type table[T comparable] struct {
	values []T
	counts []int
	index  map[T]uint16
}

// add returns the index of a value. A value that has no place has the index of the first one.
func (t *table[T]) add(value T) uint16 {
	i, known := t.index[value]
	if !known && len(t.values) < maxValues {
		if t.index == nil {
			t.index = map[T]uint16{}
		}
		i = uint16(len(t.values))
		t.index[value] = i
		t.values, t.counts = append(t.values, value), append(t.counts, 0)
	}
	t.counts[i]++
	return i
}
