package stateupdate_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// This example follows the ships of a match. It prints the ship of each player, the weapons
// that are fired, the destroyed ships and their killers, and late messages.
func ExampleTracker_Life() {
	var tracker stateupdate.Tracker
	for _, m := range duel() {
		if shot, ok := m.(*opcode.TorpedoFire); ok {
			if ship, tube, ok := tracker.Part(shot.TubeID); ok {
				fmt.Printf("%s fires %s\n", ship.PlayerName, tube)
			}
		}
		change, err := tracker.Apply(m)
		if err != nil {
			log.Fatal(err)
		}
		switch ship := change.Ship; {
		case tracker.Life(change.ObjectID) == stateupdate.Destroyed:
			fmt.Printf("an update of %v is late: the ship is %v\n", change.ObjectID, tracker.Life(change.ObjectID))
		case change.Created:
			fmt.Printf("%s flies %s\n", ship.PlayerName, ship.Class.Name)
		case change.Died:
			fmt.Printf("%s is destroyed", ship.PlayerName)
			if killer := tracker.ShipOf(ship.Killer); killer != nil {
				fmt.Printf(" by %s", killer.PlayerName)
			}
			fmt.Printf(" and explodes for %v\n", ship.Lifetime)
		}
	}
	// Output:
	// Ann flies Ambassador
	// Ben flies Bird of Prey
	// Ann fires Torpedoes / Forward Torpedo 2
	// Ben is destroyed by Ann and explodes for 9.5s
	// Ben flies Vor'cha
	// an update of 0x4003ffff is late: the ship is destroyed
}

// duel returns the messages of a match. Ann destroys the ship of Ben, who then takes another
// one.
func duel() (messages []opcode.Message) {
	const anns, bens objectid.ID = 0x3FFFFFFF, 0x4003FFFF
	create := func(peer objectid.PeerID, name string, id objectid.ID, class string) {
		ship := stateupdate.NewShip(id, stateupdate.Stock().Named(class))
		ship.PeerID, ship.PlayerName, ship.SetName = peer, name, "Multi1"
		creation, err := ship.Creation()
		if err != nil {
			log.Fatal(err)
		}
		messages = append(messages, creation)
	}
	create(2, "Ann", anns, "ambassador")
	create(3, "Ben", bens, "birdofprey")
	tube, _ := stateupdate.Stock().Named("ambassador").PartID(anns, 7, 1)
	explosion, err := opcode.NewObjectExploding(bens, anns, 2, 9.5)
	if err != nil {
		log.Fatal(err)
	}
	messages = append(messages, opcode.NewTorpedoFire(tube, 2, compress.EncodeVector3(0, 1, 0), bens, compress.Contact{}), explosion)
	create(3, "Ben", bens+100, "vorcha")
	return append(messages, &opcode.StateUpdate{ObjectID: bens, GameTime: 20, Flags: opcode.StateSpeed})
}

// This example sends the updates of all ships to all players, as a host does at every tick.
func ExampleBroadcaster() {
	b := stateupdate.Broadcaster{Dedicated: true}
	for slot, class := range []string{"akira", "birdofprey", "galaxy"} {
		id, _ := objectid.Base(objectid.Slot(slot))
		ship := stateupdate.NewShip(id, stateupdate.Stock().Named(class))
		ship.PeerID, ship.SetName = objectid.PeerID(slot+2), "Multi1"
		if err := b.AddShip(ship); err != nil {
			log.Fatal(err)
		}
		b.AddReceiver(ship.PeerID)
	}
	updates, size := map[objectid.PeerID]int{}, 0
	for tick := range 10 { // one second
		due, err := b.Advance(time.Duration(tick) * 100 * time.Millisecond)
		if err != nil {
			log.Fatal(err)
		}
		for _, u := range due {
			updates[u.Receiver]++ // a host sends the payload to the receiver here
			size += len(u.Payload)
		}
	}
	fmt.Println("updates for each player:", updates)
	fmt.Println("bytes:", size)
	// Output:
	// updates for each player: map[2:30 3:30 4:30]
	// bytes: 2108
}

// This example creates a ship of the host, such as a station, and encodes an update of its
// changes.
func ExampleNewShip() {
	ship := stateupdate.NewShip(0x22, stateupdate.Stock().Named("fedoutpost"))
	ship.SetName, ship.Position = "Multi1", [3]float32{100, 0, 50}
	creation, err := ship.Creation() // the host sends it reliably to all players
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(creation.Opcode(), ship)

	ship.SetHeading(3, 4, 0)
	ship.FirstOf(stateupdate.KindHull).Condition = stateupdate.LevelOf(0.37)
	ship.FirstOf(stateupdate.KindShield).Parts[stateupdate.FaceFront] = 0
	encoder := stateupdate.Encoder{Receiver: 2} // one for each receiver
	payload, err := encoder.Append(nil, 12500*time.Millisecond, ship)
	if err != nil {
		log.Fatal(err)
	}
	var m opcode.StateUpdate
	if err := opcode.Unmarshal(payload, &m); err != nil {
		log.Fatal(err)
	}
	fmt.Println("forward", m.Forward, "up", m.Up)
	for status, err := range ship.Class.Block(&m) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(status)
	}
	// Output:
	// ObjectCreate Federation Outpost 0x00000022 in "Multi1" at (100 0 50) nose (0 1 0) speed 0 hull 100%
	// forward (0.59843 0.79528 0) up (0 0 1)
	// Hull 37%
	// Shield Generator 100% power 100% facings 0/100/100/100/100/100%
}
