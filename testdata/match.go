package testdata

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/bcwire/bcwire/transport/recording"
)

//go:embed match.jsonl
var match []byte

//go:embed openbc/blocks.jsonl
var openBC []byte

//go:embed battle.jsonl
var battle []byte

//go:embed rejoins.jsonl
var rejoins []byte

//go:embed cheater.jsonl
var cheater []byte

// Match returns the enciphered datagrams of a match of three bots on the example server.
func Match(t testing.TB) []recording.Datagram {
	t.Helper()
	return read(t, match)
}

// Battle returns the enciphered datagrams of a longer match of four bots.
func Battle(t testing.TB) []recording.Datagram {
	t.Helper()
	return read(t, battle)
}

// OpenBC returns the enciphered datagrams of the beginning of a match on an OpenBC server.
func OpenBC(t testing.TB) []recording.Datagram {
	t.Helper()
	return read(t, openBC)
}

// Rejoins returns the enciphered datagrams of a constructed match on a server like OpenBC's, with rejoins,
// renames, a kick and a restart.
func Rejoins(t testing.TB) []recording.Datagram {
	t.Helper()
	return read(t, rejoins)
}

// Cheater returns the enciphered datagrams of a constructed match with forged messages.
func Cheater(t testing.TB) []recording.Datagram {
	t.Helper()
	return read(t, cheater)
}

func read(t testing.TB, text []byte) (datagrams []recording.Datagram) {
	t.Helper()
	for d, err := range recording.Read(bytes.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		d.Data = bytes.Clone(d.Data)
		datagrams = append(datagrams, d)
	}
	return datagrams
}
