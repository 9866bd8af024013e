package checksum_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// answered takes a client through the first n rounds.
func answered(t *testing.T, c *checksum.Client, n int) *checksum.ClientExchange {
	t.Helper()
	x := c.NewExchange()
	for _, r := range checksum.Rounds()[:n] {
		reply, file, err := x.Receive(r.Request())
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
		x := answered(t, &checksum.Client{Source: checksum.Vanilla()}, n)
		state := x.State()
		refuse := func(m opcode.Message, want error, text string) {
			t.Helper()
			reply, file, err := x.Receive(m)
			require.ErrorIs(t, err, want)
			require.EqualError(t, err, "checksum: "+text)
			require.Nil(t, reply)
			require.Nil(t, file)
			require.Equal(t, state, x.State())
		}
		refuse(nil, checksum.ErrUnexpected, "empty payload: unexpected message")
		refuse(&opcode.ChatMessage{}, checksum.ErrUnexpected, "ChatMessage: unexpected message")
		refuse(&opcode.ChecksumResponse{}, checksum.ErrUnexpected, "ChecksumResponse: unexpected message")
		for _, m := range []*opcode.ChecksumRequest{
			{Index: 4},
			{Index: 254, Dir: stream.Text("scripts/"), Filter: stream.Text("App.pyc")},
			forged(func(m *opcode.ChecksumRequest) { m.Dir = stream.Text("saves") }),
			forged(func(m *opcode.ChecksumRequest) { m.Filter = nil }),
			forged(func(m *opcode.ChecksumRequest) { m.Recursive = false }),
		} {
			refuse(m, checksum.ErrForged, ofRound(m)+"not a round of the game")
		}
		for i, m := range requests[1:] {
			if i+1 > n {
				refuse(m, checksum.ErrOutOfOrder, ofRound(m)+"an earlier round is not complete")
			} else if i+1 < n {
				refuse(m, checksum.ErrRepeated, ofRound(m)+"the round is already complete")
			}
		}
		if n < 5 {
			refuse(&opcode.FileTransfer{Name: stream.Text("x")}, checksum.ErrOutOfOrder, "FileTransfer: an earlier round is not complete")
			_, _, err := x.Receive(requests[n])
			require.NoError(t, err, "the exchange continues")
		}
		_, _, err := x.Receive(requests[0])
		require.NoError(t, err, "a host may begin again")
		require.Equal(t, checksum.StateAsking, x.State())
		_, _, err = x.Receive(requests[1])
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
			x := answered(t, &checksum.Client{}, n)
			reply, _, err := x.Receive(v.end)
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
			_, _, err = x.Receive(checksum.Rounds()[0].Request())
			require.EqualError(t, err, "checksum: ChecksumRequest: unexpected message", "the exchange has ended")
		}
	}
	var texts []string
	for s := range checksum.State(6) {
		texts = append(texts, s.String())
	}
	require.Equal(t, []string{"asking", "sending", "complete", "rejected", "expired", "State(5)"}, texts)
}

func TestClientReceives(t *testing.T) {
	x := answered(t, &checksum.Client{}, 5)
	m := decode[*opcode.FileTransfer](t, captured(t, "file-transfer"))
	reply, file, err := x.Receive(m)
	require.NoError(t, err)
	require.Equal(t, []byte{0x27}, encode(t, reply))
	require.Equal(t, &checksum.ReceivedFile{Path: modifier, Data: []byte{0, 1, 2, 3, 4, 5, 6, 7}}, file)
	for _, name := range []string{"../x", "C:/x", strings.Repeat("\xFF", 65535)} {
		reply, file, err = x.Receive(&opcode.FileTransfer{Name: stream.Text(name)})
		require.ErrorIs(t, err, checksum.ErrName)
		require.Less(t, len(err.Error()), 300)
		require.Nil(t, file)
		require.Equal(t, &opcode.FileTransferAck{}, reply, "a refused file is acknowledged")
	}
	require.EqualError(t, func() error { _, _, err := x.Receive(&opcode.FileTransfer{Name: stream.Text(`..\x`)}); return err }(),
		`checksum: FileTransfer: "..\\x": not a valid file name of the game`)
}

// An empty payload decodes to no message and is refused.
func TestEmptyPayloadIsRefused(t *testing.T) {
	none, _ := opcode.Decode(nil)
	host, _ := new(checksum.Server).NewExchange()
	_, err := host.Receive(none)
	_, _, err2 := new(checksum.Client).NewExchange().Receive(none)
	for _, err := range []error{err, err2} {
		var e *checksum.ExchangeError
		require.ErrorAs(t, err, &e)
		require.Equal(t, &checksum.ExchangeError{Empty: true, Round: -1, Err: checksum.ErrUnexpected}, e)
		require.EqualError(t, err, "checksum: empty payload: unexpected message")
	}
}

// A negative limit means the default.
func TestNegativeClientLimitsAreTheDefaults(t *testing.T) {
	x := answered(t, &checksum.Client{MaxRequests: -1, MaxReceived: -1, MaxReceivedBytes: -1}, 5)
	_, file, err := x.Receive(&opcode.FileTransfer{Name: stream.Text("x"), Data: []byte("y")})
	require.NoError(t, err)
	require.NotNil(t, file)
}

func TestClientLimits(t *testing.T) {
	receive := func(x *checksum.ClientExchange, size int) error {
		reply, file, err := x.Receive(&opcode.FileTransfer{Name: stream.Text("x"), Data: make([]byte, size)})
		require.Equal(t, &opcode.FileTransferAck{}, reply)
		require.Equal(t, err == nil, file != nil)
		return err
	}
	x := answered(t, &checksum.Client{MaxReceived: 2, MaxReceivedBytes: 10}, 5)
	require.NoError(t, receive(x, 4))
	requireLimit(t, receive(x, 7), "11 bytes of files, at most 10")
	require.NoError(t, receive(x, 6), "a refused file does not count")
	requireLimit(t, receive(x, 0), "3 files, at most 2")
	x = answered(t, &checksum.Client{}, 5)
	for range checksum.MaxReceived {
		require.NoError(t, receive(x, 0))
	}
	requireLimit(t, receive(x, 0), "257 files, at most 256")
	x = answered(t, &checksum.Client{}, 5)
	require.NoError(t, receive(x, checksum.MaxReceivedBytes))
	requireLimit(t, receive(x, 1), "16777217 bytes of files, at most 16777216")

	for _, v := range []struct{ limit, want int }{{0, checksum.MaxRequests}, {5, 5}} {
		x := (&checksum.Client{MaxRequests: v.limit}).NewExchange()
		first := checksum.Rounds()[0].Request()
		for range v.want {
			_, _, err := x.Receive(first)
			require.NoError(t, err)
		}
		_, _, err := x.Receive(first)
		requireLimit(t, err, fmt.Sprintf("%d requests, at most %d", v.want+1, v.want))
	}
}

// requireLimit requires an error text with the limit.
func requireLimit(t *testing.T, err error, text string) {
	t.Helper()
	require.ErrorIs(t, err, checksum.ErrLimit)
	require.True(t, strings.HasSuffix(err.Error(), ": limit reached: "+text), err)
}

// With AnyRequest the client answers every index, directory and filter in any order, such as the
// rounds of a mod.
func TestClientAnyRequest(t *testing.T) {
	in := &checksum.Installation{FS: disk("saves/a.bcs", "scripts/App.pyc", "scripts/Custom/Ships/x.pyc", "scripts/Custom/Ships/y.py")}
	request := func(index uint8, dir, filter string, recursive bool) *opcode.ChecksumRequest {
		return &opcode.ChecksumRequest{Index: index, Dir: stream.Text(dir), Filter: stream.Text(filter), Recursive: recursive}
	}
	app, custom := request(0, "scripts/", "App.pyc", false), request(4, "scripts/Custom", "*.pyc", true)
	last := checksum.Rounds()[4].Request()
	for name, v := range map[string]struct {
		requests []*opcode.ChecksumRequest
		files    []int // in the response to each request
		state    checksum.State
	}{
		"a sixth round before the last":  {[]*opcode.ChecksumRequest{app, custom, last}, []int{1, 1, 0}, checksum.StateSending},
		"a sixth round after the last":   {[]*opcode.ChecksumRequest{app, last, custom}, []int{1, 0, 1}, checksum.StateSending},
		"other directories":              {[]*opcode.ChecksumRequest{request(0, `Saves\`, "", false), request(1, "scripts/custom/ships", "", false)}, []int{1, 2}, checksum.StateAsking},
		"backwards and twice":            {[]*opcode.ChecksumRequest{last, custom, custom, app}, []int{0, 1, 1, 1}, checksum.StateAsking},
		"an index that the game has not": {[]*opcode.ChecksumRequest{request(254, "scripts", "*.PYC", false), request(128, "scripts", "", true)}, []int{1, 3}, checksum.StateAsking},
	} {
		t.Run(name, func(t *testing.T) {
			x := (&checksum.Client{Source: in, AnyRequest: true}).NewExchange()
			for i, m := range v.requests {
				reply, _, err := x.Receive(m)
				require.NoError(t, err)
				response := reply.(*opcode.ChecksumResponse)
				require.Equal(t, m.Index, response.Index)
				n := 0
				for range checksum.NewTree(&response.Tree).All() {
					n++
				}
				require.Equal(t, v.files[i], n, "request %d", i)
			}
			require.Equal(t, v.state, x.State())
			_, _, err := x.Receive(&opcode.ChecksumComplete{})
			require.NoError(t, err)
			require.Equal(t, checksum.StateComplete, x.State())
		})
	}

	x := (&checksum.Client{Source: in, AnyRequest: true, MaxRequests: 2}).NewExchange()
	_, _, err := x.Receive(&opcode.ChecksumComplete{})
	require.ErrorIs(t, err, checksum.ErrOutOfOrder, "before any request")
	reply, _, err := x.Receive(request(1, "..", "", false))
	require.ErrorIs(t, err, checksum.ErrName)
	require.Empty(t, reply.(*opcode.ChecksumResponse).Tree)
	_, _, err = x.Receive(last)
	require.NoError(t, err)
	_, _, err = x.Receive(custom)
	requireLimit(t, err, "3 requests, at most 2")
}

// A client without matching files sends an empty tree, which every host can parse. OpenBC drops a
// client that answers the last round without a tree.
func TestClientWithoutFilesSendsAnEmptyTree(t *testing.T) {
	for i, want := range []string{
		"21 00 43E20C7E 2FCBAF4D 0000 00", "21 01 2FCBAF4D 0000 00", "21 02 C4D117C0 0000 00", "21 03 5D470934 0000 00", "21 FF 3FD19487 0000 00",
	} {
		r := checksum.Rounds()[i]
		for _, s := range []checksum.Source{nil, &checksum.Installation{}, &checksum.Manifest{}, source{r.Response("60", nil), nil}} {
			reply, _, err := answered(t, &checksum.Client{Source: s, AnyRequest: true}, 0).Receive(r.Request())
			require.NoError(t, err)
			require.Equal(t, testdata.Bytes(want), encode(t, reply))
		}
	}

	// By the rule of the game, the host accepts the client and sends its mission scripts.
	host, next := stockServer(t).NewExchange()
	client := new(checksum.Client).NewExchange()
	toClient := opcode.Message(next)
	files := 0
	for !host.State().Over() {
		reply, file, err := client.Receive(toClient)
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

// source is a Source that fails.
type source struct {
	response *opcode.ChecksumResponse
	err      error
}

func (s source) Response(*opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	return s.response, s.err
}

func TestClientSourceFails(t *testing.T) {
	failure := errors.New("disk")
	x := (&checksum.Client{Source: source{err: failure}, MaxRequests: 2}).NewExchange()
	for range 2 {
		reply, _, err := x.Receive(checksum.Rounds()[0].Request())
		require.Equal(t, failure, err)
		require.True(t, reply == nil, "an untyped nil")
	}
	_, _, err := x.Receive(checksum.Rounds()[0].Request())
	require.ErrorIs(t, err, checksum.ErrLimit)

	partial := &opcode.ChecksumResponse{}
	x = (&checksum.Client{Source: source{partial, fs.ErrPermission}}).NewExchange()
	reply, _, err := x.Receive(checksum.Rounds()[0].Request())
	require.Equal(t, fs.ErrPermission, err)
	require.Same(t, partial, reply, "with the files that could be read")
	_, _, err = x.Receive(checksum.Rounds()[1].Request())
	require.Equal(t, fs.ErrPermission, err)
}
