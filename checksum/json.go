package checksum

import (
	"bytes"
	"encoding/json"
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
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
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
