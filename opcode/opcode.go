package opcode

//go:generate go run gen.go

import "strings"

// Code is an opcode, the first byte of a game payload.
type Code uint8

// FirstScript is the first opcode of the mission scripts. Mods may redefine opcodes from here up.
const FirstScript Code = 0x2B

// String returns the name, such as "TorpedoFire", or the number, such as "0xCD".
func (c Code) String() string {
	if _, name, ok := strings.Cut(typeNames[c], "."); ok {
		return name
	}
	return "0x" + c.Hex()
}

// Hex returns the number as two hexadecimal digits, such as "19".
func (c Code) Hex() string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>4], digits[c&0xF]})
}

// script reports whether the opcode belongs to the mission scripts.
func (c Code) script() bool { return c >= FirstScript }
