package stateupdate_test

import (
	"fmt"
	"iter"
	"log"
	"os"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// This example follows the ships of a capture.
func ExampleTracker() {
	var tracker stateupdate.Tracker
	for payload := range capture("../testdata/sample.jsonl", 1) {
		m, err := opcode.Decode(payload)
		if err != nil {
			log.Fatal(err)
		}
		change, err := tracker.Apply(m)
		if err != nil {
			log.Fatal(err)
		}
		ship := change.Ship
		switch {
		case ship == nil: // the message is not about a ship
		case change.Created:
			fmt.Printf("%s flies %s in %s: %v\n", ship.PlayerName, ship.Class.Name, ship.SetName, ship.FirstOf(stateupdate.KindReactor))
		default:
			fmt.Printf("at %v, %d subsystems changed\n", ship.Position, change.Subsystems.Len())
		}
	}
	// Output:
	// Cady2 flies Akira in Multi1: Warp Core 100% main 100% backup 100%
	// at [88 -66 -73], 0 subsystems changed
	// at [88 -66 -73], 0 subsystems changed
}

// capture iterates over the game payloads between a client and its server, without fragments.
// A payload is valid until the next iteration.
func capture(name string, client int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		file, err := os.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		defer file.Close()
		for d, err := range recording.Read(file) {
			if err != nil {
				log.Fatal(err)
			}
			if d.Client == client && !transport.IsGameSpy(d.Data) && !payloads(d.Data, yield) {
				return
			}
		}
	}
}

func payloads(datagram []byte, yield func([]byte) bool) bool {
	cipher.Decrypt(datagram)
	for m, err := range transport.Messages(datagram) {
		if err != nil {
			log.Fatal(err)
		}
		if m.Type == transport.TypeData && !m.Fragment && !yield(m.Body) {
			return false
		}
	}
	return true
}
