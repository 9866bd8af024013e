package model_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// This example plays a Kessok Heavy that fires its beams at a Bird of Prey, as a server would: messages and
// the time in, events and conditions out.
func Example() {
	var w model.World
	kessok, bird := stateupdate.Stock().Named("kessokheavy"), stateupdate.Stock().Named("birdofprey")
	if err := w.Add(anns, kessok, "Multi1", model.Motion{Forward: [3]float64{0, 1, 0}}); err != nil {
		log.Fatal(err)
	}
	if err := w.Add(bens, bird, "Multi1", model.Motion{Position: [3]float64{0, 60, 0}, Forward: [3]float64{0, -1, 0}}); err != nil {
		log.Fatal(err)
	}
	w.Advance(time.Second)
	beams, _ := kessok.PartID(anns, 4, -1) // the Positron Beams
	if err := w.Apply(opcode.NewStartFiring(beams, bens)); err != nil {
		log.Fatal(err)
	}
	update := stateupdate.NewShip(bens, bird) // for the StateUpdates of a host
	for now := time.Second; now < time.Minute; now += time.Second {
		for _, e := range w.Advance(now) {
			if e.Kind == model.Exploding {
				fmt.Printf("%v: %v is destroyed by %v with %v\n", now, e.Ship, e.By, e.Weapon)
			}
		}
		if s := w.Ship(bens); s != nil && (now == 4*time.Second || !s.Alive()) {
			s.Status(update)
			fmt.Println(update.FirstOf(stateupdate.KindShield))
			if !s.Alive() {
				break
			}
		}
	}
	// Output:
	// Shield Generator 100% power 100% facings 44/100/100/100/100/100%
	// 36s: 0x4003ffff is destroyed by 0x3fffffff with Positron Beams / Forward Beam 2
	// Shield Generator 100% power 100% facings 4/100/100/100/100/100%
}
