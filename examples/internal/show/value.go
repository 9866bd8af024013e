package show

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
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
	var room [4]float32
	switch f.Type().(type) {
	case nil:
		return append(dst, '-')
	case bool:
		return strconv.AppendBool(dst, f.Int() != 0)
	case int, uint8, int8, uint16, int16, uint32, int32, objectid.PeerID, objectid.Slot:
		return strconv.AppendInt(dst, f.Int(), 10)
	case float32:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(f.Int()))), 'g', -1, 32)
	case compress.Float16:
		return appendDigits(dst, f.Float32s(room[:0]))
	case compress.Vector3, compress.Vector4, []float32:
		return append(appendDigits(append(dst, '('), f.Float32s(room[:0])), ')')
	case compress.Contact:
		return append(dst, fmt.Sprint(f.Value())...)
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

// appendDigits appends numbers with five digits.
func appendDigits(dst []byte, list []float32) []byte {
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendFloat(dst, float64(v), 'g', 5, 64)
	}
	return dst
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
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(id))
	return hex.AppendEncode(append(dst, "0x"...), b[:])
}

func appendShortBytes(dst, b []byte) []byte {
	if len(b) <= maxShortBytes {
		return hex.AppendEncode(dst, b)
	}
	return fmt.Appendf(dst, "%x...(%d bytes)", b[:maxShortBytes], len(b))
}

// detail returns the details that a short value omits, for -v and -x: raw codes, slots, and the numbers
// of enumerations.
func detail(f *stream.Field) string {
	switch v := f.Value().(type) {
	case objectid.ID:
		if slot, ok := v.Slot(); ok {
			return fmt.Sprintf("slot %d", slot)
		}
	case compress.Float16, compress.Vector3, compress.Vector4, compress.Contact:
		return "raw " + strings.Trim(fmt.Sprint(f.Codes(nil)), "[]")
	case stateupdate.Power:
		return number(int64(v.Percent()))
	case stateupdate.Level:
		return number(f.Int())
	case objectid.PeerID, objectid.Slot, opcode.Hash, opcode.Hash16:
	case fmt.Stringer:
		if name := v.String(); !isBytes(f) && name != strconv.FormatInt(f.Int(), 10) && !strings.HasPrefix(name, "0x") {
			return number(f.Int())
		}
	}
	return ""
}

// isBytes reports whether a value has the bytes on the wire, as texts and addresses have.
func isBytes(f *stream.Field) bool { return reflect.TypeOf(f.Type()).Kind() == reflect.Slice }

// number returns a number in decimal and hexadecimal digits.
func number(n int64) string {
	if hex := fmt.Sprintf("0x%08x", n); hex > "0x000000ff" {
		return hex
	}
	return fmt.Sprintf("%d, 0x%02x", n, n)
}
