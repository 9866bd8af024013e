package show

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strconv"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Values that are objects in JSON.
type (
	compressedJSON struct {
		Raw   any `json:"raw"`
		Value any `json:"value"`
	}
	idJSON struct {
		ID   string         `json:"id"`
		Slot *objectid.Slot `json:"slot"`
		Part string         `json:"part,omitempty"`
	}
	textJSON struct {
		Text string `json:"text"`
		Raw  string `json:"raw"`
	}
	enumJSON struct {
		Raw  any    `json:"raw"`
		Name string `json:"name"`
	}
)

// jsonValue returns the JSON form of a value.
func jsonValue(v any) any {
	switch v := v.(type) {
	case nil, bool, string, *object, *list:
		return v
	case float32:
		return jsonFloat(v)
	case netip.Addr:
		return v.String()
	case objectid.PeerID:
		return int8(v)
	case objectid.ID:
		return jsonID(v)
	case partID:
		j := jsonID(v.ID)
		j.Part = v.part
		return j
	case []byte:
		return hex.EncodeToString(v)
	case opcode.Hash, opcode.Hash16:
		return fmt.Sprint(v)
	case stateupdate.Levels:
		return jsonLevels(v)
	case stateupdate.Level:
		return uint8(v)
	case stateupdate.Power:
		return v.Percent()
	case stream.Text:
		return jsonStreamText(v)
	case stream.UTF16:
		return jsonText(v.String(), v, isASCII([]byte(v.String())) && len(v)%2 == 0)
	case transport.UTF16Z:
		return jsonText(v.String(), v, isPlain(v))
	}
	if raw, value, ok := compressedNumber(v); ok {
		return compressedJSON{raw, value}
	}
	return jsonOther(v)
}

// compressedNumber returns the raw code and the value of a compressed number. The value of a
// Contact is for an object of radius 1.
func compressedNumber(v any) (raw, value any, ok bool) {
	switch v := v.(type) {
	case compress.Float16:
		return uint16(v), jsonFloat(v.Float32()), true
	case compress.Vector3:
		return axes(v), vector(v.Float32()), true
	case compress.Vector4:
		return append(axes(v.Dir), uint16(v.Mag)), vector(v.Float32()), true
	case compress.Contact:
		return append(axes(v.Dir), v.Mag), vector(v.Float32(1)), true
	}
	return nil, nil, false
}

func axes(v compress.Vector3) []any { return []any{v.X, v.Y, v.Z} }

func vector(x, y, z float32) []any { return []any{jsonFloat(x), jsonFloat(y), jsonFloat(z)} }

// jsonFloat returns the exact value as a float64, so that readers of any precision agree.
func jsonFloat(v float32) any { return jsonFloat64(float64(v)) }

func jsonFloat64(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return v
}

func jsonID(id objectid.ID) idJSON {
	j := idJSON{ID: id.String()}
	if slot, ok := id.Slot(); ok {
		j.Slot = &slot
	}
	return j
}

func jsonLevels(levels stateupdate.Levels) []any {
	items := make([]any, len(levels))
	for i := range levels {
		items[i] = levels[i]
	}
	return items
}

// shortFloat returns a number with the digits of a float32.
func shortFloat(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// jsonOther returns the JSON form of a value of any other type: a number, a list, or bytes,
// which are text if the type has a String method.
func jsonOther(v any) any {
	name, named := v.(fmt.Stringer)
	switch r := reflect.ValueOf(v); {
	case r.CanInt() || r.CanUint():
		if named {
			return enumJSON{integer(r), name.String()}
		}
		return integer(r)
	case r.CanFloat():
		return jsonFloat64(r.Float())
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case isBytes(r):
		raw := rawBytes(r)
		if named {
			return jsonText(name.String(), raw, isASCII(raw))
		}
		return hex.EncodeToString(raw)
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		items := make([]any, r.Len())
		for i := range items {
			items[i] = jsonValue(r.Index(i).Interface())
		}
		return items
	}
	return fmt.Sprint(v)
}

func isBytes(r reflect.Value) bool {
	k := r.Kind()
	return (k == reflect.Slice || k == reflect.Array) && r.Type().Elem().Kind() == reflect.Uint8
}

// rawBytes copies the bytes of a slice or an array. An array in an interface cannot be sliced.
func rawBytes(r reflect.Value) []byte {
	b := make([]byte, r.Len())
	reflect.Copy(reflect.ValueOf(b), r)
	return b
}

func integer(r reflect.Value) any {
	if r.CanInt() {
		return r.Int()
	}
	return r.Uint()
}

func jsonText(text string, raw []byte, plain bool) any {
	if plain {
		return text
	}
	return textJSON{text, hex.EncodeToString(raw)}
}

// jsonStreamText omits NULs at the end, which some messages have.
func jsonStreamText(t stream.Text) any {
	shown := bytes.TrimRight(t, "\x00")
	return jsonText(stream.Text(shown).String(), t, isASCII(t) && len(shown) == len(t))
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// isPlain reports whether a text of a system message is ASCII in the stock form. All its bytes
// then follow from the string.
func isPlain(t transport.UTF16Z) bool {
	s := t.String()
	stock, err := transport.NewUTF16Z(s)
	return err == nil && isASCII([]byte(s)) && string(stock) == string(t)
}
