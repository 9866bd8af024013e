package checksum

import (
	"io"
	"io/fs"

	"github.com/bcwire/bcwire/opcode"
)

// Limits for the tests.
const (
	MaxManifest      = maxManifest
	MaxRequests      = maxRequests
	MaxReceived      = maxReceived
	MaxReceivedBytes = maxReceivedBytes
)

// Digest is a hash of a file in parts.
type Digest interface {
	io.Writer
	Hash() uint32
}

func (d *digest) Hash() uint32 { return d.hash() }

// NewDigest returns the Digest of an empty file.
func NewDigest() Digest { return new(digest) }

// ScanWithin scans a round within limits.
func ScanWithin(fsys fs.FS, r Round, files int, bytes int64, depth int) (*Tree, []error) {
	s := scanner{fsys: fsys, limits: scanLimits{files, bytes, depth}}
	return s.round(&r), s.errs
}

// NewTree returns the tree of a response.
func NewTree(t *opcode.ChecksumTree) *Tree {
	tree := newTree(t, 1)
	return &tree
}

// Checksums returns the tree for a response.
func (t *Tree) Checksums() opcode.ChecksumTree { return t.checksums(1) }

// Request returns the request for the round.
func (r *Round) Request() *opcode.ChecksumRequest { return r.request() }

// DirHash returns the hash of Dir.
func (r *Round) DirHash() opcode.Hash { return r.dirHash() }

// Response answers a request.
func (m *Manifest) Response(request *opcode.ChecksumRequest) *opcode.ChecksumResponse {
	return m.response(request)
}

// Rejects reports whether a finding rejects a client.
func (p Policy) Rejects(f Finding) bool { return p.rejects(f) }

// Over reports whether the exchange has ended.
func (s State) Over() bool { return s.over() }

// State returns the state of the exchange.
func (c *Client) State() State { return c.state }

// State is the state of an exchange.
type State = state

const (
	StateAsking   = asking
	StateSending  = sending
	StateComplete = complete
	StateRejected = rejected
	StateExpired  = expired
)

// State returns the state of the exchange.
func (x *ServerExchange) State() State { return x.state }
