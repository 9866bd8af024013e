package opcode_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// seen is a message on a link, with the sender of its datagram.
type seen struct {
	m    opcode.Message
	from objectid.PeerID
}

func TestChatSlots(t *testing.T) {
	const host = objectid.Host
	for name, v := range map[string]struct {
		seen  []seen
		slots bool
	}{
		"nothing":                                      {nil, false},
		"another message":                              {[]seen{{&opcode.Score{}, host}, {&opcode.TeamMessage{PlayerID: 2}, 2}}, false},
		"a line of another player":                     {[]seen{{said(2, "hi"), host}}, false},
		"a line of slot 0":                             {[]seen{{said(0, "hi"), host}}, true},
		"a line with the slot in its low byte":         {[]seen{{said(256, "hi"), host}}, false},
		"its own line with its peer ID":                {[]seen{{said(4, "hi"), 4}, {said(4, "hi"), host}}, false},
		"its own line with its slot":                   {[]seen{{said(4, "hi"), 4}, {said(2, "hi"), host}}, true},
		"its own line to the team":                     {[]seen{{saidToTeam(4, "hi"), 4}, {saidToTeam(2, "hi"), host}}, true},
		"its own line, and another to the team":        {[]seen{{saidToTeam(4, "hi"), 4}, {said(2, "hi"), host}}, false},
		"another text":                                 {[]seen{{said(4, "hi"), 4}, {said(2, "hi!"), host}}, false},
		"the slot as OpenBC's client sends it":         {[]seen{{said(2, "hi"), 4}, {said(2, "hi"), host}}, false},
		"a peer ID without a slot":                     {[]seen{{said(18, "hi"), 18}, {said(16, "hi"), host}}, false},
		"no client":                                    {[]seen{{said(-1, "hi"), -1}, {said(-3, "hi"), host}}, false},
		"a line before its own":                        {[]seen{{said(2, "hi"), host}, {said(4, "hi"), 4}}, false},
		"two players say the same, on a stock host":    {[]seen{{said(4, "gg"), 4}, {said(2, "gg"), host}, {said(4, "gg"), host}}, false},
		"two players say the same, on OpenBC":          {[]seen{{said(4, "gg"), 4}, {said(4, "gg"), host}, {said(2, "gg"), host}}, false},
		"the same on OpenBC, after another line":       {[]seen{{said(4, "hi"), 4}, {said(2, "hi"), host}, {said(4, "gg"), 4}, {said(4, "gg"), host}, {said(2, "gg"), host}}, true},
		"slot 0, although lines come back as sent":     {[]seen{{said(4, "hi"), 4}, {said(4, "hi"), host}, {said(0, "forged"), host}}, false},
		"slot 0, and then a line comes back as sent":   {[]seen{{said(0, "forged"), host}, {said(4, "hi"), 4}, {said(4, "hi"), host}}, false},
		"one line against two":                         {[]seen{{said(4, "a"), 4}, {said(4, "a"), host}, {said(4, "b"), 4}, {said(2, "b"), host}, {said(4, "c"), 4}, {said(2, "c"), host}}, true},
		"copies of a line, as on the links of others":  {[]seen{{said(4, "hi"), 4}, {said(2, "hi"), host}, {said(2, "hi"), host}, {said(2, "hi"), host}, {said(4, "b"), 4}, {said(4, "b"), host}}, false},
		"a line that comes back on the link of others": {[]seen{{said(4, "hi"), 4}, {said(2, "hi"), host}, {said(3, "yes"), host}}, true},
	} {
		var c opcode.HostChat
		for _, s := range v.seen {
			c.Observe(s.m, s.from)
		}
		require.Equal(t, v.slots, c.Slots(), name)
	}
}

// A host that is known to be OpenBC writes slots, unless its lines show the opposite.
func TestChatOfKnownOpenBC(t *testing.T) {
	c := opcode.HostChat{OpenBC: true}
	require.True(t, c.Slots())
	c.Observe(said(4, "hi"), 4)
	before := c
	c.Observe(said(4, "hi"), objectid.Host)
	require.False(t, c.Slots())
	require.True(t, before.Slots(), "a copy is independent")
}

// Lines beyond the last 16 of clients are forgotten.
func TestChatForgetsOldLines(t *testing.T) {
	for n, want := range map[int]bool{15: true, 16: false} {
		var c opcode.HostChat
		c.Observe(said(4, "hi"), 4)
		for i := range n {
			c.Observe(said(5, fmt.Sprint(i)), 5)
		}
		c.Observe(said(2, "hi"), objectid.Host)
		require.Equal(t, want, c.Slots(), "%d lines later", n)
	}
}

// Players say lines from a few texts at the same time. When all lines have come back, no HostChat of any
// number of links is wrong about a host that it knows. A HostChat of all links is never wrong, and
// Speaker then finds the player of every line.
func TestChatIsSound(t *testing.T) { rapid.Check(t, propertyChat) }

func FuzzChatProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyChat)) }

func propertyChat(t *rapid.T) {
	type line struct {
		peer objectid.PeerID
		text string
		team bool
	}
	message := func(sender objectid.PeerID, l line) opcode.Message {
		if l.team {
			return saidToTeam(sender, l.text)
		}
		return said(sender, l.text)
	}
	slots := rapid.Bool().Draw(t, "the host writes slots")
	players := rapid.IntRange(1, 8).Draw(t, "players")
	var all, one opcode.HostChat // of all links, of the link of one player
	own := objectid.PeerID(rapid.IntRange(2, players+1).Draw(t, "own"))
	var toHost []line
	waiting := make([][]line, players) // lines of the host on the way to each player
	told := 0                          // lines with a text that only one player says
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		switch rapid.IntRange(0, 2).Draw(t, "step") {
		case 0:
			l := line{
				objectid.PeerID(rapid.IntRange(2, players+1).Draw(t, "player")),
				rapid.SampledFrom([]string{"gg", "hi", ""}).Draw(t, "text"), rapid.Bool().Draw(t, "team"),
			}
			if flying := len(toHost) + len(slices.MaxFunc(waiting, func(a, b []line) int { return len(a) - len(b) })); flying >= 8 {
				continue // a HostChat keeps 16 lines, and all come back within a round trip
			}
			if rapid.IntRange(0, 9).Draw(t, "unique") == 0 {
				l.text = fmt.Sprint("line ", told)
				told++
			}
			m := message(l.peer, l)
			all.Observe(m, l.peer)
			require.Equal(t, l.peer, opcode.Speaker(m, l.peer, all.Slots()))
			if l.peer == own {
				one.Observe(m, l.peer)
			}
			toHost = append(toHost, l)
		case 1:
			if len(toHost) > 0 {
				for i := range waiting {
					waiting[i] = append(waiting[i], toHost[0])
				}
				toHost = toHost[1:]
			}
		case 2:
			deliver(t, waiting, rapid.IntRange(0, players-1).Draw(t, "to"), 1, func(to objectid.PeerID, l line) {
				observeEcho(t, &all, &one, to == own, slots, l.peer, func(sender objectid.PeerID) opcode.Message { return message(sender, l) })
			})
		}
	}
	for _, l := range toHost {
		for i := range waiting {
			waiting[i] = append(waiting[i], l)
		}
	}
	for i := range waiting {
		deliver(t, waiting, i, len(waiting[i]), func(to objectid.PeerID, l line) {
			observeEcho(t, &all, &one, to == own, slots, l.peer, func(sender objectid.PeerID) opcode.Message { return message(sender, l) })
		})
	}
	if one.Slots() {
		require.True(t, slots, "a HostChat of one link")
	}

	// A line with a text of its own shows what the host writes, unless other lines weigh more.
	last := line{peer: own, text: "the last line"}
	for range 2 {
		one.Observe(message(own, last), own)
		sender := own
		if slots {
			sender -= 2
		}
		one.Observe(message(sender, last), objectid.Host)
		last.text += "!"
	}
	require.Equal(t, slots, one.Slots())
}

// deliver passes the next n lines of the host to a player.
func deliver[L any](t *rapid.T, waiting [][]L, i, n int, f func(to objectid.PeerID, l L)) {
	for range min(n, len(waiting[i])) {
		f(objectid.PeerID(i+2), waiting[i][0])
		waiting[i] = waiting[i][1:]
	}
}

// observeEcho observes a line of the host. The HostChat of all links must find the right player.
func observeEcho(t *rapid.T, all, one *opcode.HostChat, own, slots bool, peer objectid.PeerID, message func(sender objectid.PeerID) opcode.Message) {
	sender := peer
	if slots {
		sender -= 2
	}
	m := message(sender)
	all.Observe(m, objectid.Host)
	if all.Slots() {
		require.True(t, slots, "a HostChat of all links")
	}
	if own {
		one.Observe(m, objectid.Host)
	}
}
