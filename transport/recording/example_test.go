package recording_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// This example prints the chat of a recording.
func ExampleRead() {
	file, err := os.Open("../../testdata/sample.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for d, err := range recording.Read(file) {
		if err != nil {
			fmt.Println(err) // a malformed line; the others are read
			continue
		}
		if transport.IsGameSpy(d.Data) {
			continue
		}
		cipher.Decrypt(d.Data)
		for m, err := range transport.Messages(d.Data) {
			if err != nil || m.Type != transport.TypeData || m.Fragment {
				continue // an Ack, or a fragment for a transport.Reassembler
			}
			msg, err := opcode.Decode(m.Body)
			if chat, ok := msg.(*opcode.ChatMessage); ok && err == nil {
				fmt.Printf("%v client %d: %v\n", d.Time(), d.Client, chat.Text)
			}
		}
	}
	// Output:
	// 1m0.201s client 2: IT WORKS
	// 1m6.815s client 1: torps are slow
}

// Read continues after a malformed line.
func ExampleRead_malformed() {
	const text = `{"t":0,"dir":"c2s","hex":"ff01"}
{"t":0.25,"dir":"c2s","hex":"ff0
{"t":0.5,"dir":"up","hex":"ff01"}
s2c 01 03 # hex text stands before JSON only
{"t":1,"dir":"s2c","hex":"0103"}
`
	for d, err := range recording.Read(strings.NewReader(text)) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v %s % x\n", d.Time(), d.Direction, d.Data)
	}
	// Output:
	// 0s c2s ff 01
	// recording: line 2: column 32: unexpected end of JSON input
	// recording: line 3: direction "up" is neither c2s nor s2c
	// recording: line 4: column 1: invalid character 's' looking for beginning of value
	// 1s s2c 01 03
}

// A proxy writes datagrams, one of them with a note.
func ExampleAppend() {
	datagrams := []recording.Datagram{
		{Seconds: 0.5, Direction: recording.ToServer, Client: 1, Data: []byte{0xFF, 1, 3}},
		{Seconds: 0.75, Direction: recording.ToClient, Client: 1, Data: []byte{1, 1, 1}, Note: "dropped"},
	}
	var line []byte
	for _, d := range datagrams {
		var err error
		if line, err = recording.Append(line[:0], d); err != nil {
			log.Fatal(err)
		}
		os.Stdout.Write(line)
	}
	// Output:
	// {"t":0.5,"dir":"c2s","client":1,"hex":"ff0103"}
	// {"t":0.75,"dir":"s2c","client":1,"hex":"010101","note":"dropped"}
}
