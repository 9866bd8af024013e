package opcode_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// vector is a golden payload. Its fields are the fields on the wire, by Go name in lowerCamelCase.
type vector struct {
	testdata.Vector
	Dir       string // "c2s" or "s2c"
	Hex       testdata.Hex
	Opcode    testdata.Number
	Message   string
	Fields    map[string]any
	FloatBits map[string]any
	Error     string
	ErrorAt   string
}

func (v *vector) typed() bool { return typed(opcode.Code(v.Opcode)) }

// typed reports whether an opcode has a type.
func typed(op opcode.Code) bool {
	_, unknown := opcode.New(op).(*opcode.Unknown)
	return !unknown
}

// vectors returns the golden payloads, captured or constructed. They are parsed once, so tests
// must not modify them.
func vectors(t testing.TB) []vector {
	t.Helper()
	parsed.Do(func() {
		parsed.vectors = append(testdata.Load[vector](t, "payloads.json"), testdata.Load[vector](t, "payloads-constructed.json")...)
	})
	return parsed.vectors
}

var parsed struct {
	sync.Once
	vectors []vector
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			v.Place(t)
			if !v.typed() {
				checkUnknown(t, &v)
				return
			}
			m, err := opcode.Decode(v.Hex)
			require.Equal(t, v.Message, m.Opcode().String())
			dissected, fields, dissectErr := opcode.Dissect(v.Hex)
			same(t, m, dissected)
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(dissectErr))
			checkCover(t, v.Hex, fields)
			checkFields(t, &v, m, fields)
			if v.Error != "" && v.ErrorAt != "subsystems" { // which are not this package's
				checkError(t, &v, err)
				return
			}
			require.NoError(t, err)
			again, err := opcode.Marshal(m)
			require.NoError(t, err)
			require.Equal(t, v.Hex, testdata.Hex(again))
		})
	}
}

func checkUnknown(t *testing.T, v *vector) {
	m, err := opcode.Decode(v.Hex)
	require.NoError(t, err)
	require.Equal(t, &opcode.Unknown{Op: opcode.Code(v.Opcode), Data: v.Hex[1:]}, m)
	if v.Message != "Unknown" {
		require.Equal(t, v.Message, m.Opcode().String(), generated)
	}
	again, err := opcode.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, v.Hex, testdata.Hex(again))
}

func checkError(t *testing.T, v *vector, err error) {
	var located *stream.Error
	require.ErrorAs(t, err, &located)
	require.Equal(t, v.ErrorAt, lower(located.Field()))
	switch v.Error {
	case "unexpectedEOF":
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	case "badBitGroup":
		require.ErrorIs(t, err, stream.ErrBadBitGroup)
	default:
		t.Fatalf("error class %q", v.Error)
	}
}

// checkCover asserts that the fields cover every byte of the payload once and in order.
func checkCover(t testing.TB, payload []byte, fields []stream.Field) {
	t.Helper()
	end := 0
	for _, f := range fields {
		if len(f.Raw) == 0 {
			require.LessOrEqual(t, f.Offset, end, f.Path())
			continue
		}
		require.Equal(t, end, f.Offset, f.Path())
		require.Equal(t, payload[f.Offset:f.Offset+len(f.Raw)], f.Raw, f.Path())
		end += len(f.Raw)
	}
	require.Len(t, payload, end)
}

// checkFields compares the dissected fields with the fields of the vector, which lacks the opcode
// and the counts of lists.
func checkFields(t *testing.T, v *vector, m opcode.Message, fields []stream.Field) {
	got := map[string]any{}
	bits := map[string]any{}
	for _, f := range fields {
		if _, count := f.Value().(int); count || f.Err != nil || f.Path() == "Opcode" {
			continue
		}
		flatten(got, lower(f.Path()), plain(f.Value()))
		flatten(bits, lower(f.Path()), floatBits(f.Value()))
	}
	addFields(got, m)
	want := map[string]any{}
	flatten(want, "", any(v.Fields))
	for path := range want {
		if strings.HasSuffix(path, "].name") {
			delete(want, path) // of a hash: not on the wire
		}
	}
	require.Equal(t, want, got)
	wantBits := map[string]any{}
	flatten(wantBits, "", any(v.FloatBits))
	require.Equal(t, wantBits, bits)
}

// addFields adds what vectors have and the wire has not.
func addFields(to map[string]any, m opcode.Message) {
	switch m := m.(type) {
	case *opcode.EnterSet:
		to["set"] = m.SetName()
		to["setRaw"] = hex.EncodeToString(m.Set)
	case *opcode.StateUpdate:
		if m.Flags&opcode.StateSubsystems == 0 {
			return
		}
		to["bits"] = nil
		if m.Bits != (stream.Bits{}) {
			delete(to, "bits")
			to["bits.byte"], to["bits.read"] = float64(m.Bits.Byte), float64(m.Bits.Read)
		}
	}
}

// flatten turns nested objects and lists into paths such as "damagers[1].score".
func flatten(to map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["raw"] != nil && v["value"] != nil {
			to[path] = rounded(v)
			return
		}
		for key, v := range v {
			flatten(to, strings.TrimPrefix(path+"."+key, "."), v)
		}
	case []any:
		for i, v := range v {
			flatten(to, fmt.Sprintf("%s[%d]", path, i), v)
		}
	case nothing:
	default:
		to[path] = v
	}
}

// nothing is what flatten leaves out.
type nothing struct{}

func floatBits(v any) any {
	switch v := v.(type) {
	case float32:
		return fmt.Sprintf("%08x", math.Float32bits(v))
	case []float32:
		var list []any
		for _, x := range v {
			list = append(list, floatBits(x))
		}
		return list
	}
	return nothing{}
}

// lower turns a path of Go names into one of the vectors.
func lower(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		runes := []rune(p)
		for j := range runes {
			if j > 0 && j+1 < len(runes) && unicode.IsLower(runes[j+1]) || !unicode.IsUpper(runes[j]) {
				break
			}
			runes[j] = unicode.ToLower(runes[j])
		}
		parts[i] = string(runes)
	}
	return strings.Join(parts, ".")
}

// plain is a dissected value as the JSON of the vectors has it.
func plain(v any) any {
	switch v := v.(type) {
	case bool:
		return v
	case float32:
		return float64(v)
	case stream.Text:
		return v.String()
	case stream.UTF16:
		return v.String()
	case []byte:
		return hex.EncodeToString(v)
	case []float32:
		var list []any
		for _, x := range v {
			list = append(list, float64(x))
		}
		return list
	case objectid.ID, opcode.Hash, opcode.Hash16:
		return fmt.Sprint(v)
	case opcode.EventClass:
		return opcode.Hash(v).String()
	case opcode.EventCode:
		return opcode.Hash(v).String()
	case opcode.ObjectClass:
		return opcode.Hash(v).String()
	case compress.Float16:
		return map[string]any{"raw": float64(v), "value": float64(v.Float32())}
	case compress.Vector3:
		x, y, z := v.Float32()
		return vectorValue(x, y, z, v)
	case compress.Vector4:
		x, y, z := v.Float32()
		return vectorValue(x, y, z, v.Dir, float64(v.Mag))
	case compress.Contact:
		x, y, z := v.Float32(1)
		return vectorValue(x, y, z, v.Dir, float64(v.Mag))
	}
	return number(v)
}

func number(v any) float64 {
	var f float64
	if _, err := fmt.Sscan(fmt.Sprintf("%d", v), &f); err != nil {
		panic(err)
	}
	return f
}

func vectorValue(x, y, z float32, dir compress.Vector3, mag ...any) any {
	return map[string]any{
		"raw":   append([]any{float64(dir.X), float64(dir.Y), float64(dir.Z)}, mag...),
		"value": []any{float64(x), float64(y), float64(z)},
	}
}

// rounded prints the derived values of a compressed number to six digits, and its raw
// codes exactly.
func rounded(v map[string]any) string {
	return fmt.Sprintf("raw %v, value %.6g", v["raw"], v["value"])
}

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"TubeID": "tubeID", "ID": "id", "Map": "map", "Damagers[1].ID": "damagers[1].id", "X": "x", "": "",
	} {
		require.Equal(t, want, lower(in))
	}
}
