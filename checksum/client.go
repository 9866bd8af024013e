package checksum

import (
	"cmp"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Source answers requests for the hashes of files. A response that comes with an error is
// as good as it could be made.
//
// An [*Installation] is one, and takes the time that reading the disk takes. A
// [*Manifest] is one that is quick and needs no files: a program that must not wait, or
// joins often, makes it of the installation beforehand.
type Source interface {
	Response(*opcode.ChecksumRequest) (*opcode.ChecksumResponse, error)
}

// Default limits of a client.
const (
	MaxRequests      = 32       // answered in an exchange; a host may begin again
	MaxReceived      = 256      // files handed out in an exchange
	MaxReceivedBytes = 16 << 20 // that they have together
)

// Client is what a client answers hosts with. The zero value has no files. It is not safe
// for concurrent use if its Source is not.
type Client struct {
	Source Source

	// AnyRequest answers requests for other directories and files than the five of the
	// game, as the game does: a stranger can then learn which files there are.
	AnyRequest bool

	// Silent leaves a request unanswered if there are no files for it, as the game does. The
	// join then stalls until the host gives up. By default there is a response without files,
	// which hosts that do not insist on files accept: with it a program can join that does
	// not have the game.
	//
	// Evidence: documented (B): one branch of the engine's code, FUN_006a5df0.
	Silent bool

	MaxRequests      int // <= 0 means MaxRequests
	MaxReceived      int // <= 0 means MaxReceived
	MaxReceivedBytes int // <= 0 means MaxReceivedBytes
}

// NewExchange begins the exchange with a host, which speaks first.
func (c *Client) NewExchange() *ClientExchange { return &ClientExchange{client: c} }

// ReceivedFile is a file that a host has sent. It has not been written anywhere and has not
// been checked: it is a script that the game would run.
//
// The game asks its user before the first file and stores it. If the name ends in ".pyc", it
// then removes "Scripts/" from the beginning, in any case, turns the separators into dots,
// removes the extension, and reloads the module of that name. So "Scripts/Multiplayer/Modifier.pyc"
// reloads Multiplayer.Modifier.
//
// Evidence: documented (B): the engine's receiver of FileTransfer.
type ReceivedFile struct {
	Path string // in the installation, with slashes; [LocalPath] has passed it
	Data []byte // aliases the message
}

// received checks a file and counts it. What is refused does not count.
func (x *ClientExchange) received(name stream.Text, data []byte) (*ReceivedFile, error) {
	c := x.client
	files, bytes := cmp.Or(max(c.MaxReceived, 0), MaxReceived), cmp.Or(max(c.MaxReceivedBytes, 0), MaxReceivedBytes)
	path, err := LocalPath(name)
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
