package checksum_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

func TestCompareWithInstallation(t *testing.T) {
	got := installation(t, map[string][]byte{
		"scripts/App.pyc":                              nil,
		"scripts/ships/Akira.pyc":                      []byte("mine"),
		"scripts/ships/Amagon.pyc":                     []byte("mine"), // not verified
		"scripts/ships/Aa.pyc":                         []byte("new"),
		"scripts/ships/Hardpoints/galaxy.pyc":          nil,
		"scripts/ships/Mod/Deep/x.pyc":                 []byte("new"),
		"scripts/ships/Mod/readme.txt":                 []byte("not asked for"),
		"scripts/multiplayer/Episode/Mission1/New.pyc": []byte("new"),
	})
	found := checksum.Compare(checksum.Vanilla(), got)
	hash := func(s string) []opcode.Hash { return []opcode.Hash{opcode.Hash(checksum.FileHash([]byte(s)))} }
	require.Equal(t, []checksum.Finding{
		{0, checksum.KindNoFiles, "scripts/App.pyc", nil, nil},
		{2, checksum.KindMismatch, "scripts/ships/Akira.pyc", []opcode.Hash{0xCCD37170}, hash("mine")},
		{2, checksum.KindExtra, "scripts/ships/Aa.pyc", nil, hash("new")},
		{2, checksum.KindMissing, "scripts/ships/Hardpoints/galaxy.pyc", nil, nil},
		{2, checksum.KindExtra, "scripts/ships/Mod", nil, nil},
		{255, checksum.KindExtra, "Scripts/Multiplayer/Episode/Mission1/New.pyc", nil, hash("new")},
	}, found)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	require.Equal(t, []string{
		"scripts/App.pyc: no files",
		"scripts/ships/Akira.pyc: differs: 0xcadcd2da, want 0xccd37170",
		"scripts/ships/Aa.pyc: not expected: 0x00000214",
	}, lines[:3])
}

// The documentation shows these findings.
func TestDocumentedFindings(t *testing.T) {
	other := withHash[uint32](0x11223344)
	var lines []string
	for _, f := range checksum.Compare(checksum.Vanilla(), installation(t, map[string][]byte{"scripts/App.pyc": other, "scripts/ships/Akira.pyc": other})) {
		lines = append(lines, f.String())
	}
	require.Equal(t, []string{
		"scripts/App.pyc: differs: 0x11223344, want 0xf8a0a768",
		"scripts/ships/Akira.pyc: differs: 0x11223344, want 0xccd37170",
	}, lines)
}

// The response of a client gives the same findings as its disk, except for unknown names.
func TestVerifyResponse(t *testing.T) {
	got := installation(t, map[string][]byte{
		"scripts/ships/Akira.pyc": []byte("mine"),
		"scripts/ships/Aa.pyc":    []byte("new"),
		"scripts/ships/Mod/x.pyc": []byte("new"),
	})
	m := checksum.Vanilla()
	onDisk := checksum.Compare(m, got)
	require.Len(t, onDisk, 3)
	found := m.VerifyResponse(respond(got)[2])
	require.Len(t, found, 3)
	require.Equal(t, onDisk[0], found[0])
	require.Equal(t, "scripts/ships/"+opcode.Hash(checksum.StringHash("Aa.pyc")).String(), found[1].Path)
	require.Equal(t, "scripts/ships/"+opcode.Hash(checksum.StringHash("Mod")).String(), found[2].Path)
	require.Equal(t, onDisk[1].Got, found[1].Got)
}

func TestVerifyResponseHead(t *testing.T) {
	m := checksum.Vanilla()
	response := decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-0"))
	require.Nil(t, m.VerifyResponse(response))
	response.RefHash, response.DirHash = 1, 2
	require.Equal(t, []checksum.Finding{
		{0, checksum.KindWrongVersion, "60", []opcode.Hash{0x7E0CE243}, []opcode.Hash{1}},
		{0, checksum.KindWrongDir, "scripts", []opcode.Hash{0x4DAFCB2F}, []opcode.Hash{2}},
	}, m.VerifyResponse(response))
	// Without files the hashes of version and directory are ignored.
	none := []checksum.Finding{{0, checksum.KindNoFiles, "scripts/App.pyc", nil, nil}}
	require.Equal(t, none, m.VerifyResponse(&opcode.ChecksumResponse{RefHash: 77, NoFiles: true}))
	require.Nil(t, m.VerifyResponse(&opcode.ChecksumResponse{Index: 9}))
	// Other responses without files: an empty tree, and directories without files.
	response = decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-ff-empty-tree"))
	require.Equal(t, checksum.KindNoFiles, m.VerifyResponse(response)[0].Kind)
	response.Tree.Dirs = make([]opcode.DirChecksum, 3)
	require.Equal(t, checksum.KindNoFiles, m.VerifyResponse(response)[0].Kind)
}

// A client may list a file or a directory more than once. The first counts, and no
// directory of the manifest is compared twice.
func TestVerifyResponseRepeated(t *testing.T) {
	m := checksum.Vanilla()
	response := decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-ff"))
	tree := &response.Tree
	tree.Files = append(tree.Files, opcode.FileChecksum{NameHash: tree.Files[0].NameHash, ContentHash: 1})
	for range 200 {
		tree.Dirs = append(tree.Dirs, opcode.DirChecksum{NameHash: tree.Dirs[0].NameHash})
	}
	found := m.VerifyResponse(response)
	require.Len(t, found, 201)
	for _, f := range found {
		require.Equal(t, checksum.KindExtra, f.Kind)
	}
	require.Equal(t, "Scripts/Multiplayer/"+tree.Files[0].NameHash.String(), found[0].Path)

	slices.Reverse(tree.Files)
	require.Contains(t, m.VerifyResponse(response), checksum.Finding{
		255, checksum.KindMismatch, "Scripts/Multiplayer/MissionMenusShared.pyc", []opcode.Hash{0x86CE738F}, []opcode.Hash{1},
	})
	// The same without a tree in the manifest.
	require.Len(t, new(checksum.Manifest).VerifyResponse(response), 201)
}

func TestCompareAcceptsAnyOfSeveral(t *testing.T) {
	m := func(content ...opcode.Hash) *checksum.Manifest {
		r := checksum.Rounds()[0]
		r.Tree = &checksum.Tree{Files: []checksum.File{{Name: "App.pyc", NameHash: 0x373EB677, Content: content}}}
		return &checksum.Manifest{Rounds: []checksum.Round{r}}
	}
	require.Empty(t, checksum.Compare(m(1, 2), m(2, 3)))
	unverified := m(3)
	unverified.Rounds[0].Tree.Files[0].Unverified = true
	require.Empty(t, checksum.Compare(m(1, 2), unverified))
	require.Empty(t, checksum.Compare(unverified, m(1, 2)))
	found := checksum.Compare(m(1, 2), m(3))
	require.Len(t, found, 1)
	require.Equal(t, "scripts/App.pyc: differs: 0x00000003, want 0x00000001 or 0x00000002", found[0].String())
	require.Nil(t, m(1, 2).VerifyResponse(&opcode.ChecksumResponse{
		RefHash: 0x7E0CE243, DirHash: 0x4DAFCB2F,
		Tree: opcode.ChecksumTree{Files: []opcode.FileChecksum{{NameHash: 0x373EB677, ContentHash: 2}}},
	}))
}

func TestCompare(t *testing.T) {
	a, b := checksum.Vanilla(), checksum.Vanilla()
	b.GameVersion = "61"
	b.Rounds[2].Dir = "scripts/boats"
	b.Rounds[3].Tree = nil
	b.Rounds = b.Rounds[:4]
	require.Equal(t, []checksum.Finding{
		{0, checksum.KindWrongVersion, "60", []opcode.Hash{0x7E0CE243}, []opcode.Hash{opcode.Hash(checksum.StringHash("61"))}},
		{2, checksum.KindWrongDir, "scripts/ships", []opcode.Hash{0xC017D1C4}, []opcode.Hash{opcode.Hash(checksum.StringHash("scripts/boats"))}},
	}, checksum.Compare(a, b))
	a.Rounds[2].Tree = nil
	require.Len(t, checksum.Compare(a, b), 1, "round 2 has no tree")
	a, b = checksum.Vanilla(), checksum.Vanilla()
	b.Rounds[4].Tree.Dirs = nil
	found := checksum.Compare(a, b)
	require.Len(t, found, 19, "one finding for each file of a missing directory")
	require.Equal(t, "Scripts/Multiplayer/Episode/Episode.pyc: missing", found[0].String())
	require.Len(t, checksum.Compare(b, a), 1, "one finding for an extra directory")
	b = checksum.Vanilla()
	b.Rounds[4].Tree.Dirs = append(b.Rounds[4].Tree.Dirs, checksum.Dir{Name: "empty", NameHash: 1})
	require.Empty(t, checksum.Compare(a, b), "an extra directory without files")
}

// Trees that are too deep to send do not overflow the stack.
func TestCompareLoop(t *testing.T) {
	wire := opcode.ChecksumTree{Dirs: make([]opcode.DirChecksum, 1)}
	wire.Dirs[0].Tree.Dirs = wire.Dirs
	tree := checksum.NewTree(&wire)
	levels := 1
	for sub := tree; len(sub.Dirs) > 0; sub = &sub.Dirs[0].Tree {
		levels++
	}
	require.Equal(t, opcode.MaxDepth, levels-1, "and one level that is empty")
	tree.Dirs[0].Tree.Dirs = tree.Dirs
	tree.Dirs[0].Tree.Files = []checksum.File{{NameHash: 1}}
	r := checksum.Rounds()[2]
	r.Tree = tree
	m := &checksum.Manifest{Rounds: []checksum.Round{r}}
	require.Len(t, checksum.Compare(m, &checksum.Manifest{Rounds: []checksum.Round{r}}), 15, "files without content are never equal")
	all := 0
	for range tree.All() {
		all++
	}
	require.Equal(t, 15, all)
	require.Equal(t, checksum.KindNoFiles, m.VerifyResponse(&opcode.ChecksumResponse{Index: 2, DirHash: r.DirHash(), Tree: wire})[0].Kind)
	sums := tree.Checksums()
	_, err := opcode.Marshal(&opcode.ChecksumResponse{Index: 2, Tree: sums})
	require.ErrorIs(t, err, stream.ErrLimit)
}

func TestPolicies(t *testing.T) {
	kinds := []checksum.Kind{
		checksum.KindWrongVersion, checksum.KindWrongDir, checksum.KindNoFiles, checksum.KindMissing, checksum.KindMismatch, checksum.KindExtra,
	}
	for policy, want := range map[checksum.Policy][2]string{ // rejected kinds in rounds 0 to 3 and in round 255
		checksum.AllowExtra: {"..xxx.", "......"},
		checksum.Strict:     {"xxxxxx", "xxxxxx"},
		checksum.AcceptAll:  {"......", "......"},
		checksum.LearnFirst: {"xxxxxx", "xxxxxx"},
		checksum.Stock:      {"xx..x.", "......"},
		checksum.Policy(9):  {"xxxxxx", "xxxxxx"},
	} {
		for i, round := range []uint8{0, 255} {
			for j, kind := range kinds {
				require.Equal(t, want[i][j] == 'x', policy.Rejects(checksum.Finding{Round: round, Kind: kind}), "%v %v", policy, kind)
			}
		}
	}
	var texts []string
	for p := range checksum.Policy(6) {
		texts = append(texts, p.String())
	}
	require.Equal(t, []string{"AllowExtra", "Strict", "AcceptAll", "LearnFirst", "Stock", "Policy(5)"}, texts)
	require.Equal(t, "Kind(0)", checksum.Kind(0).String())
	require.Equal(t, "Kind(7)", checksum.Kind(7).String())
	require.Equal(t, "60: version differs: 0x00000001, want 0x7e0ce243", checksum.Finding{
		Kind: checksum.KindWrongVersion, Path: "60", Want: []opcode.Hash{0x7E0CE243}, Got: []opcode.Hash{1},
	}.String())
}
