package opcode

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stream"
)

// Limits of a line.
const (
	lineFields = 24
	fieldBytes = 24
	textBytes  = 256
)

// Line returns the name of a message, or the Go type of a mod, and the first 24 fields in one
// line. It shortens long texts. Line of a nil message returns "<nil>".
func Line(m Message) string {
	if m == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString(nameOf(m))
	for f, err := range wireFields(m) {
		if err != nil {
			b.WriteString(" (" + err.Error() + ")")
			break
		}
		if f.Path == "" {
			b.WriteString(" …")
			break
		}
		b.WriteString(" " + f.Path + "=" + text(f.Value))
	}
	return b.String()
}

// wireFields iterates over the first fields of a message on the wire, from an encoding walk. It
// skips the opcode and the counts of lists that are not empty. A last field without a path means
// that more follow.
func wireFields(m Message) iter.Seq2[stream.Field, error] {
	return func(yield func(stream.Field, error) bool) {
		n := 0
		for f, err := range fieldsOf(m) {
			if count, isCount := f.Value.(int); err == nil && (f.Path == "Opcode" || isCount && count > 0) {
				continue
			}
			if n++; n > lineFields {
				f = stream.Field{}
			}
			if !yield(f, err) || n > lineFields {
				return
			}
		}
	}
}

// fieldsOf iterates over the fields of a message as encoded. If the message cannot be encoded, it
// yields only the error.
func fieldsOf(m Message) iter.Seq2[stream.Field, error] {
	return func(yield func(stream.Field, error) bool) {
		payload, err := Marshal(m)
		if err != nil {
			yield(stream.Field{}, err)
			return
		}
		var c stream.Codec
		c.Append(payload[:0], int(m.Opcode()))
		c.Trace(typeName(m), func(f stream.Field) bool { return yield(f, nil) })
		m.Walk(&c)
		_ = c.Err() // passes the last field; nil, because Marshal has succeeded
	}
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
		if len(v) > textBytes {
			return fmt.Sprintf("%q…(%d bytes)", v[:textBytes].String(), len(v))
		}
		return fmt.Sprintf("%q", v.String())
	case stream.UTF16:
		return text(stream.Text(v.String()))
	case []byte:
		if len(v) > fieldBytes {
			return fmt.Sprintf("%x…(%d bytes)", v[:fieldBytes], len(v))
		}
		return fmt.Sprintf("%x", v)
	}
	return fmt.Sprint(v)
}

func triple(x, y, z float32) string {
	return fmt.Sprintf("(%.2f,%.2f,%.2f)", x, y, z)
}

// flagNames returns the names of the set bits, joined by "|". Bits without a name are a number.
func flagNames(v uint8, names ...string) string {
	var set []string
	for i, name := range names {
		if name != "" && v>>i&1 != 0 {
			set = append(set, name)
			v &^= 1 << i
		}
	}
	if v != 0 || len(set) == 0 {
		set = append(set, strconv.Itoa(int(v)))
	}
	return strings.Join(set, "|")
}
