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
		case *transport.Ack:
			fmt.Println("acknowledged", body.Seq)
		case *transport.ConnectReply:
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
		fmt.Printf("%d  % X  %s %v\n", f.Offset, f.Raw, f.Path(), f.Value())
	}
	// Output:
	// 0  01  PeerID 1
	// 1  02  Count 2
	// 2  01  Messages[0].Type Ack
	// 3  02 00  Messages[0].Seq 2
	// 5  02  Messages[0].Flags system channel
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
			transport.NewMessage(0, &transport.Ack{Seq: 4}),
			transport.NewData(5, []byte{0x2A, 0x20}),
		},
	}
	datagram, err := p.MarshalBinary()
	fmt.Printf("% X %v\n", datagram, err)
	// Output: 02 02 01 04 00 00 32 07 80 05 00 2A 20 <nil>
}

func ExampleNewMessage() {
	m := transport.NewMessage(2, &transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer})
	fmt.Printf("%v: % X\n", m, m.Body)
	// Output: Boot #2, peer none, wrong password: 02 FF
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
		fmt.Println("fragment", i, "of", fragments[i].Len(), "bytes")
		if verdict == transport.VerdictComplete {
			fmt.Println(len(payload), "bytes of payload")
		}
	}
	// Output:
	// fragment 2 of 27 bytes
	// fragment 0 of 412 bytes
	// fragment 0 of 412 bytes
	// fragment 1 of 412 bytes
	// 832 bytes of payload
}

// A packet analyser deciphers each datagram of a capture and passes it to an Observer.
func ExampleObserver() {
	capture := []struct {
		at       time.Duration
		fromHost bool
		datagram []byte
	}{
		{0, true, []byte{0x01, 0x01, 0x32, 0x06, 0x80, 0x00, 0x00, 0x28}},
		{30 * time.Millisecond, false, []byte{
			0x02, 0x02,
			0x01, 0x00, 0x00, 0x00,
			0x00, 0x10, 0xC0, 0x01, 0x00, 0x02, 0x0A, 0x0A, 0x0A, 0xEF, 0x51, 0x00, 0x78, 0x00, 0x00, 0x00,
		}},
		{time.Second, true, []byte{0x01, 0x01, 0x32, 0x06, 0x80, 0x00, 0x00, 0x28}},
	}
	var observer transport.Observer
	begin := time.Now()
	for _, d := range capture {
		now := begin.Add(d.at)
		for m, err := range observer.Receive(now, d.fromHost, d.datagram) {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Print(m)
			switch {
			case m.Verdict == transport.VerdictDuplicate:
				fmt.Print(": a retransmission")
			case m.Payload != nil:
				fmt.Printf(": payload % X", m.Payload)
			}
			if name, ok := m.Decoded.(*transport.NameChange); ok {
				fmt.Print(": the name is ", name.Name)
			}
			if trip, ok := m.Acked.RoundTrip(now); ok {
				fmt.Print(": round trip of ", trip)
			}
			fmt.Println()
		}
	}
	// Output:
	// Data #0, 1 bytes: payload 28
	// Ack of game #0: round trip of 30ms
	// NameChange #1, peer 2 is "Qx": the name is Qx
	// Data #0, 1 bytes: a retransmission
}

// This example keeps a copy of an observer, to read a part of a recording twice.
func ExampleObserver_Clone() {
	datagrams := [][]byte{
		{0x02, 0x01, 0x32, 0x08, 0xA0, 0x00, 0x00, 0x00, 0x02, 0x2C}, // the first of two fragments
		{0x02, 0x01, 0x32, 0x07, 0xA0, 0x00, 0x00, 0x01, 0x2D},
	}
	observe := func(observer *transport.Observer, datagram []byte) {
		for m, err := range observer.Receive(time.Time{}, false, datagram) {
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("%v: payload [% X]\n", m, m.Payload)
		}
	}
	var observer transport.Observer
	observe(&observer, datagrams[0])
	checkpoint := observer.Clone()
	observe(&observer, datagrams[1])
	observe(&observer, datagrams[1])
	observe(checkpoint, datagrams[1])
	// Output:
	// Data #0, fragment 1 of 2, 1 bytes: payload []
	// Data #0, fragment 2, 1 bytes: payload [2C 2D]
	// Data #0, fragment 2, 1 bytes: payload []
	// Data #0, fragment 2, 1 bytes: payload [2C 2D]
}
