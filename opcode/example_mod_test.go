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

// Define, register, encode and decode a message of a mod.
func ExampleDecoder_Register() {
	var dec opcode.Decoder
	err := dec.Register(0x35, func() opcode.Message { return new(Swap) })
	fmt.Println(err)

	payload, err := opcode.Marshal(&Swap{0x3FFFFFFF, 5, stream.Text("bored")})
	fmt.Printf("%X %v\n", payload, err)

	m, err := dec.Decode(payload)
	fmt.Println(opcode.Line(m), err)
	if swap, ok := m.(*Swap); ok {
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

// Vote is a message of a mod that clients send.
type Vote struct {
	PlayerID objectid.PeerID
	Mission  uint8
}

func (*Vote) Opcode() opcode.Code { return 0xC0 }

func (m *Vote) Walk(c *stream.Codec) {
	c.Field("PlayerID").PeerID8(&m.PlayerID)
	c.Field("Mission").Uint8(&m.Mission)
}

// Authorize lets a host accept only the vote of the sender.
func (m *Vote) Authorize(from opcode.Sender) error {
	if m.PlayerID != from.PeerID {
		return fmt.Errorf("vote: authorize PlayerID: %w: peer %v, not peer %v", opcode.ErrForged, m.PlayerID, from.PeerID)
	}
	return nil
}

// Let clients send a message of a mod.
func ExampleAuthorize_mod() {
	fmt.Println(opcode.Authorize(&Vote{PlayerID: 2, Mission: 5}, opcode.Sender{PeerID: 2}))
	fmt.Println(opcode.Authorize(&Vote{PlayerID: 2, Mission: 5}, opcode.Sender{PeerID: 3}))
	// Output:
	// <nil>
	// vote: authorize PlayerID: forged: peer 2, not peer 3
}
