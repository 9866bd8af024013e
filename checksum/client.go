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

// Receive takes a message from the host and returns the message to send, or nil. The host waits for the
// FileTransferAck that answers an [opcode.FileTransfer], so the caller may first ask the user about the file. If the
// error is nil, the caller may store the file at its [LocalPath]. Like the game, the client acknowledges files that
// it refuses.
//
// Receive returns an error wrapping [ErrUnexpected] for an unexpected message, [stream.ErrInvalid] for the
// name of a refused file, or [stream.ErrLimit]. The exchange continues after an error, and a message to
// send may be returned with it.
//
// The game asks its user before the first file, stores each file, and reloads the module of a ".pyc"
// file: "Scripts/Multiplayer/Modifier.pyc" reloads Multiplayer.Modifier.
func (c *Client) Receive(m opcode.Message) (opcode.Message, error) {
	if c.state.over() {
		return nil, refused(m, ErrUnexpected)
	}
	switch m := m.(type) {
	case *opcode.ChecksumRequest:
		if err := c.due(m); err != nil {
			return nil, refused(m, err)
		}
		return c.answer(m), nil
	case *opcode.FileTransfer:
		if c.state != sending {
			return nil, refused(m, errOutOfOrder)
		}
		err := c.checkFile(m)
		if err != nil {
			err = refused(m, fmt.Errorf("%.80q: %w", m.Name, err))
		}
		return &opcode.FileTransferAck{}, err
	case *opcode.ChecksumComplete:
		if c.next == 0 {
			return nil, refused(m, errOutOfOrder)
		}
		c.state = complete
		return nil, nil
	case *opcode.SystemChecksumFailed:
		c.reject(KindMismatch, m.Name.String())
		return nil, nil
	case *opcode.VersionMismatch:
		c.reject(KindWrongVersion, m.Name.String())
		return nil, nil
	}
	return nil, refused(m, ErrUnexpected)
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

// checkFile checks a received file and counts it. A refused file does not count.
func (c *Client) checkFile(m *opcode.FileTransfer) error {
	_, err := LocalPath(m.Name)
	switch {
	case err != nil:
		return err
	case c.files >= maxReceived:
		return tooMany(c.files+1, "files", maxReceived)
	case len(m.Data) > maxReceivedBytes-c.bytes:
		return tooMany(c.bytes+len(m.Data), "bytes of files", maxReceivedBytes)
	}
	c.files++
	c.bytes += len(m.Data)
	return nil
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
