// Parts prints how long parts of the library take for the datagrams of a recording, as JSON. Bench builds it in
// its own tree and in that of another commit, so it uses only what both have:
//
//	parts RECORDING
package main

import (
	"encoding/json"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// result is the nanoseconds of each part.
type result struct {
	Framing  float64 // of a datagram
	Encoding float64 // of a datagram with an Ack, a line of chat and a StateUpdate
	Dissect  float64 // of a payload
	Allocs   float64 // of Dissect
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("parts: give the name of a recording")
	}
	r, err := measure(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		log.Fatal("parts: ", err)
	}
}

// input is the datagrams of a recording, deciphered, and their payloads that are not fragmented.
type input struct {
	datagrams, payloads [][]byte
	update              *opcode.StateUpdate
}

func read(name string) (*input, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := &input{}
	for d, err := range recording.Read(f) {
		if err != nil {
			return nil, err
		}
		if transport.IsGameSpy(d.Data) {
			continue
		}
		data := append([]byte(nil), d.Data...)
		cipher.Decrypt(data)
		in.datagrams = append(in.datagrams, data)
		for m, err := range transport.Messages(data) {
			if err != nil {
				return nil, err
			}
			if m.Type == transport.TypeData && !m.Fragment && len(m.Body) > 0 {
				in.add(m.Body)
			}
		}
	}
	return in, nil
}

func (in *input) add(payload []byte) {
	payload = append([]byte(nil), payload...)
	in.payloads = append(in.payloads, payload)
	if m, err := opcode.Decode(payload); err == nil {
		if u, ok := m.(*opcode.StateUpdate); ok && in.update == nil {
			in.update = u
		}
	}
}

func measure(name string) (r result, err error) {
	in, err := read(name)
	if err != nil {
		return r, err
	}
	n := 0
	r.Framing = least(len(in.datagrams), func() {
		for _, d := range in.datagrams {
			for m := range transport.Messages(d) {
				n += len(m.Body)
			}
		}
	})
	const datagrams = 100
	e := &encoding{chat: &opcode.ChatMessage{SenderID: 2, Text: stream.Text("anybody out there?")}, update: in.update}
	r.Encoding = least(datagrams, func() {
		for range datagrams {
			e.datagram()
		}
	})
	payloads := in.payloads[:min(1000, len(in.payloads))] // a short round is seldom interrupted
	dissect := func() {
		for _, p := range payloads {
			_, fields, _ := opcode.Dissect(p)
			n += len(fields)
		}
	}
	r.Dissect = least(len(payloads), dissect)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	dissect()
	runtime.ReadMemStats(&after)
	r.Allocs = float64(after.Mallocs-before.Mallocs) / float64(len(payloads))
	return r, e.err
}

// least returns the least nanoseconds of a function for each of n.
func least(n int, f func()) float64 {
	const limit = 150 * time.Millisecond
	best := time.Duration(0)
	for began := time.Now(); best == 0 || time.Since(began) < limit; {
		start := time.Now()
		f()
		if d := time.Since(start); best == 0 || d < best {
			best = d
		}
	}
	return float64(best.Nanoseconds()) / float64(n)
}

// encoding encodes a datagram.
type encoding struct {
	chat       *opcode.ChatMessage
	update     *opcode.StateUpdate
	text, move []byte
	out        []byte
	packet     transport.Packet
	err        error
}

func (e *encoding) datagram() {
	if e.text, e.err = encode(e.text[:0], e.chat); e.err != nil {
		return
	}
	if e.move, e.err = encode(e.move[:0], e.update); e.err != nil {
		return
	}
	chat := transport.NewData(7, e.text)
	ack := transport.NewMessage(0, transport.AckOf(&chat))
	e.packet.PeerID, e.packet.Messages = 2, append(e.packet.Messages[:0], ack, chat, transport.NewUnreliable(e.move))
	e.out, e.err = e.packet.AppendBinary(e.out[:0])
}
