package opcode_test

import (
	"fmt"
	"os"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// The messages of a client's join in a recorded match, without Acks.
func Example_join() {
	file, err := os.Open("../testdata/match.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	var observer transport.Observer
	for d, err := range recording.Read(file) {
		if err != nil || d.Client != 2 {
			continue
		}
		cipher.Decrypt(d.Data)
		sender, fromHost := "client", d.Direction == recording.ToClient
		if fromHost {
			sender = "host"
		}
		for m, err := range observer.Receive(time.Time{}.Add(d.Time()), fromHost, d.Data) {
			name := m.Type.String()
			if err != nil || m.Type == transport.TypeAck || m.Type == transport.TypeData && m.Payload == nil {
				continue // a fragment of a ChecksumResponse, for example
			}
			if m.Payload != nil {
				name = opcode.Code(m.Payload[0]).String()
			}
			fmt.Printf("%-6s  %s\n", sender, name)
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
