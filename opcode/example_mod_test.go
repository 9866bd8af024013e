package opcode_test

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Swap is a message of a mod: a player takes another ship. Its opcode belongs to another message
// in the stock missions.
type Swap struct {
	ShipID  objectid.ID
	Species opcode.Species
	Reason  stream.Text
}

func (*Swap) Opcode() opcode.Code { return 0x35 }

func (m *Swap) Walk(c *stream.Codec) {
	c.Field("ShipID").ObjectID(&m.ShipID)
	c.Field("Species").Uint8((*uint8)(&m.Species))
	stream.Show(c, m.Species) // so that it prints as "Sovereign"
	c.Field("Reason").String8(&m.Reason)
}

// Define, register, encode, decode and clone a message of a mod.
func ExampleDecoder_Register() {
	var dec opcode.Decoder
	err := dec.Register(0x35, func() opcode.Message { return opcode.Wrap(new(Swap)) })
	fmt.Println(err)

	payload, err := opcode.Wrap(&Swap{0x3FFFFFFF, 5, stream.Text("bored")}).MarshalBinary()
	fmt.Printf("%X %v\n", payload, err)

	m, err := dec.Decode(payload)
	fmt.Println(m, err)
	last := opcode.Clone(m) // m is valid until the next Swap, and its text aliases the payload
	clear(payload)
	if swap, ok := opcode.Unwrap(last).(*Swap); ok {
		fmt.Println(swap.ShipID, swap.Species, swap.Reason)
	}

	_, err = dec.Decode([]byte{0x35, 0xFF})
	fmt.Println(err)
	// Output:
	// <nil>
	// 35FFFFFF3F0505626F726564 <nil>
	// opcode_test.Swap ShipID=0x3fffffff Species=Sovereign Reason="bored" <nil>
	// 0x3fffffff Sovereign bored
	// opcode_test: decode Swap.ShipID at offset 1: unexpected EOF
}
