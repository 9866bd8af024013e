package opcode

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/bcwire/bcwire/stream"
)

// Wrap returns a message of a mod as a [Message]. The type T of a mod needs two methods, with
// pointer receivers: Opcode returns a constant, and Walk states the layout. The result encodes
// and decodes m itself, not a copy; [Unwrap] returns m. A nil m stands for a new T.
//
// Decoding sets *m to its zero value before the walk. If T has a method Reset(), decoding calls
// Reset instead, which must clear all fields and can keep the memory of lists. In the steady
// state, decoding allocates nothing but the lists of a T without Reset. Encoding into a slice
// with enough room allocates nothing. Several goroutines can encode the result at the same time.
//
// Wrap is a function and not a struct to embed, because a method of an embedded struct has no
// access to the struct around it.
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

// Unwrap returns what was given to [Wrap], so that a type switch finds the type of a mod. It
// returns any other message unchanged:
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

// nameOf returns the name of a message: that of its opcode, or the Go type of a mod.
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

	// codec is nil while it is in use. A codec that a walk of unknown type gets is on the heap.
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
	return stream.Unmarshal(payload, w.m.Opcode(), w.m) // fails again, and locates the field
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

// Clone returns the copy that the type makes, or one that is decoded from the payload.
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

// put keeps a codec, without the payload that it refers to.
func (w *wrapped[T, P]) put(c *stream.Codec) {
	*c = stream.Codec{}
	w.codec.Store(c)
}
