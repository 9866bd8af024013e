package checksum

import (
	"fmt"
	"math"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// validate returns an error wrapping stream.ErrInvalid that names the invalid part, or nil.
func (m *Manifest) validate() error {
	if err := checkText(m.GameVersion, false); err != nil {
		return bad("game_version", err)
	}
	last := -1
	for i := range m.Rounds {
		r := &m.Rounds[i]
		at := fmt.Sprintf("round %d", r.Index)
		n := roundNumber(r.Index)
		switch {
		case n < 0:
			return bad(at, errForged)
		case n <= last:
			return bad(at, errOutOfOrder)
		}
		last = n
		if err := r.check(); err != nil {
			return bad(at, err)
		}
	}
	return nil
}

func bad(at string, err error) error { return badManifest(fmt.Errorf("%s: %w", at, err)) }

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
	if n := r.headSize() + r.Tree.size(); n > transport.MaxPayload {
		return fmt.Errorf("too many files: %w", tooMany(n, "bytes in a response", transport.MaxPayload))
	}
	return nil
}

// headSize returns the size of a response before its tree. Only round 0 has the hash of the version.
func (r *Round) headSize() int {
	if r.Index == 0 {
		return 10
	}
	return 6
}

// checkText returns an error if a text that is not a file name cannot be sent.
func checkText(s string, necessary bool) error {
	t, err := stream.NewText(s)
	if err == nil && (len(t) > maxName || necessary && len(t) == 0 || strings.ContainsRune(s, 0)) {
		err = nameError{}
	}
	return err
}

// check checks a directory and its subdirectories.
func (t *Tree) check(at string, depth int) error {
	switch {
	case depth > maxDepth:
		return located(at, moreThan(maxDepth, "nested directories"))
	case len(t.Dirs) > math.MaxUint8:
		return located(at, tooMany(len(t.Dirs), "directories", math.MaxUint8))
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

// located adds the path in a tree to an error. The path may contain any characters.
func located(at string, err error) error {
	if at == "" {
		return err
	}
	return fmt.Errorf("%.255q: %w", at, err)
}

// element is the checked part of a file or directory.
type element struct {
	name    string
	hash    opcode.Hash
	content bool // has a content
}

func (f *File) element() element { return element{f.Name, f.NameHash, len(f.Content) > 0} }
func (d *Dir) element() element  { return element{d.Name, d.NameHash, true} }

func checkElements[E any](at string, list []E, of func(*E) element) error {
	seen := make(map[opcode.Hash]bool, len(list))
	for i := range list {
		e := of(&list[i])
		if err := e.check(seen); err != nil {
			return located(below(at, label(e.name, e.hash)), err)
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
		if want := textHash(text(e.name)); e.hash != want {
			return fmt.Errorf("name_hash is %v, but the hash of the name is %v", e.hash, want)
		}
	}
	switch {
	case seen[e.hash]:
		return fmt.Errorf("duplicate name_hash %v", e.hash)
	case !e.content:
		return fmt.Errorf("content_hash is missing")
	}
	return nil
}

// size returns the encoded size of the tree in a response.
func (t *Tree) size() int {
	n := 2 + 8*len(t.Files) + 1
	for i := range t.Dirs {
		n += 4 + t.Dirs[i].Tree.size()
	}
	return n
}
