package stream

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Walker is a message, or a part of one, that knows its layout.
type Walker interface {
	// Walk goes through the fields in wire order, the opcode excluded. In the direction
	// of decoding it overwrites all of them; when encoding it changes nothing.
	Walk(*Codec)
}

// Unmarshal decodes a payload that begins with the opcode op, of any type like uint8. It
// allocates a [Codec]. To decode without, write these lines with the type of the message for m,
// or use Wrap of package opcode, which keeps the Codec.
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

// Append encodes a message with the opcode op to the end of dst, which must not share
// memory with the payload that the message was decoded from. On error it returns dst as it
// was. It allocates a [Codec], like [Unmarshal].
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

// Dissect decodes a payload that begins with the opcode op and returns what the walk
// made of each byte.
func Dissect[Op ~uint8](payload []byte, op Op, m Walker) (fields []Field, err error) {
	var c Codec
	c.Decode(payload, uint8(op))
	c.Collect(message(m), func(f Field) bool {
		if n := len(fields); n == cap(fields) { // few are left, if not as many as bytes
			fields = slices.Grow(fields, 1+min(3*n, len(payload)-f.Offset))
		}
		fields = append(fields, f)
		return true
	})
	m.Walk(&c)
	return fields, c.Err()
}

// Describe iterates over the fields of a message as it encodes with the opcode op,
// without writing to it. A message that does not encode gives an error alone.
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
		_ = c.Err() // passes the last field; what encodes twice does so thrice
	}
}

// message returns the name of a message's type.
func message(m Walker) string {
	return strings.ReplaceAll(fmt.Sprintf("%T", m), "*", "")
}
