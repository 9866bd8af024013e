package show

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// maxShortBytes is the number of raw bytes in a short value.
const maxShortBytes = 12

// appendShort appends the value of a field as short text. A part of a ship of the fleet has its name.
func appendShort(dst []byte, f *stream.Field, fleet fleet) []byte {
	switch f.Type().(type) {
	case nil:
		return append(dst, '-')
	case bool:
		return strconv.AppendBool(dst, f.Int() != 0)
	case int, uint8, int8, uint16, int16, uint32, int32, objectid.PeerID:
		return strconv.AppendInt(dst, f.Int(), 10)
	case float32:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(f.Int()))), 'g', -1, 32)
	case compress.Float16:
		return appendDigits(dst, compress.Float16(f.Int()).Float32())
	case compress.Vector3:
		return appendVector(dst, axes(f.Raw).Float32)
	case compress.Vector4:
		return appendVector(dst, vector4(f.Raw).Float32)
	case compress.Contact:
		return append(dst, fmt.Sprint(f.Value())...)
	case []float32:
		dst = append(dst, '(')
		for raw := f.Raw; len(raw) >= 4; raw = raw[4:] {
			if len(raw) < len(f.Raw) {
				dst = append(dst, ' ')
			}
			dst = appendDigits(dst, float32At(raw))
		}
		return append(dst, ')')
	case objectid.ID:
		return appendID(dst, objectid.ID(f.Int()), fleet)
	case []byte:
		return appendShortBytes(dst, f.Raw)
	case stream.Text:
		return append(dst, terminal.Quote(strings.TrimRight(stream.Text(f.Bytes()).String(), "\x00"))...)
	case stream.UTF16:
		return append(dst, terminal.Quote(stream.UTF16(f.Bytes()).String())...)
	case transport.UTF16Z:
		return append(dst, terminal.Quote(transport.UTF16Z(f.Bytes()).String())...)
	}
	return terminal.AppendPrintable(dst, nameOf(f))
}

// Names of values that most messages have.
var (
	flagNames  = allNames[opcode.StateFlags]()
	levelNames = allNames[stateupdate.Level]()
)

func allNames[T interface {
	~uint8
	fmt.Stringer
}]() (names [256]string) {
	for i := range names {
		names[i] = T(i).String()
	}
	return names
}

// nameOf returns the name of an enumeration.
func nameOf(f *stream.Field) string {
	switch f.Type().(type) {
	case opcode.StateFlags:
		return flagNames[uint8(f.Int())]
	case stateupdate.Level:
		return levelNames[uint8(f.Int())]
	}
	return f.Text()
}

// float32At returns the number in the first four bytes.
func float32At(raw []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(raw)) }

// axes returns the direction in the first three bytes of a compressed vector.
func axes(raw []byte) compress.Vector3 {
	return compress.Vector3{X: int8(raw[0]), Y: int8(raw[1]), Z: int8(raw[2])}
}

func vector4(raw []byte) compress.Vector4 {
	return compress.Vector4{Dir: axes(raw), Mag: compress.Float16(uint16(raw[3]) | uint16(raw[4])<<8)}
}

func appendVector(dst []byte, xyz func() (x, y, z float32)) []byte {
	x, y, z := xyz()
	dst = appendDigits(append(dst, '('), x)
	dst = appendDigits(append(dst, ' '), y)
	dst = appendDigits(append(dst, ' '), z)
	return append(dst, ')')
}

func appendID(dst []byte, id objectid.ID, fleet fleet) []byte {
	start := len(dst)
	dst = appendHex(dst, id)
	if part := fleet.part(id); part != "" {
		return terminal.AppendPrintable(dst[:start], string(dst[start:])+" ("+part+")")
	}
	return dst
}

// appendHex appends an object ID such as 0x3fffffff.
func appendHex(dst []byte, id objectid.ID) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '0', 'x')
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, digits[uint32(id)>>shift&0xF])
	}
	return dst
}

func appendShortBytes(dst, b []byte) []byte {
	if len(b) <= maxShortBytes {
		return hex.AppendEncode(dst, b)
	}
	return fmt.Appendf(dst, "%x...(%d bytes)", b[:maxShortBytes], len(b))
}

// appendDigits appends a number with five digits.
func appendDigits(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', 5, 64)
}

// detail returns the details that a short value omits, for -v and -x: raw codes, slots, and the numbers
// of enumerations.
func detail(f *stream.Field) string {
	switch v := f.Value().(type) {
	case objectid.ID:
		if slot, ok := v.Slot(); ok {
			return fmt.Sprintf("slot %d", slot)
		}
	case compress.Float16:
		return fmt.Sprintf("raw %d", uint16(v))
	case compress.Vector3:
		return fmt.Sprintf("raw %d %d %d", v.X, v.Y, v.Z)
	case compress.Vector4:
		return fmt.Sprintf("raw %d %d %d %d", v.Dir.X, v.Dir.Y, v.Dir.Z, uint16(v.Mag))
	case compress.Contact:
		return fmt.Sprintf("raw %d %d %d %d", v.Dir.X, v.Dir.Y, v.Dir.Z, v.Mag)
	case stateupdate.Power:
		return number(int64(v.Percent()))
	case stateupdate.Level:
		return number(f.Int())
	case objectid.PeerID, opcode.Hash, opcode.Hash16, stateupdate.Levels, address, stream.Text, stream.UTF16, transport.UTF16Z:
	case fmt.Stringer:
		if name := v.String(); name != strconv.FormatInt(f.Int(), 10) && !strings.HasPrefix(name, "0x") {
			return number(f.Int())
		}
	}
	return ""
}

// number returns a number in decimal and hexadecimal digits.
func number(n int64) string {
	if hex := fmt.Sprintf("0x%08x", n); hex > "0x000000ff" {
		return hex
	}
	return fmt.Sprintf("%d, 0x%02x", n, n)
}

// value appends the value of a field as JSON.
func (j *JSON) value(f *stream.Field) {
	switch f.Type().(type) {
	case nil:
		j.text("null")
	case bool:
		j.dst = strconv.AppendBool(j.dst, f.Int() != 0)
	case uint8, int8, uint16, int16, uint32, int32, objectid.PeerID, stateupdate.Level:
		j.int(f.Int())
	case stateupdate.Power:
		j.int(int64(stateupdate.Power(f.Int()).Percent()))
	case float32:
		j.float32(math.Float32frombits(uint32(f.Int())))
	case []float32:
		j.text("[")
		for raw := f.Raw; len(raw) >= 4; raw = raw[4:] {
			if len(raw) < len(f.Raw) {
				j.text(",")
			}
			j.float32(float32At(raw))
		}
		j.text("]")
	case compress.Float16:
		v := compress.Float16(f.Int())
		if j.text("{"); !j.Short {
			j.text(`"raw":`)
			j.int(int64(uint16(v)))
			j.text(",")
		}
		j.text(`"value":`)
		j.digits(v.Float32(), 5)
		j.text("}")
	case compress.Vector3:
		v := axes(f.Raw)
		j.compressed(v, -1)
		j.vector(v.Float32())
	case compress.Vector4:
		v := vector4(f.Raw)
		j.compressed(v.Dir, int64(uint16(v.Mag)))
		j.vector(v.Float32())
	case compress.Contact: // the value is for an object of radius 1
		v := compress.Contact{Dir: axes(f.Raw), Mag: f.Raw[3]}
		j.compressed(v.Dir, int64(v.Mag))
		j.vector(v.Float32(1))
	case objectid.ID:
		j.id(objectid.ID(f.Int()))
	case []byte:
		j.hex(f.Raw)
	case opcode.Hash, opcode.Hash16, address:
		j.dst = terminal.AppendJSON(j.dst, f.Text())
	case stateupdate.Levels:
		j.text("[")
		for i, level := range f.Bytes() {
			if i > 0 {
				j.text(",")
			}
			j.int(int64(level))
		}
		j.text("]")
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
		j.named(f)
	}
}

// named appends an enumeration.
func (j *JSON) named(f *stream.Field) {
	j.text(`{"raw":`)
	j.int(f.Int())
	j.text(`,"name":`)
	j.dst = terminal.AppendJSON(j.dst, nameOf(f))
	j.text("}")
}

// compressed appends the beginning of a compressed vector, up to its value. A negative length is none.
func (j *JSON) compressed(v compress.Vector3, length int64) {
	if j.Short {
		j.text(`{"value":`)
		return
	}
	j.text(`{"raw":[`)
	j.int(int64(v.X))
	j.text(",")
	j.int(int64(v.Y))
	j.text(",")
	j.int(int64(v.Z))
	if length >= 0 {
		j.text(",")
		j.int(length)
	}
	j.text(`],"value":`)
}

// vector appends the value and the end of a compressed vector.
func (j *JSON) vector(x, y, z float32) {
	j.text("[")
	j.digits(x, 4)
	j.text(",")
	j.digits(y, 4)
	j.text(",")
	j.digits(z, 4)
	j.text("]}")
}

func (j *JSON) text(s string) { j.dst = append(j.dst, s...) }
func (j *JSON) int(n int64)   { j.dst = strconv.AppendInt(j.dst, n, 10) }

func (j *JSON) hex(b []byte) {
	j.dst = append(j.dst, '"')
	j.dst = append(hex.AppendEncode(j.dst, b), '"')
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

// float32 appends the exact value as a float64, so that readers of any precision agree.
func (j *JSON) float32(v float32) { j.digits(v, -1) }

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
	j.text(`{"id":"`)
	j.dst = appendHex(j.dst, id)
	j.text(`","slot":`)
	if slot, ok := id.Slot(); ok {
		j.int(int64(slot))
	} else {
		j.text("null")
	}
	if part := j.message.fleet.part(id); part != "" {
		j.text(`,"part":`)
		j.dst = terminal.AppendJSON(j.dst, part)
	}
	j.text("}")
}

// string appends a text, and its bytes if it is not plain.
func (j *JSON) string(text string, raw []byte, plain bool) {
	if plain {
		j.dst = terminal.AppendJSON(j.dst, text)
		return
	}
	j.text(`{"text":`)
	j.dst = terminal.AppendJSON(j.dst, text)
	j.text(`,"raw":`)
	j.hex(raw)
	j.text("}")
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isStock reports whether a text of a system message is ASCII in the stock form. All its bytes
// then follow from the string.
func isStock(t transport.UTF16Z) bool {
	s := t.String()
	stock, err := transport.NewUTF16Z(s)
	return err == nil && isASCII(s) && string(stock) == string(t)
}
