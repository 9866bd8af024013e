package opcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

func said(sender objectid.PeerID, text string) *opcode.ChatMessage {
	return &opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}
}

func saidToTeam(sender objectid.PeerID, text string) *opcode.TeamChatMessage {
	return &opcode.TeamChatMessage{SenderID: sender, Text: stream.Text(text)}
}

func TestSpeaker(t *testing.T) {
	for _, v := range []struct {
		sender objectid.PeerID
		from   objectid.PeerID
		slots  bool
		want   objectid.PeerID
	}{
		// A client's line is its own, with any SenderID.
		{2, 2, false, 2},
		{0, 2, false, 2},
		{3, 2, false, 2},
		{1, 2, true, 2},
		{-1, 127, true, 127},
		{2, objectid.NoPeer, false, objectid.NoPeer},
		{2, -100, true, objectid.NoPeer},
		{2, 0, false, objectid.NoPeer},
		// The host's SenderID is a peer ID or a slot.
		{2, objectid.Host, false, 2},
		{1, objectid.Host, false, objectid.Host},
		{0, objectid.Host, false, objectid.NoPeer},
		{-1, objectid.Host, false, objectid.NoPeer},
		{258, objectid.Host, false, objectid.NoPeer},
		{127, objectid.Host, false, 127},
		{0, objectid.Host, true, 2},
		{1, objectid.Host, true, 3},
		{2, objectid.Host, true, 4},
		{15, objectid.Host, true, 17},
		{16, objectid.Host, true, objectid.NoPeer},
		{255, objectid.Host, true, objectid.NoPeer},
		{0x12345601, objectid.Host, true, 3},
		{-256, objectid.Host, true, 2}, // a client has forged the upper bytes
	} {
		require.Equal(t, v.want, opcode.Speaker(said(v.sender, "x"), v.from, v.slots), "%+v", v)
		require.Equal(t, v.want, opcode.Speaker(saidToTeam(v.sender, "x"), v.from, v.slots), "%+v", v)
	}
	for _, m := range []opcode.Message{nil, &opcode.Score{PlayerID: 2}, &opcode.Unknown{Op: opcode.OpChatMessage}} {
		require.Equal(t, objectid.NoPeer, opcode.Speaker(m, 2, false))
		require.Equal(t, objectid.NoPeer, opcode.Speaker(m, objectid.Host, true))
	}
}
