package opcode_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The messages with which a client of a recorded match joins, from Connect to its first ship,
// without Acks. A player who is in the game already has a score, and another one joins at the
// same time.
func Example_join() {
	recording, err := os.Open("../testdata/match.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recording.Close()
	senders := map[string]string{"c2s": "client", "s2c": "host"}
	fragments := map[string]*transport.Reassembler{"c2s": {}, "s2c": {}}
	for lines := json.NewDecoder(recording); lines.More(); {
		var line struct {
			Client   int
			Dir, Hex string
		}
		if err := lines.Decode(&line); err != nil {
			fmt.Println(err)
			return
		}
		datagram, err := hex.DecodeString(line.Hex)
		if err != nil || line.Client != 2 {
			continue
		}
		cipher.Decrypt(datagram)
		for m, err := range transport.Messages(datagram) {
			if err != nil || m.Type == transport.TypeAck {
				continue
			}
			name := m.Type.String()
			if m.Type == transport.TypeData {
				payload, verdict, err := fragments[line.Dir].Add(time.Time{}, &m)
				if err != nil || verdict != transport.VerdictComplete {
					continue // a fragment of a ChecksumResponse
				}
				msg, err := opcode.Decode(payload)
				if err != nil {
					fmt.Println(err)
					return
				}
				name = msg.Opcode().String()
			}
			fmt.Printf("%-6s  %s\n", senders[line.Dir], name)
			if name == "ObjectCreateTeam" {
				return
			}
		}
	}
	// Output:
	// client  Connect
	// host    Connect
	// host    ChecksumRequest
	// client  NameChange
	// client  ChecksumResponse
	// host    NameChange
	// host    NameChange
	// host    ChecksumRequest
	// client  ChecksumResponse
	// host    ChecksumRequest
	// client  ChecksumResponse
	// host    ChecksumRequest
	// client  ChecksumResponse
	// host    ChecksumRequest
	// client  ChecksumResponse
	// host    ChecksumComplete
	// host    Settings
	// host    GameInit
	// client  NewPlayerInGame
	// host    MissionInit
	// host    Score
	// host    DeletePlayerUI
	// host    NameChange
	// host    DeletePlayerUI
	// client  ObjectCreateTeam
}
