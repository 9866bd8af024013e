// Package users has seven small programs as users of the library write them: a bot, a pilot, a server with rules, a proxy,
// an anti-cheat, a live feed, and a mod with a message and a class of its own. If the API changes, they must not get longer.
package users_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A bot talks until the server kicks it.
func Example_bot() {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	bot(ctx, serve(ctx), os.Stdout)
	// Output:
	// Welcome, Data
	// Data: hello
	// kicked: true
}

func bot(ctx context.Context, server string, out io.Writer) {
	player, err := udp.Join(ctx, server, join.Options{Name: "Data"})
	if err != nil {
		log.Fatal(err)
	}
	defer player.Close()
	say := func(s string) {
		_ = player.Send(&opcode.ChatMessage{SenderID: player.PeerID(), Text: stream.Lossy(s)})
	}
	for m, err := range player.Messages(ctx) {
		line, ok := m.(*opcode.ChatMessage)
		switch {
		case m == nil:
			fmt.Fprintln(out, "kicked:", errors.Is(err, join.ErrRefused))
		case !ok:
		case player.Speaker(m) == player.PeerID():
			fmt.Fprintf(out, "%s: %s\n", player.State().NameOf(player.Speaker(m)), line.Text)
			say("petaQ!")
		default:
			fmt.Fprintln(out, line.Text)
			say("hello")
		}
	}
}

// A pilot flies in circles. Another player learns of the ship.
func Example_pilot() {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	server := serve(ctx)
	watcher, err := udp.Join(ctx, server, join.Options{Name: "Troi"})
	if err != nil {
		log.Fatal(err)
	}
	defer watcher.Close()
	go pilot(ctx, server)
	var ships stateupdate.Tracker
	for m := range watcher.Messages(ctx) {
		change, _ := ships.Apply(m)
		if s := change.Ship; change.Created {
			fmt.Println(s.PlayerName, "flies", s.Class.Name)
			return
		}
	}
	// Output:
	// Data flies Akira
}

func pilot(ctx context.Context, server string) {
	player, err := udp.Join(ctx, server, join.Options{Name: "Data"})
	if err != nil {
		return
	}
	defer player.Close()
	self := player.State().Self
	flight := &stateupdate.Flight{
		Class: stateupdate.Stock().Named("akira"), PeerID: self.PeerID, Slot: self.Slot, Name: self.Name,
		Helm: &stateupdate.Helm{Throttle: 1, Turn: [3]float64{2: 0.2}},
	}
	for ctx.Err() == nil {
		tick, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		for m := range player.Messages(tick) {
			_, _ = flight.Apply(m)
		}
		cancel()
		messages, err := flight.Advance(time.Since(player.State().Began))
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range messages {
			_ = player.Send(m)
		}
	}
}

// serve is a server with three rules: players are welcomed, do not swear, and fly no stations.
func serve(ctx context.Context) (addr string) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	var host *join.Host
	host = join.NewHost(time.Now(), join.HostOptions{
		Enter: func(m *join.Member) {
			host.Send(&opcode.ChatMessage{SenderID: objectid.Host, Text: stream.Lossy("Welcome, " + m.Name)}, m)
		},
		Message: func(from *join.Member, m opcode.Message) {
			switch m := m.(type) {
			case *opcode.ChatMessage:
				if strings.Contains(m.Text.String(), "petaQ") {
					from.Session.Boot(transport.BootRemoved)
					return
				}
			case *opcode.ObjectCreateTeam:
				if class := stateupdate.Stock().Species(m.Object.Species); class == nil || class.Physics.MaxSpeed == 0 {
					return
				}
			}
			host.Relay(from, m)
		},
	})
	go func() {
		defer conn.Close()
		_ = udp.Serve(ctx, conn, host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick})
	}()
	return conn.LocalAddr().String()
}

// A live feed sits between a player and the server: a proxy passes the datagrams, and says who joins, talks and leaves.
func Example_proxy() {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	m := match.Match{Events: true}
	began := time.Now()
	proxy(ctx, serve(ctx), func(client string, fromHost bool, datagram []byte) {
		d := match.Datagram{Time: time.Since(began), Client: client, FromHost: fromHost, Data: datagram}
		for step := range m.Receive(d) {
			for _, e := range step.Events {
				fmt.Println("feed:", &e)
			}
		}
	})
	// Output:
	// feed: Data joins
	// feed: peer 1: Welcome, Data
	// feed: Data: hello
	// feed: Data leaves (kicked)
}

// proxy relays the datagrams of a bot, and passes them deciphered to a function.
func proxy(ctx context.Context, server string, see func(client string, fromHost bool, datagram []byte)) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	played := make(chan struct{})
	go func() {
		bot(ctx, conn.LocalAddr().String(), io.Discard)
		close(played)
		conn.Close()
	}()
	host, buffer, client := netip.MustParseAddrPort(server), make([]byte, 1<<16), netip.AddrPort{}
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			<-played
			return
		}
		to := host
		if from == host {
			to = client
		} else {
			client = from
		}
		_, _ = conn.WriteToUDPAddrPort(buffer[:n], to)
		cipher.Decrypt(buffer[:n])
		see(client.String(), from == host, buffer[:n])
	}
}

// An anti-cheat reports clients that speak for others, and ships that are faster than their engines.
func Example_antiCheat() {
	file, err := os.Open("../../../testdata/cheater.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for step, err := range match.Read(file, nil) {
		if err != nil {
			log.Fatal(err)
		}
		p := step.Sender
		if step.FromHost || step.Game == nil || p == nil {
			continue
		}
		if err := opcode.Authorize(step.Game, opcode.Sender{PeerID: p.PeerID, Slot: p.Slot, Ship: p.Ship}); err != nil {
			fmt.Println(p.Name, "cheats:", err)
		}
		if ship := step.Ship; ship != nil && ship.Class != nil && step.Change.Motion&opcode.StateSpeed != 0 {
			if speed, most := ship.Speed.Float32(), ship.Class.Physics.MaxSpeed; float64(speed) > 1.1*most {
				fmt.Printf("%s flies %v, at most %v\n", p.Name, speed, most)
			}
		}
	}
	// Output:
	// Eve cheats: opcode: authorize StateUpdate.ObjectID: forged: 0x3fffffff of slot 0, not slot 1
	// Eve cheats: opcode: authorize ChatMessage.SenderID: forged: peer 2, not peer 3
}

// Vote is the message of a mod.
type Vote struct {
	PlayerID objectid.PeerID
	Mission  uint8
}

func (*Vote) Opcode() opcode.Code { return 0xC0 }

func (m *Vote) Walk(c *stream.Codec) {
	c.Field("PlayerID").PeerID8(&m.PlayerID)
	c.Field("Mission").Uint8(&m.Mission)
}

// A mod has a message and a class of ships. Its server reads both.
func Example_mod() {
	var decoder opcode.Decoder
	if err := decoder.Register(0xC0, func() opcode.Message { return new(Vote) }); err != nil {
		log.Fatal(err)
	}
	payload, err := opcode.Marshal(&Vote{PlayerID: 2, Mission: 5})
	if err != nil {
		log.Fatal(err)
	}
	m, err := decoder.Decode(payload)
	fmt.Println(opcode.Line(m), err)

	classes, err := stateupdate.ParseJSON([]byte(`{"ships": [{"species": 101, "name": "Saucer", "script": "Saucer",
		"physics": {"mass": 50, "maxSpeed": 9},
		"subsystems": [{"name": "Hull", "kind": "hull", "maxCondition": 4000, "repairComplexity": 3, "critical": true}]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	ship := stateupdate.NewShip(0x3FFFFFFF, classes.Species(101))
	ship.Subsystems[0].Condition = stateupdate.LevelOf(0.5)
	encoder := stateupdate.Encoder{Receiver: 2}
	payload, err = encoder.Append(nil, time.Second, ship)
	if err != nil {
		log.Fatal(err)
	}
	tracker := stateupdate.Tracker{Classes: classes}
	creation, err := ship.Creation()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []opcode.Message{creation, must(opcode.Decode(payload))} {
		change, err := tracker.Apply(m)
		fmt.Println(change.Ship.Class.Name, change.Ship.Subsystems[0].Condition, change.Ship.Class.Physics.MaxSpeed, err)
	}
	// Output:
	// users_test.Vote PlayerID=2 Mission=5 <nil>
	// Saucer 50% 9 <nil>
	// Saucer 50% 9 <nil>
}

func must(m opcode.Message, err error) opcode.Message {
	if err != nil {
		log.Fatal(err)
	}
	return m
}
