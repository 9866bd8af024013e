package join_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// A client joins a host, without a network between them.
func ExampleClient() {
	now, addr := time.Now(), netip.MustParseAddrPort("10.0.0.1:5000")
	host := join.NewHost(now, join.HostOptions{})
	session, err := transport.NewClient(now, transport.ConnectRequest{ConnID: 0x78F9}, transport.Options{})
	if err != nil {
		panic(err)
	}
	client, err := join.NewClient(now, session, join.Options{Name: "Ann"})
	if err != nil {
		panic(err)
	}
	for client.State().Stage < join.StageInGame {
		for d := range session.Datagrams(now) {
			host.Hub().Receive(now, addr, d)
			for e := range host.Hub().Events() {
				host.Handle(now, e)
			}
		}
		for _, d := range host.Hub().Datagrams(now) {
			session.Receive(now, d)
			for e := range session.Events() {
				if m, _ := client.Handle(now, e); m != nil {
					fmt.Println(m.Opcode())
				}
			}
		}
		now = now.Add(50 * time.Millisecond)
	}
	state := client.State()
	fmt.Println(state.Self.Name, "plays", state.Settings.Map)
	// Output:
	// ChecksumRequest
	// ChecksumRequest
	// ChecksumRequest
	// ChecksumRequest
	// ChecksumRequest
	// ChecksumComplete
	// Settings
	// GameInit
	// MissionInit
	// DeletePlayerUI
	// Ann plays Multiplayer.Episode.Mission1.Mission1
}

// A program adds its rules in the functions of the options. This server greets each player and ends
// the match at the word "end".
func ExampleHost() {
	var host *join.Host
	host = join.NewHost(time.Now(), join.HostOptions{
		Password: "engage",
		Mission:  opcode.MissionInit{PlayerLimit: 4},
		Enter: func(m *join.Member) {
			greeting, _ := opcode.NewChatMessage(1, "Welcome, "+m.Name)
			host.Send(greeting, m)
		},
		Message: func(from *join.Member, m opcode.Message) {
			if line, ok := m.(*opcode.ChatMessage); ok && line.Text.String() == "end" {
				host.End(opcode.EndOver)
			}
			host.Relay(from, m)
		},
	})
	// Then call udp.Serve(ctx, conn, host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick}).
	host.Broadcast(&opcode.ChatMessage{SenderID: 1, Text: stream.Lossy("nobody is here")})
	fmt.Println(len(host.Members()), "players")
	// Output:
	// 0 players
}
