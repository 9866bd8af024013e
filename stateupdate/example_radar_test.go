package stateupdate_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// This example prints the ships that one player of a recorded match sees after ten seconds.
func Example_radar() {
	file, err := os.Open("../testdata/match.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var tracker stateupdate.Tracker
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			T      float64
			Client int
			Hex    string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			log.Fatal(err)
		}
		if line.Client != 2 || line.T > 10 {
			continue
		}
		datagram, err := hex.DecodeString(line.Hex)
		if err != nil {
			log.Fatal(err)
		}
		cipher.Decrypt(datagram)
		for message, err := range transport.Messages(datagram) {
			if err != nil || message.Type != transport.TypeData || message.Fragment {
				continue // messages about ships are not fragmented
			}
			m, err := opcode.Decode(message.Body)
			if err == nil {
				_, err = tracker.Apply(m)
			}
			if err != nil {
				log.Print(err)
			}
		}
	}
	for ship := range tracker.Ships() {
		if ship.Life != stateupdate.Alive || ship.Class == nil {
			continue
		}
		x, y, z := ship.Forward.Float32()
		fmt.Printf("%-4s %-12s at %6.1f facing (%+.2f %+.2f %+.2f) %v\n",
			ship.PlayerName, ship.Class.Name, ship.Position, x, y, z, ship.FirstOf(stateupdate.KindHull))
	}
	// Output:
	// Ann  Akira        at [ -57.6   83.4  -77.6] facing (+0.26 +0.71 -0.65) Hull 100%
	// Cid  Sovereign    at [  68.7  -45.3  -93.6] facing (-0.88 -0.03 +0.46) Hull 100%
	// Ben  Bird of Prey at [  51.4  -86.0   46.3] facing (+0.14 +0.77 +0.61) Hull 100%
}
