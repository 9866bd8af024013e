package show

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/compress"
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
		j.Raw("null")
	case int:
		j.Raw("[")
		j.open = append(j.open, level{name: f.Name, index: listLevel})
		j.group = anyGroup
	case bool:
		j.Bool(f.Int() != 0)
	case uint8, int8, uint16, int16, uint32, int32, objectid.PeerID, objectid.Slot, stateupdate.Level:
		j.Int(f.Int())
	case stateupdate.Power:
		j.Int(int64(stateupdate.Power(f.Int()).Percent()))
	case float32: // as a float64, so that readers of any precision agree
		j.Float32(math.Float32frombits(uint32(f.Int())), -1)
	case []float32:
		j.Floats(f.Float32s(j.numbers[:0]), -1)
	case compress.Float16, compress.Vector3, compress.Vector4, compress.Contact:
		j.compressed(f)
	case objectid.ID:
		j.id(objectid.ID(f.Int()))
	case []byte:
		j.Hex(f.Raw)
	case opcode.Hash, opcode.Hash16:
		j.Quote(f.Text())
	case stateupdate.Levels:
		j.codes = j.codes[:0]
		for _, level := range f.Bytes() {
			j.codes = append(j.codes, int(level))
		}
		j.Ints(j.codes)
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
			j.Quote(f.Text())
		} else {
			j.Raw(`{"raw":`).Int(f.Int()).Raw(`,"name":`).Quote(nameOf(f)).Raw("}")
		}
	}
}

// compressed appends the codes of a number or a vector and what they mean. The value of a contact is for an
// object of radius 1.
func (j *JSON) compressed(f *stream.Field) {
	_, single := f.Type().(compress.Float16)
	j.Raw("{")
	switch {
	case j.Short:
	case single:
		j.Raw(`"raw":`).Int(f.Int()).Raw(",")
	default:
		j.codes = f.Codes(j.codes[:0])
		j.Raw(`"raw":`).Ints(j.codes).Raw(",")
	}
	j.Raw(`"value":`)
	if single {
		j.Float32(compress.Float16(f.Int()).Float32(), 5)
	} else {
		j.Floats(f.Float32s(j.numbers[:0]), 4)
	}
	j.Raw("}")
}

func (j *JSON) id(id objectid.ID) {
	j.Bytes = appendHex(j.Raw(`{"id":"`).Bytes, id)
	j.Raw(`","slot":`)
	if slot, ok := id.Slot(); ok {
		j.Int(int64(slot))
	} else {
		j.Raw("null")
	}
	if part := j.message.fleet.part(id); part != "" {
		j.Raw(`,"part":`).Quote(part)
	}
	j.Raw("}")
}

// string appends a text, and its bytes if it is not plain.
func (j *JSON) string(text string, raw []byte, plain bool) {
	if plain {
		j.Quote(text)
	} else {
		j.Raw(`{"text":`).Quote(text).Raw(`,"raw":`).Hex(raw).Raw("}")
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
