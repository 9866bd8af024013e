package checksum

import "fmt"

// Policy decides which findings keep a client out.
type Policy uint8

const (
	// AllowExtra rejects a client that lacks a file of the first four rounds or has it with
	// another content, and none for more files than are expected. It compares neither version nor
	// directory, which clients other than the game get wrong, and leaves it to the client
	// what missions it has when the host does not send them.
	AllowExtra Policy = iota
	// Strict rejects every difference, except for mission scripts that the host can send.
	Strict
	// AcceptAll rejects nobody and sends no files.
	AcceptAll
	// LearnFirst is Strict, and where nothing is known of the files expects those of the
	// first client: see [Server]. It is as good as that client is honest.
	LearnFirst
	// Stock is the rule of the game. In the first four rounds the version and the directory
	// must be right, and files that both sides have must have the same content. Files and
	// directories that one side lacks are ignored. In the last round a mission script that
	// the client lacks or has with another content is sent, all of a directory that it
	// lacks, and nothing keeps the client out.
	//
	// It differs from AllowExtra, the default, which rejects a client that lacks a file. A
	// client that has no files at all stays silent if it is the game, see [Client]. A client
	// that sends a response without files, or in the last round an empty tree with the
	// hash of another directory, as OpenBC does, is accepted and gets no files.
	//
	// Evidence: documented (B): the engine's code of the host, FUN_006a4560 and FUN_006a5290,
	// for the last round FUN_006a4e70 and FUN_006a5570. The host of the game compares with
	// its own disk, this one with the manifest.
	Stock
)

// String returns the name of the policy, "AllowExtra".
func (p Policy) String() string {
	if p > Stock {
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
	return [...]string{"AllowExtra", "Strict", "AcceptAll", "LearnFirst", "Stock"}[p]
}

// Rejects reports whether a finding keeps a client out. It does not consider that a file of
// the round [Transfer] can be sent to the client instead. A policy that does not exist is
// Strict.
func (p Policy) Rejects(f Finding) bool {
	switch p {
	case AcceptAll:
		return false
	case Stock:
		return f.Round != Transfer && (f.Kind == KindWrongVersion || f.Kind == KindWrongDir || f.Kind == KindMismatch)
	case AllowExtra:
		return f.Round != Transfer && (f.Kind == KindMissing || f.Kind == KindMismatch || f.Kind == KindNoFiles)
	}
	return true
}
