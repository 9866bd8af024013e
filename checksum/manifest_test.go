package checksum_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

func save(t testing.TB, m *checksum.Manifest) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	return b.String()
}

func load(text string) (*checksum.Manifest, error) {
	return checksum.LoadManifest(strings.NewReader(text))
}

func TestManifestIsByteStable(t *testing.T) {
	text, err := os.ReadFile("vanilla.json")
	require.NoError(t, err)
	want := string(text) + "\n"
	m := checksum.Vanilla()
	require.Equal(t, want, save(t, m))
	again, err := load(want)
	require.NoError(t, err)
	require.Equal(t, m, again)
}

func TestVanilla(t *testing.T) {
	m := checksum.Vanilla()
	require.Equal(t, "60", m.GameVersion)
	files, unverified := map[uint8]int{}, 0
	for _, r := range m.Rounds {
		for _, f := range r.Tree.All() {
			files[r.Index]++
			if f.Unverified {
				unverified++
				require.Equal(t, "scripts/ships", r.Dir)
			}
		}
	}
	require.Equal(t, map[uint8]int{0: 1, 1: 1, 2: 102, 3: 4, 255: 28}, files)
	require.Equal(t, 101, unverified)
	for i, r := range m.Rounds {
		r.Tree = nil
		require.Equal(t, checksum.Rounds()[i], r)
	}
	require.Nil(t, m.Round(7))
}

// Values that can be computed may be missing.
func TestManifestFillsIn(t *testing.T) {
	m, err := load(`{"schema": "bc-checksum-manifest/1", "future": [1], "rounds": [
		{"index": 2, "dir": "scripts/ships", "filter": "*.pyc", "recursive": true, "tree": {
			"files": [{"name": "App.pyc", "content_hash": ["0X1"]}, {"name_hash": "0xabcdef01", "content_hash": ["0x2", "0x3"], "verified": false}],
			"dirs": [{"name": "grün"}]}},
		{"index": 255, "dir": "Scripts/Multiplayer"}]}`)
	require.NoError(t, err)
	require.Equal(t, &checksum.Manifest{Rounds: []checksum.Round{
		{Index: 2, Dir: "scripts/ships", Filter: "*.pyc", Recursive: true, Tree: &checksum.Tree{
			Files: []checksum.File{
				{Name: "App.pyc", NameHash: 0x373EB677, Content: []opcode.Hash{1}},
				{NameHash: 0xABCDEF01, Content: []opcode.Hash{2, 3}, Unverified: true},
			},
			Dirs: []checksum.Dir{{Name: "grün", NameHash: opcode.Hash(checksum.StringHash("gr\xFCn"))}},
		}},
		{Index: 255, Dir: "Scripts/Multiplayer"},
	}}, m)
	again, err := load(save(t, m))
	require.NoError(t, err)
	require.Equal(t, "60", again.GameVersion)
	again.GameVersion = ""
	require.Equal(t, m, again)
	require.Equal(t, save(t, m), save(t, again))
	require.Contains(t, save(t, &checksum.Manifest{Note: "<&>"}), `"note": "<&>"`)
}

// manifestWith returns the JSON of a manifest with one round.
func manifestWith(round string) string {
	return `{"schema":"bc-checksum-manifest/1","rounds":[` + round + `]}`
}

// withTree returns the JSON of a manifest with files and directories.
func withTree(files, dirs string) string {
	return manifestWith(`{"index":2,"dir":"scripts/ships","tree":{"files":[` + files + `],"dirs":[` + dirs + `]}}`)
}

func repeat(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// unnamed returns n files without names.
func unnamed(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"name_hash":"0x` + opcode.Hash(i).String()[2:] + `","content_hash":["0x1"]},`)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestManifestRefuses(t *testing.T) {
	const file = `{"name":"App.pyc","content_hash":["0x1"]}`
	for name, v := range map[string]struct{ text, message string }{
		"another schema":       {`{"schema":"bc-checksum-manifest/2"}`, `schema: "bc-checksum-manifest/2", must be "bc-checksum-manifest/1"`},
		"wrong version hash":   {`{"schema":"bc-checksum-manifest/1","ref_hash":"0x1"}`, "ref_hash: must be 0x7e0ce243, the hash of game_version"},
		"wrong directory hash": {manifestWith(`{"index":2,"dir":"scripts/ships","dir_hash":"0xB831D315"}`), "round 2: dir_hash must be 0xc017d1c4, the hash of dir \"scripts/ships\""},
		"wrong name hash":      {withTree(`{"name":"App.pyc","name_hash":"0x1","content_hash":["0x1"]}`, ""), `round 2: "App.pyc": name_hash is 0x00000001, but the hash of the name is 0x373eb677`},
		"wrong name hash, dir": {withTree("", `{"name":"App.pyc","name_hash":"0x1"}`), `round 2: "App.pyc": name_hash is`},
		"no name":              {withTree(`{"content_hash":["0x1"]}`, ""), `round 2: "": name and name_hash are missing`},
		"no name, dir":         {withTree("", `{}`), `round 2: "": name and name_hash are missing`},
		"deep below":           {withTree("", `{"name":"a","dirs":[{"name":"b","files":[{"name":"c?","content_hash":["0x1"]}]}]}`), `round 2: "a/b/c?": invalid file name`},
		"deep conversion":      {withTree("", `{"name":"a","dirs":[{"name":"b","files":[{}]}]}`), `round 2: "": name and name_hash`},
		"file twice":           {withTree(file+","+file, ""), `round 2: "App.pyc": duplicate name_hash 0x373eb677`},
		"directory twice":      {withTree("", `{"name":"a"},{"name":"a"}`), `round 2: "a": duplicate name_hash`},
		"no content":           {withTree(`{"name":"a"}`, ""), `round 2: "a": content_hash is missing`},
		"not JSON":             {"{\n\"schema\":\n x}", "invalid manifest: line 3: invalid character 'x'"},
		"text for a number":    {"{\n\"rounds\":[{\"index\":\"x\"}]}", "invalid manifest: line 2: rounds.index: wrong value: string"},
		"list":                 {"[]", "invalid manifest: line 1: JSON: wrong value: array"},
		"decimal hash":         {withTree(`{"name":"a","content_hash":["12"]}`, ""), "must be 0x and up to eight hexadecimal digits"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := load(v.text)
			require.Nil(t, m)
			require.ErrorIs(t, err, stream.ErrInvalid)
			require.ErrorContains(t, err, v.message)
			require.True(t, strings.HasPrefix(err.Error(), "checksum: invalid manifest: "), err)
		})
	}
	_, err := checksum.LoadManifest(iotest.ErrReader(errors.New("disk")))
	require.EqualError(t, err, "disk")
}

func TestSaveRefuses(t *testing.T) {
	deep := &checksum.Tree{Dirs: make([]checksum.Dir, 1)}
	deep.Dirs[0].Tree.Dirs = deep.Dirs // a loop
	for _, m := range []*checksum.Manifest{
		{Rounds: []checksum.Round{{Index: 9}}},
		{Rounds: []checksum.Round{{Index: 1, Dir: "scripts", Tree: &checksum.Tree{Files: []checksum.File{{Name: "App.pyc"}}}}}},
		{Rounds: []checksum.Round{{Index: 1, Dir: "scripts", Tree: deep}}},
		{Rounds: []checksum.Round{{Index: 1, Dir: "scripts", Tree: &checksum.Tree{Files: make([]checksum.File, 1<<16)}}}},
	} {
		var b bytes.Buffer
		require.ErrorIs(t, m.Save(&b), stream.ErrInvalid)
		require.Zero(t, b.Len())
	}
	require.Error(t, checksum.Vanilla().Save(failingWriter{}))
	requireLimit(t, (&checksum.Manifest{Note: strings.Repeat(" ", checksum.MaxManifest)}).Save(io.Discard), "more than 4194304 bytes")
	requireLimit(t, (&checksum.Manifest{Note: strings.Repeat(",", 1<<17)}).Save(io.Discard), "131078 elements, at most 131072")
	require.NoError(t, (&checksum.Manifest{Note: strings.Repeat(",", 1<<17-6)}).Save(io.Discard))
}

// The error of a manifest that exceeds a limit contains the limit.
func TestManifestLimits(t *testing.T) {
	files := make([]checksum.File, 12941)
	for i := range files {
		files[i] = checksum.File{NameHash: opcode.Hash(i), Content: []opcode.Hash{0}}
	}
	for text, tree := range map[string]checksum.Tree{
		"256 directories, at most 255":               {Dirs: make([]checksum.Dir, 256)},
		"103537 bytes in a response, at most 103529": {Files: files},
	} {
		requireLimit(t, withRoot(tree).Save(io.Discard), text)
	}
	deep := checksum.Tree{}
	for range 16 {
		deep = checksum.Tree{Dirs: []checksum.Dir{{Tree: deep}}}
	}
	requireLimit(t, withRoot(deep).Save(io.Discard), "more than 16 nested directories")
}

// A manifest that fills a limit exactly can be saved and loaded again.
func TestManifestFillsLimits(t *testing.T) {
	file := func(name string) checksum.File {
		return checksum.File{Name: name, NameHash: opcode.Hash(checksum.StringHash(name)), Content: []opcode.Hash{1}}
	}
	long := withRoot(checksum.Tree{Files: []checksum.File{file(strings.Repeat("n", 255))}})
	long.GameVersion, long.Rounds[0].Filter = strings.Repeat("6", 255), strings.Repeat("*", 255)
	again, err := load(save(t, long))
	require.NoError(t, err)
	require.Equal(t, long, again)

	padded := save(t, new(checksum.Manifest))
	padded += strings.Repeat(" ", 4<<20-len(padded))
	_, err = load(padded)
	require.NoError(t, err)
	_, err = load(padded + " ")
	requireLimit(t, err, "more than 4194304 bytes")

	for _, v := range []struct {
		index       uint8
		files, dirs int
		size        int
	}{
		{0, 12936, 4, transport.MaxPayload},
		{1, 12940, 0, transport.MaxPayload},
		{0, 12937, 3, transport.MaxPayload + 1},
		{1, 12934, 7, transport.MaxPayload + 1},
	} {
		tree := checksum.Tree{Files: make([]checksum.File, v.files), Dirs: make([]checksum.Dir, v.dirs)}
		for i := range tree.Files {
			tree.Files[i] = checksum.File{NameHash: opcode.Hash(i), Content: []opcode.Hash{1}}
		}
		for i := range tree.Dirs {
			tree.Dirs[i].NameHash = opcode.Hash(i)
		}
		m := withRoot(tree)
		m.Rounds[0].Index = v.index
		require.Equal(t, v.size, len(encode(t, m.Response(m.Rounds[0].Request()))))
		if v.size == transport.MaxPayload {
			require.NoError(t, m.Save(io.Discard))
		} else {
			requireLimit(t, m.Save(io.Discard), "103530 bytes in a response, at most 103529")
		}
	}
}

// A directory has at most 255 directories.
func TestManifestOfManyDirectories(t *testing.T) {
	tree := checksum.Tree{Dirs: make([]checksum.Dir, 255)}
	for i := range tree.Dirs {
		tree.Dirs[i].NameHash = opcode.Hash(i)
	}
	require.NoError(t, withRoot(tree).Save(io.Discard))
}

func withRoot(tree checksum.Tree) *checksum.Manifest {
	return &checksum.Manifest{Rounds: []checksum.Round{{Index: 1, Dir: "scripts", Tree: &tree}}}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestManifestOfInstallation(t *testing.T) {
	m := installation(t, nil)
	require.Empty(t, checksum.Compare(checksum.Vanilla(), m))
	require.Empty(t, checksum.Compare(m, checksum.Vanilla()))
	again, err := load(save(t, m))
	require.NoError(t, err)
	require.Equal(t, m, again)

	files := changed(t, map[string][]byte{"scripts/App.pyc": nil})
	got, err := checksum.Scan(broken{files, map[string]error{"scripts/mainmenu": fs.ErrPermission}}, m.Rounds)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.Len(t, got.Rounds, 5, "with the files that could be read")
	require.NotNil(t, m.Rounds[0].Tree.Files, "Scan does not change its rounds")
	m.Rounds[0].Tree = nil // unknown, so not compared
	require.Len(t, checksum.Compare(m, got), 2, "missing in scripts/mainmenu")
}

func TestManifestResponse(t *testing.T) {
	m := checksum.Vanilla()
	for _, request := range []opcode.ChecksumRequest{
		{Index: 2, Dir: []byte("scripts/Custom"), Filter: []byte("*.pyc"), Recursive: true},
		{Index: 2, Dir: []byte("scripts/ships"), Filter: []byte("*.py"), Recursive: true},
		{Index: 2, Dir: []byte("scripts/ships"), Filter: []byte("*.pyc")},
	} {
		response := m.Response(&request)
		require.Empty(t, response.Tree)
		require.Equal(t, opcode.Hash(checksum.StringHash(string(request.Dir))), response.DirHash)
	}
	response := m.Response(&opcode.ChecksumRequest{Index: 9, Dir: []byte(`SCRIPTS\ships/`), Filter: []byte("*.PYC"), Recursive: true})
	require.Equal(t, uint8(9), response.Index)
	require.Equal(t, opcode.Hash(checksum.StringHash("SCRIPTS/ships")), response.DirHash, "with the case of the request")
	require.Len(t, response.Tree.Files, 51)
}
