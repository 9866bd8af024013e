package checksum

import (
	"cmp"
	"fmt"

	"github.com/bcwire/bcwire/opcode"
)

// ClientExchange is the side of a client in the exchange with a host: [opcode] messages
// in, messages, files and a verdict out. [Client.NewExchange] begins it;
// [ServerExchange] shows its course. The zero value takes no message: Receive returns
// [ErrUnexpected].
type ClientExchange struct {
	client    *Client
	next      int // the round whose request is due
	requests  int
	files     int
	bytes     int
	state     State
	rejection *Finding
}

// Receive takes a message of the host and returns the one to send, nil if there is none,
// and the file if one has come.
//
// The message beside a file acknowledges it: the host waits until it is sent, so that
// there is time to ask the user. The game acknowledges also what it does not want, and
// so do refused files come with their acknowledgement.
//
// An [*ExchangeError] says that the message is not the one that is due, or a file that is
// refused. Other errors are those of the [Source]. The exchange goes on after any of
// them, and there may be a message to send all the same.
func (x *ClientExchange) Receive(m opcode.Message) (opcode.Message, *ReceivedFile, error) {
	if x.client == nil || x.state.Over() {
		return nil, nil, misplaced(m, ErrUnexpected)
	}
	switch m := m.(type) {
	case *opcode.ChecksumRequest:
		reply, err := x.answer(m)
		return reply, nil, err
	case *opcode.FileTransfer:
		return x.file(m)
	case *opcode.ChecksumComplete:
		if x.next == 0 {
			return nil, nil, misplaced(m, ErrOutOfOrder)
		}
		x.state = StateComplete
		return nil, nil, nil
	case *opcode.SystemChecksumFailed:
		x.reject(KindMismatch, m.Name.String())
		return nil, nil, nil
	case *opcode.VersionMismatch:
		x.reject(KindWrongVersion, m.Name.String())
		return nil, nil, nil
	}
	return nil, nil, misplaced(m, ErrUnexpected)
}

// answer returns the response to a request.
func (x *ClientExchange) answer(m *opcode.ChecksumRequest) (opcode.Message, error) {
	if err := x.due(m); err != nil {
		return nil, &ExchangeError{Op: m.Opcode(), Round: int(m.Index), Err: err}
	}
	x.requests++
	response, err := x.client.answer(m)
	if response == nil || x.client.Silent && response.NoFiles {
		return nil, err // and not a Message that holds a nil
	}
	x.next = roundIndex(m.Index) + 1
	if x.state = StateAsking; x.next == len(Rounds()) {
		x.state = StateSending
	}
	return response, err
}

// due says what is wrong with a request. The first one begins all over again.
func (x *ClientExchange) due(m *opcode.ChecksumRequest) error {
	most := cmp.Or(max(x.client.MaxRequests, 0), MaxRequests)
	i := roundIndex(m.Index)
	got := NewRound(m)
	switch {
	case i < 0, !x.client.AnyRequest && !got.asks(&Rounds()[i]):
		return ErrForged
	case i > x.next:
		return ErrOutOfOrder
	case i < x.next && i > 0:
		return ErrRepeated
	case x.requests >= most:
		return tooMany(x.requests+1, "requests", most)
	}
	return nil
}

// file hands out a file and acknowledges it.
func (x *ClientExchange) file(m *opcode.FileTransfer) (opcode.Message, *ReceivedFile, error) {
	if x.state != StateSending {
		return nil, nil, misplaced(m, ErrOutOfOrder)
	}
	f, err := x.received(m.Name, m.Data)
	if err != nil {
		err = misplaced(m, fmt.Errorf("%.80q: %w", m.Name, err))
	}
	return &opcode.FileTransferAck{}, f, err
}

func (x *ClientExchange) reject(k Kind, path string) {
	x.state, x.rejection = StateRejected, &Finding{Kind: k, Path: path}
}

// State returns how far the exchange has come. The game takes no notice of
// [opcode.ChecksumComplete] and waits for Settings, which end the exchange as well.
func (x *ClientExchange) State() State { return x.state }

// Rejection returns why the host has rejected the client, and false if it has not: a
// [KindMismatch] of the file that it named, or [KindWrongVersion] with its own version as
// Path. The Path is as the host wrote it, up to 64 KiB of any characters: print it with
// %.80q.
func (x *ClientExchange) Rejection() (Finding, bool) {
	if x.rejection == nil {
		return Finding{}, false
	}
	return *x.rejection, true
}
