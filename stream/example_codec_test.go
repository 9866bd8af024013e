package stream_test

import (
	"encoding/hex"
	"fmt"

	"github.com/bcwire/bcwire/stream"
)

// This example decodes a part of a message, which has no opcode.
func ExampleCodec() {
	data, _ := hex.DecodeString("03536f")
	var w Waypoint
	var c stream.Codec // allocates nothing if it is used again
	fmt.Println(c.Decode(data, -1, "mymod.Waypoint", w.Walk))
	// Output: mymod: decode Waypoint.Set at offset 0: unexpected EOF
}

// This example prints the fields of a payload.
func ExampleCodec_Decode() {
	payload, _ := hex.DecodeString("d4ffffff3f65000018410103536f6c")
	var m Jump
	c := stream.Codec{Visit: func(f *stream.Field) bool {
		fmt.Printf("%2d %-12x%-15s%v\n", f.Offset, f.Raw, f.Path(), f.Value())
		return true
	}}
	if err := c.Decode(payload, int(opJump), "mymod.Jump", m.Walk); err != nil {
		fmt.Println(err)
	}
	// Output:
	//  0 d4          Opcode         212
	//  1 ffffff3f    Ship           0x3fffffff
	//  5 65          Warp           true
	//  6 00001841    Factor         9.5
	// 10 01          Path           1
	// 11 03536f6c    Path[0].Set    Sol
	//  5             Path[0].Orbits false
	//  5             Urgent         true
}
