package checksum

import (
	"cmp"
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// A Source answers requests for the hashes of files, as an [*Installation] or a [*Manifest] does.
// Response may return both an error and a response with the available hashes.
type Source interface {
	Response(*opcode.ChecksumRequest) (*opcode.ChecksumResponse, error)
}

// Default limits of a client.
const (
	MaxRequests      = 32       // requests in an exchange; a host may repeat the rounds
	MaxReceived      = 256      // files received in an exchange
	MaxReceivedBytes = 16 << 20 // total size of these files
)

// A Client configures the exchanges of a client. The zero value has no files. A Client is
// safe for concurrent use if its Source is.
type Client struct {
	Source Source

	// AnyRequest answers every request, as the game does: with any index, directory and filter,
	// in any order. Mods have rounds that are not in [Rounds]. A host can then find out which
	// files the Source has.
	AnyRequest bool

	// Silent sends no response if no file matches a request, as the game does. The join then
	// stops. By default, the client sends a response with an empty tree, even if the Source has
	// a response without a tree. A program without the game can then join hosts that accept
	// missing files. OpenBC drops a client that answers the last round without a tree.
	// Evidence: documented (B).
	Silent bool

	MaxRequests      int // default: the constant MaxRequests
	MaxReceived      int // default: the constant MaxReceived
	MaxReceivedBytes int // default: the constant MaxReceivedBytes
}

// NewExchange begins an exchange with a host. The host sends the first message.
func (c *Client) NewExchange() *ClientExchange { return &ClientExchange{client: c} }

// A ReceivedFile is a script that a host has sent. This package does not check, store or run it.
//
// The game asks its user before the first file, stores each file, and reloads the module of a
// ".pyc" file: "Scripts/Multiplayer/Modifier.pyc" reloads Multiplayer.Modifier.
type ReceivedFile struct {
	Path string // path in the installation, as returned by [LocalPath]
	Data []byte // aliases the message
}

// received checks a file and counts it. A refused file does not count.
func (x *ClientExchange) received(name stream.Text, data []byte) (*ReceivedFile, error) {
	c := x.client
	files, bytes := cmp.Or(max(c.MaxReceived, 0), MaxReceived), cmp.Or(max(c.MaxReceivedBytes, 0), MaxReceivedBytes)
	path, err := localPath(name)
	switch {
	case err != nil:
		return nil, err
	case x.files >= files:
		return nil, tooMany(x.files+1, "files", files)
	case len(data) > bytes-x.bytes:
		return nil, tooMany(x.bytes+len(data), "bytes of files", bytes)
	}
	x.files++
	x.bytes += len(data)
	return &ReceivedFile{Path: path, Data: data}, nil
}

// answer returns the response to a request.
func (c *Client) answer(m *opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	if c.Source == nil {
		return new(Manifest).Response(m)
	}
	return c.Source.Response(m)
}

// A ClientExchange is the client's side of an exchange; see [ServerExchange] for the messages.
// Receive of the zero value always returns an [*ExchangeError].
type ClientExchange struct {
	client    *Client
	next      int // number of the expected round; with AnyRequest, 0 before the first response
	requests  int
	files     int
	bytes     int
	state     State
	rejection *Finding
}

// Receive takes a message from the host. It returns the message to send, or nil, and the
// received file, or nil. With a file, the message is a FileTransferAck. The host waits for
// this Ack, so the caller may first ask the user about the file. Like the game, the client
// acknowledges files that it refuses.
//
// Receive returns an [*ExchangeError] for an unexpected message or a refused file, and the
// errors of the [Source]. The exchange continues after an error, and a message to send may
// be returned with it.
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
	if response == nil || x.client.Silent && response.NoFiles { // as one branch of FUN_006a5df0 of the engine
		return nil, err // an untyped nil, not a Message with a nil pointer
	}
	if response.NoFiles {
		response = emptyTree(m, response.RefHash)
	}
	x.next = max(1, roundIndex(m.Index)+1)
	switch m.Index {
	case 0:
		x.state = StateAsking
	case Transfer:
		x.state = StateSending
	}
	return response, err
}

// emptyTree returns a response with an empty tree. Hosts that parse the tree refuse a response
// without one.
func emptyTree(m *opcode.ChecksumRequest, version opcode.Hash) *opcode.ChecksumResponse {
	r := NewRound(m)
	return &opcode.ChecksumResponse{Index: m.Index, RefHash: version, DirHash: r.DirHash()}
}

// due returns an error if the request is not expected. Round 0 may always begin again.
func (x *ClientExchange) due(m *opcode.ChecksumRequest) error {
	most := cmp.Or(max(x.client.MaxRequests, 0), MaxRequests)
	if !x.client.AnyRequest {
		if err := x.inTurn(m); err != nil {
			return err
		}
	}
	if x.requests >= most {
		return tooMany(x.requests+1, "requests", most)
	}
	return nil
}

// inTurn returns an error if the request is not the next one of the game's rounds.
func (x *ClientExchange) inTurn(m *opcode.ChecksumRequest) error {
	i, got := roundIndex(m.Index), NewRound(m)
	switch {
	case i < 0, !got.asks(&Rounds()[i]):
		return ErrForged
	case i > x.next:
		return ErrOutOfOrder
	case i < x.next && i > 0:
		return ErrRepeated
	}
	return nil
}

// file returns a received file and its acknowledgement.
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

// State returns the state of the exchange. It is StateComplete after an [opcode.ChecksumComplete],
// which the game ignores: the game waits for [opcode.Settings]. If the host sends Settings in any
// state, it has accepted the client.
func (x *ClientExchange) State() State { return x.state }

// Rejection returns why the host has rejected the client, or false. The Kind is
// [KindMismatch] with the host's file as Path, or [KindWrongVersion] with its version. The
// Path may have 64 KiB of any characters: print it with %.80q.
func (x *ClientExchange) Rejection() (Finding, bool) {
	if x.rejection == nil {
		return Finding{}, false
	}
	return *x.rejection, true
}
