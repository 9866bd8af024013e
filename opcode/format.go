package opcode

import (
	"fmt"
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
	b := append([]byte{}, nameOf(m)...)
	n := 0
	err := wireFields(m, func(f *stream.Field) bool {
		v := f.Value()
		if count, isCount := v.(int); isCount && count > 0 {
			return true
		}
		if n++; n > lineFields {
			b = append(b, " …"...)
			return false
		}
		b = append(append(b, ' '), f.Path()...)
		b = append(append(b, '='), text(v)...)
		return true
	})
	if err != nil {
		b = fmt.Appendf(b, " (%v)", err)
	}
	return string(b)
}

// wireFields passes the fields of a message as encoded, without the opcode. It returns an error if
// the message cannot be encoded.
func wireFields(m Message, visit func(*stream.Field) bool) error {
	c := stream.Codec{Visit: func(f *stream.Field) bool { return f.Offset == 0 || visit(f) }}
	_, err := c.Append(nil, int(m.Opcode()), "", m.Walk)
	return named(err, m)
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
