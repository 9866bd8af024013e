package checksum_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestRequestsMatchCapture(t *testing.T) {
	rounds := checksum.Rounds()
	require.Len(t, rounds, len(roundNames))
	for i, name := range roundNames {
		want := captured(t, "checksum-request-"+name)
		require.Equal(t, want, encode(t, rounds[i].Request()), name)
	}
	rounds[0].Dir = "mine"
	require.Equal(t, "scripts/", checksum.Rounds()[0].Dir)
}

// A scan of files with the right hashes gives the captured responses.
func TestResponsesMatchCapture(t *testing.T) {
	for _, name := range []string{"0", "1", "3", "ff"} {
		request := decode[*opcode.ChecksumRequest](t, captured(t, "checksum-request-"+name))
		for _, m := range []*checksum.Manifest{installation(t, nil), checksum.Vanilla()} {
			require.Equal(t, captured(t, "checksum-response-"+name), encode(t, m.Response(request)), name)
		}
	}
}

// The capture has the length and the beginning of the response of round 2.
func TestResponse2(t *testing.T) {
	request := checksum.Rounds()[2].Request()
	got := encode(t, installation(t, nil).Response(request))
	require.Len(t, got, 832)
	head := vector(t, "checksum-response-2-fragment-0-head")[7:]
	require.Equal(t, []byte(head), got[:len(head)])
}

func vector(t *testing.T, name string) testdata.Hex {
	t.Helper()
	for _, v := range testdata.Load[payload](t, "transport.json") {
		if v.Name == name {
			return v.Hex
		}
	}
	t.Fatal("no vector " + name)
	return nil
}

func TestDirHash(t *testing.T) {
	for dir, want := range map[string]opcode.Hash{
		"scripts/":                   0x4DAFCB2F,
		"scripts":                    0x4DAFCB2F,
		"scripts/\r\n":               0x4DAFCB2F,
		"scripts\\\n\r\n":            0x4DAFCB2F,
		"scripts/ships":              0xC017D1C4,
		`scripts\ships`:              0xC017D1C4,
		"scripts/mainmenu":           0x3409475D,
		"Scripts/Multiplayer":        0x8794D13F,
		"scripts/multiplayer":        0x23BD6D5C,
		"scripts/Multiplayer/":       0x6B58CCA6,
		"":                           0,
		"/":                          0,
		"scripts//":                  opcode.Hash(checksum.StringHash("scripts/")),
		"grün":                       opcode.Hash(checksum.StringHash("gr\xFCn")),
		"not in Windows-1252 \u200b": opcode.Hash(checksum.StringHash("not in Windows-1252 \u200b")),
	} {
		r := checksum.Round{Dir: dir}
		require.Equal(t, want, r.DirHash(), "%q", dir)
	}
}

// A response repeats the spelling of its request, also of characters that are not ASCII.
func TestResponseKeepsTheSpelling(t *testing.T) {
	r := checksum.Round{Index: 2, Dir: "gr\u00fcn/", Filter: "\u20ac?", Recursive: true}
	require.Equal(t, stream.Text("gr\xFCn/"), r.Request().Dir)
	require.Equal(t, stream.Text("\x80?"), r.Request().Filter)
	response := new(checksum.Manifest).Response(&opcode.ChecksumRequest{Dir: stream.Text("GR\xDCN\\")})
	require.Equal(t, opcode.Hash(checksum.StringHash("GR\xDCN")), response.DirHash)
}

// The datagrams of a captured join contain the messages of the two exchanges.
func TestCapturedJoin(t *testing.T) {
	server := checksum.Server{Manifest: checksum.Vanilla(), Policy: checksum.Strict}
	host, request := server.NewExchange()
	client := &checksum.Client{Manifest: installation(t, nil)}
	for _, step := range []struct{ request, response string }{
		{"ack-connect-reply-checksum-request-0", "checksum-response-0-datagram"},
		{"ack-checksum-request-1", "checksum-response-1-datagram"},
		{"checksum-request-2-datagram", ""}, // its response is in fragments
		{"fragment-acks-checksum-request-3", "ack-checksum-response-3"},
		{"ack-checksum-request-ff", "checksum-response-ff-datagram"},
	} {
		require.Equal(t, inDatagram(t, step.request), encode(t, request), step.request)
		response, file, err := receive(client, request)
		require.NoError(t, err)
		require.Nil(t, file)
		if step.response != "" {
			require.Equal(t, inDatagram(t, step.response), encode(t, response), step.response)
		}
		next, err := host.Receive(response)
		require.NoError(t, err)
		if host.State() == checksum.StateAsking {
			request = next.(*opcode.ChecksumRequest)
			continue
		}
		require.Equal(t, inDatagram(t, "ack-checksum-complete-settings-game-init"), encode(t, next))
	}
	require.Equal(t, checksum.StateComplete, host.State())
}

// inDatagram returns the first payload in a datagram.
func inDatagram(t *testing.T, name string) []byte {
	t.Helper()
	for m, err := range transport.Messages(vector(t, name)) {
		require.NoError(t, err)
		if m.Type == transport.TypeData {
			return m.Body
		}
	}
	t.Fatal("no payload in " + name)
	return nil
}
