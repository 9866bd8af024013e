package checksum_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// answered returns a client that has answered the first n rounds.
func answered(t *testing.T, m *checksum.Manifest, n int) *checksum.Client {
	t.Helper()
	x := &checksum.Client{Manifest: m}
	for _, r := range checksum.Rounds()[:n] {
		reply, file, err := receive(x, r.Request())
		require.NoError(t, err)
		require.Nil(t, file)
		require.Equal(t, r.Index, reply.(*opcode.ChecksumResponse).Index)
	}
	return x
}

func TestClientOutOfTurn(t *testing.T) {
	var requests []*opcode.ChecksumRequest
	for _, r := range checksum.Rounds() {
		requests = append(requests, r.Request())
	}
	forged := func(change func(*opcode.ChecksumRequest)) *opcode.ChecksumRequest {
		r := checksum.Rounds()[2]
		m := r.Request()
		change(m)
		return m
	}
	ofRound := func(m *opcode.ChecksumRequest) string { return fmt.Sprintf("ChecksumRequest of round %d: ", m.Index) }
	for n := range 6 {
		x := answered(t, checksum.Vanilla(), n)
		state := x.State()
		refuse := func(m opcode.Message, text string) {
			t.Helper()
			reply, file, err := receive(x, m)
			require.ErrorIs(t, err, checksum.ErrUnexpected)
			require.EqualError(t, err, "checksum: "+text)
			require.Nil(t, reply)
			require.Nil(t, file)
			require.Equal(t, state, x.State())
		}
		refuse(nil, "empty payload: unexpected message")
		refuse(&opcode.ChatMessage{}, "ChatMessage: unexpected message")
		refuse(&opcode.ChecksumResponse{}, "ChecksumResponse of round 0: unexpected message")
		for _, m := range []*opcode.ChecksumRequest{
			{Index: 4},
			{Index: 254, Dir: stream.Text("scripts/"), Filter: stream.Text("App.pyc")},
			forged(func(m *opcode.ChecksumRequest) { m.Dir = stream.Text("saves") }),
			forged(func(m *opcode.ChecksumRequest) { m.Filter = nil }),
			forged(func(m *opcode.ChecksumRequest) { m.Recursive = false }),
		} {
			refuse(m, ofRound(m)+"not a round of the game")
		}
		for i, m := range requests[1:] {
			if i+1 > n {
				refuse(m, ofRound(m)+"an earlier round is not complete")
			} else if i+1 < n {
				refuse(m, ofRound(m)+"the round is already complete")
			}
		}
		if n < 5 {
			refuse(&opcode.FileTransfer{Name: stream.Text("x")}, "FileTransfer: an earlier round is not complete")
			_, _, err := receive(x, requests[n])
			require.NoError(t, err, "the exchange continues")
		}
		_, _, err := receive(x, requests[0])
		require.NoError(t, err, "a host may begin again")
		require.Equal(t, checksum.StateAsking, x.State())
		_, _, err = receive(x, requests[1])
		require.NoError(t, err)
	}
}

func TestClientEnd(t *testing.T) {
	file := stream.Text("scripts/ships/Akira.pyc")
	for _, v := range []struct {
		end   opcode.Message
		state checksum.State
		want  checksum.Finding
	}{
		{&opcode.ChecksumComplete{}, checksum.StateComplete, checksum.Finding{}},
		{&opcode.SystemChecksumFailed{Name: file}, checksum.StateRejected, checksum.Finding{Kind: checksum.KindMismatch, Path: file.String()}},
		{&opcode.VersionMismatch{Name: stream.Text("61")}, checksum.StateRejected, checksum.Finding{Kind: checksum.KindWrongVersion, Path: "61"}},
	} {
		for n := range 6 {
			x := answered(t, nil, n)
			reply, _, err := receive(x, v.end)
			require.Nil(t, reply)
			if v.state == checksum.StateComplete && n == 0 {
				require.EqualError(t, err, "checksum: ChecksumComplete: an earlier round is not complete")
				continue
			}
			require.NoError(t, err)
			require.Equal(t, v.state, x.State())
			why, rejected := x.Rejection()
			require.Equal(t, v.want, why)
			require.Equal(t, v.state == checksum.StateRejected, rejected)
			_, _, err = receive(x, checksum.Rounds()[0].Request())
			require.EqualError(t, err, "checksum: ChecksumRequest of round 0: unexpected message", "the exchange has ended")
		}
	}
}

func TestClientReceives(t *testing.T) {
	x := answered(t, nil, 5)
	m := decode[*opcode.FileTransfer](t, captured(t, "file-transfer"))
	reply, file, err := receive(x, m)
	require.NoError(t, err)
	require.Equal(t, []byte{0x27}, encode(t, reply))
	require.Equal(t, &received{Path: modifier, Data: []byte{0, 1, 2, 3, 4, 5, 6, 7}}, file)
	for _, name := range []string{"../x", "C:/x", strings.Repeat("\xFF", 65535)} {
		reply, file, err = receive(x, &opcode.FileTransfer{Name: stream.Text(name)})
		require.ErrorIs(t, err, stream.ErrInvalid)
		require.Less(t, len(err.Error()), 300)
		require.Nil(t, file)
		require.Equal(t, &opcode.FileTransferAck{}, reply, "a refused file is acknowledged")
	}
	require.EqualError(t, func() error { _, _, err := receive(x, &opcode.FileTransfer{Name: stream.Text(`..\x`)}); return err }(),
		`checksum: FileTransfer: "..\\x": invalid file name of the game`)
}

// An empty payload decodes to no message and is refused.
func TestEmptyPayloadIsRefused(t *testing.T) {
	none, _ := opcode.Decode(nil)
	host, _ := new(checksum.Server).NewExchange()
	_, err := host.Receive(none)
	_, err2 := new(checksum.Client).Receive(none)
	for _, err := range []error{err, err2} {
		require.ErrorIs(t, err, checksum.ErrUnexpected)
		require.EqualError(t, err, "checksum: empty payload: unexpected message")
	}
}

func TestClientLimits(t *testing.T) {
	send := func(x *checksum.Client, size int) error {
		reply, file, err := receive(x, &opcode.FileTransfer{Name: stream.Text("x"), Data: make([]byte, size)})
		require.Equal(t, &opcode.FileTransferAck{}, reply)
		require.Equal(t, err == nil, file != nil)
		return err
	}
	x := answered(t, nil, 5)
	for range checksum.MaxReceived {
		require.NoError(t, send(x, 0))
	}
	requireLimit(t, send(x, 0), "257 files, at most 256")
	x = answered(t, nil, 5)
	require.NoError(t, send(x, checksum.MaxReceivedBytes-1))
	requireLimit(t, send(x, 2), "16777217 bytes of files, at most 16777216")
	require.NoError(t, send(x, 1), "a refused file does not count")
	requireLimit(t, send(x, 1), "16777217 bytes of files, at most 16777216")

	x = new(checksum.Client)
	first := checksum.Rounds()[0].Request()
	for range checksum.MaxRequests {
		_, _, err := receive(x, first)
		require.NoError(t, err)
	}
	_, _, err := receive(x, first)
	requireLimit(t, err, "33 requests, at most 32")
}

// requireLimit requires an error text with the limit.
func requireLimit(t *testing.T, err error, text string) {
	t.Helper()
	require.ErrorIs(t, err, stream.ErrLimit)
	require.True(t, strings.HasSuffix(err.Error(), ": limit reached: "+text), err)
}

// A client without matching files sends an empty tree, which every host can parse. OpenBC drops a
// client that answers the last round without a tree.
func TestClientWithoutFilesSendsAnEmptyTree(t *testing.T) {
	for i, want := range []string{
		"21 00 43E20C7E 2FCBAF4D 0000 00", "21 01 2FCBAF4D 0000 00", "21 02 C4D117C0 0000 00", "21 03 5D470934 0000 00", "21 FF 3FD19487 0000 00",
	} {
		r := checksum.Rounds()[i]
		dirs := r
		dirs.Tree = &checksum.Tree{Dirs: []checksum.Dir{{Name: "empty", NameHash: 1}}}
		for _, m := range []*checksum.Manifest{nil, {}, {Rounds: checksum.Rounds()}, {Rounds: []checksum.Round{dirs}}} {
			reply, err := answered(t, m, i).Receive(r.Request())
			require.NoError(t, err)
			require.Equal(t, testdata.Bytes(want), encode(t, reply))
		}
	}

	// By the rule of the game, the host accepts the client and sends its mission scripts.
	host, next := stockServer(t).NewExchange()
	client := new(checksum.Client)
	toClient := opcode.Message(next)
	files := 0
	for !host.State().Over() {
		reply, file, err := receive(client, toClient)
		require.NoError(t, err)
		if file != nil {
			files++
		}
		toClient, err = host.Receive(reply)
		require.NoError(t, err)
	}
	require.Equal(t, checksum.StateComplete, host.State())
	require.Equal(t, 28, files)
}
