package opcode

//go:generate go run gen.go

import (
	"encoding"

	"github.com/bcwire/bcwire/stream"
)

// Code is an opcode, the first byte of a game payload.
type Code uint8

// FirstScript is the first opcode of the mission scripts. Mods may redefine opcodes from here up.
const FirstScript Code = 0x2B

// String returns the name, such as "TorpedoFire", or the number, such as "0xCD".
func (c Code) String() string {
	if names[c] != "" {
		return names[c]
	}
	return "0x" + c.Hex()
}

// Hex returns the number as two hexadecimal digits, such as "19".
func (c Code) Hex() string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>4], digits[c&0xF]})
}

// Script reports whether the opcode belongs to the mission scripts.
func (c Code) Script() bool { return c >= FirstScript }

// Message is a decoded payload: a pointer to a type of this package or the result of [Wrap].
type Message interface {
	Opcode() Code
	stream.Walker
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}
