package checksum_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
)

func TestLearnFirst(t *testing.T) {
	s := &checksum.Server{Policy: checksum.LearnFirst}
	host, _, _, _ := join(t, s, installation(t, nil))
	require.Equal(t, checksum.StateComplete, host.State())
	require.Empty(t, host.Findings())
	require.Empty(t, checksum.Compare(checksum.Vanilla(), s.Manifest))
	learned, err := load(save(t, s.Manifest))
	require.NoError(t, err, "the learned manifest can be saved")
	before := s.Manifest
	require.Equal(t, s.Manifest.Rounds, learned.Rounds)

	host, _, _, _ = join(t, s, installation(t, nil))
	require.Equal(t, checksum.StateComplete, host.State())
	require.Same(t, before, s.Manifest, "all trees are known")
	host, _, _, sent := join(t, s, installation(t, map[string][]byte{"scripts/ships/Akira.pyc": []byte("mine")}))
	require.Equal(t, checksum.StateRejected, host.State())
	why, _ := host.Rejection()
	require.Equal(t, "scripts/ships/"+nameHash("Akira.pyc"), why.Path, "the name is unknown")
	require.Len(t, sent, 3)
}

// Known trees are kept, and a file without a name is not sent.
func TestLearnKeepsKnownTrees(t *testing.T) {
	m := checksum.Vanilla()
	m.Rounds = m.Rounds[:4]
	s := &checksum.Server{Policy: checksum.LearnFirst, Manifest: m, Files: game(checksum.Vanilla())}
	host, _, _, _ := join(t, s, installation(t, map[string][]byte{"scripts/ships/Akira.pyc": nil}))
	require.Equal(t, checksum.StateRejected, host.State())
	require.Same(t, m, s.Manifest, "a rejected client changes nothing")
	host, _, _, _ = join(t, s, installation(t, nil))
	require.Equal(t, checksum.StateComplete, host.State())
	require.Len(t, m.Rounds, 4, "the manifest of the caller does not change")
	require.Equal(t, m.Rounds, s.Manifest.Rounds[:4])
	require.Len(t, s.Manifest.Rounds[4].Tree.Files, 9)

	client := installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": []byte("mine")})
	host, _ = s.NewExchange()
	_, err := asked(t, host, client)
	require.ErrorContains(t, err, "file does not exist")
	require.Equal(t, checksum.StateRejected, host.State())
}

// Of two clients that join at the same time, the first to finish is learned.
func TestLearnFromFirstToFinish(t *testing.T) {
	for _, changes := range []map[string][]byte{nil, {"scripts/mainmenu/New.pyc": []byte("new")}} {
		s := &checksum.Server{Policy: checksum.LearnFirst}
		slow, _ := s.NewExchange()
		responses := respond(t, installation(t, changes))
		for _, m := range responses[:4] {
			_, err := slow.Receive(m)
			require.NoError(t, err)
		}
		join(t, s, installation(t, nil))
		learned := s.Manifest
		next, err := slow.Receive(responses[4])
		require.NoError(t, err)
		if changes == nil {
			require.Equal(t, &opcode.ChecksumComplete{}, next)
			require.Equal(t, learned, s.Manifest)
			continue
		}
		why, rejected := slow.Rejection()
		require.True(t, rejected)
		require.Equal(t, checksum.KindExtra, why.Kind)
		require.Contains(t, slow.Findings(), why)
		require.Same(t, learned, s.Manifest)
	}
}

// The first client must match the version and the directory, without duplicate names.
func TestLearnRefusesInvalidResponse(t *testing.T) {
	for _, change := range []func([]*opcode.ChecksumResponse){
		func(m []*opcode.ChecksumResponse) { m[0].RefHash++ },
		func(m []*opcode.ChecksumResponse) { m[3].DirHash++ },
		func(m []*opcode.ChecksumResponse) { m[2].Tree.Files = append(m[2].Tree.Files, m[2].Tree.Files[0]) },
		func(m []*opcode.ChecksumResponse) { m[4].Tree.Dirs = append(m[4].Tree.Dirs, m[4].Tree.Dirs[0]) },
	} {
		s := &checksum.Server{Policy: checksum.LearnFirst}
		host, _ := s.NewExchange()
		responses := respond(t, installation(t, nil))
		change(responses)
		for _, m := range responses {
			if !host.State().Over() {
				_, err := host.Receive(m)
				require.NoError(t, err)
			}
		}
		require.Equal(t, checksum.StateRejected, host.State())
		require.Nil(t, s.Manifest)
	}
}

// A client without files is learned as a client without files.
func TestLearnNoFiles(t *testing.T) {
	s := &checksum.Server{Policy: checksum.LearnFirst}
	join(t, s, installation(t, map[string][]byte{"scripts/Autoexec.pyc": nil}))
	require.Equal(t, &checksum.Tree{}, s.Manifest.Rounds[1].Tree)
	host, _, _, _ := join(t, s, installation(t, nil))
	why, _ := host.Rejection()
	require.Equal(t, "scripts/"+nameHash("Autoexec.pyc")+": not expected: 0x17930049", why.String())
}
