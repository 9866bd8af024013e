package checksum

import (
	_ "embed"
	"strings"
)

//go:embed vanilla.json
var vanilla string

// Vanilla returns a new manifest of the stock game, version 1.1. It has 136 hashes: 35 come from a
// stock client's response, and 101, all in scripts/ships, are Unverified; see Note.
func Vanilla() *Manifest {
	m, _ := LoadManifest(strings.NewReader(vanilla)) // a test checks that it is valid
	return m
}
