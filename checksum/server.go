package checksum

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// A Server configures the exchanges of a host. The zero value accepts every client that
// answers all rounds.
type Server struct {
	// Manifest lists the expected files. The host always requests the five rounds of the game; a
	// round of Manifest replaces the round with the same Index. In a round without a tree, any files
	// are accepted; if Manifest is nil, any files are accepted in all rounds. With LearnFirst, the
	// Server replaces Manifest; see [ServerExchange.Learn].
	Manifest *Manifest
	Policy   Policy

	// Files is the installation from which the host sends mission scripts that a client lacks or that
	// differ. Files that do not match the manifest are not sent. If Files is nil, no files are sent.
	Files fs.FS
}

// NewExchange begins the exchange with a client. It returns the first request, which the
// host sends with the ConnectReply of package transport.
func (s *Server) NewExchange() (*ServerExchange, *opcode.ChecksumRequest) {
	x := &ServerExchange{server: s, rounds: s.manifest().all()}
	x.seen = make([]*Tree, len(x.rounds))
	return x, x.rounds[0].request()
}

func (s *Server) manifest() *Manifest {
	if s.Manifest == nil {
		return new(Manifest)
	}
	return s.Manifest
}

// learn compares the trees of a client with those that other clients have added to the manifest since it was
// asked. It returns the differences, and the manifest with the trees that it lacks, or nil if it has all.
func (s *Server) learn(rounds []Round, trees []*Tree) (found []Finding, learned *Manifest) {
	m := *s.manifest()
	m.Rounds = m.all()
	for i, t := range trees {
		switch known := &m.Rounds[i]; {
		case t == nil:
		case known.Tree != nil:
			found = append(found, rounds[i].compare(known.Tree, t)...)
		default:
			known.Tree, learned = t, &m
		}
	}
	return found, learned
}

// file returns the file to send for a finding.
func (s *Server) file(f Finding) (*opcode.FileTransfer, error) {
	const head = 1 + 2 // the opcode and the length of the name
	name := text(f.Path)
	local, err := LocalPath(name)
	var data []byte
	if err == nil {
		data, err = read(s.Files, local, transport.MaxPayload-head-len(name))
	}
	if err == nil && len(f.Want) > 0 && !slices.Contains(f.Want, opcode.Hash(FileHash(data))) {
		err = errContent
	}
	if err != nil {
		return nil, pathError(f.Path, err)
	}
	return &opcode.FileTransfer{Name: name, Data: data}, nil
}

// sendsAll reports whether a client without files of the last round gets all of them, as
// from a host of the game.
func (s *Server) sendsAll(f Finding, m *opcode.ChecksumResponse) bool {
	return s.Policy == Stock && f.Round == transfer && f.Kind == KindNoFiles && !m.NoFiles
}

// sends reports whether the host can send the file of a finding.
func (s *Server) sends(f Finding) bool {
	return s.Files != nil && s.Policy != AcceptAll && f.Round == transfer &&
		(f.Kind == KindMissing || f.Kind == KindMismatch)
}

// A ServerExchange is the host's side of an exchange with one client. Receive of the zero value
// always returns an error.
//
//	host                                client
//	ChecksumRequest 0               ->
//	                                <-  ChecksumResponse 0
//	  and so on for 1, 2, 3, 255
//	FileTransfer                    ->  for each mission script that differs
//	                                <-  FileTransferAck
//	ChecksumComplete                ->
//
// The host may send a rejection at any time: [opcode.VersionMismatch] with its version, or
// [opcode.SystemChecksumFailed] with the first file or directory that differs.
type ServerExchange struct {
	server    *Server
	rounds    []Round
	next      int // number of the expected round
	state     state
	rejection *Finding
	queue     []Finding // files to send after the current one
	seen      []*Tree   // trees to learn, by round; nil at the end
}

// Learn makes a Server with LearnFirst learn from a client that is accepted. Call it when the client enters the game:
// a client that never enters must not keep out all others. If another client has entered with different files in the
// meantime, Learn returns the first difference and true: reject the client. Otherwise, and for other policies, it returns
// false.
func (x *ServerExchange) Learn() (Finding, bool) {
	if x.state != complete || x.seen == nil {
		return Finding{}, false
	}
	found, learned := x.server.learn(x.rounds, x.seen)
	x.seen = nil
	if found != nil {
		return found[0], true
	}
	if learned != nil {
		x.server.Manifest = learned
	}
	return Finding{}, false
}

// Receive takes a message from the client and returns the message to send, or nil. It does
// not retain the payload of the message.
//
// An error wrapping [ErrUnexpected] means that the message is not expected; ignore it. Any other
// error means that a file could not be sent. It may be returned with a message to send.
func (x *ServerExchange) Receive(m opcode.Message) (opcode.Message, error) {
	switch m := m.(type) {
	case *opcode.ChecksumResponse:
		if err := x.due(m); err != nil {
			return nil, refused(m, err)
		}
		return x.judge(m)
	case *opcode.FileTransferAck:
		if x.state == sending {
			return x.send()
		}
	}
	return nil, refused(m, ErrUnexpected)
}

// due returns an error if the round of a response is not expected.
func (x *ServerExchange) due(m *opcode.ChecksumResponse) error {
	switch i := roundNumber(m.Index); {
	case i < 0:
		return errForged
	case i < x.next:
		return errRepeated
	case x.state.over(), x.server == nil:
		return ErrUnexpected
	case i > x.next:
		return errOutOfOrder
	}
	return nil
}

// judge returns the message that follows a response.
func (x *ServerExchange) judge(m *opcode.ChecksumResponse) (opcode.Message, error) {
	s, r := x.server, &x.rounds[x.next]
	found := s.manifest().verify(r, m)
	if len(found) == 1 && s.sendsAll(found[0], m) {
		found = r.compareEach(r.Tree, new(Tree))
	}
	for _, f := range found {
		switch {
		case s.sends(f):
			x.queue = append(x.queue, f)
		case s.Policy.rejects(f):
			return x.reject(f), nil
		}
	}
	if s.Policy == LearnFirst && r.Tree == nil {
		seen := newTree(&m.Tree, 1)
		x.seen[x.next] = &seen
	}
	if x.next++; x.next < len(x.rounds) {
		return x.rounds[x.next].request(), nil
	}
	return x.send()
}

// reject returns the message of a rejection, as in FUN_006a4560 and FUN_006a4a00 of the engine.
func (x *ServerExchange) reject(f Finding) opcode.Message {
	x.state, x.rejection, x.queue, x.seen = rejected, &f, nil, nil
	if f.Kind == KindWrongVersion {
		return &opcode.VersionMismatch{Name: text(f.Path)}
	}
	return &opcode.SystemChecksumFailed{Name: text(f.Path)}
}

// send returns the next file, or the end of the exchange. The policy decides about a file
// that cannot be sent.
func (x *ServerExchange) send() (opcode.Message, error) {
	var errs []error
	for len(x.queue) > 0 {
		f := x.queue[0]
		x.queue = x.queue[1:]
		m, err := x.server.file(f)
		if err == nil {
			x.state = sending
			return m, errors.Join(errs...)
		}
		errs = append(errs, err)
		if x.server.Policy.rejects(f) {
			return x.reject(f), errors.Join(errs...)
		}
	}
	return x.complete(), errors.Join(errs...)
}

func (x *ServerExchange) complete() opcode.Message {
	if found, _ := x.server.learn(x.rounds, x.seen); found != nil {
		return x.reject(found[0])
	}
	x.state = complete
	return &opcode.ChecksumComplete{}
}

// Timeout returns how long to wait for the client before calling [ServerExchange.Expire]. It
// returns 30 s for a response, because the client may read its disk. For the acknowledgement of a
// file, it returns 5 min, because the client may ask its user. After a rejection, it returns 5 s,
// after which the host disconnects the client. Otherwise it returns 0.
func (x *ServerExchange) Timeout() time.Duration {
	switch x.state {
	case asking:
		return 30 * time.Second
	case sending:
		return 5 * time.Minute
	case rejected:
		return 5 * time.Second
	}
	return 0
}

// Expire ends the exchange; call it if the client has not answered within Timeout. A client
// of the game never answers a request if it has no matching files. Expire returns an error with
// the unanswered message, or nil if the exchange had ended.
func (x *ServerExchange) Expire() error {
	err := errors.New("no answer in time")
	switch {
	case x.state == asking && x.server != nil:
		r := &x.rounds[x.next]
		err = refused(r.request(), fmt.Errorf("%w: the game does not answer if it has no %s", err, r.path()))
	case x.state == sending:
		err = refused(&opcode.FileTransfer{}, err)
	default:
		return nil
	}
	x.state, x.queue, x.seen = expired, nil, nil
	return err
}

// Accepted reports whether the client is accepted. The host then sends Settings and GameInit, preferably in the
// same datagram as the [opcode.ChecksumComplete].
func (x *ServerExchange) Accepted() bool { return x.state == complete }

// Rejection returns why the client was rejected, or false. A rejected client disconnects, or the host
// disconnects it after Timeout.
func (x *ServerExchange) Rejection() (Finding, bool) {
	if x.rejection == nil {
		return Finding{}, false
	}
	return *x.rejection, true
}

// state is the state of an exchange.
type state uint8

const (
	asking   state = iota // rounds are requested and answered
	sending               // all rounds are answered, and the host sends files
	complete              // the client is accepted
	rejected
	expired // the client has not answered in time
)

func (s state) over() bool { return s >= complete }
