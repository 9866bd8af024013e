package match_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// This example prints who killed whom in a recording.
func Example() {
	file, err := os.Open("../testdata/battle.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for step, err := range match.Read(file, &match.Match{Events: true}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range step.Events {
			if e.Kind == match.Kill || e.Kind == match.Explode {
				fmt.Printf("%5.1f s  %v\n", e.Time.Seconds(), &e)
			}
		}
	}
	// Output:
	//  17.6 s  Dee destroys Cid (collision)
	//  20.2 s  Cid destroys Dee (collision)
	//  44.0 s  Dee explodes: destroys itself
}

// This example is a lag meter: it prints the round trips and the losses of all links of a recording.
func ExampleMatch_Links() {
	file, err := os.Open("../testdata/battle.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var m match.Match
	for _, err := range match.Read(file, &m) {
		if err != nil {
			log.Fatal(err)
		}
	}
	for l := range m.Links() {
		t := &l.ToHost
		fmt.Printf("%s %v, %d of %d lost, last heard at %v\n", l.Player.Name,
			t.RoundTrip.Round(time.Millisecond), t.Duplicates, t.Reliable+t.Duplicates, t.Heard.Round(time.Second))
	}
	// Output:
	// Ann 131ms, 0 of 60 lost, last heard at 1m20s
	// Ben 57ms, 0 of 54 lost, last heard at 1m20s
	// Cid 50ms, 0 of 25 lost, last heard at 36s
	// Dee 23ms, 0 of 51 lost, last heard at 1m12s
	// Cid 272ms, 0 of 24 lost, last heard at 1m20s
}

// This example is an anti-cheat: it reports shots from destroyed weapons, and messages of a client about
// ships and players of others.
func ExampleStep_antiCheat() {
	file, err := os.Open("../testdata/cheater.jsonl")
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
		part := step.Part
		if _, ok := step.Game.(opcode.Shot); !ok || part.Subsystem == nil {
			continue
		}
		weapons := step.Ship.Subsystems[part.Index]
		if weapons.Condition == 0 || part.Child >= 0 && weapons.Parts[part.Child] == 0 {
			fmt.Println(p.Name, "fires a destroyed weapon:", part)
		}
	}
	// Output:
	// Eve fires a destroyed weapon: Torpedoes / Aft Torpedo 1
	// Eve cheats: opcode: authorize StateUpdate.ObjectID: forged: 0x3fffffff of slot 0, not slot 1
	// Eve cheats: opcode: authorize ChatMessage.SenderID: forged: peer 2, not peer 3
}

// A relay or a server passes the datagrams as they come.
func ExampleMatch_Receive() {
	m := match.Match{Events: true}
	receive := func(at time.Duration, fromHost bool, peer objectid.PeerID, messages ...transport.Message) {
		data, err := (&transport.Packet{PeerID: peer, Messages: messages}).MarshalBinary()
		if err != nil {
			log.Fatal(err)
		}
		for step := range m.Receive(match.Datagram{Time: at, Client: "192.0.2.7:5000", FromHost: fromHost, Data: data}) {
			for _, e := range step.Events {
				fmt.Println(e.Time, &e)
			}
		}
	}
	name, _ := transport.NewUTF16Z("Ann")
	receive(0, false, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{}))
	receive(10*time.Millisecond, true, objectid.Host, transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))
	receive(20*time.Millisecond, false, 2, transport.NewMessage(1, &transport.NameChange{PeerID: 2, Name: name}))
	joined, _ := opcode.Marshal(opcode.NewPlayerJoined(2))
	receive(500*time.Millisecond, true, objectid.Host, transport.NewData(0, joined))
	receive(9*time.Second, false, 2, transport.NewMessage(2, &transport.Disconnect{PeerID: 2}))
	// Output:
	// 500ms Ann joins
	// 9s Ann leaves (left)
}
