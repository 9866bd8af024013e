package stream_test

import (
	"encoding/hex"
	"fmt"

	"github.com/bcwire/bcwire/stream"
)

// UnmarshalBinary decodes a Jump without allocating a Codec.
func (m *Jump) UnmarshalBinary(payload []byte) error {
	var c stream.Codec // a local variable stays on the stack
	c.Decode(payload, opJump)
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Again("mymod.Jump") // the second walk finds the failed field
	m.Walk(&c)
	return c.Err()
}

func ExampleCodec() {
	payload, _ := hex.DecodeString("d4ffffff3f6500001841")
	var m Jump
	fmt.Println(m.UnmarshalBinary(payload))
	// Output: mymod: decode Jump.Path at offset 10: unexpected EOF
}
