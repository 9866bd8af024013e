package checksum

import (
	"cmp"

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
