package match

import (
	"encoding/binary"
	"errors"
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

// appendDatagram appends a datagram as it is in the temporary file: its time in the recording, the
// number of missing bytes, the note, the client if its link does not name it, and the bytes on the
// wire.
func appendDatagram(dst []byte, d *show.Datagram, client string) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.Time))
	dst = binary.AppendUvarint(dst, uint64(max(0, d.Missing)))
	for _, text := range [...]string{d.Note, client} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	return append(dst, d.Data...)
}

var errRecord = errors.New("temporary file: malformed record")

// readDatagram reads the fields of a datagram from its record. The bytes alias the record.
func readDatagram(b []byte, d *show.Datagram) error {
	if len(b) < 8 {
		return errRecord
	}
	d.Time, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
	missing, n := binary.Uvarint(b)
	if n <= 0 {
		return errRecord
	}
	d.Missing, b = int(missing), b[n:]
	for _, text := range [...]*string{&d.Note, &d.Client} {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return errRecord
		}
		b = b[n:]
		*text, b = string(b[:length]), b[length:]
	}
	d.Data = b
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

// rowText holds the texts of a row.
type rowText struct{ delivery, kind, summary, note, err string }

const separator = "\x00"

// appendRow appends the texts of a row.
func appendRow(dst []byte, m *show.Message) []byte {
	t := rowText{delivery(m), m.Type, m.Summary(), m.Note(), ""}
	if m.Err != nil {
		t.err = m.Err.Error()
	}
	for i, part := range [...]string{t.delivery, t.kind, t.summary, t.note, t.err} {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(dst, strings.ReplaceAll(clip(part), separator, "\uFFFD")...)
	}
	return dst
}

func splitRow(b []byte) (t rowText) {
	parts := strings.SplitN(string(b), separator, 5)
	for i, p := range [...]*string{&t.delivery, &t.kind, &t.summary, &t.note, &t.err} {
		if i < len(parts) {
			*p = parts[i]
		}
	}
	return t
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
