package checksum

import (
	"errors"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/opcode"
)

// A ServerExchange is the host's side of an exchange with one client. Receive of the zero value
// always returns an [*ExchangeError].
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
	state     State
	found     []Finding
	rejection *Finding
	queue     []Finding // files to send after the current one
	seen      []*Tree   // trees to learn, by round; nil at the end
}

// Receive takes a message from the client and returns the message to send, or nil. It does
// not retain the payload of the message.
//
// An [*ExchangeError] means that the message is not expected; ignore it. An error wrapping
// [*ScanError] means that a file could not be sent. It may be returned with a message to send.
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

// due returns an error if the round of a response is not expected.
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

// judge returns the message that follows a response.
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

// note stores findings up to the limit.
func (x *ServerExchange) note(found []Finding) {
	x.found = append(x.found, found[:min(len(found), maxFindings-len(x.found))]...)
}

// reject returns the message of a rejection, as in FUN_006a4560 and FUN_006a4a00 of the engine.
func (x *ServerExchange) reject(f Finding) opcode.Message {
	x.state, x.rejection, x.queue, x.seen = StateRejected, &f, nil, nil
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

// Timeout returns how long to wait for the client before calling [ServerExchange.Expire]:
// [RoundTimeout] or [TransferTimeout]. It returns [RejectionGrace] after a rejection, otherwise 0.
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

// Expire ends the exchange; call it if the client has not answered within Timeout. A client
// of the game never answers a request if it has no matching files. Expire returns an
// [*ExchangeError] wrapping [ErrTimeout], or nil if the exchange had ended.
func (x *ServerExchange) Expire() error {
	var err error
	switch x.state {
	case StateAsking:
		if len(x.rounds) == 0 { // zero value
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

// State returns the state of the exchange. After StateComplete, the host sends Settings and
// GameInit, preferably in the same datagram as the [opcode.ChecksumComplete]. After
// StateRejected, the client disconnects, or the host disconnects it after [RejectionGrace].
func (x *ServerExchange) State() State { return x.state }

// Findings returns the first 256 differences, even those that reject nobody.
func (x *ServerExchange) Findings() []Finding { return x.found }

// Rejection returns why the client was rejected, or false.
func (x *ServerExchange) Rejection() (Finding, bool) {
	if x.rejection == nil {
		return Finding{}, false
	}
	return *x.rejection, true
}
