package show

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// value appends the value of a field. The value of a list is its elements, which follow.
func (j *JSON) value(f *stream.Field) {
	switch f.Type().(type) {
	case nil:
		j.text("null")
	case int:
		j.text("[")
		j.open = append(j.open, level{name: f.Name, index: listLevel})
		j.group = anyGroup
	case bool:
		j.bool(f.Int() != 0)
	case uint8, int8, uint16, int16, uint32, int32, objectid.PeerID, stateupdate.Level:
		j.int(f.Int())
	case stateupdate.Power:
		j.int(int64(stateupdate.Power(f.Int()).Percent()))
	case float32: // as a float64, so that readers of any precision agree
		j.digits(math.Float32frombits(uint32(f.Int())), -1)
	case []float32:
		j.floats(f, -1)
	case compress.Float16, compress.Vector3, compress.Vector4, compress.Contact:
		j.compressed(f)
	case objectid.ID:
		j.id(objectid.ID(f.Int()))
	case []byte:
		j.hex(f.Raw)
	case opcode.Hash, opcode.Hash16:
		j.quote(f.Text())
	case stateupdate.Levels:
		j.codes = j.codes[:0]
		for _, level := range f.Bytes() {
			j.codes = append(j.codes, int(level))
		}
		j.ints(j.codes)
	case stream.Text:
		raw := stream.Text(f.Bytes())
		shown := strings.TrimRight(raw.String(), "\x00")
		j.string(shown, raw, isASCII(string(raw)) && len(shown) == len(raw))
	case stream.UTF16:
		raw := stream.UTF16(f.Bytes())
		j.string(raw.String(), raw, isASCII(raw.String()) && len(raw)%2 == 0)
	case transport.UTF16Z:
		raw := transport.UTF16Z(f.Bytes())
		j.string(raw.String(), raw, isStock(raw))
	default:
		if isBytes(f) { // an address
			j.quote(f.Text())
		} else {
			j.text(`{"raw":`).int(f.Int()).text(`,"name":`).quote(nameOf(f)).text("}")
		}
	}
}

// compressed appends the codes of a number or a vector and what they mean. The value of a contact is for an
// object of radius 1.
func (j *JSON) compressed(f *stream.Field) {
	_, single := f.Type().(compress.Float16)
	j.text("{")
	switch {
	case j.Short:
	case single:
		j.text(`"raw":`).int(f.Int()).text(",")
	default:
		j.codes = f.Codes(j.codes[:0])
		j.text(`"raw":`).ints(j.codes).text(",")
	}
	j.text(`"value":`)
	if single {
		j.digits(compress.Float16(f.Int()).Float32(), 5)
	} else {
		j.floats(f, 4)
	}
	j.text("}")
}

func (j *JSON) text(s string) *JSON {
	j.dst = append(j.dst, s...)
	return j
}

func (j *JSON) int(n int64) *JSON {
	j.dst = strconv.AppendInt(j.dst, n, 10)
	return j
}

func (j *JSON) bool(b bool) *JSON {
	j.dst = strconv.AppendBool(j.dst, b)
	return j
}

// quote appends a string with its escapes.
func (j *JSON) quote(s string) *JSON {
	j.dst = terminal.AppendJSON(j.dst, s)
	return j
}

func (j *JSON) hex(b []byte) *JSON {
	j.dst = append(j.dst, '"')
	j.dst = append(hex.AppendEncode(j.dst, b), '"')
	return j
}

func (j *JSON) ints(list []int) *JSON {
	j.text("[")
	for i, n := range list {
		if i > 0 {
			j.text(",")
		}
		j.int(int64(n))
	}
	return j.text("]")
}

func (j *JSON) floats(f *stream.Field, digits int8) {
	j.numbers = f.Float32s(j.numbers[:0])
	j.text("[")
	for i, v := range j.numbers {
		if i > 0 {
			j.text(",")
		}
		j.digits(v, digits)
	}
	j.text("]")
}

// cachedFloats is the number of floats whose text is kept. Compressed vectors have few values.
const cachedFloats = 1 << 10

// cachedFloat is the text of a float. Its length is 0 if there is none.
type cachedFloat struct {
	bits   uint32
	digits int8
	size   uint8
	text   [26]byte
}

// digits appends a number. If the output is short, it has at most some digits, or with -1 those of a float32.
func (j *JSON) digits(v float32, digits int8) {
	bits := math.Float32bits(v)
	c := &j.cache[bits*0x9E3779B1>>22]
	if c.size == 0 || c.bits != bits || c.digits != digits {
		text := c.text[:0]
		if x := float64(v); j.Short && !math.IsNaN(x) && !math.IsInf(x, 0) {
			text = strconv.AppendFloat(text, x, 'g', int(digits), 32)
		} else {
			text = appendFloat(text, x)
		}
		c.bits, c.digits, c.size = bits, digits, uint8(len(text))
	}
	j.dst = append(j.dst, c.text[:c.size]...)
}

// appendFloat appends a number as package encoding/json does, or the name of a number that is not finite.
func appendFloat(dst []byte, v float64) []byte {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	case abs != 0 && abs < 1e-6 || abs >= 1e21:
		dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

func (j *JSON) id(id objectid.ID) {
	j.dst = appendHex(j.text(`{"id":"`).dst, id)
	j.text(`","slot":`)
	if slot, ok := id.Slot(); ok {
		j.int(int64(slot))
	} else {
		j.text("null")
	}
	if part := j.message.fleet.part(id); part != "" {
		j.text(`,"part":`).quote(part)
	}
	j.text("}")
}

// string appends a text, and its bytes if it is not plain.
func (j *JSON) string(text string, raw []byte, plain bool) {
	if plain {
		j.quote(text)
	} else {
		j.text(`{"text":`).quote(text).text(`,"raw":`).hex(raw).text("}")
	}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// isStock reports whether a text of a system message is ASCII in the stock form. All its bytes
// then follow from the string.
func isStock(t transport.UTF16Z) bool {
	s := t.String()
	stock, err := transport.NewUTF16Z(s)
	return err == nil && isASCII(s) && string(stock) == string(t)
}
