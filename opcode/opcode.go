package opcode

//go:generate go run gen.go

import (
	"encoding"

	"github.com/bcwire/bcwire/stream"
)

// Code is the first byte of a game payload.
type Code uint8

// FirstScript is the first opcode that belongs to the mission scripts, so that a mod may
// give it and those after it meanings of its own. Those before it belong to the engine.
const FirstScript Code = 0x2B

// String returns the name, "TorpedoFire", or the number of an opcode without one, "0xCD".
func (c Code) String() string {
	if names[c] != "" {
		return names[c]
	}
	return "0x" + c.Hex()
}

// Hex returns the number in two digits, "19".
func (c Code) Hex() string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>4], digits[c&0xF]})
}

// Script says whether the opcode belongs to the mission scripts.
func (c Code) Script() bool { return c >= FirstScript }

// Message is a game payload of some type, as a pointer: [*TorpedoFire], or [*Unknown].
type Message interface {
	Opcode() Code
	stream.Walker
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}
