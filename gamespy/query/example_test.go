package query_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	// Start a server on the loopback interface.
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	info := gamespy.NewServerInfo("Friday Night")
	go query.Serve(ctx, server, new(gamespy.Responder), func() *gamespy.ServerInfo { return &info })

	// Query the server.
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	var scanner query.Scanner
	servers, err := scanner.Scan(ctx, conn, []netip.AddrPort{server.LocalAddr().(*net.UDPAddr).AddrPort()})
	for _, s := range servers { // which have answered
		answer := s.Pairs.ServerInfo()
		fmt.Printf("%q %d %q %v\n", answer.HostName, answer.MaxPlayers, answer.Players, s.Incomplete)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output: "Friday Night" 8 ["Dedicated Server"] false
}
