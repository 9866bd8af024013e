package stream_test

import (
	"encoding/hex"
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

const opJump opcode.Code = 0xD4

// Jump is a message of a mod: a ship goes to warp.
type Jump struct {
	Ship   objectid.ID
	Warp   bool
	Factor float32
	Path   []Waypoint
	Urgent bool
}

// Waypoint is a part of a Jump.
type Waypoint struct {
	Set    stream.Text
	Orbits bool
}

// Opcode implements opcode.Message.
func (*Jump) Opcode() opcode.Code { return opJump }

// Walk visits the fields in wire order. All of them are always on the wire.
func (m *Jump) Walk(c *stream.Codec) {
	c.Field("Ship").ObjectID(&m.Ship)
	c.Field("Warp").Bool(&m.Warp)
	c.Field("Factor").Float32(&m.Factor)
	n := c.Field("Path").Count8(len(m.Path), 1) // a Waypoint has at least one byte
	stream.Resize(c, &m.Path, n)
	for i := range n {
		c.Element("Path", i)
		m.Path[i].Walk(c)
		c.End()
	}
	c.Field("Urgent").Bool(&m.Urgent)
}

// Walk visits the fields of a part in the same way.
func (w *Waypoint) Walk(c *stream.Codec) {
	c.Field("Set").String8(&w.Set)
	c.Field("Orbits").Bool(&w.Orbits)
}

// This example encodes and decodes a message of a mod with the same walk. All its bools
// share the byte at the position of Warp.
func ExampleWalker() {
	payload, err := opcode.Marshal(&Jump{
		Ship:   0x3FFFFFFF,
		Warp:   true,
		Factor: 9.5,
		Path:   []Waypoint{{Set: stream.Text("Vesuvi6")}, {Set: stream.Text("Sol"), Orbits: true}},
		Urgent: true,
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("% x\n", payload)

	var m Jump
	if err := opcode.Unmarshal(payload, &m); err != nil {
		fmt.Println(err)
	}
	fmt.Println(m.Factor, m.Path[1].Set, m.Path[1].Orbits, m.Urgent)
	// Output:
	// d4 ff ff ff 3f 8d 00 00 18 41 02 07 56 65 73 75 76 69 36 03 53 6f 6c
	// 9.5 Sol true true
}

// Hail is a message of a mod. Its Reply is on the wire only if there is one.
type Hail struct {
	Answered bool
	Reply    stream.Text
}

// Opcode implements opcode.Message.
func (*Hail) Opcode() opcode.Code { return 0xD5 }

// Walk begins with an assignment, because Reply is not always on the wire.
func (m *Hail) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = Hail{}
	}
	c.Field("Answered").Bool(&m.Answered)
	if m.Answered {
		c.Field("Reply").String8(&m.Reply)
	}
}

// A decoding walk overwrites every field. Without the assignment at its beginning, the second
// message would have the Reply of the first.
func ExampleWalker_optionalField() {
	var m Hail
	for _, digits := range []string{"d52103716170", "d520"} {
		payload, _ := hex.DecodeString(digits)
		if err := opcode.Unmarshal(payload, &m); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%t %q\n", m.Answered, m.Reply)
	}
	// Output:
	// true "qap"
	// false ""
}
