package checksum

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

const schema = "bc-checksum-manifest/1"

// maxManifest is the maximum length of a manifest in bytes.
const maxManifest = 4 << 20

// maxElements limits the elements of JSON objects and lists, because some elements need
// much more memory than text.
const maxElements = 128 << 10

// LoadManifest reads a manifest in JSON and ignores unknown keys. It returns the errors of
// the reader, or an error wrapping [stream.ErrInvalid].
//
//	{
//	 "schema": "bc-checksum-manifest/1",
//	 "name": "...", "game_version": "60", "ref_hash": "0x7E0CE243", "note": "...",
//	 "rounds": [{
//	  "index": 0, "dir": "scripts/", "filter": "App.pyc", "recursive": false,
//	  "dir_hash": "0x4DAFCB2F",
//	  "tree": {
//	   "files": [{
//	    "name": "App.pyc", "name_hash": "0x373EB677",
//	    "content_hash": ["0xF8A0A768"], "verified": true
//	   }],
//	   "dirs": [{"name": "...", "name_hash": "0x...", "files": [...], "dirs": [...]}]
//	  }
//	 }]
//	}
//
// A name or its hash may be missing. A round without a tree has unknown files. The default
// of verified is true. The index of each round must be in [Rounds]. Rounds must be in ascending
// order and fit a response. Names must be valid, match their hashes and be unique in their
// directory. Files need a content.
func LoadManifest(r io.Reader) (*Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, err
	}
	if err := checkSize(data); err != nil {
		return nil, err
	}
	var j manifestJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, badManifest(locate(data, err))
	}
	m, err := j.manifest()
	if err == nil {
		err = m.validate()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func checkSize(data []byte) error {
	if len(data) > maxManifest {
		return bad("length", moreThan(maxManifest, "bytes"))
	}
	if n := bytes.Count(data, []byte{','}) + 1; n > maxElements {
		return bad("elements", tooMany(n, "elements", maxElements))
	}
	return nil
}

// Save writes the manifest as JSON for [LoadManifest]. Equal manifests give equal bytes.
// Save returns an error if LoadManifest would refuse the result; it wraps [stream.ErrInvalid].
func (m *Manifest) Save(w io.Writer) error {
	if err := m.validate(); err != nil {
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(m.json())
	if err == nil {
		err = checkSize(b.Bytes())
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// syntaxError is an error of package json with its line.
type syntaxError struct {
	line int // from 1
	text string
	err  error
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }
func (e *syntaxError) Unwrap() error { return e.err }

// locate adds the line to an error of package json. It replaces the names of Go types with the
// path of the key.
func locate(data []byte, err error) error {
	e := &syntaxError{text: fmt.Sprint(err), err: err}
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if value, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset, e.text = value.Offset, fmt.Sprintf("%s: wrong value: %s", cmp.Or(value.Field, "JSON"), value.Value)
	} else {
		return err
	}
	e.line = 1 + bytes.Count(data[:min(int(offset), len(data))], []byte{'\n'})
	return e
}

// The JSON form, with the keys in their order.
type (
	manifestJSON struct {
		Schema      string      `json:"schema"`
		Name        string      `json:"name"`
		GameVersion string      `json:"game_version"`
		RefHash     *hashJSON   `json:"ref_hash"`
		Note        string      `json:"note,omitempty"`
		Rounds      []roundJSON `json:"rounds"`
	}
	roundJSON struct {
		Index     uint8     `json:"index"`
		Dir       string    `json:"dir"`
		Filter    string    `json:"filter"`
		Recursive bool      `json:"recursive"`
		DirHash   *hashJSON `json:"dir_hash"`
		Tree      *treeJSON `json:"tree,omitempty"`
	}
	treeJSON struct {
		Files []fileJSON `json:"files"`
		Dirs  []dirJSON  `json:"dirs"`
	}
	fileJSON struct {
		Name        string     `json:"name,omitempty"`
		NameHash    *hashJSON  `json:"name_hash"`
		ContentHash []hashJSON `json:"content_hash"`
		Verified    *bool      `json:"verified"`
	}
	dirJSON struct {
		Name     string    `json:"name,omitempty"`
		NameHash *hashJSON `json:"name_hash"`
		treeJSON
	}
)

// hashJSON is encoded as "0x7E0CE243".
type hashJSON opcode.Hash

func (h hashJSON) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "0x%08X", uint32(h)), nil }

func (h *hashJSON) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(strings.ToLower(string(text)), "0x")
	v, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil {
		return fmt.Errorf("hash %.20q must be 0x and up to eight hexadecimal digits", text)
	}
	*h = hashJSON(v)
	return nil
}

// fill returns the hash, or the hash of the text if h is nil.
func (h *hashJSON) fill(s string) (opcode.Hash, error) {
	if h != nil {
		return opcode.Hash(*h), nil
	}
	t, err := stream.NewText(s)
	if err == nil && s == "" {
		err = fmt.Errorf("name and name_hash are missing")
	}
	return textHash(t), err
}

func (j *manifestJSON) manifest() (*Manifest, error) {
	if j.Schema != schema {
		return nil, bad("schema", fmt.Errorf("%.80q, must be %q", j.Schema, schema))
	}
	m := &Manifest{Name: j.Name, GameVersion: j.GameVersion, Note: j.Note}
	if want := m.refHash(); j.RefHash != nil && opcode.Hash(*j.RefHash) != want {
		return nil, bad("ref_hash", fmt.Errorf("must be %v, the hash of game_version", want))
	}
	for i := range j.Rounds {
		r, err := j.Rounds[i].round()
		if err != nil {
			return nil, bad(fmt.Sprintf("round %d", r.Index), err)
		}
		m.Rounds = append(m.Rounds, r)
	}
	return m, nil
}

func (j *roundJSON) round() (Round, error) {
	r := Round{Index: j.Index, Dir: j.Dir, Filter: j.Filter, Recursive: j.Recursive}
	if want := r.dirHash(); j.DirHash != nil && opcode.Hash(*j.DirHash) != want {
		return r, fmt.Errorf("dir_hash must be %[2]v, the hash of dir %.80[1]q", r.Dir, want)
	}
	if j.Tree == nil {
		return r, nil
	}
	tree, err := j.Tree.tree()
	r.Tree = &tree
	return r, err
}

func (j *treeJSON) tree() (t Tree, err error) {
	for _, f := range j.Files {
		file := File{Name: f.Name, Unverified: f.Verified != nil && !*f.Verified}
		if file.NameHash, err = f.NameHash.fill(f.Name); err != nil {
			return t, fmt.Errorf("%.80q: %w", f.Name, err)
		}
		for _, h := range f.ContentHash {
			file.Content = append(file.Content, opcode.Hash(h))
		}
		t.Files = append(t.Files, file)
	}
	for i := range j.Dirs {
		d := &j.Dirs[i]
		dir := Dir{Name: d.Name}
		if dir.NameHash, err = d.NameHash.fill(d.Name); err != nil {
			return t, fmt.Errorf("%.80q: %w", d.Name, err)
		}
		if dir.Tree, err = d.tree(); err != nil {
			return t, err
		}
		t.Dirs = append(t.Dirs, dir)
	}
	return t, nil
}

func (m *Manifest) json() *manifestJSON {
	ref := hashJSON(m.refHash())
	j := &manifestJSON{
		Schema: schema, Name: m.Name, GameVersion: m.version(), RefHash: &ref, Note: m.Note,
		Rounds: []roundJSON{},
	}
	for i := range m.Rounds {
		r := &m.Rounds[i]
		hash := hashJSON(r.dirHash())
		round := roundJSON{r.Index, r.Dir, r.Filter, r.Recursive, &hash, nil}
		if r.Tree != nil {
			tree := r.Tree.json()
			round.Tree = &tree
		}
		j.Rounds = append(j.Rounds, round)
	}
	return j
}

func (t *Tree) json() treeJSON {
	j := treeJSON{Files: []fileJSON{}, Dirs: []dirJSON{}}
	for i := range t.Files {
		f := &t.Files[i]
		name, verified := hashJSON(f.NameHash), !f.Unverified
		file := fileJSON{f.Name, &name, nil, &verified}
		for _, h := range f.Content {
			file.ContentHash = append(file.ContentHash, hashJSON(h))
		}
		j.Files = append(j.Files, file)
	}
	for i := range t.Dirs {
		d := &t.Dirs[i]
		name := hashJSON(d.NameHash)
		j.Dirs = append(j.Dirs, dirJSON{d.Name, &name, d.Tree.json()})
	}
	return j
}
