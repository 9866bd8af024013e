package show

import (
	"encoding/hex"
	"fmt"
	"reflect"
)

// jsonOther returns what stands for a value of a type that this program does not know:
// numbers, lists, and bytes as text if the type is one.
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

// rawBytes works for arrays, too, whose value has no address.
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
