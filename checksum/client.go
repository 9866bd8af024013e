package checksum

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
)

// Limits of a client.
const (
	maxRequests      = 32       // a host may repeat the rounds
	maxReceived      = 256      // received files
	maxReceivedBytes = 16 << 20 // of all received files
)

// A Client is the client's side of an exchange with one host; see [ServerExchange] for the
// messages. The host sends the first message. The zero value has no files.
//
// The exchange ends with a rejection or an [opcode.ChecksumComplete]. The game ignores
// ChecksumComplete and waits for [opcode.Settings]. If the host sends Settings at any time, it has
// accepted the client.
type Client struct {
	// Manifest has the hashes that the client sends. If no file matches a request, the client sends an
	// empty tree, although the game does not respond and the join stops. A program without the game can
	// then join hosts that accept missing files. OpenBC drops a client that answers the last round
	// without a tree. Evidence: documented (B).
	Manifest *Manifest

	next      int // number of the expected round
	requests  int
	files     int
	bytes     int
	state     state
	rejection *Finding
}

// A ReceivedFile is a script that a host has sent. This package does not check, store or run it.
//
// The game asks its user before the first file, stores each file, and reloads the module of a
// ".pyc" file: "Scripts/Multiplayer/Modifier.pyc" reloads Multiplayer.Modifier.
type ReceivedFile struct {
	// Path is the path in the installation, with slashes. It cannot leave the installation, and every
	// operating system treats it as the path of a file. Receive refuses other names: absolute paths,
	// drives, "..", device names, control characters, a trailing dot or space, and short names such as
	// "MULTIP~1".
	Path string
	Data []byte // aliases the message
}

// Receive takes a message from the host. It returns the message to send, or nil, and the
// received file, or nil. With a file, the message is a FileTransferAck. The host waits for
// this Ack, so the caller may first ask the user about the file. Like the game, the client
// acknowledges files that it refuses.
//
// Receive returns an error wrapping [ErrUnexpected] for an unexpected message, [stream.ErrInvalid] for the
// name of a refused file, or [stream.ErrLimit]. The exchange continues after an error, and a message to
// send may be returned with it.
func (c *Client) Receive(m opcode.Message) (opcode.Message, *ReceivedFile, error) {
	if c.state.over() {
		return nil, nil, refused(m, ErrUnexpected)
	}
	switch m := m.(type) {
	case *opcode.ChecksumRequest:
		if err := c.due(m); err != nil {
			return nil, nil, refused(m, err)
		}
		return c.answer(m), nil, nil
	case *opcode.FileTransfer:
		if c.state != sending {
			return nil, nil, refused(m, errOutOfOrder)
		}
		f, err := c.file(m)
		if err != nil {
			err = refused(m, fmt.Errorf("%.80q: %w", m.Name, err))
		}
		return &opcode.FileTransferAck{}, f, err
	case *opcode.ChecksumComplete:
		if c.next == 0 {
			return nil, nil, refused(m, errOutOfOrder)
		}
		c.state = complete
		return nil, nil, nil
	case *opcode.SystemChecksumFailed:
		c.reject(KindMismatch, m.Name.String())
		return nil, nil, nil
	case *opcode.VersionMismatch:
		c.reject(KindWrongVersion, m.Name.String())
		return nil, nil, nil
	}
	return nil, nil, refused(m, ErrUnexpected)
}

// due returns an error if the request is not the next one of the game's rounds. Round 0 may always
// begin again.
func (c *Client) due(m *opcode.ChecksumRequest) error {
	i, got := roundNumber(m.Index), newRound(m)
	switch {
	case i < 0, !got.asks(&Rounds()[i]):
		return errForged
	case i > c.next:
		return errOutOfOrder
	case i < c.next && i > 0:
		return errRepeated
	case c.requests >= maxRequests:
		return tooMany(c.requests+1, "requests", maxRequests)
	}
	return nil
}

// answer returns the response to a request.
func (c *Client) answer(m *opcode.ChecksumRequest) *opcode.ChecksumResponse {
	c.requests++
	c.next = roundNumber(m.Index) + 1
	switch m.Index {
	case 0:
		c.state = asking
	case transfer:
		c.state = sending
	}
	if c.Manifest == nil {
		return new(Manifest).response(m)
	}
	return c.Manifest.response(m)
}

// file checks a received file and counts it. A refused file does not count.
func (c *Client) file(m *opcode.FileTransfer) (*ReceivedFile, error) {
	path, err := localPath(m.Name)
	switch {
	case err != nil:
		return nil, err
	case c.files >= maxReceived:
		return nil, tooMany(c.files+1, "files", maxReceived)
	case len(m.Data) > maxReceivedBytes-c.bytes:
		return nil, tooMany(c.bytes+len(m.Data), "bytes of files", maxReceivedBytes)
	}
	c.files++
	c.bytes += len(m.Data)
	return &ReceivedFile{Path: path, Data: m.Data}, nil
}

func (c *Client) reject(k Kind, path string) {
	c.state, c.rejection = rejected, &Finding{Kind: k, Path: path}
}

// Rejection returns why the host has rejected the client, or false. The Kind is
// [KindMismatch] with the host's file as Path, or [KindWrongVersion] with its version. The
// Path may have 64 KiB of any characters: print it with %.80q.
func (c *Client) Rejection() (Finding, bool) {
	if c.rejection == nil {
		return Finding{}, false
	}
	return *c.rejection, true
}
