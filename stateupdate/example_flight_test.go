package stateupdate_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// This example flies the ship of a client around the origin. A client on a network passes the messages to its connection,
// the messages of the host to Apply, and the time since join.State.Began to Advance.
func ExampleFlight() {
	flight := &stateupdate.Flight{
		Class: stateupdate.Stock().Named("akira"), PeerID: 2, Slot: 0, Name: "Ann",
		Place: func(m *stateupdate.Motion) { m.Position = [3]float32{50, 0, 0} },
	}
	sent := map[opcode.Code]int{}
	fly := func(from, to time.Duration) {
		for now := from; now < to; now += 100 * time.Millisecond {
			if ship := flight.Ship(); ship != nil {
				at := flight.Course.Position
				aside := [3]float64{-at[1], at[0]} // at right angles to the origin
				helm := flight.Course.Toward(ship.Class.Physics, aside, [3]float64{2: 1}, 0.5)
				flight.Helm = &helm
			}
			messages, err := flight.Advance(now)
			if err != nil {
				log.Fatal(err)
			}
			for _, m := range messages { // conn.Send(m)
				sent[m.Opcode()]++
			}
		}
	}
	fly(0, time.Minute)
	fmt.Println(flight.Ship().ID, sent)

	explosion, err := opcode.NewObjectExploding(flight.Ship().ID, objectid.None, objectid.NoPeer, 9.5)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := flight.Apply(explosion); err != nil {
		log.Fatal(err)
	}
	fmt.Println(flight.Ship())
	fly(time.Minute, 70*time.Second)
	fmt.Println(flight.Ship().ID, sent)
	// Output:
	// 0x3fffffff map[ObjectCreateTeam:1 StateUpdate:599]
	// no ship
	// 0x4000001f map[ObjectCreateTeam:2 StateUpdate:649]
}
