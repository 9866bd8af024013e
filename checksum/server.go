package checksum

import (
	"io/fs"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// A Server configures the exchanges of a host. The zero value accepts every client that
// answers all rounds.
type Server struct {
	// Manifest lists the expected files. The host always requests the five rounds of the game; a
	// round of Manifest replaces the round with the same Index. In a round without a tree, any files
	// are accepted; if Manifest is nil, any files are accepted in all rounds. With LearnFirst, the
	// Server replaces Manifest when the first client is accepted: rounds without a tree get the tree
	// of that client.
	Manifest *Manifest
	Policy   Policy

	// Files is the installation from which the host sends mission scripts that a client lacks or that
	// differ. Files that do not match the manifest are not sent. If Files is nil, no files are sent.
	Files fs.FS
}

// maxFindings limits the findings of an exchange.
const maxFindings = 256

// NewExchange begins the exchange with a client. It returns the first request, which the
// host sends with the ConnectReply of package transport.
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

// learn adds the trees of a client to the rounds of the manifest that have none. If another
// client has added a tree in the meantime, learn returns the differences and adds nothing.
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

// file returns the file to send for a finding.
func (s *Server) file(f Finding) (*opcode.FileTransfer, error) {
	const head = 1 + 2 // the opcode and the length of the name
	m := &opcode.FileTransfer{Name: text(f.Path)}
	local, err := localPath(m.Name)
	if err != nil {
		return nil, scanError(f.Path, err)
	}
	m.Data, err = read(s.Files, local, transport.MaxPayload-head-len(m.Name))
	if err == nil && len(f.Want) > 0 && !slices.Contains(f.Want, opcode.Hash(FileHash(m.Data))) {
		err = scanError(f.Path, ErrContent)
	}
	return m, err
}

// sendsAll reports whether a client without files of the last round gets all of them, as
// from a host of the game.
func (s *Server) sendsAll(f Finding, m *opcode.ChecksumResponse) bool {
	return s.Policy == Stock && f.Round == Transfer && f.Kind == KindNoFiles && !m.NoFiles
}

// sends reports whether the host can send the file of a finding.
func (s *Server) sends(f Finding) bool {
	return s.Files != nil && s.Policy != AcceptAll && f.Round == Transfer &&
		(f.Kind == KindMissing || f.Kind == KindMismatch)
}
