package stream_test

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// noOp starts a Codec for data without an opcode.
const noOp = -1

func idle(*stream.Codec) {}

// startDecoding starts a Codec whose primitives a test calls without a walk.
func startDecoding(c *stream.Codec, payload []byte, op int) { c.Fits(payload, op, idle) }

func startEncoding(c *stream.Codec, dst []byte, op int) { _, _ = c.Append(dst, op, "", idle) }

func unmarshal(payload []byte, op uint8, m stream.Walker) error {
	return new(stream.Codec).Decode(payload, int(op), nameOf(m), m.Walk)
}

func unmarshalTolerant(payload []byte, m stream.Walker) error {
	return (&stream.Codec{Tolerant: true}).Decode(payload, int(anyOp), "tolerant", m.Walk)
}

func decodeBare(data []byte, m stream.Walker) error {
	return new(stream.Codec).Decode(data, noOp, "bare", m.Walk)
}

func appendTo(dst []byte, op uint8, m stream.Walker) ([]byte, error) {
	return new(stream.Codec).Append(dst, int(op), nameOf(m), m.Walk)
}

func appendBare(dst []byte, m stream.Walker) ([]byte, error) {
	return new(stream.Codec).Append(dst, noOp, "bare", m.Walk)
}

// dissect decodes a payload into m and returns its fields.
func dissect(payload []byte, m stream.Walker) (fields []stream.Field, err error) {
	err = collector(&fields).Decode(payload, int(anyOp), nameOf(m), m.Walk)
	return fields, err
}

// collector returns a Codec that appends the fields to a list.
func collector(fields *[]stream.Field) *stream.Codec {
	return &stream.Codec{Visit: func(f *stream.Field) bool {
		*fields = append(*fields, *f)
		return true
	}}
}

// nameOf returns the type of a message.
func nameOf(m stream.Walker) string { return strings.ReplaceAll(fmt.Sprintf("%T", m), "*", "") }
