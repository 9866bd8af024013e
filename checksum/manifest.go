package checksum

import (
	_ "embed"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// gameVersion is the version of the game. A client sends its hash in the first round.
const gameVersion = "60"

// A Manifest lists the expected files of the game. A client without the game can answer with it.
type Manifest struct {
	Name        string
	GameVersion string // empty means "60", the version of the game
	Note        string
	Rounds      []Round // in ascending order of Index, without duplicates
}

//go:embed vanilla.json
var vanilla string

// Vanilla returns a new manifest of the stock game, version 1.1. It has 136 hashes: 35 come from a
// stock client's response, and 101, all in scripts/ships, are Unverified; see Note.
func Vanilla() *Manifest {
	m, _ := LoadManifest(strings.NewReader(vanilla)) // a test checks that it is valid
	return m
}

// Round returns the round with an index, or nil.
func (m *Manifest) Round(index uint8) *Round {
	for i := range m.Rounds {
		if m.Rounds[i].Index == index {
			return &m.Rounds[i]
		}
	}
	return nil
}

// all returns the rounds of the game. Rounds of the manifest replace them.
func (m *Manifest) all() []Round {
	rounds := Rounds()
	for i := range rounds {
		if r := m.Round(rounds[i].Index); r != nil {
			rounds[i] = *r
		}
	}
	return rounds
}

// response answers a request, without files if the round is unknown.
func (m *Manifest) response(request *opcode.ChecksumRequest) *opcode.ChecksumResponse {
	r := newRound(request)
	for i := range m.Rounds {
		if known := &m.Rounds[i]; known.asks(&r) {
			return r.response(m.refHash(), known.Tree)
		}
	}
	return r.response(m.refHash(), nil)
}

func (m *Manifest) version() string {
	if m.GameVersion == "" {
		return gameVersion
	}
	return m.GameVersion
}

func (m *Manifest) refHash() opcode.Hash { return textHash(text(m.version())) }
