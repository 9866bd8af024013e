package checksum

import (
	"errors"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/opcode"
)

// ServerExchange is the side of a host in the exchange with one client: [opcode] messages
// in, messages and a verdict out. [Server.NewExchange] begins it. The zero value takes no
// message: Receive returns [ErrUnexpected].
//
//	host                                client
//	ChecksumRequest 0               ->
//	                                <-  ChecksumResponse 0
//	  and so on for 1, 2, 3, 255
//	FileTransfer                    ->  for each mission script that differs
//	                                <-  FileTransferAck
//	ChecksumComplete                ->
//
// In place of any message of the host there may be a rejection, filled as the game does:
// [opcode.VersionMismatch] with the version of the host, "60", or
// [opcode.SystemChecksumFailed] with the first file that differs,
// "scripts/ships/Galaxy.pyc", or with the directory alone if its hash is another.
//
// A client of the game that has no files of a round does not answer, and neither does one
// that is gone. [ServerExchange.Timeout] and [ServerExchange.Expire] end the exchange then.
//
// Evidence: documented (B) of the rejections: the engine's code, FUN_006a4560, FUN_006a4a00.
type ServerExchange struct {
	server    *Server
	rounds    []Round
	next      int // the round whose response is due
	state     State
	found     []Finding
	rejection *Finding
	queue     []Finding // files to be sent, after the one that is under way
	seen      []*Tree   // by round, to be learned; nil when that is over
}

// Receive takes a message of the client and returns the one to send, nil if there is
// none. The payload of the message may be overwritten afterwards.
//
// An [*ExchangeError] says that the message is not the one that is due; it is to be
// ignored, and the exchange goes on. A [*ScanError] says that a file could not be sent to
// the client. There may be a message to send all the same.
func (x *ServerExchange) Receive(m opcode.Message) (opcode.Message, error) {
	switch m := m.(type) {
	case *opcode.ChecksumResponse:
		if err := x.due(m); err != nil {
			return nil, &ExchangeError{Op: m.Opcode(), Round: int(m.Index), Err: err}
		}
		return x.judge(m)
	case *opcode.FileTransferAck:
		if x.state == StateSending {
			return x.send()
		}
	}
	return nil, misplaced(m, ErrUnexpected)
}

// due says what is wrong with the round of a response.
func (x *ServerExchange) due(m *opcode.ChecksumResponse) error {
	switch i := roundIndex(m.Index); {
	case i < 0:
		return ErrForged
	case i < x.next:
		return ErrRepeated
	case x.state.Over(), x.server == nil:
		return ErrUnexpected
	case i > x.next:
		return ErrOutOfOrder
	}
	return nil
}

// judge decides what follows a response.
func (x *ServerExchange) judge(m *opcode.ChecksumResponse) (opcode.Message, error) {
	s, r := x.server, &x.rounds[x.next]
	found := s.manifest().verify(r, m)
	if len(found) == 1 && s.sendsAll(found[0], m) {
		found = r.compareEach(r.Tree, new(Tree))
	}
	x.note(found)
	for _, f := range found {
		switch {
		case s.sends(f):
			x.queue = append(x.queue, f)
		case s.Policy.Rejects(f):
			return x.reject(f), nil
		}
	}
	if s.Policy == LearnFirst && r.Tree == nil {
		x.seen[x.next] = NewTree(&m.Tree)
	}
	if x.next++; x.next < len(x.rounds) {
		return x.rounds[x.next].Request(), nil
	}
	return x.send()
}

// note keeps findings for later, not more than there is room for.
func (x *ServerExchange) note(found []Finding) {
	x.found = append(x.found, found[:min(len(found), maxFindings-len(x.found))]...)
}

func (x *ServerExchange) reject(f Finding) opcode.Message {
	x.state, x.rejection, x.queue, x.seen = StateRejected, &f, nil, nil
	if f.Kind == KindWrongVersion {
		return &opcode.VersionMismatch{Name: text(f.Path)}
	}
	return &opcode.SystemChecksumFailed{Name: text(f.Path)}
}

// send returns the next file, or the end. A file that cannot be sent is as the policy has
// it.
func (x *ServerExchange) send() (opcode.Message, error) {
	var errs []error
	for len(x.queue) > 0 {
		f := x.queue[0]
		x.queue = x.queue[1:]
		m, err := x.server.file(f)
		if err == nil {
			x.state = StateSending
			return m, errors.Join(errs...)
		}
		errs = append(errs, err)
		if x.server.Policy.Rejects(f) {
			return x.reject(f), errors.Join(errs...)
		}
	}
	return x.complete(), errors.Join(errs...)
}

func (x *ServerExchange) complete() opcode.Message {
	if x.server.Policy == LearnFirst {
		if found := x.server.learn(x.rounds, x.seen); found != nil {
			x.note(found)
			return x.reject(found[0])
		}
	}
	x.state, x.seen = StateComplete, nil
	return &opcode.ChecksumComplete{}
}

// Timeout returns how long to wait for the next message of the client, after which
// [ServerExchange.Expire] should be called: [RoundTimeout] or [TransferTimeout]. After a
// rejection it is [RejectionGrace], after which the client should be dismissed; else 0.
func (x *ServerExchange) Timeout() time.Duration {
	switch x.state {
	case StateAsking:
		return RoundTimeout
	case StateSending:
		return TransferTimeout
	case StateRejected:
		return RejectionGrace
	}
	return 0
}

// Expire ends the exchange with a client that has not answered in time. It returns an
// [*ExchangeError] wrapping [ErrTimeout] that names what was not answered, and nil if the
// exchange is over already.
func (x *ServerExchange) Expire() error {
	var err error
	switch x.state {
	case StateAsking:
		if len(x.rounds) == 0 { // the zero value
			return nil
		}
		r := &x.rounds[x.next]
		err = &ExchangeError{Op: opcode.OpChecksumRequest, Round: int(r.Index), Err: fmt.Errorf("%w: the game does not answer if it has no %s", ErrTimeout, r.path())}
	case StateSending:
		err = &ExchangeError{Op: opcode.OpFileTransfer, Round: -1, Err: ErrTimeout}
	default:
		return nil
	}
	x.state, x.queue, x.seen = StateExpired, nil, nil
	return err
}

// State returns how far the exchange has come. When it is StateComplete, Settings and
// GameInit follow; the [opcode.ChecksumComplete] before them is best sent in one datagram
// with them. When it is StateRejected, the client leaves on its own, or is dismissed after
// [RejectionGrace].
func (x *ServerExchange) State() State { return x.state }

// Findings returns what was different, the first 256: also what does not keep the client
// out.
func (x *ServerExchange) Findings() []Finding { return x.found }

// Rejection returns why the client was rejected, and false if it was not.
func (x *ServerExchange) Rejection() (Finding, bool) {
	if x.rejection == nil {
		return Finding{}, false
	}
	return *x.rejection, true
}
