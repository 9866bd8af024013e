package player_test

import (
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// A player and a host in one process, in virtual time.
func ExamplePlayer() {
	now := time.Date(2002, 2, 26, 0, 0, 0, 0, time.UTC)
	addr := netip.MustParseAddrPort("192.0.2.2:1025")
	host := hosttest.New(now, hosttest.Options{})
	session, err := transport.NewClient(now, transport.ConnectRequest{ConnID: 1}, transport.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ann := player.New(now, player.Options{
		Name: "Ann", Ship: stateupdate.Stock().Named("akira"), Say: "hello",
		Report: func(line string) { fmt.Println(line) },
	})
	client := simulated.New(ann, session)
	for end := now.Add(3 * time.Second); now.Before(end) || !client.Done(); now = now.Add(50 * time.Millisecond) {
		if !now.Before(end) {
			ann.Leave()
		}
		for d := client.AppendDatagram(nil, now); len(d) > 0; d = client.AppendDatagram(nil, now) {
			host.Receive(now, addr, d)
		}
		for _, d := range host.Datagrams(now) {
			client.Receive(now, d)
		}
	}
	fmt.Println(ann.Err())
	// Output:
	// accepted as player 2 in slot 0 of Multiplayer.Episode.Mission1.Mission1
	// plays in Multi1, at most 8 players
	// Ann has Akira 0x3fffffff
	// Ann: hello
	// left
}
