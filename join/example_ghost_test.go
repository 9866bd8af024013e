package join_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

// ghost is a server on which a recorded player flies again as soon as somebody else flies.
type ghost struct {
	*join.Host
	slot   objectid.Slot // of the recorded player
	replay []moment
	began  time.Time
	player *join.Member
}

// moment is a message of the recorded player.
type moment struct {
	time time.Duration
	opcode.Message
}

// tick plays the messages that are due, ten times as fast as they were recorded.
func (g *ghost) tick(now time.Time) {
	g.Tick(now)
	if g.player == nil {
		if all := g.Members(); len(all) == 0 || all[0].Ship == objectid.None {
			return
		}
		g.player, _ = g.AddPlayer("Ghost") // there is room for one
		g.began = now.Add(-g.replay[0].time / 10)
	}
	for len(g.replay) > 0 && g.replay[0].time/10 <= now.Sub(g.began) {
		g.play(g.replay[0].Message)
		if g.replay = g.replay[1:]; len(g.replay) == 0 {
			g.player.Session.Close()
		}
	}
}

// play lets the ghost say what the recorded player said, if it is not about the ship of another player.
func (g *ghost) play(m opcode.Message) {
	ids := objectid.Map{
		Object: func(id objectid.ID) objectid.ID {
			from, _ := objectid.Base(g.slot)
			to, _ := objectid.Base(g.player.Slot)
			if slot, _ := id.Slot(); slot != g.slot {
				return objectid.None
			}
			return id - from + to
		},
		Peer: func(objectid.PeerID) objectid.PeerID { return g.player.PeerID },
		Slot: func(objectid.Slot) objectid.Slot { return g.player.Slot },
	}
	if opcode.Rebase(m, ids) == nil {
		g.Relay(g.player, m)
	}
}

// A player of a recording flies again on a server. A client sees the ghost as any player.
func ExampleHost_AddPlayer() {
	conn, err1 := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	file, err2 := os.Open("../testdata/match.jsonl")
	if err := errors.Join(err1, err2); err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	g := &ghost{Host: join.NewHost(time.Now(), join.HostOptions{Ships: stateupdate.Stock(), Reserved: 1})}
	for step, err := range match.Read(file, nil) {
		if err == nil && step.Sender != nil && step.Sender.Name == "Ann" && !step.FromHost && step.Game != nil {
			payload, _ := opcode.Marshal(step.Game) // the step is reused
			m, _ := opcode.Decode(payload)
			g.slot, g.replay = step.Sender.Slot, append(g.replay, moment{step.Time, m})
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	go func() { _ = udp.Serve(ctx, conn, g.Hub(), udp.Handler{Event: g.Handle, Tick: g.tick}) }()

	bob, err := udp.Join(ctx, conn.LocalAddr().String(), join.Options{Name: "Bob"})
	if err != nil {
		log.Fatal(err)
	}
	defer bob.Close()
	base, _ := objectid.Base(bob.State().Self.Slot)
	own := stateupdate.NewShip(base, stateupdate.Stock().Named("galaxy"))
	own.SetName = "Multi1"
	object, _ := own.Object()
	_ = bob.Send(&opcode.ObjectCreateTeam{OwnerSlot: bob.State().Self.Slot, NetPlayerID: bob.PeerID(), Object: object})
	watch(ctx, bob)
	// Output:
	// Ghost flies Akira
	// Ghost: hello
	// Ghost leaves, and has moved: true
}

// watch prints what a client sees of another player, until that player leaves.
func watch(ctx context.Context, client *udp.Conn) {
	ships := stateupdate.Tracker{MaxShips: 1}
	name, moved := "", false
	for m := range client.Messages(ctx) {
		change, _ := ships.Apply(m)
		moved = moved || change.Motion&opcode.StatePosition != 0
		switch m := m.(type) {
		case *opcode.ObjectCreateTeam:
			name = client.State().NameOf(m.NetPlayerID)
			fmt.Println(name, "flies", change.Ship.Class.Name)
		case *opcode.ChatMessage:
			fmt.Printf("%s: %s\n", name, m.Text)
		case *opcode.DeletePlayerUI:
			if _, left := m.Left(); left {
				fmt.Println(name, "leaves, and has moved:", moved)
				return
			}
		}
	}
}
