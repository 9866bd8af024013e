package opcode_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

func ExampleDecode() {
	payload := []byte("\x2C\x03\x00\x00\x00\x08\x00IT WORKS")
	m, err := opcode.Decode(payload)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch m := m.(type) {
	case *opcode.ChatMessage:
		fmt.Printf("peer %d: %s\n", m.SenderID, m.Text)
	case *opcode.Unknown:
		fmt.Println(m.Op, len(m.Data))
	}
	// Output: peer 3: IT WORKS
}

func ExampleDecode_error() {
	_, err := opcode.Decode([]byte{0x19, 0x0D, 0x00, 0x00, 0x40, 0x02, 0x01, 0xDF, 0x87, 0x11, 0xFF})
	fmt.Println(err)
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	var located *stream.Error
	if errors.As(err, &located) {
		fmt.Println(located.Field(), located.Offset)
	}
	// Output:
	// opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
	// true
	// TargetID 10
}

func ExampleChatMessage() {
	text, err := stream.NewText("Grüße")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := opcode.ChatMessage{SenderID: 1, Text: text}
	payload, err := opcode.Marshal(&m)
	fmt.Printf("% X %v\n", payload, err)
	// Output: 2C 01 00 00 00 05 00 47 72 FC DF 65 <nil>
}

func ExampleDissect() {
	payload := []byte{0x29, 0xFF, 0xFF, 0xFF, 0x3F, 0x1D, 0x7A, 0x0C, 0x95, 0x61, 0x1B, 0x57, 0xE2, 0x78}
	_, fields, err := opcode.Dissect(payload)
	for _, f := range fields {
		fmt.Printf("%2d  % -15X %-9s %v\n", f.Offset, f.Raw, f.Path(), f.Value())
	}
	fmt.Println(err)
	// Output:
	//  0  29              Opcode    Explosion
	//  1  FF FF FF 3F     ObjectID  0x3fffffff
	//  5  1D 7A 0C 95 61  Impact    (43.16 181.57 17.859)
	// 10  1B 57           Radius    49.978
	// 12  E2 78           Damage    5997.8
	// <nil>
}

// Print a kill feed: deaths, and players who join and leave.
func ExamplePythonEvent_Killed() {
	names := map[objectid.PeerID]string{2: "Ann", 3: "Bob"}
	slots := map[objectid.Slot]objectid.PeerID{0: 2, 1: 3} // from Settings or ObjectCreateTeam
	for _, payload := range []string{
		"\x17\x66\x08\x00\x00\xF1\x00\x80\x00\x00\x00\x00\x00\x91\x07\x00\x00\x03",
		"\x06\x29\x81\x00\x00\x4E\x00\x80\x00\xFF\xFF\xFF\x3F\xFF\xFF\x03\x40\x02\x00\x00\x00\x00\x00\x18\x41",
		"\x06\x29\x81\x00\x00\x4E\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF\x3F\x00\x00\x00\x00\x66\x66\x4E\x41",
	} {
		m, err := opcode.Decode([]byte(payload))
		if err != nil {
			fmt.Println(err)
		}
		switch m := m.(type) {
		case *opcode.PythonEvent:
			if ship, _, killer, ok := m.Killed(); ok {
				slot, _ := ship.Slot()
				victim := names[slots[slot]]
				if killer == objectid.NoPeer {
					fmt.Println(victim, "dies")
				} else {
					fmt.Println(names[killer], "kills", victim)
				}
			}
		case *opcode.DeletePlayerUI:
			if player, ok := m.Joined(); ok {
				fmt.Println(names[player], "joins")
			}
			if player, ok := m.Left(); ok {
				fmt.Println(names[player], "leaves")
			}
		}
	}
	// Output:
	// Bob joins
	// Ann kills Bob
	// Ann dies
}

func ExampleTorpedoFire_String() {
	payload := []byte("\x19\x0D\x00\x00\x40\x02\x01\xDF\x87\x11\xFF\xFF\x03\x40\x00\x88\xD8\x5C")
	m, _ := opcode.Decode(payload)
	fmt.Println(m)
	// Output: TorpedoFire TubeID=0x4000000d PlayerID=2 Flags=launched Direction=(-0.26,-0.95,0.13) TargetID=0x4003ffff Offset=(0.00,-0.34,-0.11)
}

func ExampleNewStartFiring() {
	payload, err := opcode.Marshal(opcode.NewStartFiring(0x40000005, objectid.None))
	fmt.Printf("%x %v\n", payload, err)
	// Output: 0728810000d800800000000000050000400000000000000000 <nil>
}

// Relay a client's message only if the client speaks for itself.
func ExampleAuthorize() {
	ann := opcode.Sender{PeerID: 2, Slot: 0, Ship: 0x3FFFFFFF}
	for _, payload := range []string{
		"\x2C\x02\x00\x00\x00\x02\x00Hi",           // chat of peer 2
		"\x2C\x03\x00\x00\x00\x02\x00Hi",           // chat of peer 3
		"\x1A\x77\x00\x04\x40\x02\xDF\x87\x11\x01", // a weapon of slot 1 fires
		"\x14\xFF\xFF\x03\x40",                     // only the host removes objects
		"\xCD*",
	} {
		m, err := opcode.Decode([]byte(payload))
		if err == nil {
			err = opcode.Authorize(m, ann)
		}
		switch {
		case errors.Is(err, opcode.ErrUnknownMessage):
			fmt.Println("mod?", m)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println("relay", m)
		}
	}
	// Output:
	// relay ChatMessage SenderID=2 Text="Hi"
	// opcode: authorize ChatMessage.SenderID: forged: peer 3, not peer 2
	// opcode: authorize BeamFire.WeaponID: forged: 0x40040077 of slot 1, not slot 0
	// opcode: authorize DestroyObject: not sent by clients: direction down, not up or both
	// mod? 0xCD Data=2a
}

func ExampleDecoder() {
	var dec opcode.Decoder // one for each connection
	for _, payload := range []string{"\x2A\x20", "\x01", "\xCD*"} {
		m, err := dec.Decode([]byte(payload))
		fmt.Println(m.Opcode(), err)
	}
	// Output:
	// NewPlayerInGame <nil>
	// GameInit <nil>
	// 0xCD <nil>
}

// Replay what Ann did in a recorded match as a ghost in another match. The host of that match has given the ghost
// the peer ID 9 and the slot 7.
func ExampleRebase() {
	ann, ghost := opcode.Sender{PeerID: 2, Slot: 0}, opcode.Sender{PeerID: 9, Slot: 7}
	ids := opcode.MapPlayer(ann, ghost)
	for _, payload := range []string{
		"\x19\x0D\x00\x00\x40\x02\x01\xDF\x87\x11\xFF\xFF\x03\x40\x00\x88\xD8\x5C", // at a ship of slot 1
		"\x19\x0D\x00\x00\x40\x02\x01\xDF\x87\x11\xFF\xFF\x1B\x40\x00\x88\xD8\x5C", // at a ship of slot 7, now the ghost's
		"\x2C\x02\x00\x00\x00\x0C\x00I am peer 2!",
	} {
		m, err := opcode.Decode([]byte(payload))
		if err == nil {
			err = opcode.Rebase(m, ids)
		}
		if err != nil {
			fmt.Println("skip:", err)
			continue
		}
		fmt.Println(m)
	}
	// Output:
	// TorpedoFire TubeID=0x401c000d PlayerID=9 Flags=launched Direction=(-0.26,-0.95,0.13) TargetID=0x4003ffff Offset=(0.00,-0.34,-0.11)
	// skip: opcode: encode TorpedoFire.TargetID at offset 10: number out of range: 0x401bffff becomes 0x00000000
	// ChatMessage SenderID=9 Text="I am peer 2!"
}
