package checksum_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// outOfTurn is messages of a peer, of which the last is wrong.
type outOfTurn struct {
	name  string
	said  []opcode.Message
	want  error
	round int // that the error tells, -1 if none
}

// try holds a row to what an exchange says, and to what it does not do.
func (row *outOfTurn) try(t *testing.T, receive func(opcode.Message) error, state func() checksum.State) {
	last := len(row.said) - 1
	for _, m := range row.said[:last] {
		require.NoError(t, receive(m))
	}
	before := state()
	err := receive(row.said[last])
	require.ErrorIs(t, err, row.want)
	e, ok := errors.AsType[*checksum.ExchangeError](err)
	require.True(t, ok)
	require.Equal(t, row.round, e.Round)
	require.Equal(t, before, state(), "it is as if nothing had come")
}

func hostileClients(t *testing.T) {
	server := &checksum.Server{Manifest: checksum.Vanilla(), Files: game(checksum.Vanilla())}
	responses := respond(t, installation(t, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil}))
	said := func(n int, more ...opcode.Message) (all []opcode.Message) {
		for _, r := range responses[:n] {
			all = append(all, r)
		}
		return append(all, more...)
	}
	none := &opcode.ChecksumResponse{NoFiles: true}
	ack := &opcode.FileTransferAck{}
	for _, row := range []outOfTurn{
		{"no message", said(0, nil), checksum.ErrUnexpected, -1},
		{"begins with the last round", said(0, responses[4]), checksum.ErrOutOfOrder, 255},
		{"leaves a round out", said(2, responses[3]), checksum.ErrOutOfOrder, 3},
		{"a round twice", said(1, responses[0]), checksum.ErrRepeated, 0},
		{"a round twice, the second without files", said(1, none), checksum.ErrRepeated, 0},
		{"round of no game", said(3, &opcode.ChecksumResponse{Index: 4}), checksum.ErrForged, 4},
		{"round 254", said(4, &opcode.ChecksumResponse{Index: 254}), checksum.ErrForged, 254},
		{"acknowledges before a file", said(4, ack), checksum.ErrUnexpected, -1},
		{"acknowledges twice", said(5, ack, ack), checksum.ErrUnexpected, -1},
		{"answers again in place of an acknowledgement", said(5, responses[4]), checksum.ErrRepeated, 255},
		{"asks the host", said(1, &opcode.ChecksumRequest{Index: 1}), checksum.ErrUnexpected, -1},
		{"ends it himself", said(4, &opcode.ChecksumComplete{}), checksum.ErrUnexpected, -1},
		{"sends the host a file", said(5, &opcode.FileTransfer{Name: stream.Text("scripts/App.pyc")}), checksum.ErrUnexpected, -1},
		{"chats", said(2, &opcode.ChatMessage{}), checksum.ErrUnexpected, -1},
		{"goes on after the rejection", said(0, none, responses[0]), checksum.ErrUnexpected, 0},
		{"goes on after the end", said(5, ack, responses[0]), checksum.ErrRepeated, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			host, _ := server.NewExchange()
			receive := func(m opcode.Message) error { _, err := host.Receive(m); return err }
			row.try(t, receive, host.State)
		})
	}
}

// Responses that the game does not send, to a host with its rule.
func hostileStock(t *testing.T) {
	files := func(m *opcode.ChecksumResponse, more ...opcode.FileChecksum) {
		m.Tree.Files = append(m.Tree.Files, more...)
	}
	akira := opcode.FileChecksum{NameHash: opcode.Hash(checksum.StringHash("Akira.pyc")), ContentHash: 1}
	for _, row := range []struct {
		name   string
		round  int
		change func(m *opcode.ChecksumResponse)
		reason string // of the rejection
		files  int    // that are sent
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
		{"10,000 files of its own", 4, func(m *opcode.ChecksumResponse) {
			for i := range opcode.Hash(10_000) {
				files(m, opcode.FileChecksum{NameHash: i})
			}
		}, "", 0},
		{"files of its own alone", 4, func(m *opcode.ChecksumResponse) {
			m.Tree = opcode.ChecksumTree{Files: slices.Repeat([]opcode.FileChecksum{akira}, 10_000)}
		}, "", 28},
		{"all directories nested in one of its own", 4, func(m *opcode.ChecksumResponse) {
			m.Tree = opcode.ChecksumTree{Dirs: []opcode.DirChecksum{{NameHash: 1, Tree: m.Tree}}}
		}, "", 28},
		{"all contents 0", 4, func(m *opcode.ChecksumResponse) {
			for i := range m.Tree.Files {
				m.Tree.Files[i].ContentHash = 0
			}
		}, "", 9},
	} {
		t.Run(row.name, func(t *testing.T) {
			response := respond(t, installation(t, nil))[row.round]
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
			require.LessOrEqual(t, len(host.Findings()), 256)
		})
	}
}

func hostileHosts(t *testing.T) {
	client := &checksum.Client{Source: checksum.Vanilla()}
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
		{"no message", said(0, nil), checksum.ErrUnexpected, -1},
		{"begins with the last round", said(0, requests[4]), checksum.ErrOutOfOrder, 255},
		{"a round twice", said(3, requests[2]), checksum.ErrRepeated, 2},
		{"begins again and again", again, checksum.ErrLimit, 0},
		{"round of no game", said(2, &opcode.ChecksumRequest{Index: 4}), checksum.ErrForged, 4},
		{"asks for other files", said(2, saves), checksum.ErrForged, 2},
		{"asks for all files", said(2, all), checksum.ErrForged, 2},
		{"answers himself", said(0, &opcode.ChecksumResponse{}), checksum.ErrUnexpected, -1},
		{"ends before he has asked", said(0, &opcode.ChecksumComplete{}), checksum.ErrOutOfOrder, -1},
		{"sends a file before he has asked", said(0, file("x", 0)), checksum.ErrOutOfOrder, -1},
		{"sends a file before the last round", said(4, file("x", 0)), checksum.ErrOutOfOrder, -1},
		{"sends a file that leads out", said(5, file(`..\..\autoexec.bat`, 0)), checksum.ErrName, -1},
		{"sends a file of 64 KiB of name", said(5, file(strings.Repeat("a/", 32767), 0)), checksum.ErrName, -1},
		{"sends more than 16 MiB", said(5, file("x", checksum.MaxReceivedBytes), file("x", 1)), checksum.ErrLimit, -1},
		{"asks after the rejection", said(1, failed, requests[0]), checksum.ErrUnexpected, -1},
		{"rejects after the end", said(5, &opcode.ChecksumComplete{}, failed), checksum.ErrUnexpected, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := client.NewExchange()
			receive := func(m opcode.Message) error { _, _, err := x.Receive(m); return err }
			row.try(t, receive, x.State)
		})
	}
}
