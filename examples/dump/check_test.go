package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestCheckFails(t *testing.T) {
	good := pack(t, 2, transport.NewData(0, chat("good")))
	res := runDump(t, hexLines(good), "-plain", "-check", "-")
	require.Equal(t, 0, res.status)
	require.Contains(t, res.stdout, "1 datagram, 1 message: all messages decode and re-encode to the same bytes")

	// A chat message whose text is longer than the payload.
	res = runDump(t, hexLines(good, testdata.Bytes("0101320f8001002c02000000050068656c")), "-plain", "-check", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stdout, "packet 2, message 0, ChatMessage: opcode: decode ChatMessage.Text at offset 5: unexpected EOF")
	require.Contains(t, res.stdout, "2 datagrams, 2 messages: 1 failure")

	// A malformed line is an error of the input, not a failed check.
	res = runDump(t, hexLines(good)+"zz\n", "-plain", "-check", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stdout, "all messages decode")

	res = runDump(t, "", "-check", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stdout, "0 datagrams, 0 messages: nothing to check")

	require.Contains(t, runDump(t, strings.Repeat("02\n", maxShown+5), "-plain", "-check", "-").stdout, "and 5 more")
}

// The notes of messages and of datagrams are counted. Fragments are normal; a payload that is not complete is
// not.
func TestCheckCountsNotes(t *testing.T) {
	messages, err := transport.AppendFragments(nil, 5, append([]byte{0xCD}, bytes.Repeat([]byte{1}, 1000)...))
	require.NoError(t, err)
	res := runDump(t, hexLines(pack(t, 2, messages[0]), pack(t, 2, messages[1]), testdata.Bytes("02013208800500 2a20ff ffee")), "-plain", "-check", "-")
	require.Zero(t, res.status)
	require.Contains(t, res.stdout, "1  payload incomplete at the end of the input\n")
	require.Contains(t, res.stdout, "Data (fragment)")
	require.Contains(t, res.stdout, "2  trailing bytes, first in packet 3\n")
	require.NotContains(t, res.stdout, "  fragment\n")

	c, decoder := new(check), show.Decoder{Plain: true}
	data := pack(t, 2, transport.NewUnreliable(chat("x")))
	c.Append(nil, decoder.Decode(&show.Datagram{Number: 7, Data: data, Note: "dropped"}))
	require.Contains(t, string(c.Finish(nil, 0)), "1  dropped, first in packet 7\n")
}
