package checksum_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// join lets a client join a host. It returns the files that the client received, and the
// host's messages after the first.
func join(t *testing.T, s *checksum.Server, m *checksum.Manifest) (*checksum.ServerExchange, *checksum.Client, []*received, []opcode.Message) {
	t.Helper()
	client := &checksum.Client{Manifest: m}
	host, first := s.NewExchange()
	var files []*received
	var sent []opcode.Message
	for toClient := opcode.Message(first); toClient != nil; {
		require.Less(t, len(sent), 100)
		reply, file, err := receive(client, decode[opcode.Message](t, encode(t, toClient)))
		require.NoError(t, err)
		if file != nil {
			files = append(files, file)
		}
		if toClient = nil; reply != nil {
			toClient, err = host.Receive(decode[opcode.Message](t, encode(t, reply)))
			require.NoError(t, err)
			sent = append(sent, toClient)
		}
	}
	require.Equal(t, host.State(), client.State())
	require.True(t, host.State().Over())
	require.Equal(t, host.State() == checksum.StateComplete, host.Accepted())
	_, differs := host.Learn() // the client enters the game
	require.False(t, differs)
	return host, client, files, sent
}

// received is a file that a client has received.
type received struct {
	Path string
	Data []byte
}

// receive passes a message to a client, and returns the file that it accepts.
func receive(x *checksum.Client, m opcode.Message) (opcode.Message, *received, error) {
	reply, err := x.Receive(m)
	f, ok := m.(*opcode.FileTransfer)
	if !ok || err != nil {
		return reply, nil, err
	}
	path, err := checksum.LocalPath(f.Name)
	return reply, &received{path, f.Data}, err
}

const modifier = "Scripts/Multiplayer/Modifier.pyc"

func TestJoin(t *testing.T) {
	changed := map[string][]byte{"scripts/ships/Akira.pyc": []byte("mine")}
	extra := map[string][]byte{"scripts/ships/Aa.pyc": []byte("new")}
	mission := map[string][]byte{"scripts/multiplayer/Modifier.pyc": []byte("mine")}
	missions := map[string][]byte{"scripts/multiplayer/Extra.pyc": []byte("new")}
	for name, v := range map[string]struct {
		policy  checksum.Policy
		changes map[string][]byte
		reason  string // path in the rejection
	}{
		"same":                     {checksum.Strict, nil, ""},
		"changed":                  {checksum.AllowExtra, changed, "scripts/ships/Akira.pyc"},
		"changed, all accepted":    {checksum.AcceptAll, changed, ""},
		"extra":                    {checksum.AllowExtra, extra, ""},
		"extra, strict":            {checksum.Strict, extra, "scripts/ships/" + nameHash("Aa.pyc")},
		"mission":                  {checksum.AllowExtra, mission, ""},
		"mission, strict":          {checksum.Strict, mission, modifier},
		"mission, learned":         {checksum.LearnFirst, mission, modifier},
		"extra mission":            {checksum.AllowExtra, missions, ""},
		"extra mission, strict":    {checksum.Strict, missions, "Scripts/Multiplayer/" + nameHash("Extra.pyc")},
		"App.pyc is gone":          {checksum.AllowExtra, map[string][]byte{"scripts/App.pyc": nil}, "scripts/App.pyc"},
		"App.pyc is gone, strict":  {checksum.Strict, map[string][]byte{"scripts/App.pyc": nil}, "scripts/App.pyc"},
		"a file of main menu gone": {checksum.AllowExtra, map[string][]byte{"scripts/mainmenu/mainmenu.pyc": nil}, "scripts/mainmenu/mainmenu.pyc"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &checksum.Server{Manifest: checksum.Vanilla(), Policy: v.policy}
			host, client, files, sent := join(t, s, installation(t, v.changes))
			require.Empty(t, files)
			why, rejected := host.Rejection()
			require.Equal(t, v.reason != "", rejected)
			require.Equal(t, rejected, host.State() == checksum.StateRejected)
			require.Equal(t, v.reason, why.Path)
			heard, rejected := client.Rejection()
			require.Equal(t, v.reason != "", rejected)
			require.Equal(t, v.reason, heard.Path)
			if rejected {
				require.Equal(t, &opcode.SystemChecksumFailed{Name: stream.Text(v.reason)}, sent[len(sent)-1])
			}
		})
	}
}

func nameHash(name string) string { return opcode.Hash(checksum.StringHash(name)).String() }

func TestJoinWrongVersion(t *testing.T) {
	in := installation(t, nil)
	in.GameVersion = "61"
	host, client, _, sent := join(t, &checksum.Server{Policy: checksum.Strict}, in)
	require.Equal(t, []opcode.Message{&opcode.VersionMismatch{Name: stream.Text("60")}}, sent)
	why, _ := host.Rejection()
	require.Equal(t, checksum.KindWrongVersion, why.Kind)
	heard, _ := client.Rejection()
	require.Equal(t, checksum.Finding{Kind: checksum.KindWrongVersion, Path: "60"}, heard)

	host, _, _, _ = join(t, &checksum.Server{Manifest: checksum.Vanilla()}, in)
	require.Equal(t, checksum.StateComplete, host.State(), "AllowExtra ignores the version")
}

// The zero values complete a join without files.
func TestJoinWithoutFiles(t *testing.T) {
	for _, policy := range []checksum.Policy{checksum.AllowExtra, checksum.Strict, checksum.AcceptAll, checksum.LearnFirst} {
		host, _, _, _ := join(t, &checksum.Server{Policy: policy}, nil)
		require.Equal(t, checksum.StateComplete, host.State())
	}
}

func TestTransfer(t *testing.T) {
	m := checksum.Vanilla()
	s := &checksum.Server{Manifest: m, Files: game(m)}
	for _, s.Policy = range []checksum.Policy{checksum.AllowExtra, checksum.Strict, checksum.LearnFirst} {
		host, _, files, sent := join(t, s, installation(t, map[string][]byte{
			"scripts/multiplayer/Modifier.pyc":                  []byte("mine"),
			"scripts/multiplayer/Episode/Mission1/Mission1.pyc": nil,
			"scripts/multiplayer/Episode/Mission1/__init__.pyc": nil,
		}))
		require.Equal(t, checksum.StateComplete, host.State(), s.Policy)
		require.Equal(t, []*received{
			{modifier, withHash[uint32](0xACFF33C7)},
			{"Scripts/Multiplayer/Episode/Mission1/Mission1.pyc", withHash[uint32](0xDEA7083A)},
			{"Scripts/Multiplayer/Episode/Mission1/__init__.pyc", withHash[uint32](0x4D5389FF)},
		}, files)
		require.Equal(t, &opcode.ChecksumComplete{}, sent[len(sent)-1])
	}
	// All files of a missing directory.
	none := map[string][]byte{}
	for name := range game(m) {
		if strings.HasPrefix(name, "scripts/multiplayer/E") {
			none[name] = nil
		}
	}
	_, _, files, _ := join(t, s, installation(t, none))
	require.Len(t, files, 19)
	// A client without any files gets none.
	s.Policy = checksum.AllowExtra
	for name := range game(m) {
		if strings.HasPrefix(name, "scripts/multiplayer/") {
			none[name] = nil
		}
	}
	host, _, files, _ := join(t, s, installation(t, none))
	require.Empty(t, files)
	require.Equal(t, checksum.StateComplete, host.State())
	s.Policy = checksum.AcceptAll
	_, _, files, _ = join(t, s, installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil}))
	require.Empty(t, files)
}

// respond returns the responses of a client for all rounds.
func respond(m *checksum.Manifest) (responses []*opcode.ChecksumResponse) {
	for _, r := range checksum.Rounds() {
		responses = append(responses, m.Response(r.Request()))
	}
	return responses
}

// asked takes a host through its rounds and returns its last message.
func asked(t testing.TB, host *checksum.ServerExchange, m *checksum.Manifest) (next opcode.Message, err error) {
	t.Helper()
	for i, m := range respond(m) {
		next, err = host.Receive(m)
		if i < 4 {
			require.NoError(t, err)
			require.Equal(t, checksum.Rounds()[i+1].Index, next.(*opcode.ChecksumRequest).Index)
		}
	}
	return next, err
}

// vanishing is a file system in which a file disappears after the first access.
type vanishing struct {
	fstest.MapFS
	looks *int
}

func (v vanishing) Stat(name string) (fs.FileInfo, error) {
	if strings.HasSuffix(name, "/Modifier.pyc") {
		if *v.looks++; *v.looks%2 == 0 {
			return nil, fs.ErrNotExist
		}
	}
	return fs.Stat(v.MapFS, name)
}

// If the host's file is missing or differs, the result is the same as without Files.
func TestTransferOfMissingFile(t *testing.T) {
	m := checksum.Vanilla()
	lacking := map[string][]byte{
		"scripts/multiplayer/Modifier.pyc":      nil,
		"scripts/multiplayer/SpeciesToTorp.pyc": nil,
	}
	long := make([]byte, transport.MaxPayload)
	for name, v := range map[string]struct {
		files fs.FS
		err   string
	}{
		"gone":       {changed(t, lacking), "file does not exist"},
		"nothing":    {fstest.MapFS{}, "file does not exist"},
		"other":      {disk("scripts/Multiplayer/Modifier.pyc", "scripts/Multiplayer/SpeciesToTorp.pyc"), "content differs from the manifest"},
		"too long":   {fstest.MapFS{modifier: {Data: long}}, "limit reached: 103529 bytes, at most 103494"},
		"no file":    {disk(modifier + "/x"), "neither a file nor a directory"},
		"unreadable": {broken{game(m), map[string]error{"scripts/multiplayer/Modifier.pyc": fs.ErrPermission}}, "permission denied"},
		"vanishing":  {vanishing{game(m), new(int)}, "file does not exist"},
		"bad sector": {broken{game(m), map[string]error{"scripts/multiplayer/Modifier.pyc:read": fs.ErrClosed}}, "file already closed"},
		"no status":  {broken{game(m), map[string]error{"scripts": errors.New("dark"), "scripts:stat": fs.ErrNotExist, "Scripts:stat": fs.ErrNotExist, ".": fs.ErrInvalid}}, "invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &checksum.Server{Manifest: m, Files: v.files}
			host, _ := s.NewExchange()
			next, err := asked(t, host, installation(t, lacking))
			require.ErrorContains(t, err, "checksum: "+modifier+": "+v.err)
			require.NotErrorIs(t, err, checksum.ErrUnexpected)
			if file, ok := next.(*opcode.FileTransfer); ok {
				require.Equal(t, "Scripts/Multiplayer/SpeciesToTorp.pyc", file.Name.String())
				next, err = host.Receive(&opcode.FileTransferAck{})
				require.NoError(t, err)
			}
			require.Equal(t, &opcode.ChecksumComplete{}, next)
			require.Equal(t, checksum.StateComplete, host.State())

			s.Policy = checksum.Strict
			host, _ = s.NewExchange()
			next, err = asked(t, host, installation(t, lacking))
			require.ErrorContains(t, err, "checksum: "+modifier+": "+v.err)
			require.Equal(t, &opcode.SystemChecksumFailed{Name: stream.Text(modifier)}, next)
			require.Equal(t, checksum.StateRejected, host.State())
		})
	}
}

// The largest file fills the largest payload.
func TestTransferOfTheLargestFile(t *testing.T) {
	data := make([]byte, transport.MaxPayload-3-len(modifier))
	copy(data[8:], withHash[uint32](77))
	m := checksum.Vanilla()
	files := m.Round(255).Tree.Files
	for i := range files {
		if files[i].Name == "Modifier.pyc" {
			files[i].Content = []opcode.Hash{opcode.Hash(checksum.FileHash(data))}
		}
	}
	for _, size := range []int{len(data), len(data) + 1} {
		s := &checksum.Server{Manifest: m, Files: fstest.MapFS{modifier: {Data: append(data, 0)[:size]}}}
		host, _ := s.NewExchange()
		next, err := asked(t, host, installation(t, nil))
		if size > len(data) {
			require.ErrorIs(t, err, stream.ErrLimit)
			continue
		}
		require.NoError(t, err)
		payload := encode(t, next)
		require.Len(t, payload, transport.MaxPayload)
		_, err = transport.AppendFragments(nil, 0, payload)
		require.NoError(t, err)
	}
}

// A manifest may contain names that cannot be sent.
func TestTransferOfBadName(t *testing.T) {
	r := checksum.Rounds()[4]
	r.Tree = &checksum.Tree{Files: []checksum.File{{NameHash: 1, Content: []opcode.Hash{1}}, {Name: "../x", NameHash: 2}, {Name: "a:b", NameHash: 3}}}
	s := &checksum.Server{Manifest: &checksum.Manifest{Rounds: []checksum.Round{r}}, Files: disk("x")}
	host, _ := s.NewExchange()
	next, err := asked(t, host, installation(t, nil))
	require.ErrorIs(t, err, stream.ErrInvalid)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, &opcode.ChecksumComplete{}, next)
}

// An unexpected message is an error and changes nothing.
func TestServerOutOfTurn(t *testing.T) {
	m := checksum.Vanilla()
	host, _ := (&checksum.Server{Manifest: m, Files: game(m)}).NewExchange()
	in := installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil})
	responses := respond(in)
	refuse := func(m opcode.Message, text string) {
		t.Helper()
		state := host.State()
		next, err := host.Receive(m)
		require.ErrorIs(t, err, checksum.ErrUnexpected)
		require.EqualError(t, err, "checksum: "+text)
		require.Nil(t, next)
		require.Equal(t, state, host.State())
	}
	ack := &opcode.FileTransferAck{}
	wrongMessages := func() {
		t.Helper()
		refuse(&opcode.ChatMessage{}, "ChatMessage: unexpected message")
		refuse(&opcode.ChecksumRequest{Index: 1}, "ChecksumRequest of round 1: unexpected message")
		refuse(&opcode.ChecksumComplete{}, "ChecksumComplete: unexpected message")
		refuse(nil, "empty payload: unexpected message")
		refuse(&opcode.ChecksumResponse{Index: 4}, "ChecksumResponse of round 4: not a round of the game")
		refuse(&opcode.ChecksumResponse{Index: 254}, "ChecksumResponse of round 254: not a round of the game")
	}
	for i, response := range responses {
		wrongMessages()
		refuse(ack, "FileTransferAck: unexpected message")
		for j, other := range responses {
			if j > i {
				refuse(other, "ChecksumResponse of round "+roundNumber(other)+": an earlier round is not complete")
			} else if j < i {
				refuse(other, "ChecksumResponse of round "+roundNumber(other)+": the round is already complete")
			}
		}
		_, err := host.Receive(response)
		require.NoError(t, err)
	}
	require.Equal(t, checksum.StateSending, host.State())
	wrongMessages()
	for _, response := range responses {
		refuse(response, "ChecksumResponse of round "+roundNumber(response)+": the round is already complete")
	}
	next, err := host.Receive(ack)
	require.NoError(t, err)
	require.Equal(t, &opcode.ChecksumComplete{}, next)
	refuse(ack, "FileTransferAck: unexpected message")
	refuse(responses[4], "ChecksumResponse of round 255: the round is already complete")

	host, _ = (&checksum.Server{Manifest: m, Policy: checksum.Strict}).NewExchange()
	_, err = host.Receive(&opcode.ChecksumResponse{NoFiles: true})
	require.NoError(t, err)
	require.Equal(t, checksum.StateRejected, host.State())
	refuse(responses[0], "ChecksumResponse of round 0: unexpected message")
	refuse(responses[1], "ChecksumResponse of round 1: unexpected message")
}

func roundNumber(m *opcode.ChecksumResponse) string {
	return map[uint8]string{0: "0", 1: "1", 2: "2", 3: "3", 255: "255"}[m.Index]
}

// OpenBC's client hashes only the last element of a directory, sends the hash of "scripts"
// as version, and answers the last round with zeros.
func TestServerAcceptsOpenBC(t *testing.T) {
	responses := respond(installation(t, nil))
	responses[0].RefHash = 0x4DAFCB2F
	responses[2].DirHash = 0xB831D315
	responses[3].DirHash = 0x3F7BF00A
	responses[4] = decode[*opcode.ChecksumResponse](t, testdata.Bytes("21FF 00000000 0000 00"))
	for policy, want := range map[checksum.Policy]checksum.State{
		checksum.AllowExtra: checksum.StateComplete,
		checksum.AcceptAll:  checksum.StateComplete,
		checksum.Strict:     checksum.StateRejected,
	} {
		host, _ := (&checksum.Server{Manifest: checksum.Vanilla(), Policy: policy, Files: game(checksum.Vanilla())}).NewExchange()
		for _, m := range responses {
			if !host.State().Over() {
				_, err := host.Receive(m)
				require.NoError(t, err)
			}
		}
		require.Equal(t, want, host.State(), policy)
	}
}

func TestRoundsOfManifest(t *testing.T) {
	m := &checksum.Manifest{Rounds: []checksum.Round{{Index: 2, Dir: "scripts/Custom", Filter: "*"}}}
	host, first := (&checksum.Server{Manifest: m}).NewExchange()
	require.Equal(t, "scripts/", first.Dir.String())
	responses := respond(installation(t, nil))
	_, err := host.Receive(responses[0])
	require.NoError(t, err)
	next, err := host.Receive(responses[1])
	require.NoError(t, err)
	require.Equal(t, m.Rounds[0].Request(), next)
}

// The zero value of a host's side accepts no message.
func TestZeroServerExchange(t *testing.T) {
	messages := []opcode.Message{
		nil, &opcode.FileTransfer{}, &opcode.FileTransferAck{}, &opcode.ChecksumComplete{}, &opcode.SystemChecksumFailed{},
		&opcode.VersionMismatch{}, &opcode.ChatMessage{},
	}
	for _, r := range checksum.Rounds() {
		messages = append(messages, r.Request(), &opcode.ChecksumResponse{Index: r.Index}, &opcode.ChecksumResponse{Index: r.Index, NoFiles: true})
	}
	var host checksum.ServerExchange
	for _, m := range messages {
		reply, err := host.Receive(m)
		require.Nil(t, reply)
		require.ErrorIs(t, err, checksum.ErrUnexpected)
	}
	require.NoError(t, host.Expire())
	require.Zero(t, host.State())
	_, rejected := host.Rejection()
	require.False(t, rejected)
}
