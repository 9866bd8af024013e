package opcode

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stream"
)

// What a line of text has room for.
const (
	lineFields = 24
	lineBytes  = 24
)

// line returns a message as its name and the fields that are on the wire. An
// encoding walk is the source of names, order and presence.
func line(m Message) string {
	var b strings.Builder
	b.WriteString(m.Opcode().String())
	fields, err := wireFields(m)
	for i, f := range fields {
		if i == lineFields {
			b.WriteString(" …")
			break
		}
		b.WriteByte(' ')
		b.WriteString(key(f.Path))
		b.WriteByte('=')
		b.WriteString(text(f.Value))
	}
	if err != nil {
		b.WriteString(" (" + err.Error() + ")")
	}
	return b.String()
}

// logValue returns the same fields as a group.
func logValue(m Message) slog.Value {
	fields, err := wireFields(m)
	attrs := make([]slog.Attr, 0, len(fields)+2)
	attrs = append(attrs, slog.String("opcode", m.Opcode().String()))
	for _, f := range fields[:min(len(fields), lineFields)] {
		attrs = append(attrs, slog.String(key(f.Path), text(f.Value)))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	return slog.GroupValue(attrs...)
}

// wireFields returns the fields of a message but its opcode and the counts of lists that
// are not empty.
func wireFields(m Message) ([]stream.Field, error) {
	all, err := stream.Describe(uint8(m.Opcode()), m)
	if err != nil {
		return nil, err
	}
	fields := all[:0]
	for _, f := range all[1:] {
		if n, count := f.Value.(int); !count || n == 0 {
			fields = append(fields, f)
		}
	}
	return fields, nil
}

// key is the name of a field in a line: "tube" for TubeID, "damagers[0].score".
func key(path string) string {
	parts := strings.Split(path, ".")
	for i, part := range parts {
		if part == "ID" {
			parts[i] = "id"
			continue
		}
		part = strings.TrimSuffix(part, "ID")
		r, size := utf8.DecodeRuneInString(part)
		parts[i] = string(unicode.ToLower(r)) + part[size:]
	}
	return strings.Join(parts, ".")
}

func text(v any) string {
	switch v := v.(type) {
	case float32:
		return fmt.Sprintf("%.5g", v)
	case []float32:
		var parts []string
		for _, x := range v {
			parts = append(parts, fmt.Sprintf("%.5g", x))
		}
		return "(" + strings.Join(parts, ",") + ")"
	case compress.Float16:
		return fmt.Sprintf("%.5g", v.Float32())
	case compress.Vector3:
		return triple(v.Float32())
	case compress.Vector4:
		return triple(v.Float32())
	case compress.Contact:
		return triple(v.Float32(1))
	case stream.Text:
		return fmt.Sprintf("%q", v.String())
	case []byte:
		if len(v) > lineBytes {
			return fmt.Sprintf("%x…(%d bytes)", v[:lineBytes], len(v))
		}
		return fmt.Sprintf("%x", v)
	}
	return fmt.Sprint(v)
}

func triple(x, y, z float32) string {
	return fmt.Sprintf("(%.2f,%.2f,%.2f)", x, y, z)
}
