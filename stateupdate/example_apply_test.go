package stateupdate_test

import (
	"bytes"
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// This example applies the messages of a capture.
func ExampleTracker_Apply() {
	payloads := shortCapture()
	var tracker stateupdate.Tracker
	for _, payload := range payloads {
		m, err := opcode.Decode(payload)
		if err != nil {
			fmt.Println(err)
			continue
		}
		change, err := tracker.Apply(m)
		if err != nil {
			fmt.Println(err) // the rest of the message was applied
		}
		if ship := change.Ship; ship != nil {
			fmt.Println(ship.PlayerName, ship.Position, change.Motion, ship.FirstOf(stateupdate.KindHull))
		}
	}
	// Output:
	// Cady2 [88 -66 -73] 0 Hull 100%
	// Cady2 [88 -66 -73] 0 Hull 100%
	// Cady2 [88 -66 -73] 0 Hull 100%
}

func shortCapture() (all [][]byte) {
	for payload := range capture("../testdata/sample.jsonl", 1) {
		all = append(all, bytes.Clone(payload))
	}
	return all
}
