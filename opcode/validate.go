package opcode

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/bcwire/bcwire/stream"
)

// Validate checks the values of a message. Call it before acting on a message. It returns an error wrapping
// [stream.ErrInvalid] if a number is not finite, an event has the wrong class for its opcode, or a value is
// out of range. It does not check IDs, the length of DeletePlayerAnim.Name, or the class of a PythonEvent
// and of events with an inferred layout. If m is nil or cannot be encoded, Validate returns another error.
// It allocates a codec; [Encoder.Validate] does not.
func Validate(m Message) error { return new(Encoder).Validate(m) }

// Validate is the function [Validate]. It allocates nothing for a valid message, and encodes nothing.
func (e *Encoder) Validate(m Message) error {
	if m == nil {
		return errEmpty()
	}
	if !e.codec.Encodes(m.Walk) {
		return fieldError(m)
	}
	if v, ok := m.(interface{ validate(Code) error }); ok {
		return v.validate(m.Opcode())
	}
	return nil
}

// fieldError returns the error of the first field that cannot be encoded or is not finite.
func fieldError(m Message) error {
	var bad error
	err := wireFields(m, func(f *stream.Field) bool {
		if !finite(f) {
			bad = invalid(m.Opcode(), f.Path(), "not a finite number")
		}
		return bad == nil
	})
	return cmp.Or(err, bad)
}

// finite reports whether no float of a field is infinite or NaN.
func finite(f *stream.Field) bool {
	const exponent = 0x7F800000
	switch f.Type().(type) {
	case float32, []float32:
		for b := f.Raw; len(b) >= 4; b = b[4:] {
			if binary.LittleEndian.Uint32(b)&exponent == exponent {
				return false
			}
		}
	}
	return true
}

func invalid(op Code, field, reason string) error {
	return fmt.Errorf("opcode: %w %v.%s: %s", stream.ErrInvalid, op, field, reason)
}

// require returns an error with the reason if a condition of a field does not hold.
func require(holds bool, op Code, field, reason string) error {
	if holds {
		return nil
	}
	return invalid(op, field, reason)
}

// within returns an error with both limits if a number is not from least to most.
func within[N ~int8 | ~uint8 | ~int32](n, least, most N, op Code, field string) error {
	if least <= n && n <= most {
		return nil
	}
	return invalid(op, field, fmt.Sprintf("%d, not %d to %d", n, least, most))
}

// atMost returns an error with the limit if a number exceeds it.
func atMost[N int | uint8 | int32](n, most N, op Code, field, unit string) error {
	if n <= most {
		return nil
	}
	return invalid(op, field, fmt.Sprintf("%d%s, at most %d", n, unit, most))
}

// checked returns a message, or an error if it is not valid.
func checked[M Message](m M) (M, error) {
	if err := Validate(m); err != nil {
		var none M
		return none, err
	}
	return m, nil
}
