package opcode_test

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Decipher a datagram and decode its messages.
func Example() {
	datagram := []byte("\x03\xD7\x02\xC7\x19\x70\xB3\x27\x3C\x20\x07\x73\x74\x2B\xF1\x70\xE0\x7F\xE6\x80\x31\xA9")

	cipher.Decrypt(datagram)
	for m, err := range transport.Messages(datagram) {
		if err != nil {
			fmt.Println(err) // the loop continues with the other messages
			continue
		}
		if m.Type != transport.TypeData || m.Fragment {
			continue // an Ack, a fragment for a transport.Observer, ...
		}
		msg, err := opcode.Decode(m.Body)
		if chat, ok := msg.(*opcode.ChatMessage); ok && err == nil {
			fmt.Printf("peer %d says %q\n", chat.SenderID, chat.Text)
		}
	}
	// Output: peer 3 says "IT WORKS"
}

// Encode messages into a datagram and encipher it.
func Example_answer() {
	received := transport.NewData(43, nil)

	chat := opcode.ChatMessage{SenderID: 1, Text: stream.Lossy("So it does.")}
	payload, err1 := opcode.Marshal(&chat)
	packet := transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{
		transport.NewMessage(0, transport.AckOf(&received)),
		transport.NewData(7, payload), // 7 is the next sequence number; a transport.Session counts it
	}}
	datagram, err2 := packet.MarshalBinary()
	if err := errors.Join(err1, err2); err != nil {
		fmt.Println(err)
		return
	}
	cipher.Encrypt(datagram)
	fmt.Printf("%X\n", datagram)
	// Output: 01D401CC7AD5798C60733C36B1CCD2593CE31D65ED945FF031D388F686
}
