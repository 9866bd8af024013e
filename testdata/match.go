package testdata

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"testing"
)

//go:embed match.jsonl
var match []byte

// Datagram is a datagram of a recording.
type Datagram struct {
	Dir    string // "c2s" or "s2c"
	Client int
	Hex    Hex // enciphered
}

// Match returns the datagrams of a match of three bots on the example server.
func Match(t testing.TB) (datagrams []Datagram) {
	t.Helper()
	for line := range bytes.Lines(match) {
		var d Datagram
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		datagrams = append(datagrams, d)
	}
	return datagrams
}
