// Package testdata contains the golden vectors of the protocol and helpers for the tests of
// this module. Nothing else may import it.
package testdata

import (
	"embed"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"testing"
)

//go:embed vectors/*.json
var files embed.FS

// Vector has the common fields of all golden vectors. README.md describes the kinds and the
// keys of each file.
type Vector struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Sources []string `json:"sources"`
	Aliases []string `json:"aliases"`
	Note    string   `json:"note"`

	File string `json:"-"` // its file, from the root of the module
}

func (v *Vector) setFile(name string) { v.File = name }

// Place logs the file of the vector if the test fails.
func (v *Vector) Place(t testing.TB) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the vector %q is in %s", v.Name, v.File)
		}
	})
}

// Load returns the vectors of a file, such as "cipher.json". The type T embeds [Vector].
func Load[T any](t testing.TB, file string) []T {
	t.Helper()
	return load[T](t, file, func(json.RawMessage) bool { return true })
}

// LoadGroup returns the vectors of one group of a file. Each group has its own type T.
func LoadGroup[T any](t testing.TB, file, group string) []T {
	t.Helper()
	return load[T](t, file, func(text json.RawMessage) bool {
		var v struct{ Group string }
		return json.Unmarshal(text, &v) == nil && v.Group == group
	})
}

func load[T any](t testing.TB, file string, want func(json.RawMessage) bool) (vectors []T) {
	t.Helper()
	text, err := files.ReadFile("vectors/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("testdata/vectors/%s: %v", file, err)
	}
	for i, text := range all {
		if !want(text) {
			continue
		}
		var v T
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("testdata/vectors/%s, vector %d: %v", file, i, err)
		}
		if v, ok := any(&v).(interface{ setFile(name string) }); ok {
			v.setFile("testdata/vectors/" + file)
		}
		vectors = append(vectors, v)
	}
	if len(vectors) == 0 {
		t.Fatalf("%s: no vectors", file)
	}
	return vectors
}

// Hex is a byte string in hex digits.
type Hex []byte

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hex) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	*h = b
	return err
}

// Number is an unsigned number in the form "0x571b".
type Number uint64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *Number) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 0, 64)
	*n = Number(v)
	return err
}

// Bits is a float32 in the form of the eight hex digits of its bits.
type Bits uint32

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Bits) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 32)
	*b = Bits(v)
	return err
}
