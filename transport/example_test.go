package transport_test

import (
	"fmt"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

func ExampleMessages() {
	// A host acknowledges a Connect, gives the peer ID 2 and sends a payload.
	datagram := []byte{
		0x01, 0x03,
		0x01, 0x00, 0x00, 0x02,
		0x03, 0x06, 0xC0, 0x00, 0x00, 0x02,
		0x32, 0x06, 0x80, 0x00, 0x00, 0x28,
	}
	for m, err := range transport.Messages(datagram) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		if m.Type == transport.TypeData {
			fmt.Printf("payload % X, number %d\n", m.Body, m.Seq)
			continue
		}
		body, err := m.Decode()
		if err != nil {
			fmt.Println(err)
			continue
		}
		switch body := body.(type) {
		case transport.Ack:
			fmt.Println("acknowledged", body.Seq)
		case transport.ConnectReply:
			fmt.Println("accepted as peer", body.PeerID)
		}
	}
	// Output:
	// acknowledged 0
	// accepted as peer 2
	// payload 28, number 0
}

func ExampleDissect() {
	for f := range transport.Dissect([]byte{0x01, 0x02, 0x01, 0x02, 0x00, 0x02, 0x04, 0x07, 0xC0, 0x02, 0x00, 0x04, 0x02}) {
		fmt.Printf("%d  % X  %s %v\n", f.Offset, f.Raw, f.Path, f.Value)
	}
	// Output:
	// 0  01  PeerID 1
	// 1  02  Count 2
	// 2  01  Messages[0].Type Ack
	// 3  02 00  Messages[0].Seq 2
	// 5  02  Messages[0].Flags 2
	// 6  04  Messages[1].Type Boot
	// 7  07 C0  Messages[1].Flags+Length length 7, reliable, high priority
	// 9  02 00  Messages[1].Seq 2
	// 11  04  Messages[1].Reason removed by host
	// 12  02  Messages[1].PeerID 2
}

func ExamplePacket() {
	p := transport.Packet{
		PeerID: 2,
		Messages: []transport.Message{
			transport.NewMessage(0, transport.Ack{Seq: 4}),
			transport.NewData(5, []byte{0x2A, 0x20}),
		},
	}
	datagram, err := p.MarshalBinary()
	fmt.Printf("% X %v\n", datagram, err)
	// Output: 02 02 01 04 00 00 32 07 80 05 00 2A 20 <nil>
}

func ExampleNewMessage() {
	m := transport.NewMessage(2, transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer})
	wire, err := m.AppendBinary(nil)
	fmt.Printf("% X %v\n", wire, err)
	// Output: 04 07 C0 02 00 02 FF <nil>
}

func ExampleReassembler() {
	fragments, err := transport.AppendFragments(nil, 2, make([]byte, 832))
	if err != nil {
		fmt.Println(err)
		return
	}
	var r transport.Reassembler
	for _, i := range []int{2, 0, 0, 1} {
		payload, verdict, err := r.Add(time.Now(), &fragments[i])
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("fragment %d of %d bytes: %v\n", i, fragments[i].Len(), verdict)
		if verdict == transport.VerdictComplete {
			fmt.Println(len(payload), "bytes of payload")
		}
	}
	// Output:
	// fragment 2 of 27 bytes: stored
	// fragment 0 of 412 bytes: stored
	// fragment 0 of 412 bytes: duplicate
	// fragment 1 of 412 bytes: complete
	// 832 bytes of payload
}

// A program that looks on has a Reassembler for each direction.
func ExampleReassembler_Payloads() {
	fragments, err := transport.AppendFragments(nil, 2, make([]byte, 500))
	if err != nil {
		fmt.Println(err)
		return
	}
	var fromHost transport.Reassembler
	for _, messages := range [][]transport.Message{fragments[1:], {transport.NewData(3, []byte{0x28}), fragments[0]}} {
		packet := transport.Packet{PeerID: objectid.Host, Messages: messages}
		datagram, err := packet.MarshalBinary()
		if err != nil {
			fmt.Println(err)
			return
		}
		for payload, err := range fromHost.Payloads(time.Now(), datagram) {
			fmt.Println(len(payload), "bytes", err)
		}
	}
	// Output:
	// 1 bytes <nil>
	// 500 bytes <nil>
}
