package checksum

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Validate returns an error wrapping [ErrManifest] that names the invalid part, or nil.
// The Index of each round must be in [Rounds]. Rounds must be in ascending order and fit a response.
// Names must be valid, match their hashes and be unique in their directory. Files need a content.
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

// checkText returns an error if a text that is not a file name cannot be sent.
func checkText(s string, necessary bool) error {
	t, err := stream.NewText(s)
	if err == nil && (len(t) > maxName || necessary && len(t) == 0 || strings.ContainsRune(s, 0)) {
		err = ErrName
	}
	return err
}
