package stream_test

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

const opJump uint8 = 0xD4

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

// Walk visits the fields in wire order.
func (m *Jump) Walk(c *stream.Codec) {
	c.Field("Ship").ObjectID(&m.Ship)
	c.Field("Warp").Bool(&m.Warp)
	c.Field("Factor").Float32(&m.Factor)
	n := c.Field("Path").Count8(len(m.Path), 1) // a Waypoint has at least one byte
	stream.Resize(c, &m.Path, n)
	for i := range n {
		c.Element("Path", i)
		c.Field("Set").String8(&m.Path[i].Set)
		c.Field("Orbits").Bool(&m.Path[i].Orbits)
		c.End()
	}
	c.Field("Urgent").Bool(&m.Urgent)
}

// This example encodes and decodes a message of a mod with the same walk. All its bools
// share the byte at the position of Warp.
func ExampleWalker() {
	payload, err := stream.Append(nil, opJump, &Jump{
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
	if err := stream.Unmarshal(payload, opJump, &m); err != nil {
		fmt.Println(err)
	}
	fmt.Println(m.Factor, m.Path[1].Set, m.Path[1].Orbits, m.Urgent)
	// Output:
	// d4 ff ff ff 3f 8d 00 00 18 41 02 07 56 65 73 75 76 69 36 03 53 6f 6c
	// 9.5 Sol true true
}
