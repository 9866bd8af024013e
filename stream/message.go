package stream

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Walker is a message, or a part of a message, that describes its layout.
type Walker interface {
	// Walk visits the fields in wire order, without the opcode. A decoding walk overwrites
	// every field, also those that are not on the wire; begin it with *m = T{} if there are such
	// fields. An encoding walk does not modify the message.
	Walk(*Codec)
}

// Unmarshal decodes a payload that begins with the opcode op into m. Texts and bytes of m
// alias the payload. The error is an [*Error]. Unmarshal allocates a [Codec]. To avoid that,
// follow the example of [Codec].
func Unmarshal[Op ~uint8](payload []byte, op Op, m Walker) error {
	var c Codec
	c.Decode(payload, uint8(op))
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Again(message(m))
	m.Walk(&c)
	return c.Err()
}

// Append appends a payload with the opcode op to dst. On error it returns dst unchanged.
// The spare capacity of dst must not overlap memory that m aliases.
func Append[Op ~uint8](dst []byte, op Op, m Walker) ([]byte, error) {
	var c Codec
	c.Append(dst, uint8(op))
	m.Walk(&c)
	if !c.Done() {
		c.Again(message(m))
		m.Walk(&c)
	}
	return c.Result()
}

// Dissect decodes a payload that begins with the opcode op into m and returns its fields.
// The fields cover every byte even if Dissect returns an error; see [Field].
func Dissect[Op ~uint8](payload []byte, op Op, m Walker) (fields []Field, err error) {
	var c Codec
	c.Decode(payload, uint8(op))
	c.Collect(message(m), func(f Field) bool {
		if n := len(fields); n == cap(fields) { // each remaining byte has at most one more field
			fields = slices.Grow(fields, 1+min(3*n, len(payload)-f.Offset))
		}
		fields = append(fields, f)
		return true
	})
	m.Walk(&c)
	return fields, c.Err()
}

// Describe iterates over the fields of m as encoded with the opcode op. It does not modify
// m. If m cannot be encoded, Describe yields only the error.
func Describe[Op ~uint8](op Op, m Walker) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		payload, err := Append(nil, op, m)
		if err != nil {
			yield(Field{}, err)
			return
		}
		var c Codec
		c.Append(payload[:0], uint8(op))
		c.Collect(message(m), func(f Field) bool { return yield(f, nil) })
		m.Walk(&c)
		_ = c.Err() // passes the last field; nil, because Append has succeeded
	}
}

// message returns the name of a message's type.
func message(m Walker) string {
	return strings.ReplaceAll(fmt.Sprintf("%T", m), "*", "")
}
