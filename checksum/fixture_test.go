package checksum_test

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
)

// game returns files that have the hashes of a manifest.
func game(m *checksum.Manifest) fstest.MapFS {
	files := fstest.MapFS{}
	for _, r := range m.Rounds {
		for name, f := range r.Tree.All() {
			name = path.Join("scripts", strings.ToLower(r.Dir)[len("scripts"):], name)
			files[name] = &fstest.MapFile{Data: withHash(f.Content[0])}
		}
	}
	return files
}

// changed returns the game with changes. A nil removes a file.
func changed(t testing.TB, changes map[string][]byte) fstest.MapFS {
	t.Helper()
	files := game(checksum.Vanilla())
	for name, data := range changes {
		if data == nil {
			require.Contains(t, files, name)
			delete(files, name)
		} else {
			files[name] = &fstest.MapFile{Data: data}
		}
	}
	return files
}

// installation returns the manifest of the game with changes.
func installation(t testing.TB, changes map[string][]byte) *checksum.Manifest {
	t.Helper()
	m, err := checksum.Scan(changed(t, changes), checksum.Rounds())
	if !errors.Is(err, fs.ErrNotExist) { // a directory without files
		require.NoError(t, err)
	}
	return m
}

// withoutFiles returns a response without a tree.
func withoutFiles(r checksum.Round) *opcode.ChecksumResponse {
	m := new(checksum.Manifest).Response(r.Request())
	m.NoFiles = true
	m.DirHash++
	return m
}

// payload is a vector of payloads.json.
type payload struct {
	testdata.Vector
	Hex    testdata.Hex
	Opcode testdata.Number
}

// captured returns a payload by name.
func captured(t testing.TB, name string) []byte {
	t.Helper()
	for _, v := range testdata.Load[payload](t, "payloads.json") {
		if v.Name == name {
			return v.Hex
		}
	}
	t.Fatal("no vector " + name)
	return nil
}

var roundNames = []string{"0", "1", "2", "3", "ff"}

func decode[M opcode.Message](t testing.TB, payload []byte) M {
	t.Helper()
	m, err := opcode.Decode(payload)
	require.NoError(t, err)
	typed, ok := m.(M)
	require.True(t, ok, "%T", m)
	return typed
}

func encode(t testing.TB, m opcode.Message) []byte {
	t.Helper()
	data, err := opcode.Marshal(m)
	require.NoError(t, err)
	return data
}
