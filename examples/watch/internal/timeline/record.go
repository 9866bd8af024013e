package timeline

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// directions are the directions of datagrams, by datagramIndex.dir.
var directions = [...]recording.Direction{recording.ToServer, recording.ToClient}

func directionIndex(d recording.Direction) uint8 {
	if d == recording.ToClient {
		return 1
	}
	return 0
}

// record is a datagram in the temporary file.
type record struct {
	Time    float64 // in the recording
	Missing int     `json:",omitempty"`
	Note    string  `json:",omitempty"`
	Client  string  `json:",omitempty"` // if its link does not name it
	Data    []byte  // on the wire
}

// recordOf returns the record of a datagram. A time that is not finite is 0.
func recordOf(d *show.Datagram, client string) []byte {
	r := record{d.Time, d.Missing, d.Note, client, d.Data}
	if math.IsNaN(r.Time) || math.IsInf(r.Time, 0) {
		r.Time = 0
	}
	b, _ := json.Marshal(&r) // such a value has a JSON form
	return b
}

// readDatagram reads the fields of a datagram from its record.
func readDatagram(b []byte, d *show.Datagram) error {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	d.Time, d.Missing, d.Note, d.Client, d.Data = r.Time, r.Missing, r.Note, r.Client, r.Data
	return nil
}

// Marks of a message, in the order of markNames.
const (
	markError = 1 << iota
	markDialect
	markDuplicate
	markFragment
	markNote
)

var markNames = [...]string{"error", "dialect", "duplicate", "fragment", "note"}

func marksOf(m *show.Message) (marks uint8) {
	if m.Err != nil {
		marks |= markError
	}
	if m.Duplicate {
		marks |= markDuplicate
	}
	if m.Frame.Fragment {
		marks |= markFragment
	}
	for _, kind := range m.Kinds() {
		switch kind {
		case "dialect":
			marks |= markDialect
		case "duplicate":
		default:
			marks |= markNote
		}
	}
	return marks
}

const separator = "\x00"

// appendRow appends the texts of a row.
func appendRow(dst []byte, m *show.Message) []byte {
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
