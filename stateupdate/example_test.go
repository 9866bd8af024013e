package stateupdate_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// This example splits the subsystems of a captured StateUpdate of an Akira.
func ExampleClass_Block() {
	payload := []byte("\x1C\xFF\xFF\xFF\x3F\x00\xA0\x1B\x42\x20\x08\xFF\x60\xFF\xFF\x80\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF")
	var m opcode.StateUpdate
	if err := opcode.Unmarshal(payload, &m); err != nil {
		log.Fatal(err)
	}
	for s, err := range stateupdate.Stock().Species(opcode.SpeciesAkira).Block(&m) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v, %.0f points\n", s, s.Points())
	}
	// Output:
	// Engineering 100%, 5000 points
	// Tractors 100% children 100/50%, 1500 points
	// Bridge 100%, 8000 points
	// Hull 50%, 4482 points
	// Shield Generator 100% facings 100/100/100/100/100/100%, 9000 points
}

// This example encodes updates of a ship for a player who does not own it, ten times a second.
func ExampleEncoder() {
	ship := stateupdate.NewShip(0x3FFFFFFF, stateupdate.Stock().Named("birdofprey"))
	encoder := stateupdate.Encoder{Receiver: 3}
	var payload []byte
	for tick := range 3 {
		ship.Position[1] += 0.4
		ship.Forward.X -= 6
		var err error
		if payload, err = encoder.Append(payload[:0], time.Duration(tick)*100*time.Millisecond, ship); err != nil {
			log.Fatal(err)
		}
		var m opcode.StateUpdate
		if err := opcode.Unmarshal(payload, &m); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d bytes: %v, subsystems from %d\n", len(payload), m.Flags, m.StartIndex)
	}
	// Output:
	// 41 bytes: position|forward|up|speed|subsystems|cloak, subsystems from 0
	// 30 bytes: delta|forward|subsystems, subsystems from 2
	// 29 bytes: delta|forward|subsystems, subsystems from 5
}

// This example reads a complete class of a mod, and tracks a ship of the class. The ID offsets
// are in the order of the ship's hardpoint script. They give the object IDs of the parts.
func ExampleParseJSON() {
	mod, err := stateupdate.ParseJSON([]byte(`{
	"ships": [{
		"species": 46, "key": "runabout", "name": "Runabout", "script": "Runabout",
		"subsystems": [
			{"name": "Hull", "kind": "hull", "idOffset": 1, "maxCondition": 2000},
			{"name": "Shield Generator", "kind": "shield", "idOffset": 2, "maxCondition": 3000, "normalPower": 40,
				"facings": [2400, 1200, 1200, 1200, 1200, 1200]},
			{"name": "Warp Core", "kind": "reactor", "idOffset": 3, "maxCondition": 1200,
				"mainBattery": 30000, "backupBattery": 10000},
			{"name": "Impulse Engines", "kind": "impulse", "idOffset": 4, "maxCondition": 1000, "normalPower": 20,
				"children": [
					{"name": "Port Impulse", "idOffset": 7, "maxCondition": 1100},
					{"name": "Star Impulse", "idOffset": 8, "maxCondition": 1100}
				]},
			{"name": "Phasers", "kind": "phaser", "idOffset": 5, "maxCondition": 800, "normalPower": 70,
				"children": [{"name": "Bow Phaser", "idOffset": 9, "maxCondition": 800}]},
			{"name": "Tractors", "kind": "tractor", "idOffset": 6, "maxCondition": 400, "normalPower": 120, "powerMode": 1,
				"children": [{"name": "Bow Tractor", "idOffset": 10, "maxCondition": 400}]}
		]
	}]
}`))
	if err != nil {
		log.Fatal(err)
	}
	tracker := stateupdate.Tracker{Classes: mod}
	creation, err := stateupdate.NewShip(0x3FFFFFFF, mod.Named("runabout")).Creation()
	if err != nil {
		log.Fatal(err)
	}
	change, err := tracker.Apply(creation)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(change.Ship.FirstOf(stateupdate.KindImpulse))
	_, part, _ := tracker.Part(0x40000008)
	fmt.Println(part)
	// Output:
	// Impulse Engines 100% power 100% children 100/100%
	// Phasers / Bow Phaser
}

// An error names the line, the ship and the subsystem.
func ExampleParseJSON_error() {
	_, err := stateupdate.ParseJSON([]byte(`{
	"ships": [{
		"species": 46, "name": "Runabout",
		"subsystems": [
			{"name": "Hull", "kind": "hull"},
			{"name": "Warp Core", "kind": "reactor", "batteries": 30000}
		]
	}]
}`))
	fmt.Println(err)
	// Output:
	// stateupdate: classes: line 6: ship 0 "Runabout": subsystem 1 "Warp Core": unknown field "batteries"
}

// This example prints the weapon of each kind of fire message. The IDs of the torpedo tube and
// the phasers were captured.
func ExampleTracker_Part() {
	var tracker stateupdate.Tracker
	for slot, class := range []string{"akira", "birdofprey"} {
		id, _ := objectid.Base(objectid.Slot(slot))
		creation, err := stateupdate.NewShip(id, stateupdate.Stock().Named(class)).Creation()
		if err != nil {
			log.Fatal(err)
		}
		if _, err := tracker.Apply(creation); err != nil {
			log.Fatal(err)
		}
	}
	for _, m := range []opcode.Message{
		&opcode.TorpedoFire{TubeID: 0x4000000D},
		&opcode.StartFiring{Event: opcode.Event{Dest: 0x40000005}},
		&opcode.BeamFire{WeaponID: 0x40040004},
	} {
		var weapon objectid.ID
		switch m := m.(type) {
		case *opcode.TorpedoFire:
			weapon = m.TubeID
		case *opcode.StartFiring:
			weapon = m.Dest
		case *opcode.BeamFire:
			weapon = m.WeaponID
		}
		if ship, part, ok := tracker.Part(weapon); ok {
			fmt.Printf("%s fires %s: %v\n", ship.Class.Name, part, ship.Subsystems[part.Index])
		}
	}
	// Output:
	// Akira fires Torpedoes / Forward Torp 1: Torpedoes 100% power 100% children 100/100/100/100/100/100%
	// Akira fires Phasers: Phasers 100% power 100% children 100/100/100/100/100/100/100/100% level medium
	// Bird of Prey fires Disruptor Cannons / Port Cannon: Disruptor Cannons 100% power 100% children 100/100%
}

// This example returns the ID of a part of a player's first ship, and the first ID after the ship.
func ExampleClass_PartID() {
	sovereign := stateupdate.Stock().Named("sovereign")
	ship, _ := objectid.Base(0)
	repair := stateupdate.NewShip(ship, sovereign).FirstOf(stateupdate.KindRepair)
	id, _ := sovereign.PartID(ship, int(repair.Index), -1)
	fmt.Println(ship, id, ship+objectid.ID(sovereign.Objects()))
	// Output: 0x3fffffff 0x40000018 0x40000021
}
