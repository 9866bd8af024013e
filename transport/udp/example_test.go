package udp_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A server that welcomes every client.
func ExampleServe() {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithCancel(context.Background())
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	handler := udp.Handler{Event: func(now time.Time, e transport.Event) {
		switch e.Kind {
		case transport.EventConnect:
			if s, err := hub.Accept(e); err == nil {
				welcome, _ := opcode.Marshal(&opcode.ChatMessage{Text: stream.Lossy("Welcome")})
				_ = s.Send(welcome, transport.Reliable)
			}
		case transport.EventEnded:
			fmt.Println("a client has left:", e.End)
			stop()
		}
	}}
	go visit(conn.LocalAddr().String())
	if err := udp.Serve(ctx, conn, hub, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the client is told "Welcome"
	// a client has left: left
}

// visit is a client that reads a message and leaves.
func visit(addr string) {
	conn, err := udp.Dial(context.Background(), addr, udp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for m, err := range conn.Messages(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if chat, ok := m.(*opcode.ChatMessage); ok {
			fmt.Printf("the client is told %q\n", chat.Text)
			return
		}
	}
}

// A client joins a match, talks, and prints what the players say.
func ExampleJoin() {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	server := hostMatch(ctx)

	player, err := udp.Join(ctx, server, join.Options{Name: "Ann"})
	if err != nil {
		log.Fatal(err) // for example, errors.Is(err, join.ErrFull)
	}
	defer player.Close()
	_ = player.Send(&opcode.ChatMessage{SenderID: player.PeerID(), Text: stream.Lossy("hello")})
	for m := range player.Messages(ctx) {
		if line, ok := m.(*opcode.ChatMessage); ok {
			fmt.Printf("%s: %s\n", player.State().NameOf(player.Speaker(m)), line.Text)
			return
		}
	}
	// Output:
	// Ann: hello
}

// hostMatch runs a server that relays the messages of its players, and returns its address.
func hostMatch(ctx context.Context) string {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	host := join.NewHost(time.Now(), join.HostOptions{})
	go func() {
		defer conn.Close()
		_ = udp.Serve(ctx, conn, host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick})
	}()
	return conn.LocalAddr().String()
}

// hostTwice runs a server that goes away and comes back, and then stops. Ann has a kill in the first match
// and two in the second one. It returns the address of the server.
func hostTwice(ctx context.Context) string {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	addr := conn.LocalAddr().(*net.UDPAddr)
	go func() {
		for kills := range int32(2) {
			if kills > 0 {
				if conn, err = net.ListenUDP("udp4", addr); err != nil {
					log.Fatal(err)
				}
			}
			playMatch(ctx, conn, kills+1)
		}
	}()
	return addr.String()
}

// playMatch runs a server until shortly after Ann, who has some kills, and another player have entered.
func playMatch(ctx context.Context, conn *net.UDPConn, kills int32) {
	defer conn.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	entered := 0
	host := join.NewHost(time.Now(), join.HostOptions{Enter: func(m *join.Member) {
		if m.Name == "Ann" {
			m.Kills = kills
		}
		if entered++; entered == 2 {
			time.AfterFunc(100*time.Millisecond, stop)
		}
	}})
	go func() {
		if ann, err := udp.Join(ctx, conn.LocalAddr().String(), join.Options{Name: "Ann"}); err == nil {
			<-ctx.Done()
			_ = ann.Close()
		}
	}()
	_ = udp.Serve(ctx, conn, host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick})
}

// Dial returns an error if the server does not answer.
func ExampleDial() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer silent.Close()

	conn, err := udp.Dial(ctx, silent.LocalAddr().String(), udp.Options{})
	if err != nil {
		fmt.Println(err.(*net.OpError).Err)
		return
	}
	defer conn.Close()
	// Output:
	// context deadline exceeded (nothing received)
}

// A web page or a console reaches the Hub through a Loop.
func ExampleLoop() {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithCancel(context.Background())
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	var loop udp.Loop
	go func() {
		defer stop()
		if err := loop.Do(ctx, func() { fmt.Println(hub.Len(), "sessions") }); err != nil {
			log.Print(err)
		}
	}()
	if err := udp.Serve(ctx, conn, hub, udp.Handler{Loop: &loop}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 sessions
}
