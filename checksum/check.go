package checksum

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Validate says whether the manifest is valid, with [ErrManifest] and the place if it is
// not: the rounds are those of the game and in its order, names are names and their
// hashes right, no directory has two of one hash, every file has a content, and nothing
// is more than a response can carry. What [LoadManifest] returns is valid.
func (m *Manifest) Validate() error {
	if err := checkText(m.GameVersion, false); err != nil {
		return bad("game_version", err)
	}
	last := -1
	for i := range m.Rounds {
		r := &m.Rounds[i]
		at := fmt.Sprintf("round %d", r.Index)
		n := roundIndex(r.Index)
		switch {
		case n < 0:
			return bad(at, ErrForged)
		case n <= last:
			return bad(at, ErrOutOfOrder)
		}
		last = n
		if err := r.check(); err != nil {
			return bad(at, err)
		}
	}
	return nil
}

func bad(at string, err error) error { return fmt.Errorf("%w: %s: %w", ErrManifest, at, err) }

func (r *Round) check() error {
	if err := checkText(r.Dir, true); err != nil {
		return fmt.Errorf("dir %.80q: %w", r.Dir, err)
	}
	if _, err := r.root(); err != nil {
		return fmt.Errorf("dir %.80q: %w", r.Dir, err)
	}
	if err := checkText(r.Filter, false); err != nil {
		return fmt.Errorf("filter %.80q: %w", r.Filter, err)
	}
	if r.Tree == nil {
		return nil
	}
	if err := r.Tree.check("", 1); err != nil {
		return err
	}
	const head = 10
	if n := head + r.Tree.size(); n > transport.MaxPayload {
		return fmt.Errorf("too many files: %w", tooMany(n, "bytes in a response", transport.MaxPayload))
	}
	return nil
}

// checkText says whether a text other than a file name can be sent.
func checkText(s string, necessary bool) error {
	t, err := stream.NewText(s)
	if err == nil && (len(t) > maxName || necessary && len(t) == 0 || strings.ContainsRune(s, 0)) {
		err = ErrName
	}
	return err
}
