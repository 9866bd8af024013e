package checksum_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// row returns a row without an offset, because errors of manifests, paths and filters quote
// the text instead.
func row(name, in string, want error) testdata.Hostile {
	return testdata.Hostile{Name: name, In: []byte(in), Want: want, Offset: testdata.NoOffset}
}

func TestHostile(t *testing.T) {
	files := disk("scripts/"+strings.Repeat("a", 200)+".pyc", "scripts/App.pyc")
	scan := func(r checksum.Round) error {
		_, err := checksum.Scan(files, []checksum.Round{r})
		return err
	}
	for _, group := range []struct {
		name   string
		rows   []testdata.Hostile
		decode func(in []byte) error
	}{
		{"LoadManifest", hostileManifests(), func(in []byte) error { _, err := load(string(in)); return err }},
		{"LocalPath", hostilePaths, func(in []byte) error { _, err := checksum.LocalPath(in); return err }},
		{"Filter", hostileFilters, func(in []byte) error { return scan(checksum.Round{Dir: "scripts/", Filter: stream.Text(in).String()}) }},
		{"Dir", hostileDirs, func(in []byte) error { return scan(checksum.Round{Dir: stream.Text(in).String(), Filter: "App.pyc"}) }},
	} {
		t.Run(group.name, func(t *testing.T) {
			testdata.TryHostile(t, group.rows, func(in []byte) (int, error) {
				return testdata.NoOffset, group.decode(in)
			})
		})
	}
	t.Run("ServerExchange", hostileClients)
	t.Run("Stock", hostileStock)
	t.Run("ClientExchange", hostileHosts)
}

func hostileManifests() []testdata.Hostile {
	const open = `{"schema":"bc-checksum-manifest/1",`
	bad := stream.ErrInvalid
	dirs := func(n int) string {
		return withTree("", strings.Repeat(`{"name":"d","dirs":[`, n)+strings.Repeat("]}", n))
	}
	name := func(s string) string { return withTree(`{"name":"`+s+`","content_hash":["0x1"]}`, "") }
	hash := func(s string) string { return withTree(`{"name":"a","content_hash":[`+s+`]}`, "") }
	round := func(s string) string { return manifestWith(`{"index":` + s + `,"dir":"scripts"}`) }
	return []testdata.Hostile{
		row("empty input", "", bad),
		row("truncated in a name", open+`"name":"va`, bad),
		row("two manifests", manifestWith("")+"{}", bad),
		row("not a number", round("NaN"), bad),
		row("a list 100,000 deep", strings.Repeat("[", 100_000), bad),
		row("index -1", round("-1"), bad),
		row("index 256", round("256"), bad),
		row("index 1e2", round("1e2"), bad),
		row("index without a round", round("4"), bad),
		row("duplicate round", manifestWith(`{"index":1,"dir":"a"},{"index":1,"dir":"a"}`), bad),
		row("rounds in another order", manifestWith(`{"index":255,"dir":"a"},{"index":1,"dir":"a"}`), bad),
		row("5,000 rounds", manifestWith(repeat(`{"index":1,"dir":"a"}`, 5000)), bad),
		row("duplicate key of rounds", open+`"rounds":[{"index":4,"dir":"a"}],"rounds":[]}`, nil),
		row("no directory", manifestWith(`{"index":2}`), stream.ErrInvalid),
		row("directory outside", manifestWith(`{"index":2,"dir":"../scripts"}`), stream.ErrInvalid),
		row("directory of another system", manifestWith(`{"index":2,"dir":"C:\\scripts"}`), stream.ErrInvalid),
		row("directory in Chinese", manifestWith(`{"index":2,"dir":"世"}`), stream.ErrText),
		row("NUL in a filter", manifestWith(`{"index":2,"dir":"a","filter":"\u0000"}`), stream.ErrInvalid),
		row("filter of 256 bytes", manifestWith(`{"index":2,"dir":"a","filter":"`+strings.Repeat("*", 256)+`"}`), stream.ErrInvalid),
		row("version of 256 bytes", open+`"game_version":"`+strings.Repeat("6", 256)+`"}`, stream.ErrInvalid),
		row("name with parent directories", name(".."), stream.ErrInvalid),
		row("name that is a path", name("a/b"), stream.ErrInvalid),
		row("name that is a device", name("nul.pyc"), stream.ErrInvalid),
		row("name with terminal escapes", name(`\u001b[2J`), stream.ErrInvalid),
		row("name that is not UTF-8", name("\xFF"), stream.ErrText),
		row("name with half a surrogate pair", name(`\ud800`), stream.ErrText),
		row("name of a MiB", name(strings.Repeat("a", 1<<20)), stream.ErrInvalid),
		row("hash without digits", hash(`"0x"`), bad),
		row("hash of nine digits", hash(`"0x123456789"`), bad),
		row("negative hash", hash(`"0x-1"`), bad),
		row("hash with an underscore", hash(`"0x1_0"`), bad),
		row("hash that is a number", hash("12"), bad),
		row("17 directories deep", dirs(16), stream.ErrLimit),
		row("16 directories deep", dirs(15), nil),
		row("3,000 directories deep", dirs(3000), stream.ErrLimit),
		row("256 directories", withTree("", repeat(`{"name_hash":"0x1"}`, 256)), stream.ErrLimit),
		row("one file more than fits a response", withTree(unnamed(12941), ""), stream.ErrLimit),
		row("as many files as fit a response", withTree(unnamed(12940), ""), nil),
		row("131,072 elements", withTree("", repeat("null", 1<<17)), stream.ErrLimit),
		row("4 MiB and a byte", manifestWith(strings.Repeat(" ", checksum.MaxManifest)), stream.ErrLimit),
	}
}

var hostilePaths = []testdata.Hostile{
	row("empty input", "", stream.ErrInvalid),
	row("256 bytes", strings.Repeat("a", 256), stream.ErrInvalid),
	row("64 KiB of dots", strings.Repeat("../", 21845), stream.ErrInvalid),
	row("absolute", "/etc/passwd", stream.ErrInvalid),
	row("absolute on Windows", `\scripts\App.pyc`, stream.ErrInvalid),
	row("network path", `\\host\share\x`, stream.ErrInvalid),
	row("drive", "C:App.pyc", stream.ErrInvalid),
	row("device namespace", `\\.\pipe\x`, stream.ErrInvalid),
	row("parent directory", "scripts/../../x", stream.ErrInvalid),
	row("parent directory with both separators", `scripts\..\..\x`, stream.ErrInvalid),
	row("parent directory with a space", "scripts/.. /x", stream.ErrInvalid),
	row("current directory", "scripts/./App.pyc", stream.ErrInvalid),
	row("two slashes", "scripts//App.pyc", stream.ErrInvalid),
	row("a directory", "scripts/", stream.ErrInvalid),
	row("alternate data stream", "scripts/App.pyc:x", stream.ErrInvalid),
	row("a device", "scripts/aux.pyc", stream.ErrInvalid),
	row("device with a superscript digit", "com\xB9", stream.ErrInvalid),
	row("trailing dot", "scripts/App.pyc.", stream.ErrInvalid),
	row("short name", "scripts/MULTIP~1/x", stream.ErrInvalid),
	row("NUL after an extension", "scripts/App.pyc\x00.txt", stream.ErrInvalid),
	row("C1 control character", "a\x9D", stream.ErrInvalid),
	row("wildcard", "scripts/*.pyc", stream.ErrInvalid),
}

// Filters and directories of rounds.
var hostileFilters = []testdata.Hostile{
	row("255 stars", strings.Repeat("*", 255), nil),
	row("a star for each letter", strings.Repeat("*a", 127), nil),
	row("256 bytes", strings.Repeat("?", 256), stream.ErrInvalid),
	row("64 KiB", strings.Repeat("*a", 32767), stream.ErrInvalid),
	row("a path", "../*", nil),
	row("bytes that are not text", "\x00\x81\xFF[a-", nil),
}

var hostileDirs = []testdata.Hostile{
	row("empty input", "", stream.ErrInvalid),
	row("parent directory", `scripts\..\..`, stream.ErrInvalid),
	row("absolute", "/", stream.ErrInvalid),
	row("64 KiB of slashes", strings.Repeat("/", 65535), stream.ErrInvalid),
	row("64 KiB of line ends", "scripts/"+strings.Repeat("\r\n", 32000), nil),
	row("a device", "con", stream.ErrInvalid),
}

// outOfTurn is a sequence of messages whose last message is wrong.
type outOfTurn struct {
	name string
	said []opcode.Message
	want string // in the error
}

// try requires the error of a row and an unchanged state.
func (row *outOfTurn) try(t *testing.T, receive func(opcode.Message) error, state func() checksum.State) {
	last := len(row.said) - 1
	for _, m := range row.said[:last] {
		require.NoError(t, receive(m))
	}
	before := state()
	err := receive(row.said[last])
	require.ErrorContains(t, err, row.want)
	require.Equal(t, before, state(), "the state is unchanged")
}

func hostileClients(t *testing.T) {
	server := &checksum.Server{Manifest: checksum.Vanilla(), Files: game(checksum.Vanilla())}
	responses := respond(installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil}))
	said := func(n int, more ...opcode.Message) (all []opcode.Message) {
		for _, r := range responses[:n] {
			all = append(all, r)
		}
		return append(all, more...)
	}
	none := &opcode.ChecksumResponse{NoFiles: true}
	ack := &opcode.FileTransferAck{}
	for _, row := range []outOfTurn{
		{"no message", said(0, nil), "unexpected message"},
		{"begins with the last round", said(0, responses[4]), "of round 255: an earlier round is not complete"},
		{"omits a round", said(2, responses[3]), "of round 3: an earlier round is not complete"},
		{"repeats a round", said(1, responses[0]), "of round 0: the round is already complete"},
		{"repeats a round without files", said(1, none), "of round 0: the round is already complete"},
		{"unknown round", said(3, &opcode.ChecksumResponse{Index: 4}), "of round 4: not a round of the game"},
		{"round 254", said(4, &opcode.ChecksumResponse{Index: 254}), "of round 254: not a round of the game"},
		{"acknowledges before a file", said(4, ack), "unexpected message"},
		{"acknowledges twice", said(5, ack, ack), "unexpected message"},
		{"repeats a response instead of an acknowledgement", said(5, responses[4]), "of round 255: the round is already complete"},
		{"sends a request", said(1, &opcode.ChecksumRequest{Index: 1}), "unexpected message"},
		{"sends ChecksumComplete", said(4, &opcode.ChecksumComplete{}), "unexpected message"},
		{"sends the host a file", said(5, &opcode.FileTransfer{Name: stream.Text("scripts/App.pyc")}), "unexpected message"},
		{"sends a chat message", said(2, &opcode.ChatMessage{}), "unexpected message"},
		{"continues after the rejection", said(0, none, responses[0]), "of round 0: unexpected message"},
		{"continues after the end", said(5, ack, responses[0]), "of round 0: the round is already complete"},
	} {
		t.Run(row.name, func(t *testing.T) {
			host, _ := server.NewExchange()
			receive := func(m opcode.Message) error { _, err := host.Receive(m); return err }
			row.try(t, receive, host.State)
		})
	}
}

// hostileStock sends responses that the game does not send to a host with the Stock policy.
func hostileStock(t *testing.T) {
	files := func(m *opcode.ChecksumResponse, more ...opcode.FileChecksum) {
		m.Tree.Files = append(m.Tree.Files, more...)
	}
	akira := opcode.FileChecksum{NameHash: opcode.Hash(checksum.StringHash("Akira.pyc")), ContentHash: 1}
	for _, row := range []struct {
		name   string
		round  int
		change func(m *opcode.ChecksumResponse)
		reason string // path in the rejection
		files  int    // number of files sent
	}{
		{"a file twice, the second wrong", 2, func(m *opcode.ChecksumResponse) { files(m, akira) }, "", 0},
		{"a file twice, the first wrong", 2, func(m *opcode.ChecksumResponse) {
			m.Tree.Files = append([]opcode.FileChecksum{akira}, m.Tree.Files...)
		}, "scripts/ships/Akira.pyc", 0},
		{"a directory 255 times", 2, func(m *opcode.ChecksumResponse) {
			m.Tree.Dirs = slices.Repeat(m.Tree.Dirs, 255)
		}, "", 0},
		{"wrong files of a wrong directory", 2, func(m *opcode.ChecksumResponse) { m.DirHash++; m.Tree.Files[0].ContentHash++ }, "scripts/ships", 0},
		{"a wrong directory in the last round", 4, func(m *opcode.ChecksumResponse) { m.DirHash++ }, "", 0},
		{"10,000 extra files", 4, func(m *opcode.ChecksumResponse) {
			for i := range opcode.Hash(10_000) {
				files(m, opcode.FileChecksum{NameHash: i})
			}
		}, "", 0},
		{"only extra files", 4, func(m *opcode.ChecksumResponse) {
			m.Tree = opcode.ChecksumTree{Files: slices.Repeat([]opcode.FileChecksum{akira}, 10_000)}
		}, "", 28},
		{"all directories nested in an extra one", 4, func(m *opcode.ChecksumResponse) {
			m.Tree = opcode.ChecksumTree{Dirs: []opcode.DirChecksum{{NameHash: 1, Tree: m.Tree}}}
		}, "", 28},
		{"all contents 0", 4, func(m *opcode.ChecksumResponse) {
			for i := range m.Tree.Files {
				m.Tree.Files[i].ContentHash = 0
			}
		}, "", 9},
	} {
		t.Run(row.name, func(t *testing.T) {
			response := respond(installation(t, nil))[row.round]
			row.change(response)
			host, next := stockVerdict(t, stockServer(t), response)
			n := 0
			for ; host.State() == checksum.StateSending; n++ {
				require.Less(t, n, 100)
				var err error
				next, err = host.Receive(&opcode.FileTransferAck{})
				require.NoError(t, err)
			}
			why, _ := host.Rejection()
			require.Equal(t, row.reason, why.Path)
			require.Equal(t, row.files, n)
			require.NotNil(t, next)
		})
	}
}

func hostileHosts(t *testing.T) {
	var requests []*opcode.ChecksumRequest
	for _, r := range checksum.Rounds() {
		requests = append(requests, r.Request())
	}
	said := func(n int, more ...opcode.Message) (all []opcode.Message) {
		for _, r := range requests[:n] {
			all = append(all, r)
		}
		return append(all, more...)
	}
	file := func(name string, size int) opcode.Message {
		return &opcode.FileTransfer{Name: stream.Text(name), Data: make([]byte, size)}
	}
	failed := &opcode.SystemChecksumFailed{Name: stream.Text(strings.Repeat("\x1b", 65535))}
	again := make([]opcode.Message, checksum.MaxRequests+1)
	for i := range again {
		again[i] = requests[0]
	}
	saves := &opcode.ChecksumRequest{Index: 2, Dir: stream.Text("saves"), Filter: stream.Text("*.pyc"), Recursive: true}
	all := &opcode.ChecksumRequest{Index: 2, Dir: stream.Text("scripts/ships"), Recursive: true}
	for _, row := range []outOfTurn{
		{"no message", said(0, nil), "unexpected message"},
		{"begins with the last round", said(0, requests[4]), "of round 255: an earlier round is not complete"},
		{"repeats a round", said(3, requests[2]), "of round 2: the round is already complete"},
		{"begins too often", again, "of round 0: limit reached"},
		{"unknown round", said(2, &opcode.ChecksumRequest{Index: 4}), "of round 4: not a round of the game"},
		{"asks for other files", said(2, saves), "of round 2: not a round of the game"},
		{"asks for all files", said(2, all), "of round 2: not a round of the game"},
		{"sends a response", said(0, &opcode.ChecksumResponse{}), "unexpected message"},
		{"ends before a request", said(0, &opcode.ChecksumComplete{}), "an earlier round is not complete"},
		{"sends a file before a request", said(0, file("x", 0)), "an earlier round is not complete"},
		{"sends a file before the last round", said(4, file("x", 0)), "an earlier round is not complete"},
		{"sends a file outside the installation", said(5, file(`..\..\autoexec.bat`, 0)), "invalid file name of the game"},
		{"sends a file with a name of 64 KiB", said(5, file(strings.Repeat("a/", 32767), 0)), "invalid file name of the game"},
		{"sends more than 16 MiB", said(5, file("x", checksum.MaxReceivedBytes), file("x", 1)), "limit reached"},
		{"asks after the rejection", said(1, failed, requests[0]), "unexpected message"},
		{"rejects after the end", said(5, &opcode.ChecksumComplete{}, failed), "unexpected message"},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := &checksum.Client{Manifest: checksum.Vanilla()}
			receive := func(m opcode.Message) error { _, _, err := receive(x, m); return err }
			row.try(t, receive, x.State)
		})
	}
}
