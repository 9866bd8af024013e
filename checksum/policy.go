package checksum

import "fmt"

// Policy decides which findings reject a client.
type Policy uint8

const (
	// AllowExtra rejects a client if a file of the first four rounds is missing or differs. It allows
	// additional files. A mission script that is missing or differs does not reject a client, even if
	// the host cannot send the script. AllowExtra ignores the version and the hash of the directory,
	// because clients other than the game send wrong values.
	AllowExtra Policy = iota
	// Strict rejects every difference, except for mission scripts that the host can send.
	Strict
	// AcceptAll rejects no client and sends no files.
	AcceptAll
	// LearnFirst is like Strict. In rounds for which the manifest has no tree, it expects the files of
	// the first client that enters the game; see [ServerExchange.Learn]. The result is only as trustworthy
	// as that client.
	LearnFirst
	// Stock is the rule of the game. In the first four rounds the version and the directory must
	// match, and files that both sides have must have the same content. In the last round the host
	// sends mission scripts that are missing or differ, and rejects nothing. A client is accepted without
	// files if its response has no tree. In the last round, the same applies to OpenBC's response: an
	// empty tree, and a DirHash of another directory.
	//
	// Evidence: documented (B): the engine's code of the host, FUN_006a4560 and
	// FUN_006a5290, for the last round FUN_006a4e70 and FUN_006a5570. The game compares
	// with its own disk, this package with the manifest.
	Stock
)

// String returns the name of the policy.
func (p Policy) String() string {
	if p > Stock {
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
	return [...]string{"AllowExtra", "Strict", "AcceptAll", "LearnFirst", "Stock"}[p]
}

// rejects reports whether a finding rejects a client. It does not take into account that a
// host can send a file of the last round instead of rejecting the client. An undefined
// policy is Strict.
func (p Policy) rejects(f Finding) bool {
	switch p {
	case AcceptAll:
		return false
	case Stock:
		return f.Round != transfer && (f.Kind == KindWrongVersion || f.Kind == KindWrongDir || f.Kind == KindMismatch)
	case AllowExtra:
		return f.Round != transfer && (f.Kind == KindMissing || f.Kind == KindMismatch || f.Kind == KindNoFiles)
	}
	return true
}
