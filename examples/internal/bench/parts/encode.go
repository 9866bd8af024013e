package main

import "github.com/bcwire/bcwire/opcode"

var encoder opcode.Encoder

// encode appends a payload. Bench replaces this file in a commit without an Encoder.
func encode(dst []byte, m opcode.Message) ([]byte, error) { return encoder.Append(dst, m) }
