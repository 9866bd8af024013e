package testdata

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/bcwire/bcwire/transport/recording"
)

//go:embed match.jsonl
var match []byte

// Match returns the enciphered datagrams of a match of three bots on the example server.
func Match(t testing.TB) (datagrams []recording.Datagram) {
	t.Helper()
	for d, err := range recording.Read(bytes.NewReader(match)) {
		if err != nil {
			t.Fatal(err)
		}
		d.Data = bytes.Clone(d.Data)
		datagrams = append(datagrams, d)
	}
	return datagrams
}
