package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// BenchmarkFloods measures what takes dump longest for each byte, whatever it prints: a recorded match, or a
// flood.
func BenchmarkFloods(b *testing.B) {
	for _, args := range []string{"", "-v", "-x", "-json", "-check", "-stats", "-parquet"} {
		b.Run(args, func(b *testing.B) {
			flags := append(strings.Fields(args), "-plain", "-")
			if args == "-parquet" {
				flags = []string{args, filepath.Join(b.TempDir(), "x.parquet"), "-plain", "-"}
			}
			match := testdata.Battle(b)[:400]
			for _, d := range match {
				cipher.Decrypt(d.Data)
			}
			works := []testdata.Work{dumpWork(b, flags, "match", match)}
			for _, f := range append(floods(b, 4000), gameFloods(b)...) {
				works = append(works, dumpWork(b, flags, f.name, f.datagrams))
			}
			testdata.Worst(b, works...)
		})
	}
}

// dumpWork returns the work of dump with the flags for a recording.
func dumpWork(t testing.TB, flags []string, name string, datagrams []recording.Datagram) testdata.Work {
	var text []byte
	size := 0
	for _, d := range datagrams {
		var err error
		text, err = recording.Append(text, d)
		require.NoError(t, err)
		size += testdata.OnTheWire(d.Data)
	}
	return testdata.Work{Name: name, Bytes: size, Run: func() {
		run(context.Background(), flags, bytes.NewReader(text), io.Discard, io.Discard)
	}}
}

// flood is a recording of hostile datagrams.
type flood struct {
	name      string
	datagrams []recording.Datagram
}

// add adds a datagram of a client, deciphered.
func (f *flood) add(client int, dir recording.Direction, data []byte) {
	f.datagrams = append(f.datagrams, recording.Datagram{Seconds: float64(len(f.datagrams)) / 1000, Direction: dir, Client: int64(client), Data: data})
}

// floods returns the floods of package testdata, and one of many clients.
func floods(t testing.TB, size int) (all []flood) {
	for _, known := range testdata.Floods() {
		f := flood{name: known.Name}
		for _, d := range known.Datagrams(size) {
			dir := recording.ToServer
			if d.FromHost {
				dir = recording.ToClient
			}
			f.add(1, dir, d.Data)
		}
		all = append(all, f)
	}
	clients := flood{name: "many clients"}
	for i := range 600 {
		clients.add(i, recording.ToServer, []byte{2, 1, 0x32, 5, 0x80, 0, 0})
	}
	return append(all, clients)
}

// gameFloods returns floods of game messages that make use of the tracked ships.
func gameFloods(t testing.TB) (all []flood) {
	large := stateupdate.Stock()[0]
	for _, c := range stateupdate.Stock() {
		if c.Objects() > large.Objects() {
			large = c
		}
	}
	ship := func(id int) []byte {
		object, err := stateupdate.NewShip(objectid.ID(id), large).Object()
		require.NoError(t, err)
		return marshal(t, &opcode.ObjectCreate{Object: object})
	}
	list := func(n int, payload func(i int) []byte) (payloads [][]byte) {
		for i := range n {
			payloads = append(payloads, payload(i))
		}
		return payloads
	}
	ships := list(large.Objects()-1, func(i int) []byte { return ship(5000 + i) })
	files := list(40, func(int) []byte {
		tree := opcode.ChecksumTree{Dirs: make([]opcode.DirChecksum, 255)}
		for range opcode.MaxDepth - 3 {
			tree = opcode.ChecksumTree{Dirs: []opcode.DirChecksum{{Tree: tree}}}
		}
		return marshal(t, &opcode.ChecksumResponse{Index: 1, Tree: tree})
	})
	for name, payloads := range map[string][][]byte{
		"ships": list(3000, func(i int) []byte { return ship(1000 + i) }),
		"parts that no ship has": append(ships, list(3000, func(int) []byte {
			return marshal(t, &opcode.DestroyObject{ObjectID: objectid.ID(5000 + 2*large.Objects())})
		})...),
		"updates of unknown ships": list(3000, func(i int) []byte {
			return marshal(t, &opcode.StateUpdate{ObjectID: objectid.ID(i)})
		}),
		"deep trees": files,
		"opcodes":    list(4096, func(i int) []byte { return []byte{byte(i)} }),
	} {
		f := flood{name: name}
		for len(payloads) > 0 {
			var messages []transport.Message
			for n := 0; n < 1200 && len(payloads) > 0 && len(messages) < 255; payloads = payloads[1:] {
				messages = append(messages, transport.NewUnreliable(payloads[0]))
				n += 3 + len(payloads[0])
			}
			data, err := (&transport.Packet{PeerID: 2, Messages: messages}).MarshalBinary()
			require.NoError(t, err)
			f.add(1, recording.ToServer, data)
		}
		all = append(all, f)
	}
	return all
}

func marshal(t testing.TB, m opcode.Message) []byte {
	payload, err := opcode.Marshal(m)
	require.NoError(t, err)
	return payload
}
