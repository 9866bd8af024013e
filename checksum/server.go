package checksum

import (
	"io/fs"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Server is what a host expects of its clients and what it sends them. The zero value
// accepts every client that can answer: nothing is known of the files. It and its
// exchanges are not safe for concurrent use.
type Server struct {
	// Manifest is what is expected. The host asks for all rounds of the game, with the
	// directories and filters of the manifest where it has them. Nil expects nothing.
	//
	// The policy LearnFirst replaces it when a client is let in, by one with the trees of
	// this client in the rounds that had none. Of clients that join at the same time the
	// first to be let in counts, and the others are held against it.
	Manifest *Manifest
	Policy   Policy

	// Files is the installation from which mission scripts are sent to clients that lack
	// them or have others, if they are those of the manifest. Nil sends none.
	Files fs.FS
}

// maxFindings is how many findings an exchange keeps.
const maxFindings = 256

// NewExchange begins the exchange with a client, and returns the first request, which is
// to be sent with the ConnectReply of package transport.
func (s *Server) NewExchange() (*ServerExchange, *opcode.ChecksumRequest) {
	x := &ServerExchange{server: s, rounds: s.manifest().all()}
	x.seen = make([]*Tree, len(x.rounds))
	return x, x.rounds[0].Request()
}

func (s *Server) manifest() *Manifest {
	if s.Manifest == nil {
		return new(Manifest)
	}
	return s.Manifest
}

// all returns the rounds of the game as the manifest has them.
func (m *Manifest) all() []Round {
	rounds := Rounds()
	for i := range rounds {
		if r := m.Round(rounds[i].Index); r != nil {
			rounds[i] = *r
		}
	}
	return rounds
}

// learn takes the trees of a client for those that are expected, each where nothing is
// known of the round. It returns what is different where something is by now, because
// another client was faster, and then learns nothing.
func (s *Server) learn(rounds []Round, trees []*Tree) (found []Finding) {
	m := *s.manifest()
	known, learned := m.all(), false
	for i, t := range trees {
		switch {
		case t == nil:
		case known[i].Tree != nil:
			found = append(found, rounds[i].compare(known[i].Tree, t)...)
		default:
			known[i].Tree, learned = t, true
		}
	}
	if learned && found == nil {
		m.Rounds = known
		s.Manifest = &m
	}
	return found
}

// file returns the file that a client is to have.
func (s *Server) file(f Finding) (*opcode.FileTransfer, error) {
	const head = 1 + 2 // the opcode and the length of the name
	m := &opcode.FileTransfer{Name: text(f.Path)}
	local, err := LocalPath(m.Name)
	if err != nil {
		return nil, scanError(f.Path, err)
	}
	m.Data, err = read(s.Files, local, transport.MaxPayload-head-len(m.Name))
	if err == nil && len(f.Want) > 0 && !slices.Contains(f.Want, opcode.Hash(FileHash(m.Data))) {
		err = scanError(f.Path, ErrContent)
	}
	return m, err
}

// sendsAll reports whether a client that has no files of the last round gets all of them, as
// from a host of the game.
func (s *Server) sendsAll(f Finding, m *opcode.ChecksumResponse) bool {
	return s.Policy == Stock && f.Round == Transfer && f.Kind == KindNoFiles && !m.NoFiles
}

// sends reports whether a finding can be put right by sending the file.
func (s *Server) sends(f Finding) bool {
	return s.Files != nil && s.Policy != AcceptAll && f.Round == Transfer &&
		(f.Kind == KindMissing || f.Kind == KindMismatch)
}
