package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/opcode"
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

// compare returns an error for other bytes, and the error of the encoding.
func TestCompare(t *testing.T) {
	require.NoError(t, compare([]byte{1}, nil, []byte{1}))
	require.ErrorIs(t, compare(nil, io.EOF, nil), io.EOF)
	require.ErrorIs(t, compare([]byte{1, 3}, nil, []byte{1, 2}), errDiffers)
	require.EqualError(t, compare([]byte{1, 3}, nil, []byte{1, 2}), "re-encoding changes the bytes: 0x03 instead of 0x02 at offset 1")
	require.EqualError(t, compare([]byte{1}, nil, []byte{1, 2}), "re-encoding changes the bytes: 1 byte instead of 2")
}

// A message that is not the one on the wire fails, wherever the difference is.
func TestCheckFindsDifferences(t *testing.T) {
	c := new(check)
	decoder := show.Decoder{Plain: true}
	data := pack(t, 2, transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}), transport.NewUnreliable(chat("x")))
	p := decoder.Decode(&show.Datagram{Number: 1, Data: data})
	c.Append(nil, p)
	require.Zero(t, c.failures)
	p.Messages[0].Body = &transport.ConnectReply{PeerID: 3}
	p.Trailing = []byte{1}
	c.Append(nil, p)
	require.Equal(t, []failure{
		{1, "packet 1, message 0, ConnectReply: re-encoding changes the bytes: 0x03 instead of 0x02 at offset 0"},
		{1, "packet 1, datagram: re-encoding changes the bytes: 20 bytes instead of 19"},
	}, c.shown)
	require.ErrorIs(t, c.payload(p.Messages[1], &opcode.ChatMessage{Text: []byte("y")}), errDiffers)
}

// Forms that the stock game does not send re-encode, and malformed messages fail.
func TestCheckOfForms(t *testing.T) {
	good := fmt.Sprintf("%x", pack(t, 2, transport.NewData(0, chat("good"))))
	for text, failed := range map[string]bool{
		"ff010308010000007f00": false, "0201001480000000000000004300610064007900" + "0000": false, "020101050080": false, "02010602": false,
		"02010002": false, "02013218800500" + "19ffffff3f02020d7be6ffff03406e37e55e46": false, "02013207800500" + "0402": false,
		"02013208800500" + "040203": false, "02013206800000" + "2a": false, "0201050a40020a0a0aef0000": false, "020102": false, "0201020300": false,
		"02013207c005002a20": false, "02013208800500" + "2a20ff" + "ffee": false,

		"020132038000": true, "020299010203": true, "020201000000": true, "02": true, "0201321b80000020000800": true, "0201321b8000": true,
		"0201320a8002002c02000000": true, "02013205800200": true, "02010407c0020004": true, "0201320620002a20": true,
		"01013210800000" + "350affff0100000002000000": true,
	} {
		res := runDump(t, good+"\n"+text+"\n", "-plain", "-check", "-")
		require.Equal(t, failed, res.status == exitFailed, "%s: %s", text, res.stdout)
		require.Equal(t, failed, !strings.Contains(res.stdout, "all messages decode and re-encode to the same bytes"))
	}
}

// Subsystem blocks are counted by their form. All re-encode.
func TestCheckOfBlocks(t *testing.T) {
	payloads := map[string]string{}
	type vector struct {
		testdata.Vector
		Hex string
	}
	for _, v := range testdata.Load[vector](t, "payloads.json") {
		payloads[v.Name] = v.Hex
	}
	create, block := payloads["object-create-team-akira-spawn"], payloads["state-update-20-akira-own-start8"]
	openBC := block[:20] + "00ffffff20ff80ffffffff20"
	for blocks, list := range map[string][]string{
		"1 stock, 0 tolerant, 0 raw": {create, block},
		"1 stock, 1 tolerant, 0 raw": {create, block, openBC},
		"0 stock, 0 tolerant, 1 raw": {block},
		"0 stock, 0 tolerant, 2 raw": {create, block[:len(block)-2], strings.Replace(block, "2008", "200b", 1)},
		"0 stock, 0 tolerant, 0 raw": {create + "abcd"},
		"1 stock, 0 tolerant, 1 raw": {create, block, "14ffffff3f", block},
	} {
		var datagrams [][]byte
		for i, payload := range list {
			datagrams = append(datagrams, pack(t, 1, transport.NewData(uint16(i), testdata.Bytes(payload))))
		}
		res := runDump(t, hexLines(datagrams...), "-plain", "-check", "-")
		require.Zero(t, res.status)
		require.True(t, strings.HasSuffix(res.stdout, "same bytes\nsubsystem blocks: "+blocks+"\n"), "%s: %s", blocks, res.stdout)
	}
}
