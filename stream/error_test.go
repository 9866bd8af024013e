package stream_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// message is a message and its bytes.
type message struct {
	name string
	wire []byte
	codec
	fields map[int]string // by offset
}

type codec interface {
	stream.Walker
	decode(*stream.Codec, []byte) error
	encode(*stream.Codec, []byte) ([]byte, error)
}

func messages() []message {
	return []message{
		{"torpedo", testdata.Bytes(torpedoHex), new(torpedo), map[int]string{
			0: "Opcode", 1: "Tube", 5: "Type", 6: "Flags", 7: "Direction", 10: "Target", 14: "Offset",
		}},
		{"explosion", testdata.Bytes(explosionHex), new(explosion), map[int]string{
			0: "Opcode", 1: "Object", 5: "Impact", 10: "Radius", 12: "Damage",
		}},
		{"state", testdata.Bytes(stateHex), new(state), map[int]string{
			0: "Opcode", 1: "Object", 5: "Time", 9: "Flags", 10: "X", 14: "Y", 18: "Z", 22: "HasHash",
			23: "Hash", 25: "Forward", 28: "Up", 31: "Speed",
		}},
	}
}

func TestPrefixes(t *testing.T) {
	for _, m := range messages() {
		t.Run(m.name, func(t *testing.T) {
			require.NoError(t, m.decode(new(stream.Codec), m.wire))
			again, err := m.encode(new(stream.Codec), nil)
			require.NoError(t, err)
			require.Equal(t, m.wire, again)
			at := 0
			for n := range m.wire {
				if m.fields[n] != "" {
					at = n
				}
				err := m.decode(new(stream.Codec), m.wire[:n])
				if m.name == "state" && n >= 33 {
					continue // within the list: see TestPrefixesElements
				}
				require.EqualError(t, err, fmt.Sprintf("stream_test: decode %s.%s at offset %d: unexpected EOF", m.name, m.fields[at], at))
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				require.NotErrorIs(t, err, stream.ErrTrailing)
				var located *stream.Error
				require.ErrorAs(t, err, &located)
				require.Equal(t, "stream_test."+m.name, located.Message)
				require.Equal(t, m.fields[at], located.Field())
				require.Equal(t, at, located.Offset)
				require.Equal(t, io.ErrUnexpectedEOF, located.Err)
				require.False(t, located.Encoding)
			}
		})
	}
	require.EqualError(t, new(torpedo).decode(new(stream.Codec), testdata.Bytes(torpedoHex)[:12]),
		"stream_test: decode torpedo.Target at offset 10: unexpected EOF")
	require.EqualError(t, new(torpedo).decode(new(stream.Codec), nil), "stream_test: decode torpedo.Opcode at offset 0: unexpected EOF")
}

// The list of a state extends to the end of the payload, so a part of an element is
// trailing.
func TestPrefixesElements(t *testing.T) {
	wire := testdata.Bytes(stateHex)
	for n := 33; n <= len(wire); n++ {
		var m state
		err := m.decode(new(stream.Codec), wire[:n])
		require.Len(t, m.Power, (n-33)/2)
		if n%2 == 1 {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf("stream_test: decode state at offset %d: bytes after the last field", n-1))
	}
}

// With trailing bytes all fields are decoded.
func TestTrailing(t *testing.T) {
	for _, m := range messages()[:2] {
		err := m.decode(new(stream.Codec), append(m.wire[:len(m.wire):len(m.wire)], 0xEE, 0xEF))
		require.EqualError(t, err, fmt.Sprintf("stream_test: decode %s at offset %d: bytes after the last field", m.name, len(m.wire)))
		require.ErrorIs(t, err, stream.ErrTrailing)
		var located *stream.Error
		require.ErrorAs(t, err, &located)
		require.Equal(t, len(m.wire), located.Offset)
		require.Empty(t, located.Field())
		again, err := m.encode(new(stream.Codec), nil)
		require.NoError(t, err)
		require.Equal(t, m.wire, again)
	}
}

func TestOpcode(t *testing.T) {
	err := new(torpedo).decode(new(stream.Codec), testdata.Bytes(explosionHex))
	require.EqualError(t, err, "stream_test: decode torpedo.Opcode at offset 0: wrong opcode 0x29; is the datagram deciphered?")
	require.ErrorIs(t, err, stream.ErrOpcode)
	err = new(torpedo).decode(new(stream.Codec), []byte{5})
	require.EqualError(t, err, "stream_test: decode torpedo.Opcode at offset 0: wrong opcode 0x05; is the datagram deciphered?")

	p := program{new(uint8(7))} // with the opcode 0
	wire, err := appendTo(nil, 0, p)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 7}, wire)
	require.NoError(t, unmarshal(wire, 0, p))
	require.True(t, new(stream.Codec).Fits(wire, 0, p.Walk))
	require.EqualError(t, unmarshal([]byte{5, 7}, 0, p), "stream_test: decode program.Opcode at offset 0: wrong opcode 0x05; is the datagram deciphered?")
}

// tree is a recursive list without a limit.
type tree struct {
	Name     stream.Text
	Children []tree
}

func (m *tree) Walk(c *stream.Codec) {
	c.Field("Name").String8(&m.Name)
	n := c.Field("Children").Count8(len(m.Children), 2)
	stream.Resize(c, &m.Children, n)
	for i := range n {
		c.Element("Children", i)
		m.Children[i].Walk(c)
		c.End()
	}
}

func TestPaths(t *testing.T) {
	whole := testdata.Bytes("a7000100020000000100010001016100")
	require.NoError(t, unmarshal(whole, anyOp, new(tree)))
	for n, text := range map[int]string{
		1:  "Name at offset 1",
		2:  "Children at offset 2",
		3:  "Children at offset 2", // the counted element does not fit
		5:  "Children[0].Children at offset 4",
		7:  "Children[0].Children at offset 4",
		9:  "Children[0].Children[1].Children at offset 8",
		11: "Children[0].Children[1].Children[0].Children at offset 10",
		14: "Children[0].Children[1].Children[0].Children[0].Children at offset 12",
		15: "Children[0].Children[1].Children[0].Children[0].Children[0].Children at offset 15",
	} {
		err := unmarshal(whole[:n], anyOp, new(tree))
		require.EqualError(t, err, "stream_test: decode tree."+text+": unexpected EOF", "%d bytes", n)
	}
	long := tree{Children: []tree{{}, {Name: make(stream.Text, 256)}}}
	_, err := appendTo(nil, anyOp, &long)
	require.EqualError(t, err, "stream_test: encode tree.Children[1].Name at offset 5: too long: 256 bytes, at most 255")
}

// An error between fields names the element that contains it, or the list before it.
func TestPathsBetweenFields(t *testing.T) {
	var n uint8
	for text, m := range map[string]walk{
		"L[2] at offset 2":    func(c *stream.Codec) { c.Element("L", 2); c.Fail(io.EOF) },
		"G at offset 2":       func(c *stream.Codec) { c.Group("G"); c.Fail(io.EOF) },
		"G.L[0] at offset 2":  func(c *stream.Codec) { c.Group("G"); c.Element("L", 0); c.Fail(io.EOF) },
		"G.N at offset 2":     func(c *stream.Codec) { c.Group("G"); c.Field("N").Uint8(&n); c.Fail(io.EOF) },
		"L at offset 3":       func(c *stream.Codec) { c.Element("L", 0); c.Field("N").Uint8(&n); c.End(); c.Fail(io.EOF) },
		"G.L at offset 2":     func(c *stream.Codec) { c.Group("G"); c.Element("L", 0); c.End(); c.Fail(io.EOF) },
		"First at offset 1":   func(c *stream.Codec) { c.Fail(io.EOF) },
		"A.B.C.D at offset 2": func(c *stream.Codec) { c.Group("A"); c.Group("B"); c.Group("C"); c.Group("D"); c.Fail(io.EOF) },
		"Stray at offset 2":   func(c *stream.Codec) { c.End(); c.Field("Stray"); c.Fail(io.EOF) },
		"L[1].L at offset 2":  func(c *stream.Codec) { c.Element("L", 1); c.Field("L"); c.Fail(io.EOF) },
		"L[10].M at offset 2": func(c *stream.Codec) { c.Element("L", 10); c.Group("M"); c.Fail(io.EOF); c.End(); c.End() },
		"Late at offset 2":    func(c *stream.Codec) { c.Group("A"); c.End(); c.Field("Late"); c.Fail(io.EOF); c.Group("B") },
		"A.Again at offset 2": func(c *stream.Codec) { c.Group("A"); c.Field("Again"); c.Fail(io.EOF); c.Field("Later") },
		"A.Twice at offset 2": func(c *stream.Codec) { c.Group("A"); c.Field("Twice"); c.Fail(io.EOF); c.Fail(io.ErrNoProgress) },
	} {
		for encoding := range 2 {
			walked := walk(func(c *stream.Codec) {
				c.Field("First").Uint8(&n)
				m(c)
			})
			verb := "decode"
			err := unmarshal([]byte{anyOp, 1, 2}, anyOp, walked)
			_, again := dissect([]byte{anyOp, 1, 2}, walked)
			require.EqualError(t, again, err.Error())
			if encoding == 1 {
				verb = "encode"
				_, err = appendTo([]byte("prefix"), anyOp, walked)
			}
			require.EqualError(t, err, "stream_test: "+verb+" walk."+text+": EOF")
		}
	}
}

func TestErrorText(t *testing.T) {
	for text, e := range map[string]stream.Error{
		"opcode: decode TorpedoFire at offset 3: EOF": {Message: "opcode.TorpedoFire", Offset: 3},
		"stream: encode Jump at offset 0: EOF":        {Message: "Jump", Encoding: true},
	} {
		e.Err = io.EOF
		require.EqualError(t, &e, text)
		require.Equal(t, io.EOF, errors.Unwrap(&e))
	}
}
