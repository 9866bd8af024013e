package opcode

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/bcwire/bcwire/stream"
)

// Wrap returns a [Message] that encodes and decodes *m, a value of a mod's type. [Unwrap] returns
// m. The type T needs two methods with pointer receivers: Opcode returns a constant, and Walk
// describes the layout. A nil m stands for a new T.
//
// Decoding first sets *m to its zero value, or calls m.Reset() if T has that method. Reset must
// clear all fields and may keep the memory of lists. Without Reset, decoding allocates the lists
// each time. Encoding is safe for concurrent use.
func Wrap[T any, P interface {
	*T
	Opcode() Code
	stream.Walker
}](m P) Message {
	if m == nil {
		m = new(T)
	}
	return &wrapped[T, P]{m: m}
}

// Unwrap returns the value that was given to [Wrap], or any other message unchanged:
//
//	switch m := opcode.Unwrap(m).(type) {
//	case *opcode.ChatMessage:
//	case *Swap:
//	}
func Unwrap(m Message) stream.Walker {
	if w, ok := m.(interface{ unwrap() stream.Walker }); ok {
		return w.unwrap()
	}
	return m
}

// nameOf returns the name of the opcode, or the Go type of a mod's message.
func nameOf(m Message) string {
	typ := strings.TrimPrefix(fmt.Sprintf("%T", Unwrap(m)), "*")
	if strings.HasPrefix(typ, "opcode.") {
		return m.Opcode().String()
	}
	return typ
}

// wrapped has the methods of [Message] that a type of a mod lacks.
type wrapped[T any, P interface {
	*T
	Opcode() Code
	stream.Walker
}] struct {
	m P

	// codec is nil while in use. It is kept, because the compiler puts it on the heap.
	codec atomic.Pointer[stream.Codec]
}

func (w *wrapped[T, P]) Opcode() Code                   { return w.m.Opcode() }
func (w *wrapped[T, P]) Walk(c *stream.Codec)           { w.m.Walk(c) }
func (w *wrapped[T, P]) String() string                 { return Line(w) }
func (w *wrapped[T, P]) LogValue() slog.Value           { return logValue(w) }
func (w *wrapped[T, P]) unwrap() stream.Walker          { return w.m }
func (w *wrapped[T, P]) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

func (w *wrapped[T, P]) UnmarshalBinary(payload []byte) error {
	w.reset()
	c := w.take()
	c.Decode(payload, uint8(w.m.Opcode()))
	w.m.Walk(c)
	done := c.Done()
	w.put(c)
	if done {
		return nil
	}
	w.reset()
	return stream.Unmarshal(payload, w.m.Opcode(), w.m) // fails again and locates the field
}

func (w *wrapped[T, P]) AppendBinary(dst []byte) ([]byte, error) {
	c := w.take()
	defer w.put(c)
	c.Append(dst, uint8(w.m.Opcode()))
	w.m.Walk(c)
	if c.Done() {
		return c.Result()
	}
	return stream.Append(dst, w.m.Opcode(), w.m) // makes room, or locates the field
}

// Clone calls the Clone method of the type, or decodes a copy from the payload.
func (w *wrapped[T, P]) Clone() Message {
	if own, ok := any(w.m).(interface{ Clone() Message }); ok {
		return own.Clone()
	}
	payload, err := w.MarshalBinary()
	c := Wrap[T, P](nil)
	if err != nil || c.UnmarshalBinary(payload) != nil {
		return unknownOf(w)
	}
	return c
}

func (w *wrapped[T, P]) reset() {
	if r, ok := any(w.m).(interface{ Reset() }); ok {
		r.Reset()
		return
	}
	*w.m = *new(T)
}

// take returns the codec of the message, or a new one if another goroutine uses it.
func (w *wrapped[T, P]) take() *stream.Codec {
	if c := w.codec.Swap(nil); c != nil {
		return c
	}
	return new(stream.Codec)
}

// put keeps a codec for reuse and releases its payload.
func (w *wrapped[T, P]) put(c *stream.Codec) {
	*c = stream.Codec{}
	w.codec.Store(c)
}
