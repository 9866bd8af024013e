package player_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/stateupdate"
)

// A player and a host in one process. Time is what the program says.
func ExamplePlayer() {
	now := time.Date(2002, 2, 26, 0, 0, 0, 0, time.UTC)
	addr := netip.MustParseAddrPort("192.0.2.2:1025")
	host := hosttest.New(now, hosttest.Options{})
	ann := player.New(now, player.Options{Name: "Ann", Ship: stateupdate.Named("akira"), Say: "hello"})
	for end := now.Add(3 * time.Second); now.Before(end) || !ann.Done(); now = now.Add(50 * time.Millisecond) {
		if !now.Before(end) {
			ann.Leave(now)
		}
		for d := ann.AppendDatagram(nil, now); len(d) > 0; d = ann.AppendDatagram(nil, now) {
			host.Receive(now, addr, d)
		}
		for _, d := range host.Datagrams(now) {
			ann.Receive(now, d)
		}
		for e := range ann.Events() {
			fmt.Println(e)
		}
	}
	// Output:
	// accepted as player 2
	// joined in slot 0 of Multiplayer.Episode.Mission1.Mission1
	// plays in Multi1, at most 8 players
	// Ann has Akira 0x3fffffff
	// Ann: hello
	// left
}
