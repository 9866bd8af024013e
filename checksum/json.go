package checksum

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const schema = "bc-checksum-manifest/1"

// MaxManifest is the maximum length of a manifest in bytes.
const MaxManifest = 4 << 20

// maxElements limits the elements of JSON objects and lists, because some elements need
// much more memory than text.
const maxElements = 128 << 10

// LoadManifest reads a manifest in JSON and ignores unknown keys. It returns the errors of
// the reader, or an error wrapping [ErrManifest].
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
// of verified is true.
func LoadManifest(r io.Reader) (*Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxManifest+1))
	if err != nil {
		return nil, err
	}
	if err := checkSize(data); err != nil {
		return nil, err
	}
	var j manifestJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, locate(data, err))
	}
	m, err := j.manifest()
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func checkSize(data []byte) error {
	if len(data) > MaxManifest {
		return bad("length", moreThan(ErrLimit, MaxManifest, "bytes"))
	}
	if n := bytes.Count(data, []byte{','}) + 1; n > maxElements {
		return bad("elements", tooMany(n, "elements", maxElements))
	}
	return nil
}

// Save writes the manifest as JSON for [LoadManifest]. Equal manifests give equal bytes.
// Save returns an error if LoadManifest would refuse the result.
func (m *Manifest) Save(w io.Writer) error {
	if err := m.Validate(); err != nil {
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
