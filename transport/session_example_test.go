package transport_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// A client connects to a host, without a network between them, and receives a payload.
func ExampleSession() {
	now, addr := time.Now(), netip.MustParseAddrPort("10.10.10.239:22101")
	client, err := transport.NewClient(now, transport.ConnectRequest{ConnID: 0x78F9}, transport.Options{})
	if err != nil {
		panic(err)
	}
	hub := transport.NewHub(now, transport.HubOptions{})
	for range 4 {
		for d := range client.Datagrams(now) {
			hub.Receive(now, addr, d)
		}
		for e := range hub.Events() {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = hub.Accept(e)
			case transport.EventConnected:
				_ = e.Session.Send([]byte("Welcome"), transport.Reliable)
			}
		}
		for _, d := range hub.Datagrams(now) {
			client.Receive(now, d)
		}
		for e := range client.Events() {
			switch e.Kind {
			case transport.EventConnected:
				fmt.Println("connected")
			case transport.EventPayload:
				fmt.Printf("payload: %q\n", e.Payload)
			}
		}
		now = now.Add(50 * time.Millisecond)
	}
	// Output:
	// connected
	// payload: "Welcome"
}

// A session with the timers of the stock game retransmits a message after 1, 2, 3, 4, 5 and 1 s.
func ExampleStockOptions() {
	now, addr := time.Now(), netip.MustParseAddrPort("10.10.10.239:22101")
	hub := transport.NewHub(now, transport.HubOptions{})
	client, err := transport.NewClient(now, transport.ConnectRequest{ConnID: 0x78F9}, transport.StockOptions())
	if err != nil {
		panic(err)
	}
	for d := range client.Datagrams(now) {
		hub.Receive(now, addr, d)
	}
	for e := range hub.Events() {
		_, _ = hub.Accept(e)
	}
	for _, d := range hub.Datagrams(now) {
		client.Receive(now, d)
	}
	_ = client.Send([]byte("Hello"), transport.Reliable)
	for t := now; t.Before(now.Add(20 * time.Second)); t = client.NextDeadline() {
		for range client.Events() {
		}
		for d := range client.Datagrams(t) {
			for m := range transport.Messages(d) {
				if m.Type == transport.TypeData { // without an Ack
					fmt.Println(t.Sub(now).Round(time.Second))
				}
			}
		}
	}
	// Output:
	// 0s
	// 1s
	// 3s
	// 6s
	// 10s
	// 15s
	// 16s
	// 18s
}

// The loop of a server, without its socket and the cipher.
func ExampleHub() {
	now := time.Now()
	hub := transport.NewHub(now, transport.HubOptions{})
	addr := netip.MustParseAddrPort("10.10.10.239:22101")
	connect := []byte("\xFF\x01\x03\x0F\xC0\x00\x00\x0A\x0A\x0A\xEF\xF9\x78\x00\x00\x00\x00")

	hub.Receive(now, addr, connect)
	for e := range hub.Events() {
		switch e.Kind {
		case transport.EventConnect:
			session, err := hub.Accept(e)
			if err != nil {
				continue // the hub is full, and has refused the client
			}
			fmt.Println("a client from", e.Addr)
			_ = session.Send([]byte{0x28}, transport.Reliable)
		case transport.EventPayload:
			fmt.Printf("peer %d sends %x\n", e.Session.PeerID(), e.Payload)
		case transport.EventEnded:
			fmt.Println("peer", e.Session.PeerID(), e.End)
		}
	}
	for addr, datagram := range hub.Datagrams(now) {
		fmt.Println(len(datagram), "bytes to", addr)
	}
	// Output:
	// a client from 10.10.10.239:22101
	// 43 bytes to 10.10.10.239:22101
}

// A host looks up a ban, and accepts the client two seconds after its event.
func ExampleHub_Accept() {
	now := time.Now()
	hub := transport.NewHub(now, transport.HubOptions{})
	addr := netip.MustParseAddrPort("10.10.10.239:22101")
	connect := []byte("\xFF\x01\x03\x0F\xC0\x00\x00\x0A\x0A\x0A\xEF\xF9\x78\x00\x00\x00\x00")

	waiting := map[netip.AddrPort]transport.Event{}
	hub.Receive(now, addr, connect)
	for e := range hub.Events() {
		if e.Kind == transport.EventConnect {
			waiting[e.Addr] = e // a retransmission replaces the event
		}
	}

	// Two seconds later, on the same goroutine:
	now = now.Add(2 * time.Second)
	for addr, e := range waiting {
		delete(waiting, addr)
		session, err := hub.Accept(e)
		if err != nil {
			continue // the client has given up, or the hub is full
		}
		session.Value = "the player's record"
	}
	for addr, datagram := range hub.Datagrams(now) {
		fmt.Println(len(datagram), "bytes to", addr)
	}
	// Output:
	// 37 bytes to 10.10.10.239:22101
}

// A client sends its Connect until the host replies.
func ExampleNewClient() {
	now := time.Now()
	password, err := transport.NewUTF16Z("engage")
	if err != nil {
		panic(err)
	}
	request := transport.ConnectRequest{LocalIP: [4]byte{10, 10, 10, 239}, ConnID: 0x78F9, Password: password}
	client, err := transport.NewClient(now, request, transport.Options{})
	if err != nil {
		panic(err) // the password is too long
	}
	for d := range client.Datagrams(now) {
		fmt.Printf("% X\n", d)
	}
	fmt.Println(client.NextDeadline().Sub(now), client.PeerID() == objectid.NoPeer)
	// Output:
	// FF 01 03 1B C0 00 00 0A 0A 0A EF F9 78 00 00 65 00 6E 00 67 00 61 00 67 00 65 00 00 00
	// 1s true
}
