package checksum_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// stockServer is a host with the files of the game and the Stock policy.
func stockServer(t testing.TB) *checksum.Server {
	m := checksum.Vanilla()
	return &checksum.Server{Manifest: m, Policy: checksum.Stock, Files: game(m)}
}

// without removes the files whose names begin with prefix.
func without(t testing.TB, prefix string) map[string][]byte {
	changes := map[string][]byte{}
	for name := range game(checksum.Vanilla()) {
		if strings.HasPrefix(name, prefix) {
			changes[name] = nil
		}
	}
	require.NotEmpty(t, changes)
	return changes
}

// In the first four rounds, files that both sides have must be equal. In the last round the
// client gets the files that it lacks.
func TestStockPolicy(t *testing.T) {
	mine := func(name string) map[string][]byte { return map[string][]byte{name: []byte("mine")} }
	for name, v := range map[string]struct {
		changes map[string][]byte
		reason  string // path in the rejection
		files   int    // sent to the client
	}{
		"same":                               {nil, "", 0},
		"a ship differs":                     {mine("scripts/ships/Akira.pyc"), "scripts/ships/Akira.pyc", 0},
		"a file of doubtful content differs": {mine("scripts/ships/Hardpoints/galaxy.pyc"), "", 0},
		"App.pyc differs":                    {mine("scripts/App.pyc"), "scripts/App.pyc", 0},
		"a ship more":                        {mine("scripts/ships/Aa.pyc"), "", 0},
		"a directory more":                   {mine("scripts/ships/Mod/x.pyc"), "", 0},
		"a ship less":                        {map[string][]byte{"scripts/ships/Akira.pyc": nil}, "", 0},
		"all hardpoint files are missing":    {without(t, "scripts/ships/Hardpoints/"), "", 0},
		"a mission script differs":           {mine("scripts/multiplayer/Modifier.pyc"), "", 1},
		"a mission script more":              {mine("scripts/multiplayer/Extra.pyc"), "", 0},
		"a mission script is missing":        {map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil}, "", 1},
		"a directory of scripts is missing":  {without(t, "scripts/multiplayer/Episode/Mission5/"), "", 5},
		"directories of scripts are missing": {without(t, "scripts/multiplayer/Episode/"), "", 19},
	} {
		t.Run(name, func(t *testing.T) {
			host, client, files, sent := join(t, stockServer(t), installation(t, v.changes))
			require.Len(t, files, v.files)
			why, rejected := host.Rejection()
			require.Equal(t, v.reason != "", rejected)
			require.Equal(t, v.reason, why.Path)
			heard, _ := client.Rejection()
			require.Equal(t, v.reason, heard.Path)
			last := opcode.Message(&opcode.ChecksumComplete{})
			if rejected {
				last = &opcode.SystemChecksumFailed{Name: stream.Text(v.reason)}
			}
			require.Equal(t, last, sent[len(sent)-1])
		})
	}
}

// stockVerdict answers earlier rounds as the game does, and the last one with a response.
func stockVerdict(t testing.TB, s *checksum.Server, response *opcode.ChecksumResponse) (*checksum.ServerExchange, opcode.Message) {
	t.Helper()
	host, _ := s.NewExchange()
	for _, m := range respond(installation(t, nil)) {
		if m.Index == response.Index {
			break
		}
		_, err := host.Receive(m)
		require.NoError(t, err)
	}
	next, err := host.Receive(response)
	require.NoError(t, err)
	return host, next
}

// The version and the directory are compared before the files.
func TestStockHead(t *testing.T) {
	rounds := respond(installation(t, map[string][]byte{"scripts/App.pyc": []byte("mine"), "scripts/ships/Akira.pyc": []byte("mine")}))
	rounds[0].RefHash++
	_, next := stockVerdict(t, stockServer(t), rounds[0])
	require.Equal(t, []byte("\x23\x02\x0060"), encode(t, next))
	rounds[0].RefHash--
	rounds[0].DirHash++
	_, next = stockVerdict(t, stockServer(t), rounds[0])
	require.Equal(t, []byte("\x22\x07\x00scripts"), encode(t, next))
	rounds[2].DirHash++
	_, next = stockVerdict(t, stockServer(t), rounds[2])
	require.Equal(t, []byte("\x22\x0d\x00scripts/ships"), encode(t, next))
	rounds[2].DirHash--
	_, next = stockVerdict(t, stockServer(t), rounds[2])
	require.Equal(t, []byte("\x22\x17\x00scripts/ships/Akira.pyc"), encode(t, next))
}

// A game client without files of a round does not respond. A response without files is
// accepted. In the last round an empty tree gets all files.
func TestStockWithoutFiles(t *testing.T) {
	s := stockServer(t)
	for _, r := range checksum.Rounds() {
		host, next := stockVerdict(t, s, withoutFiles(r))
		require.NotEqual(t, checksum.StateRejected, host.State())
		require.IsNotType(t, &opcode.FileTransfer{}, next, "%d", r.Index)
	}
	openbc := decode[*opcode.ChecksumResponse](t, testdata.Bytes("21FF 00000000 0000 00"))
	_, next := stockVerdict(t, s, openbc)
	require.Equal(t, &opcode.ChecksumComplete{}, next, "with the hash of another directory")
	empty := decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-ff-empty-tree"))
	require.Equal(t, checksum.Rounds()[4].DirHash(), empty.DirHash)
	host, next := stockVerdict(t, s, empty)
	n := 0
	for ; host.State() == checksum.StateSending; n++ {
		require.IsType(t, &opcode.FileTransfer{}, next)
		var err error
		next, err = host.Receive(&opcode.FileTransferAck{})
		require.NoError(t, err)
	}
	require.Equal(t, 28, n)
	require.Equal(t, &opcode.ChecksumComplete{}, next)
	s.Files = nil
	_, next = stockVerdict(t, s, empty)
	require.Equal(t, &opcode.ChecksumComplete{}, next, "nothing to send")
}

// A file whose content is uncertain is sent whatever it has.
func TestStockSendsUnverifiedFiles(t *testing.T) {
	s, files := stockServer(t), game(checksum.Vanilla())
	tree := s.Manifest.Rounds[4].Tree
	tree.Files[0].Unverified, s.Files = true, files
	files["scripts/multiplayer/"+tree.Files[0].Name] = &fstest.MapFile{Data: []byte("another build")}
	_, next := stockVerdict(t, s, decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-ff-empty-tree")))
	require.Equal(t, []byte("another build"), next.(*opcode.FileTransfer).Data)
}

// drawTree returns a tree with few different names, so that two trees have some in common.
func drawTree(t *rapid.T, label string, depth int) (tree checksum.Tree) {
	for i := range 3 {
		if rapid.Bool().Draw(t, fmt.Sprintf("%s.%d", label, i)) {
			name := fmt.Sprintf("f%d.pyc", i)
			tree.Files = append(tree.Files, checksum.File{
				Name: name, NameHash: opcode.Hash(checksum.StringHash(name)),
				Content: []opcode.Hash{opcode.Hash(rapid.IntRange(0, 2).Draw(t, label+name))},
			})
		}
	}
	for i := range 2 {
		if depth > 0 && rapid.Bool().Draw(t, fmt.Sprintf("%s/%d", label, i)) {
			name := fmt.Sprintf("d%d", i)
			tree.Dirs = append(tree.Dirs, checksum.Dir{
				Name: name, NameHash: opcode.Hash(checksum.StringHash(name)), Tree: drawTree(t, label+"/"+name, depth-1),
			})
		}
	}
	return tree
}

func TestStockRule(t *testing.T) { rapid.Check(t, propertyStockRule) }

func FuzzStockRuleProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyStockRule)) }

// A client is rejected for the first file that both sides have with different contents. In
// the last round it gets the files that it lacks or that differ.
func propertyStockRule(t *rapid.T) {
	want, got := drawTree(t, "want", 2), drawTree(t, "got", 2)
	contents := map[string]opcode.Hash{}
	for name, f := range got.All() {
		contents[name] = f.Content[0]
	}
	var differ, send []string
	files := fstest.MapFS{}
	for name, f := range want.All() {
		files["Scripts/Multiplayer/"+name] = &fstest.MapFile{Data: withHash(f.Content[0])}
		content, ok := contents[name]
		if ok && content != f.Content[0] {
			differ = append(differ, "scripts/ships/"+name)
		}
		if !ok || content != f.Content[0] {
			send = append(send, "Scripts/Multiplayer/"+name)
		}
	}
	rounds := checksum.Rounds()
	rounds[2].Tree, rounds[4].Tree = &want, &want
	s := &checksum.Server{Manifest: &checksum.Manifest{Rounds: rounds}, Policy: checksum.Stock, Files: files}
	for _, odd := range []int{2, 4} {
		host, _ := s.NewExchange()
		var next opcode.Message
		for i, r := range rounds {
			m := &opcode.ChecksumResponse{Index: r.Index, DirHash: r.DirHash(), Tree: want.Checksums()}
			if i == 0 {
				m.RefHash = 0x7E0CE243
			}
			if i == odd {
				m.Tree = got.Checksums()
			}
			if !host.State().Over() {
				var err error
				next, err = host.Receive(m)
				require.NoError(t, err)
			}
		}
		var sent []string
		for host.State() == checksum.StateSending {
			sent = append(sent, next.(*opcode.FileTransfer).Name.String())
			var err error
			next, err = host.Receive(&opcode.FileTransferAck{})
			require.NoError(t, err)
		}
		why, rejected := host.Rejection()
		if odd == 4 {
			require.False(t, rejected)
			require.Equal(t, send, sent)
			continue
		}
		require.Empty(t, sent)
		require.Equal(t, len(differ) > 0, rejected)
		if rejected {
			require.Equal(t, differ[0], why.Path)
		}
	}
}

// A game client that lacks the files of a round does not respond. The error of the host
// names these files.
func TestSilentClient(t *testing.T) {
	host, _ := stockServer(t).NewExchange()
	for _, m := range respond(installation(t, nil))[:3] {
		require.Equal(t, 30*time.Second, host.Timeout())
		_, err := host.Receive(m)
		require.NoError(t, err)
	}
	err := host.Expire()
	require.EqualError(t, err, "checksum: ChecksumRequest of round 3: no answer in time: the game does not answer if it has no scripts/mainmenu/*.pyc")
	require.Equal(t, checksum.StateExpired, host.State())
	require.True(t, host.State().Over())
	require.Zero(t, host.Timeout())
	require.NoError(t, host.Expire(), "the exchange has ended")
	_, rejected := host.Rejection()
	require.False(t, rejected)
	_, err = host.Receive(withoutFiles(checksum.Rounds()[3]))
	require.ErrorIs(t, err, checksum.ErrUnexpected)
}

// The acknowledgement of a file and a rejection have their own timeouts.
func TestTimeouts(t *testing.T) {
	s := stockServer(t)
	host, _ := s.NewExchange()
	_, err := asked(t, host, installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil}))
	require.NoError(t, err)
	require.Equal(t, 5*time.Minute, host.Timeout())
	require.EqualError(t, host.Expire(), "checksum: FileTransfer: no answer in time")
	_, err = host.Receive(&opcode.FileTransferAck{})
	require.ErrorIs(t, err, checksum.ErrUnexpected)

	response := respond(checksum.Vanilla())[0]
	response.RefHash++
	host, _ = stockVerdict(t, s, response)
	require.Equal(t, 5*time.Second, host.Timeout())
	require.NoError(t, host.Expire())
	require.Equal(t, checksum.StateRejected, host.State())

	host, _, _, _ = join(t, s, installation(t, nil))
	require.Equal(t, checksum.StateComplete, host.State())
	require.Zero(t, host.Timeout())
}

func TestLearnFirst(t *testing.T) {
	s := &checksum.Server{Policy: checksum.LearnFirst}
	host, _, _, _ := join(t, s, installation(t, nil))
	require.Equal(t, checksum.StateComplete, host.State())
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

// A client whose files are compared while another one enters must have the same files.
func TestLearnWhileComparing(t *testing.T) {
	for _, changes := range []map[string][]byte{nil, {"scripts/mainmenu/New.pyc": []byte("new")}} {
		s := &checksum.Server{Policy: checksum.LearnFirst}
		slow, _ := s.NewExchange()
		responses := respond(installation(t, changes))
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
		require.Same(t, learned, s.Manifest)
	}
}

// A client that answers and never enters teaches nothing. The first that enters does. Another one that was compared
// before it, with other files, is told apart when it enters.
func TestLearnFromFirstToEnter(t *testing.T) {
	s := &checksum.Server{Policy: checksum.LearnFirst}
	finish := func(changes map[string][]byte) *checksum.ServerExchange {
		x, _ := s.NewExchange()
		for _, m := range respond(installation(t, changes)) {
			if x.State() == checksum.StateAsking {
				_, err := x.Receive(m)
				require.NoError(t, err)
			}
		}
		return x
	}
	extra := map[string][]byte{"scripts/mainmenu/New.pyc": []byte("new")}
	idle, early, ann, same := finish(map[string][]byte{"scripts/Autoexec.pyc": nil}), finish(extra), finish(nil), finish(nil)
	require.Nil(t, s.Manifest)
	for _, x := range []*checksum.ServerExchange{idle, early, ann, same} {
		require.Equal(t, checksum.StateComplete, x.State())
	}
	_, differs := ann.Learn()
	require.False(t, differs)
	require.Empty(t, checksum.Compare(checksum.Vanilla(), s.Manifest))
	learned := s.Manifest
	_, differs = same.Learn()
	require.False(t, differs)
	finding, differs := early.Learn()
	require.True(t, differs)
	require.Equal(t, checksum.KindExtra, finding.Kind)
	_, differs = early.Learn()
	require.False(t, differs, "once")
	require.Same(t, learned, s.Manifest)

	empty := &checksum.Server{Policy: checksum.LearnFirst}
	asked, _ := empty.NewExchange()
	_, err := asked.Receive(respond(installation(t, nil))[0])
	require.NoError(t, err)
	_, differs = asked.Learn()
	require.False(t, differs)
	require.Nil(t, empty.Manifest, "it is not accepted")
	late := finish(extra)
	require.Equal(t, checksum.StateRejected, late.State())
	_, differs = late.Learn()
	require.False(t, differs)
	_, differs = new(checksum.ServerExchange).Learn()
	require.False(t, differs)
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
		responses := respond(installation(t, nil))
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
