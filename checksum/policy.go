package checksum

import "fmt"

// Policy says which findings keep a client out.
type Policy uint8

const (
	// AllowExtra rejects a client that lacks a file of the first four rounds or has it with
	// another content, and none for more files than are expected. It compares neither version nor
	// directory, which clients other than the game get wrong, and leaves it to the client
	// what missions it has when the host does not send them.
	AllowExtra Policy = iota
	// Strict rejects every difference, but for mission scripts that the host can send.
	Strict
	// AcceptAll rejects nobody and sends no files.
	AcceptAll
	// LearnFirst is Strict, and where nothing is known of the files expects those of the
	// first client: see [Server]. It is as good as that client is honest.
	LearnFirst
)

// String returns the name of the policy, "AllowExtra".
func (p Policy) String() string {
	if p > LearnFirst {
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
	return [...]string{"AllowExtra", "Strict", "AcceptAll", "LearnFirst"}[p]
}

// Rejects says whether a finding keeps a client out. That a file of the round [Transfer]
// can be sent to the client instead is not considered. A policy that does not exist is
// Strict.
func (p Policy) Rejects(f Finding) bool {
	switch p {
	case AcceptAll:
		return false
	case AllowExtra:
		return f.Round != Transfer && (f.Kind == KindMissing || f.Kind == KindMismatch || f.Kind == KindNoFiles)
	}
	return true
}
