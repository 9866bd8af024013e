package checksum_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The largest responses need memory in proportion to their length.
func TestValidateMemory(t *testing.T) {
	m := checksum.Vanilla()
	files := opcode.ChecksumTree{Files: make([]opcode.FileChecksum, 12000)}
	same := opcode.ChecksumTree{Files: make([]opcode.FileChecksum, 12000)}
	for i := range files.Files {
		files.Files[i].NameHash = opcode.Hash(i)
	}
	var dirs opcode.ChecksumTree
	for i := range 50 {
		d := opcode.DirChecksum{NameHash: opcode.Hash(i)}
		for j := range 255 {
			d.Tree.Dirs = append(d.Tree.Dirs, opcode.DirChecksum{NameHash: opcode.Hash(j % 2)})
		}
		dirs.Dirs = append(dirs.Dirs, d)
	}
	for _, tree := range []opcode.ChecksumTree{files, same, dirs} {
		response := &opcode.ChecksumResponse{Index: checksum.Transfer, Tree: tree}
		length := len(encode(t, response))
		require.InDelta(t, transport.MaxPayload, length, 15000)
		for _, m := range []*checksum.Manifest{m, {}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m.VerifyResponse(response)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(128*length), "70, and more under the race detector")
		}
	}
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
			m.RefHash = opcode.Hash(checksum.StringHash(checksum.GameVersion))
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
	require.ErrorIs(t, err, checksum.ErrManifest)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}
