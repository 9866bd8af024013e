package checksum

import (
	"fmt"
	"math"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Check says whether the manifest is valid, with [ErrManifest] and the place if it is
// not: the rounds are those of the game and in its order, names are names and their
// hashes right, no directory has two of one hash, every file has a content, and nothing
// is more than a response can carry. What [LoadManifest] returns is valid.
func (m *Manifest) Check() error {
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
		return fmt.Errorf("dir %q: %w", r.Dir, err)
	}
	if _, err := r.root(); err != nil {
		return fmt.Errorf("dir %q: %w", r.Dir, err)
	}
	if err := checkText(r.Filter, false); err != nil {
		return fmt.Errorf("filter %q: %w", r.Filter, err)
	}
	if r.Tree == nil {
		return nil
	}
	if err := r.Tree.check("", 1); err != nil {
		return err
	}
	if head := 10; head+r.Tree.size() > maxPayload {
		return fmt.Errorf("too many files: %w", ErrLimit)
	}
	return nil
}

// maxPayload is the length of the longest payload that can be sent, which is that of
// package transport.
const maxPayload = 103529

// size returns the number of bytes that a tree takes in a response.
func (t *Tree) size() int {
	n := 2 + 8*len(t.Files) + 1
	for i := range t.Dirs {
		n += 4 + t.Dirs[i].Tree.size()
	}
	return n
}

// checkText says whether a text other than a file name can be sent.
func checkText(s string, necessary bool) error {
	t, err := stream.NewText(s)
	if err == nil && (len(t) > maxName || necessary && len(t) == 0 || strings.ContainsRune(s, 0)) {
		err = ErrName
	}
	return err
}

// check looks at a directory and those below it.
func (t *Tree) check(at string, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("%s: %w", at, ErrDepth)
	case len(t.Files) > math.MaxUint16, len(t.Dirs) > math.MaxUint8:
		return fmt.Errorf("%s: %w", at, ErrLimit)
	}
	if err := checkElements(at, t.Files, (*File).element); err != nil {
		return err
	}
	if err := checkElements(at, t.Dirs, (*Dir).element); err != nil {
		return err
	}
	for i := range t.Dirs {
		d := &t.Dirs[i]
		if err := d.Tree.check(below(at, d.label()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// element is what is to be checked of files and directories.
type element struct {
	name    string
	hash    opcode.Hash
	content bool // there is one
}

func (f *File) element() element { return element{f.Name, f.NameHash, len(f.Content) > 0} }
func (d *Dir) element() element  { return element{d.Name, d.NameHash, true} }

func checkElements[E any](at string, list []E, of func(*E) element) error {
	seen := make(map[opcode.Hash]bool, len(list))
	for i := range list {
		e := of(&list[i])
		if err := e.check(seen); err != nil {
			return fmt.Errorf("%s: %w", below(at, label(e.name, e.hash)), err)
		}
		seen[e.hash] = true
	}
	return nil
}

func (e element) check(seen map[opcode.Hash]bool) error {
	if e.name != "" {
		if err := checkName(e.name); err != nil {
			return err
		}
		if want := opcode.Hash(TextHash(text(e.name))); e.hash != want {
			return fmt.Errorf("hash of the name is %v, not %v", want, e.hash)
		}
	}
	switch {
	case seen[e.hash]:
		return fmt.Errorf("a second %v", e.hash)
	case !e.content:
		return fmt.Errorf("no content_hash")
	}
	return nil
}
