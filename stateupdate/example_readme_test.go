package stateupdate_test

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// The README shows this example.
func ExampleDecoder_Apply() {
	payloads := shortCapture()
	var pictures stateupdate.Decoder
	for _, payload := range payloads {
		m, err := opcode.Decode(payload)
		if err != nil {
			fmt.Println(err)
			continue
		}
		change, err := pictures.Apply(m)
		if ship := change.Ship; ship != nil && err == nil {
			fmt.Println(ship.Name, ship.GameTime, ship.Position, ship.System("hull"))
		}
	}
	// Output:
	// Cady2 0 [88 -66 -73] Hull 100%
	// Cady2 28.1875 [88 -66 -73] Hull 100%
	// Cady2 38.90625 [88 -66 -73] Hull 100%
}

func shortCapture() (all [][]byte) {
	for payload := range capture("../testdata/sample.jsonl", 1) {
		all = append(all, payload)
	}
	return all
}
