package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// A host that knows a player of the same name gives the player another one in Settings. The
// player takes it and sends it to the host.
func TestRenamedBySettings(t *testing.T) {
	name, err := stream.NewUTF16("Ann (2)")
	require.NoError(t, err)
	settings := &opcode.Settings{Map: stream.Text(hosttest.Map), Renamed: true, NewName: name}
	l := newLink(t, Options{Name: "Ann", Ship: akira()}, hosttest.Options{Settings: settings})
	c := l.join()
	require.Equal(t, "Ann (2)", c.Name)
	require.Contains(t, l.wire, "client 2: Ack 5, Ack 6, Ack 7, NameChange 2!, NewPlayerInGame 5")
	require.Equal(t, []string{"Ann is now Ann (2)"}, l.reports(" is now "))

	// A rest that is no name changes nothing.
	settings = &opcode.Settings{Map: stream.Text(hosttest.Map), Renamed: true, Opaque: true, Rest: []byte{1, 2, 3}}
	l = newLink(t, Options{Name: "Ann"}, hosttest.Options{Settings: settings})
	require.Equal(t, "Ann", l.join().Name)
	require.Empty(t, l.reports(" is now "))
}

// An OpenBC server that is full or whose match has ended answers a Connect with a payload.
// The player ends at once, with the reason.
func TestOpenBCRefusals(t *testing.T) {
	for datagram, want := range map[string]string{
		"\x01\x01\x32\x05\x00\x04\x00": "join: connecting: refused by the server: no reason given",
		"\x01\x01\x32\x05\x00\x04\x01": "join: connecting: the server has another version of the game",
		"\x01\x01\x32\x05\x00\x04\x02": "join: connecting: the server is full",
		"\x01\x01\x32\x05\x00\x04\x03": "join: connecting: banned by the server",
		"\x01\x01\x32\x05\x00\x04\x04": "join: connecting: the server has other files",
	} {
		l := newLink(t, Options{Name: "Ann"}, hosttest.Options{Silent: true})
		l.send()
		l.client.Receive(epoch.Add(time.Millisecond), []byte(datagram))
		require.EqualError(t, l.player.Err(), want)
	}
}

// OpenBC's server writes the slot of the sender into chat. The player credits each line to the player
// who said it, on a stock host and on OpenBC's.
func TestChatIsCreditedToItsSpeaker(t *testing.T) {
	chat := func(sender objectid.PeerID, text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}
	}
	openBC := func(c *hosttest.Client, m opcode.Message) bool {
		line, ok := m.(*opcode.ChatMessage)
		if ok {
			c.Send(&opcode.ChatMessage{SenderID: line.SenderID - 2, Text: line.Text})
		}
		return ok
	}
	for name, v := range map[string]struct {
		say   string
		hook  func(*hosttest.Client, opcode.Message) bool // of a host that acknowledges no system messages
		known bool                                        // the host shows by its Acks that it is OpenBC
		sent  []opcode.Message
		want  []string
	}{
		"stock": {
			"hello", nil, false,
			[]opcode.Message{chat(3, "one"), chat(1, "two"), chat(0, "forged")},
			[]string{"Ann: hello", "Ben: one", "the host: two", "an unknown player: forged"},
		},
		"OpenBC, by its Acks": {
			"", openBC, true,
			[]opcode.Message{chat(0, "hello"), chat(1, "one"), &opcode.TeamChatMessage{SenderID: 2, Text: stream.Text("two")}, chat(15, "three"), chat(200, "four")},
			[]string{"Ann: hello", "Ben: one", "Cid to the team: two", "peer 17: three", "an unknown player: four"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t, Options{Name: "Ann", Ship: akira(), Say: v.say}, hosttest.Options{Hook: v.hook, OpenBC: v.hook != nil})
			c := l.join()
			l.passSystem(&transport.NameChange{PeerID: 3, Name: text16(t, "Ben")})
			l.passSystem(&transport.NameChange{PeerID: 4, Name: text16(t, "Cid")})
			if v.known {
				l.client.Receive(l.now, []byte("\x01\x01\x01\x00\x00\x80"))
			}
			l.advance(3 * time.Second)
			c.Send(v.sent...)
			l.advance(time.Second)
			require.Equal(t, v.want, l.reports(": "))
		})
	}
}

func text16(t *testing.T, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	require.NoError(t, err)
	return text
}
