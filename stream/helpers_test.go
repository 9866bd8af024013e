package stream_test

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// noOp starts a Codec for data without an opcode.
const noOp = -1

// start starts a Codec for a payload with the opcode op, or for data without an opcode.
type start func(c *stream.Codec)

func from(payload []byte, op int) start { return func(c *stream.Codec) { c.Decode(payload, op) } }

// run walks m until the walk has succeeded or its error is located.
func run(begin start, message string, m stream.Walker) *stream.Codec {
	var c stream.Codec
	begin(&c)
	m.Walk(&c)
	if !c.Done() {
		c.Trace(message, nil)
		m.Walk(&c)
	}
	return &c
}

func unmarshal(payload []byte, op uint8, m stream.Walker) error {
	return run(from(payload, int(op)), nameOf(m), m).Err()
}

func unmarshalTolerant(payload []byte, m stream.Walker) error {
	return run(func(c *stream.Codec) {
		c.Decode(payload, int(anyOp))
		c.Tolerant()
	}, "tolerant", m).Err()
}

func decodeBare(data []byte, m stream.Walker) error { return run(from(data, noOp), "bare", m).Err() }

func appendTo(dst []byte, op uint8, m stream.Walker) ([]byte, error) {
	return run(func(c *stream.Codec) { c.Append(dst, int(op)) }, nameOf(m), m).Result()
}

func appendBare(dst []byte, m stream.Walker) ([]byte, error) {
	return run(func(c *stream.Codec) { c.Append(dst, noOp) }, "bare", m).Result()
}

// dissect decodes a payload into m and returns its fields.
func dissect(payload []byte, m stream.Walker) ([]stream.Field, error) {
	var c stream.Codec
	c.Decode(payload, int(anyOp))
	return collect(&c, nameOf(m), m)
}

// collect walks m with a Codec that was started, and returns the fields.
func collect(c *stream.Codec, message string, m stream.Walker) (fields []stream.Field, err error) {
	c.Trace(message, func(f *stream.Field) bool {
		fields = append(fields, *f)
		return true
	})
	m.Walk(c)
	return fields, c.Err()
}

// nameOf returns the type of a message.
func nameOf(m stream.Walker) string { return strings.ReplaceAll(fmt.Sprintf("%T", m), "*", "") }
