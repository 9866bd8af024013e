package checksum_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// shape describes the tree of a response: directories one inside the other, and in the deepest one
// files and directories with directories and files of their own.
type shape struct {
	depth  int // directories one inside the other
	names  int // different name hashes in a directory
	files  int // in the deepest of them
	dirs   int // in the deepest of them
	leaves int // directories in each of dirs
	last   int // directories in the last of dirs
	inner  int // files in each of dirs
	leaf   int // files in each leaf
}

// largest limits the numbers of a search.
var largest = shape{depth: opcode.MaxDepth - 1, names: 13000, files: 13000, dirs: 255, leaves: 255, last: 255, inner: 1000, leaf: 64}

func (s *shape) numbers() []*int {
	return []*int{&s.depth, &s.names, &s.files, &s.dirs, &s.leaves, &s.last, &s.inner, &s.leaf}
}

// response returns the response of the shape, or nil if it is too long or too deep.
func (s shape) response(t *testing.T) (m *opcode.ChecksumResponse, length int) {
	levels := s.depth + 1 + min(s.dirs, 1) + min(s.dirs*s.leaves+s.dirs*s.last, 1)
	if s.files*8+s.dirs*(s.leaves*(7+8*s.leaf)+8*s.inner) > transport.MaxPayload || levels > opcode.MaxDepth {
		return nil, 0
	}
	files := func(n int) []opcode.FileChecksum {
		list := make([]opcode.FileChecksum, n)
		for i := range list {
			list[i].NameHash = opcode.Hash(i % max(1, s.names))
		}
		return list
	}
	tree := opcode.ChecksumTree{Files: files(s.files)}
	leaf := opcode.ChecksumTree{Files: files(s.leaf)}
	for i := range s.dirs {
		d := opcode.DirChecksum{NameHash: opcode.Hash(i), Tree: opcode.ChecksumTree{Files: files(s.inner)}}
		leaves := s.leaves
		if i == s.dirs-1 {
			leaves = s.last
		}
		for j := range leaves {
			d.Tree.Dirs = append(d.Tree.Dirs, opcode.DirChecksum{NameHash: opcode.Hash(j % max(1, s.names)), Tree: leaf})
		}
		tree.Dirs = append(tree.Dirs, d)
	}
	for range s.depth {
		tree = opcode.ChecksumTree{Dirs: []opcode.DirChecksum{{Tree: tree}}}
	}
	m = &opcode.ChecksumResponse{Index: 255, DirHash: checksum.Rounds()[4].DirHash(), Tree: tree}
	payload := encode(t, m)
	if len(payload) > transport.MaxPayload {
		return nil, 0
	}
	return decode[*opcode.ChecksumResponse](t, payload), len(payload)
}

// comparison is a way in which a host compares a response of the last round.
type comparison struct {
	manifest *checksum.Manifest
	policy   checksum.Policy
}

var comparisons = map[string]comparison{
	"any files":           {new(checksum.Manifest), checksum.AllowExtra},
	"the game's manifest": {checksum.Vanilla(), checksum.Stock},
	"the first client":    {new(checksum.Manifest), checksum.LearnFirst},
}

// share returns the memory that a host allocates for a response, as a share of the bound in the
// package documentation. It is 0 if there is no response of that shape. The runtime may allocate, too: what exceeds the
// bound is measured again.
func (c comparison) share(t *testing.T, s shape) (least float64) {
	for i := range 5 {
		if share := c.measure(t, s); i == 0 || share < least {
			least = share
		}
		if least <= 1 {
			break
		}
	}
	return least
}

func (c comparison) measure(t *testing.T, s shape) float64 {
	m, length := s.response(t)
	if m == nil {
		return 0
	}
	host, _ := (&checksum.Server{Manifest: c.manifest, Policy: c.policy}).NewExchange()
	for _, r := range checksum.Rounds()[:4] {
		r.Tree = &checksum.Tree{Files: []checksum.File{{Content: make([]opcode.Hash, 1)}}}
		client := &checksum.Manifest{Rounds: []checksum.Round{r}}
		if known := c.manifest.Round(r.Index); known != nil {
			client = c.manifest
		}
		_, err := host.Receive(client.Response(r.Request()))
		require.NoError(t, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := host.Receive(m)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	files := 0
	if r := c.manifest.Round(255); r != nil {
		for range r.Tree.All() {
			files++
		}
	}
	const bound, perFile = 110, 400 // as in the package documentation
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(bound*length+perFile*files)
}

// A response needs at most the memory in the package documentation. The first shape is the worst
// that the search has found: its last name doubles the memory for the findings.
func TestCompareMemory(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector allocates more")
	}
	worst := []shape{
		{depth: 13, names: 1, dirs: 2, leaves: 246, last: 59},
		{depth: 13, names: 1, dirs: 17, leaves: 128, last: 1},
		{depth: 13, names: 1, dirs: 49, leaves: 255},
		{depth: 14, names: 2, files: 1936},
		{depth: 15, names: 2, files: 8193},
		{names: 13000, files: 12000},
		{names: 2, dirs: 56, leaves: 255, last: 255},
		{names: 1, files: 275},
		{files: 1},
		{},
	}
	for name, c := range comparisons {
		for _, s := range worst {
			share := c.share(t, s)
			require.NotZero(t, share, "%+v", s)
			require.LessOrEqual(t, share, 1.0, "%s, %+v", name, s)
		}
		for seed := range testdata.Either(uint64(4), 1) {
			s, share := searchWorst(seed, testdata.Either(2000, 60), worst[0], func(s shape) float64 { return c.share(t, s) })
			require.LessOrEqual(t, share, 1.0, "%s, %+v", name, s)
			t.Logf("%s, seed %d: %.3f of the bound for %+v", name, seed, share, s)
		}
	}
	least := 0.9 // of the bound
	if strconv.IntSize == 32 {
		least = 0.5 // pointers are half as long
	}
	require.Greater(t, comparisons["the first client"].share(t, worst[0]), least, "the bound is close")
}

// searchWorst changes a shape step by step. It returns the shape with the largest cost.
func searchWorst(seed uint64, steps int, from shape, cost func(shape) float64) (worst shape, most float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	if seed%2 == 0 {
		worst = from
	}
	most = cost(worst)
	for range steps {
		s := worst
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(s.numbers()))
			n, limit := s.numbers()[i], *largest.numbers()[i]
			*n = min(limit, max(0, []int{0, *n + 1, *n - 1, limit, rng.IntN(limit + 1), 1<<rng.IntN(14) + rng.IntN(3) - 1}[rng.IntN(6)]))
		}
		if c := cost(s); c > most {
			worst, most = s, c
		}
	}
	return worst, most
}

// A host with LearnFirst releases the trees of a rejected client.
func TestRejectedMemory(t *testing.T) {
	s := &checksum.Server{Policy: checksum.LearnFirst}
	host, _ := s.NewExchange()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i, r := range checksum.Rounds() {
		m := &opcode.ChecksumResponse{Index: r.Index, DirHash: r.DirHash(), Tree: opcode.ChecksumTree{Files: make([]opcode.FileChecksum, 12000)}}
		if i == 0 {
			m.RefHash = opcode.Hash(checksum.StringHash("60"))
		}
		for j := range m.Tree.Files {
			m.Tree.Files[j].NameHash = opcode.Hash(j % (12000 - i/4)) // a duplicate in the last round
		}
		_, err := host.Receive(m)
		require.NoError(t, err)
	}
	require.Equal(t, checksum.StateRejected, host.State())
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+512<<10)
	runtime.KeepAlive(host)
}

// The memory of the largest manifest is limited.
func TestLoadMemory(t *testing.T) {
	text := []byte(withTree("", repeat("{}", 1<<17-10)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := checksum.LoadManifest(bytes.NewReader(text))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, stream.ErrInvalid)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}
