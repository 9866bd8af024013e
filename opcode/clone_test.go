package opcode_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
)

// Writes to the payload and further decoding do not change the clone of a decoded message.
func TestCloneOfDecoded(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		var dec opcode.Decoder
		for _, p := range payloads {
			wire := bytes.Clone(p)
			m, err := dec.Decode(wire)
			require.NoError(t, err)
			c := opcode.Clone(m)
			require.True(t, reflect.DeepEqual(m, c) || fmt.Sprint(m) == fmt.Sprint(c), "%v, %v", m, c)
			overwrite(reflect.ValueOf(m))
			clear(wire)
			checkAppend(t, c, p)
		}
	})
}

// A clone has every field of a message, on the wire or not, and shares no list with it.
func TestCloneOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(types).Draw(t, "type")
		m := opcode.New(op)
		fill(t, op, reflect.ValueOf(m).Elem(), 0)
		want := fmt.Sprintf("%#v", reflect.ValueOf(m).Elem())
		c := opcode.Clone(m)
		require.Equal(t, want, fmt.Sprintf("%#v", reflect.ValueOf(c).Elem()))
		overwrite(reflect.ValueOf(m))
		require.Equal(t, want, fmt.Sprintf("%#v", reflect.ValueOf(c).Elem()))
	})
}

// overwrite zeroes a value and all elements of its lists.
func overwrite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		overwrite(v.Elem())
		return
	case reflect.Struct:
		for i := range v.NumField() {
			overwrite(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			overwrite(v.Index(i))
		}
	}
	v.SetZero()
}

func TestCloneOfUnknownAndModMessages(t *testing.T) {
	require.Nil(t, opcode.Clone(nil))
	unknown := &opcode.Unknown{Op: 0xCD, Data: []byte("abc")}
	c := opcode.Clone(unknown)
	unknown.Data[0] = 'x'
	require.Equal(t, &opcode.Unknown{Op: 0xCD, Data: []byte("abc")}, c)

	require.Equal(t, &opcode.Unknown{Op: 0x35, Data: testdata.Bytes("07000000")}, opcode.Clone(&swap{Ship: 7}))
	require.Equal(t, &cloned{swap{Ship: 8}}, opcode.Clone(&cloned{swap{Ship: 7}}))
	require.Equal(t, &opcode.Unknown{Op: 0x2C}, opcode.Clone(&tooLong{opcode.ChatMessage{Text: make([]byte, 1<<16)}}))
}

// cloned is a message of a mod with a Clone method.
type cloned struct{ swap }

func (m *cloned) Clone() opcode.Message { return &cloned{swap{Ship: m.Ship + 1}} }

// tooLong is a message of a mod that does not encode.
type tooLong struct{ opcode.ChatMessage }
